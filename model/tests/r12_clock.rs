//! R12: no lease outlives one TTL from now, whatever the clock did.
//!
//! Goal: a clock that stepped back makes no lease last longer than its TTL, counted from the next
//! write, and the correction happens once, so that the lease does end.
//! Method: grant late, step back, then write or only read, and let time pass again.

mod common;

use common::{TTL, World, old_row, resource};
use leasehold_model::{Op, Outcome, Released};

/// A world whose clock stepped back from 1000 to 0 while `s1@t1` held `/a`.
fn stepped_back() -> World {
    let mut world = World::new();
    world.at(1000).grants("s1@t1", &["/a"]);
    world.at(0);
    world
}

#[test]
fn the_next_write_leaves_one_ttl() {
    let mut world = stepped_back();
    world.grants("s2@t1", &["/elsewhere"]);
    assert_eq!(world.row("/a").expires, TTL);
    assert_eq!(world.row("/a").acquired, 1000, "only the expiry is rewritten");
    world.at(TTL).grants("s2@t1", &["/a"]);
}

#[test]
fn every_kind_of_write_corrects() {
    let mut world = stepped_back();
    world.refuses("s2@t1", &["/a"]);
    assert_eq!(world.row("/a").expires, TTL, "a refused acquire");
    let mut world = stepped_back();
    world.releases("s2@t1");
    assert_eq!(world.row("/a").expires, TTL, "a release that finds nothing");
    let mut world = stepped_back();
    world.begins("s2@t1");
    assert_eq!(world.row("/a").expires, TTL, "a begin that takes over nothing");
    let mut world = stepped_back();
    world.ends_session("s2");
    assert_eq!(world.row("/a").expires, TTL, "the end of a session");
    let mut world = stepped_back();
    assert_eq!(world.reaps(), 0);
    assert_eq!(world.row("/a").expires, TTL, "a reap");
}

#[test]
fn a_read_corrects_nothing() {
    let mut world = stepped_back();
    let fence = world.row("/a").fence.expect("granted");
    let before = world.state.clone();
    assert_eq!(world.holders("/a"), ["s1@t1 /a"]);
    let left = world.run(&Op::CheckFence { resource: resource("/a"), fence });
    assert_eq!(left, Outcome::FenceLeft(Some(1000 + TTL)));
    assert_eq!(world.state, before);
}

#[test]
fn the_correction_is_once_so_that_the_lease_ends() {
    let mut world = stepped_back();
    for now in 0..TTL {
        assert_eq!(world.at(now).refuses("s2@t1", &["/a"]), ["s1@t1 /a"]);
        assert_eq!(world.row("/a").expires, TTL, "at {now}");
    }
    world.at(TTL).grants("s2@t1", &["/a"]);
}

#[test]
fn each_further_step_back_corrects_again() {
    let mut world = stepped_back();
    world.reaps();
    world.at(-500).reaps();
    assert_eq!(world.row("/a").expires, -500 + TTL);
}

#[test]
fn a_lease_with_at_most_its_ttl_left_is_left_alone() {
    let mut world = World::new();
    world.at(3).grants("s1@t1", &["/a"]);
    for now in [3, 4, TTL] {
        world.at(now).reaps();
        assert_eq!(world.row("/a").expires, 3 + TTL);
    }
    world.at(2).reaps();
    assert_eq!(world.row("/a").expires, 2 + TTL, "one step back is a step back");
}

#[test]
fn each_lease_has_its_own_ttl() {
    let mut world = World::new();
    world.at(1000).grants_for(5, "s1@t1", &["/short"]);
    world.grants_for(500, "s1@t1", &["/long"]);
    world.at(0).reaps();
    assert_eq!((world.row("/short").expires, world.row("/long").expires), (5, 500));
}

#[test]
fn an_old_engines_row_counts_what_it_gave_itself() {
    let mut world = World::new();
    world.old_engine_writes(old_row("s1", "/a", 1000, 1030));
    world.reaps();
    assert_eq!(world.row("/a").expires, 30);
    assert_eq!(world.at(29).refuses("s2@t1", &["/a"]), ["s1 /a"]);
    world.at(30).grants("s2@t1", &["/a"]);
}

#[test]
fn an_old_engines_renewal_counts_what_it_gives_itself_now() {
    let mut world = World::new();
    world.old_engine_writes(old_row("s1", "/a", 0, 30));
    world.at(20).old_engine_writes(old_row("s1", "/a", 0, 50));
    assert_eq!(world.row("/a").ttl, 50);
    world.at(-100).reaps();
    assert_eq!(world.row("/a").expires, -50);
}

#[test]
fn an_old_engines_renewal_of_ours_gets_our_ttl_and_no_more() {
    let mut world = World::new();
    world.grants("s1@t1", &["/a"]);
    world.old_engine_writes(old_row("s1", "/a", 0, 500));
    assert_eq!(world.row("/a").expires, 500);
    world.at(1).reaps();
    assert_eq!(world.row("/a").expires, 1 + TTL);
}

#[test]
fn a_step_forward_ends_leases_and_does_nothing_else() {
    let mut world = World::new();
    world.grants("s1@t1", &["/a"]);
    assert_eq!(world.at(1_000_000).releases("s2@t1"), Released::Absent);
    assert_eq!(world.row("/a").expires, TTL);
    world.grants("s2@t1", &["/a"]);
}

#[test]
fn the_owner_renews_after_a_step_back_as_before() {
    let mut world = stepped_back();
    let fence = world.row("/a").fence.expect("granted");
    let again = world.grants_one("s1@t1", "/a");
    assert_eq!((again.fence, again.acquired, again.expires), (fence, 1000, TTL));
}
