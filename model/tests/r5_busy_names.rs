//! R5: a refusal names the holders.
//!
//! Goal: it names every lease that is in the way, as it stands, and no other.
//! Method: surround the wanted path with leases of all kinds, then read the answer. How many of the
//! names a message prints is the command line's business: the model gives them all.

mod common;

use common::{TTL, World, old_row, terms};
use leasehold_model::{Form, Outcome, Terms};

#[test]
fn every_lease_in_the_way_is_named_in_the_order_of_paths() {
    let mut world = World::new();
    world.grants("s3@t1", &["/r/b/y"]);
    world.grants("s2@t1", &["/r/a"]);
    world.grants("s2", &["/r/b/x"]);
    world.grants("s2@t1", &["/r/c"]);
    let holders = world.refuses("s1@t1", &["/r/b", "/r/a/deep/file"]);
    assert_eq!(holders, ["s2@t1 /r/a", "s2 /r/b/x", "s3@t1 /r/b/y"]);
}

#[test]
fn a_lease_that_two_wanted_paths_meet_is_named_once() {
    let mut world = World::new();
    world.grants("s2@t1", &["/r"]);
    assert_eq!(world.refuses("s1@t1", &["/r/a", "/r/b"]), ["s2@t1 /r"]);
}

#[test]
fn neither_the_own_nor_the_dead_nor_the_neighbours_are_named() {
    let mut world = World::new();
    world.grants("s3@t1", &["/r/dead"]);
    world.at(TTL).grants("s1@t1", &["/r/own"]);
    world.grants("s2@t1", &["/r/live", "/q"]);
    assert_eq!(world.refuses("s1@t1", &["/r"]), ["s2@t1 /r/live"]);
}

#[test]
fn a_lease_that_would_be_handed_over_is_not_named() {
    let rows = [old_row("s1", "/r/a", 0, 100), old_row("s2", "/r/b", 0, 100)];
    let mut world = World::upgraded(Form::First, &rows);
    assert_eq!(world.refuses("s1@t1", &["/r"]), ["s2 /r/b"]);
    assert_eq!(world.refuses("s3@t1", &["/r"]), ["s1 /r/a", "s2 /r/b"]);
}

#[test]
fn the_callers_own_session_is_named_too() {
    let mut world = World::new();
    world.grants("s1@t1", &["/r/a"]);
    world.grants("s1@agent:a", &["/r/b"]);
    world.grants("s1", &["/r/c"]);
    let holders = world.refuses("agent/s1@t2", &["/r"]);
    assert_eq!(holders, ["s1@t1 /r/a", "s1@agent:a /r/b", "s1 /r/c"]);
}

#[test]
fn the_lease_is_given_as_it_stands() {
    let mut world = World::new();
    let noted = Terms { agent: "codex".to_owned(), ttl: 30, note: Some("why".to_owned()) };
    world.at(2).asks("s2@t1", &["/r/a"], noted);
    let Outcome::Busy(busy) = world.at(9).asks("s1@t1", &["/r"], terms(TTL)) else {
        panic!("not refused")
    };
    let [holder] = busy.holders.as_slice() else { panic!("one holder: {busy:?}") };
    assert_eq!(holder, world.row("/r/a"));
    assert_eq!((holder.acquired, holder.expires), (2, 32));
    assert_eq!((holder.agent.as_str(), holder.note.as_deref()), ("codex", Some("why")));
}

#[test]
fn more_than_a_message_can_print_are_all_given() {
    let mut world = World::new();
    let paths: Vec<String> = (10..30).map(|name| format!("/r/{name}")).collect();
    let paths: Vec<&str> = paths.iter().map(String::as_str).collect();
    world.grants("s2@t1", &paths);
    assert_eq!(world.refuses("s1@t1", &["/r"]).len(), 20);
}

#[test]
fn a_check_names_the_same_leases_to_everybody() {
    let mut world = World::new();
    world.grants("s1@t1", &["/r/a"]);
    world.grants("s2@t1", &["/r/b"]);
    let before = world.state.clone();
    assert_eq!(world.holders("/r"), ["s1@t1 /r/a", "s2@t1 /r/b"]);
    assert_eq!(world.holders("/r/a/x"), ["s1@t1 /r/a"]);
    assert!(world.holders("/r/ab").is_empty());
    assert_eq!(world.state, before, "a check changes nothing");
}
