//! R4: a lease is live while `now < expires`, and an acquire removes the dead ones that it meets.
//!
//! Goal: the moment of expiry itself is too late, for every operation alike; removal of the dead
//! stands even when the answer is a refusal; what is dead but not met stays.
//! Method: the same request one millisecond before and exactly at the expiry.

mod common;

use common::{DAY, TTL, World, old_row, resource};
use leasehold_model::{Form, Released, SWEEP_EVERY, SWEEP_MAX};

#[test]
fn another_owner_gets_it_exactly_at_the_expiry() {
    let mut world = World::new();
    world.grants("s1@t1", &["/a"]);
    world.at(TTL - 1).refuses("s2@t1", &["/a"]);
    world.at(TTL).grants("s2@t1", &["/a"]);
    assert_eq!(world.live(), ["s2@t1 /a"]);
}

#[test]
fn a_check_agrees() {
    let mut world = World::new();
    let grant = world.grants_one("s1@t1", "/a");
    assert_eq!(world.at(TTL - 1).holders("/a"), ["s1@t1 /a"]);
    assert_eq!(world.fence_left(&grant, "/a"), Some(1));
    assert!(world.at(TTL).holders("/a").is_empty());
    assert_eq!(world.fence_left(&grant, "/a"), None);
}

#[test]
fn a_release_agrees() {
    let mut world = World::new();
    world.grants("s1@t1", &["/a"]);
    let mut late = world.clone();
    late.at(TTL);
    assert_eq!(world.at(TTL - 1).releases("s1@t1"), Released::Count(1));
    assert_eq!(late.releases("s1@t1"), Released::Absent, "a dead lease is nothing to give back");
    assert!(late.state.leases.is_empty(), "but its row goes");
}

#[test]
fn a_reap_agrees_and_takes_only_the_dead() {
    let mut world = World::new();
    world.grants("s1@t1", &["/a", "/b"]);
    world.at(1).grants("s2@t1", &["/c"]);
    assert_eq!(world.at(TTL - 1).reaps(), 0);
    assert_eq!(world.at(TTL).reaps(), 2);
    assert_eq!(world.live(), ["s2@t1 /c"]);
}

#[test]
fn the_dead_go_even_when_the_answer_is_busy() {
    let mut world = World::new();
    world.grants("s1@t1", &["/r/dead"]);
    world.grants_for(100, "s2@t1", &["/r/live"]);
    assert_eq!(world.at(TTL).refuses("s3@t1", &["/r"]), ["s2@t1 /r/live"]);
    assert_eq!(world.state.get(&resource("/r/dead")), None);
}

#[test]
fn the_dead_that_are_not_met_stay() {
    let mut world = World::new();
    world.grants("s1@t1", &["/r/a", "/r/b"]);
    world.at(TTL).grants("s2@t1", &["/r/a"]);
    assert_eq!(world.row("/r/b").expires, TTL, "dead, and nobody's business");
    assert_eq!(world.live(), ["s2@t1 /r/a"]);
}

#[test]
fn a_dead_migrated_row_is_not_handed_over() {
    let rows = [old_row("s1", "/a", -5, TTL)];
    let mut world = World::upgraded(Form::First, &rows);
    let grant = world.at(TTL).grants_one("s1@t1", "/a");
    assert_eq!(grant.acquired, TTL, "a new grant");
    let mut world = World::upgraded(Form::First, &rows);
    let grant = world.at(TTL - 1).grants_one("s1@t1", "/a");
    assert_eq!(grant.acquired, -5, "a live one is");
}

#[test]
fn the_long_dead_are_swept_some_at_a_time_the_longest_dead_first() {
    let mut world = World::new();
    let mut paths: Vec<String> = Vec::new();
    // The later a path was leased, the earlier it sorts: age decides, not the name.
    for age in 0..=i64::try_from(SWEEP_MAX).expect("small") {
        let path = format!("/{}", 99 - age);
        // Each after the death of the one before, which is not renewed then.
        world.at(age * TTL).grants("s1@t1", &[&path]);
        paths.push(path);
    }
    world.at(DAY * 2);
    grants_until_a_sweep(&mut world);
    let (swept, left) = paths.split_at(SWEEP_MAX);
    assert!(swept.iter().all(|path| world.state.get(&resource(path)).is_none()));
    assert!(left.iter().all(|path| world.state.get(&resource(path)).is_some()));
    grants_until_a_sweep(&mut world);
    assert!(paths.iter().all(|path| world.state.get(&resource(path)).is_none()), "the next sweep");
}

#[test]
fn the_sweep_spares_what_died_within_a_day() {
    let mut world = World::new();
    world.grants("s1@t1", &["/a"]);
    world.at(TTL + DAY);
    grants_until_a_sweep(&mut world);
    assert!(world.state.get(&resource("/a")).is_some());
    world.at(TTL + DAY + 1);
    grants_until_a_sweep(&mut world);
    assert!(world.state.get(&resource("/a")).is_none());
}

#[test]
fn only_the_grant_that_completes_a_round_sweeps_and_a_jump_over_it_does_too() {
    let mut world = World::new();
    world.grants("s1@t1", &["/a"]);
    world.at(DAY * 2);
    for number in 1..SWEEP_EVERY - 2 {
        world.grants("s2@t1", &[&format!("/new/{number}")]);
    }
    assert_eq!(world.state.count, SWEEP_EVERY - 2);
    assert!(world.state.get(&resource("/a")).is_some(), "not yet");
    world.grants("s2@t1", &["/x", "/y", "/z"]);
    assert_eq!(world.state.count, SWEEP_EVERY + 1);
    assert!(world.state.get(&resource("/a")).is_none());
}

/// One grant after another until the count passes a multiple of the sweep's.
fn grants_until_a_sweep(world: &mut World) {
    let round = world.state.count / SWEEP_EVERY;
    while world.state.count / SWEEP_EVERY == round {
        let path = format!("/new/{}", world.state.count);
        world.grants("s2@t1", &[&path]);
    }
}
