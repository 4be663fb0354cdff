//! R3: an owner that asks again for what it holds live gets it.
//!
//! Goal: the same lease goes on (`acquired` and fence kept, expiry renewed) as long as it lives,
//! and a new one begins once it is dead.
//! Method: one owner asks twice, at moments on both sides of the expiry.

mod common;

use common::{TTL, World, old_row, terms};
use leasehold_model::{Grant, Terms};

#[test]
fn a_live_lease_goes_on() {
    let mut world = World::new();
    let first = world.grants_one("s1@t1", "/a");
    let again = world.at(TTL - 1).grants_one("s1@t1", "/a");
    assert_eq!(again, Grant { expires: TTL - 1 + TTL, ..first });
}

#[test]
fn a_dead_lease_does_not() {
    let mut world = World::new();
    let first = world.grants_one("s1@t1", "/a");
    let again = world.at(TTL).grants_one("s1@t1", "/a");
    assert_eq!(again.acquired, TTL, "since when is new");
    assert!(again.fence > first.fence, "the fence is new");
}

#[test]
fn it_goes_on_through_any_number_of_renewals() {
    let mut world = World::new();
    let first = world.grants_one("s1@t1", "/a");
    for now in (9..900).step_by(9) {
        let again = world.at(now).grants_one("s1@t1", "/a");
        assert_eq!((again.fence, again.acquired), (first.fence, 0));
    }
}

#[test]
fn the_new_beside_the_held_is_a_new_grant() {
    let mut world = World::new();
    let held = world.grants_one("s1@t1", "/a");
    let both = world.at(3).grants("s1@t1", &["/a", "/b"]);
    assert_eq!((both[0].fence, both[0].acquired), (held.fence, 0));
    assert!(both[1].fence > held.fence);
    assert_eq!(both[1].acquired, 3);
}

#[test]
fn a_path_inside_what_is_held_is_a_new_grant() {
    let mut world = World::new();
    let parent = world.grants_one("s1@t1", "/a");
    let child = world.at(3).grants_one("s1@t1", "/a/b");
    assert!(child.fence > parent.fence);
    let held = world.row("/a");
    assert_eq!((held.fence, held.acquired), (Some(parent.fence), 0), "the parent goes on");
    assert_eq!(held.expires, 3 + TTL, "and is renewed, as all that its owner holds (R11)");
}

#[test]
fn the_same_holds_without_an_epoch() {
    let mut world = World::new();
    let first = world.grants_one("s1", "/a");
    let again = world.at(5).grants_one("s1", "/a");
    assert_eq!((again.fence, again.acquired), (first.fence, 0));
}

#[test]
fn another_owner_does_not_go_on_with_it() {
    let mut world = World::new();
    world.grants("s1@t1", &["/a"]);
    let before = world.state.clone();
    world.at(5).refuses("s1@t2", &["/a"]);
    assert_eq!(world.state, before);
}

#[test]
fn the_terms_are_those_of_the_last_request() {
    let mut world = World::new();
    world.grants_for(100, "s1@t1", &["/a"]);
    world.grants_for(5, "s1@t1", &["/a"]);
    assert_eq!((world.row("/a").expires, world.row("/a").ttl), (5, 5), "shorter is possible");
    world.asks("s1@t1", &["/a"], Terms { agent: "codex".to_owned(), ..terms(TTL) });
    assert_eq!(world.row("/a").agent, "codex");
}

#[test]
fn a_note_stays_until_another_replaces_it() {
    let mut world = World::new();
    let noted = |note: &str| Terms { note: Some(note.to_owned()), ..terms(TTL) };
    world.asks("s1@t1", &["/a"], noted("first"));
    world.grants("s1@t1", &["/a"]);
    assert_eq!(world.row("/a").note.as_deref(), Some("first"));
    world.asks("s1@t1", &["/a"], noted("second"));
    assert_eq!(world.row("/a").note.as_deref(), Some("second"));
    world.at(TTL).grants("s1@t1", &["/a"]);
    assert_eq!(world.row("/a").note, None, "a new grant begins without");
}

#[test]
fn an_old_engines_row_gets_the_fence_that_it_lacked() {
    let mut world = World::new();
    world.old_engine_writes(old_row("s1", "/a", 0, 10));
    let grant = world.at(5).grants_one("s1", "/a");
    assert_eq!((grant.acquired, grant.expires), (0, 15));
    assert_eq!(world.row("/a").fence, Some(grant.fence));
    assert_eq!(world.at(6).grants_one("s1", "/a").fence, grant.fence, "and keeps it");
}
