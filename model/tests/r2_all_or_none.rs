//! R2: an acquire of several paths grants all of them or none, and a refused one changes nothing.
//!
//! Goal: after a refusal nothing is granted, renewed, adopted or counted; duplicates count once.
//! Method: make one path of several busy, at each place of the list, and look at all the rest.

mod common;

use common::{World, old_row};
use leasehold_model::Form;

#[test]
fn what_is_free_is_granted_whole() {
    let mut world = World::new();
    let grants = world.grants("s1@t1", &["/c", "/a", "/b"]);
    let paths: Vec<String> = grants.iter().map(|grant| grant.resource.path()).collect();
    assert_eq!(paths, ["/a", "/b", "/c"]);
    assert_eq!(world.live(), ["s1@t1 /a", "s1@t1 /b", "s1@t1 /c"]);
    assert!(grants.is_sorted_by(|one, next| one.fence < next.fence), "each has its own fence");
}

#[test]
fn one_busy_path_refuses_all_wherever_it_stands() {
    for list in [["/busy", "/a", "/z"], ["/a", "/busy", "/z"], ["/a", "/z", "/busy"]] {
        let mut world = World::new();
        world.grants("s2@t1", &["/busy"]);
        let before = world.state.clone();
        assert_eq!(world.refuses("s1@t1", &list), ["s2@t1 /busy"]);
        assert_eq!(world.state, before, "nothing granted, no fence used");
    }
}

#[test]
fn a_refused_acquire_renews_nothing() {
    let mut world = World::new();
    world.grants("s1@t1", &["/mine"]);
    world.at(5).grants("s2@t1", &["/busy"]);
    world.at(6).refuses("s1@t1", &["/mine", "/busy"]);
    assert_eq!(world.row("/mine").expires, 10);
    world.at(6).grants("s1@t1", &["/mine"]);
    assert_eq!(world.row("/mine").expires, 16, "a granted one does");
}

#[test]
fn a_refused_acquire_adopts_nothing() {
    let mut world = World::upgraded(Form::First, &[old_row("s1", "/old", 0, 100)]);
    world.grants("s2@t1", &["/busy"]);
    world.refuses("s1@t1", &["/old", "/busy"]);
    assert!(world.row("/old").migrated);
    assert_eq!(world.row("/old").fence, None);
    world.grants("s1@t1", &["/old"]);
    assert!(!world.row("/old").migrated, "a granted one does");
}

#[test]
fn a_refused_acquire_uses_no_fence() {
    let mut world = World::new();
    let busy = world.grants_one("s2@t1", "/busy");
    world.refuses("s1@t1", &["/a", "/busy"]);
    let next = world.grants_one("s1@t1", "/a");
    assert_eq!(next.fence.0, busy.fence.0 + 1);
}

#[test]
fn a_duplicate_counts_once() {
    let mut world = World::new();
    let grants = world.grants("s1@t1", &["/a", "/b", "/a/", "//a"]);
    assert_eq!(grants.len(), 2);
    assert_eq!(world.state.count, 2, "two fences");
    assert_eq!(world.refuses("s2@t1", &["/a", "/a"]), ["s1@t1 /a"]);
}

#[test]
fn overlapping_paths_of_one_request_are_no_conflict_and_no_duplicates() {
    let mut world = World::new();
    assert_eq!(world.grants("s1@t1", &["/a/b", "/a"]).len(), 2);
}

#[test]
fn who_asks_for_nothing_gets_nothing() {
    let mut world = World::new();
    let before = world.state.clone();
    assert!(world.grants("s1@t1", &[]).is_empty());
    assert_eq!(world.state, before);
}
