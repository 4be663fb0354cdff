//! R6: a release removes exactly one owner's leases.
//!
//! Goal: whoever releases, every other owner's lease stays; the three answers are told apart.
//! Method: all kinds of owners hold a lease each, one of them releases, and all rows are compared.

mod common;

use common::{TTL, World};
use leasehold_model::Released::{Absent, Count, EpochMismatch};

/// All kinds of owners, two sessions that use the same names among them.
const OWNERS: [&str; 8] =
    ["s1", "s1@t1", "s1@t2", "s1@agent:a", "s1@agent:b", "s2", "s2@t1", "s2@agent:a"];

/// A world in which each of these owners holds a path of its own.
fn everybody_holds_one() -> World {
    let mut world = World::new();
    for (number, name) in OWNERS.iter().enumerate() {
        world.grants(name, &[&format!("/{number}")]);
    }
    world
}

#[test]
fn a_release_takes_the_owners_lease_and_nobody_elses() {
    for name in OWNERS {
        for hand_over in [true, false] {
            let mut world = everybody_holds_one();
            let mut expected = world.state.leases.clone();
            expected.retain(|lease| lease.owner != common::owner(name));
            let answer =
                if hand_over { world.releases(name) } else { world.releases_only_own(name) };
            assert_eq!(answer, Count(1), "{name}");
            assert_eq!(world.state.leases, expected, "{name}");
        }
    }
}

#[test]
fn a_release_takes_all_of_the_owners_leases() {
    let mut world = World::new();
    world.grants("s1@t1", &["/a", "/b", "/c/d"]);
    world.grants("s1@t1", &["/e"]);
    assert_eq!(world.releases("s1@t1"), Count(4));
    assert!(world.state.leases.is_empty());
}

#[test]
fn a_release_of_an_older_or_newer_epoch_changes_nothing() {
    let mut world = World::new();
    world.grants("s1@t2", &["/a"]);
    let before = world.state.clone();
    for other in ["s1@t1", "s1@t3", "s1@T2", "s1@t", "s1@agent:t2", "s1"] {
        assert_eq!(world.releases(other), EpochMismatch, "{other}");
        assert_eq!(world.state, before, "{other}");
    }
}

#[test]
fn a_foreign_release_changes_nothing() {
    let mut world = World::new();
    world.grants("s1@t1", &["/a"]);
    let before = world.state.clone();
    for stranger in ["s2@t1", "s2", "s@t1", "s11@t1", "S1@t1", "t1@s1"] {
        assert_eq!(world.releases(stranger), Absent, "{stranger}");
        assert_eq!(world.state, before, "{stranger}");
    }
}

#[test]
fn an_untokened_release_never_removes_a_tokened_lease() {
    let mut world = World::new();
    world.grants("s1@t1", &["/tokened"]);
    world.grants("s1", &["/fresh"]);
    assert_eq!(world.releases("s1"), Count(1));
    assert_eq!(world.releases("s1"), EpochMismatch);
    assert_eq!(world.live(), ["s1@t1 /tokened"]);
}

#[test]
fn a_tokened_release_never_removes_an_untokened_lease() {
    let mut world = World::new();
    world.grants("s1@t1", &["/tokened"]);
    world.grants("s1", &["/fresh"]);
    assert_eq!(world.releases("s1@t1"), Count(1));
    assert_eq!(world.releases("s1@t1"), EpochMismatch);
    assert_eq!(world.live(), ["s1 /fresh"]);
}

#[test]
fn a_second_release_finds_nothing_left() {
    let mut world = World::new();
    world.grants("s1@t1", &["/a"]);
    assert_eq!(world.releases("s1@t1"), Count(1));
    assert_eq!(world.releases("s1@t1"), Absent);
}

#[test]
fn only_live_leases_count_in_the_answer() {
    let mut world = World::new();
    world.grants_for(5, "s1@t1", &["/dead"]);
    world.at(5).grants("s1@t1", &["/live"]);
    assert_eq!(world.at(TTL).releases("s1@t1"), Count(1));
    world.grants("s1@t2", &["/other"]);
    assert_eq!(world.at(TTL + 5).releases("s1@t1"), EpochMismatch, "the other turn holds one");
    assert_eq!(world.at(TTL * 2).releases("s1@t1"), Absent, "which is dead now");
}

#[test]
fn a_release_by_an_alias_is_a_release_by_the_session() {
    for alias in ["agent/s1", "AGENT/agent/s1"] {
        let mut world = World::new();
        world.grants("s1@t1", &["/a"]);
        assert_eq!(world.releases(&format!("{alias}@t1")), Count(1));
    }
}

#[test]
fn what_is_released_is_free_at_once() {
    let mut world = World::new();
    world.grants("s1@t1", &["/r/a"]);
    world.refuses("s2@t1", &["/r"]);
    world.releases("s1@t1");
    world.grants("s2@t1", &["/r"]);
}

#[test]
fn the_end_of_a_session_takes_all_of_it_and_nobody_elses() {
    let mut world = everybody_holds_one();
    assert_eq!(world.ends_session("s1"), Count(5));
    assert_eq!(world.live(), ["s2 /5", "s2@t1 /6", "s2@agent:a /7"]);
    assert_eq!(world.ends_session("s1"), Absent);
    assert_eq!(world.ends_session("s3"), Absent);
    assert_eq!(world.live().len(), 3);
}
