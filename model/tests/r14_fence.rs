//! R14: fences grow for ever, over crashes and clocks, and a check of a fence tells what it covers.
//!
//! Goal: no fence is given twice or below an earlier one, whatever ends a lease, boots the machine
//! or sets the clock; `CheckFence` says yes to the live lease with that fence, and to nothing else.
//! Method: collect the fences of single grants with one disturbance between each two.

mod common;

use common::{TTL, World, old_row};
use leasehold_model::{Fence, Form, Millis};

const MINUTE: Millis = 60_000;
/// 2026-01-01, in minutes since 1970.
const MINUTES_TO_2026: i64 = 29_453_760;

#[test]
fn each_grant_has_a_higher_fence_than_all_before() {
    let mut world = World::new();
    let mut last = world.grants_one("s1@t1", "/a").fence;
    let mut higher = |fence: Fence, after: &str| {
        assert!(fence > last, "after {after}: {fence:?} is not above {last:?}");
        last = fence;
    };
    higher(world.grants_one("s2@t1", "/b").fence, "another's grant");
    world.releases("s1@t1");
    higher(world.grants_one("s1@t1", "/a").fence, "a release");
    higher(world.at(TTL).grants_one("s1@t1", "/a").fence, "expiry");
    world.at(2 * TTL).reaps();
    higher(world.grants_one("s2@t1", "/a").fence, "a reap");
    world.ends_session("s2");
    higher(world.grants_one("s2@t1", "/a").fence, "the end of a session");
    world.old_engine_deletes("s2");
    higher(world.grants_one("s2@t1", "/a").fence, "an old engine's delete");
    world.old_engine_writes(old_row("s3", "/a", 0, 100));
    higher(world.grants_one("s3", "/a").fence, "an old engine's write");
    world.opens("boot 1");
    higher(world.grants_one("s1@t1", "/c").fence, "an open");
    world.opens("boot 2");
    higher(world.grants_one("s1@t1", "/d").fence, "a boot");
    world.at(-1_000_000).opens("boot 3");
    higher(world.grants_one("s1@t1", "/e").fence, "a boot with a clock that stepped back");
    world.opens("boot 1");
    higher(world.grants_one("s1@t1", "/f").fence, "a boot with an old name");
}

#[test]
fn adoption_takes_a_new_fence_each() {
    let rows = [old_row("s1", "/r/a", 0, 100), old_row("s1", "/r/b", 0, 100)];
    let mut world = World::upgraded(Form::First, &rows);
    let first = world.grants_one("s2@t1", "/q").fence;
    world.grants("s1@t1", &["/r"]);
    let fences = ["/r/a", "/r/b", "/r"].map(|path| world.row(path).fence.expect("granted"));
    assert!(fences.iter().all(|fence| *fence > first));
    assert!(fences[0] != fences[1] && fences[1] != fences[2] && fences[0] != fences[2]);
}

#[test]
fn the_generation_begins_with_the_minute() {
    let mut world = World::unopened();
    world.at(7 * MINUTE + 59_999);
    world.opens("boot 1");
    assert_eq!((world.state.generation, world.state.count), (7, 0));
    assert_eq!(world.grants_one("s1@t1", "/a").fence, Fence::new(7, 1));
}

#[test]
fn only_another_boot_begins_another_generation() {
    let mut world = World::new();
    world.at(7 * MINUTE).opens("boot 1");
    assert_eq!(world.state.generation, 1, "the same boot goes on");
    world.opens("boot 2");
    assert_eq!(world.state.generation, 7, "the minute, when it is ahead");
    world.opens("boot 3");
    assert_eq!(world.state.generation, 8, "the next number, when it is not");
    world.at(0).opens("boot 4");
    assert_eq!(world.state.generation, 9);
}

#[test]
fn a_generation_that_is_half_used_up_ends_at_the_next_open() {
    let mut world = World::new();
    world.state.count = Fence::RENEW_AT - 1;
    world.opens("boot 1");
    assert_eq!(world.state.generation, 1);
    let last = world.grants_one("s1@t1", "/a").fence;
    world.opens("boot 1");
    assert_eq!((world.state.generation, world.state.count), (2, 0));
    assert!(world.grants_one("s1@t1", "/b").fence > last);
}

#[test]
fn the_highest_fence_of_a_generation_is_below_the_next_and_fits_a_double() {
    let highest = (1 << Fence::COUNT_BITS) - 1;
    assert!(Fence::new(7, highest) < Fence::new(8, 1));
    // Who opened just before the renewal may grant as often again.
    assert!(Fence::new(7, 2 * Fence::RENEW_AT) <= Fence::new(8, 0));
    assert!(Fence::new(7, 1) < Fence::new(7, 2));
    // In nine hundred years:
    let late = Fence::new(MINUTES_TO_2026 + 900 * 525_960, highest);
    assert!(late < Fence(1 << 53), "{late:?}");
}

#[test]
fn a_fence_covers_its_resource_and_what_lies_in_it() {
    let mut world = World::new();
    let grant = world.grants_one("s1@t1", "/a/b");
    world.at(3);
    assert_eq!(world.fence_left(&grant, "/a/b"), Some(7));
    assert_eq!(world.fence_left(&grant, "/a/b/c"), Some(7));
    assert_eq!(world.fence_left(&grant, "/a"), None, "not what lies above");
    assert_eq!(world.fence_left(&grant, "/a/bc"), None);
}

#[test]
fn a_fence_covers_nothing_of_another_lease() {
    let mut world = World::new();
    let grants = world.grants("s1@t1", &["/a", "/b"]);
    assert_eq!(world.fence_left(&grants[0], "/a"), Some(TTL));
    assert_eq!(world.fence_left(&grants[0], "/b"), None);
    assert_eq!(world.fence_left(&grants[1], "/a"), None);
}

#[test]
fn a_fence_is_void_once_its_lease_is_over() {
    let mut world = World::new();
    let first = world.grants_one("s1@t1", "/a");
    world.releases("s1@t1");
    assert_eq!(world.fence_left(&first, "/a"), None, "released");
    let second = world.grants_one("s1@t1", "/a");
    assert_eq!(world.fence_left(&first, "/a"), None, "and not for the next lease");
    assert_eq!(world.fence_left(&second, "/a"), Some(TTL));
    world.at(TTL).grants("s2@t1", &["/a"]);
    assert_eq!(world.fence_left(&second, "/a"), None, "expired and taken");
}

#[test]
fn a_fence_outlives_a_boot() {
    let mut world = World::new();
    let grant = world.grants_one("s1@t1", "/a");
    world.opens("boot 2");
    assert_eq!(world.fence_left(&grant, "/a"), Some(TTL));
}
