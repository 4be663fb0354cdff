//! R10: what a shell call still writes outlives its turn.
//!
//! Goal: a background call, and one that has no end yet, keeps its lease over every end of its
//! owner, until its own end, and not longer; a foreground call ends with its turn.
//! Method: one path for each kind of call, each end of the owner, then each end of the call.

mod common;

use common::{TTL, World};
use leasehold_model::CALLS_MAX;
use leasehold_model::Released::{Absent, Count, EpochMismatch};

/// `s1@t1` has begun: `/f` is written by no shell, `/fore` by c1, `/back` by c2 in the background.
fn three_kinds() -> World {
    let mut world = World::new();
    world.begins("s1@t1");
    world.grants("s1@t1", &["/f"]);
    world.shell("s1@t1", "/fore", "c1");
    world.shell_in_background("s1@t1", "/back", "c2");
    world
}

/// `/back` is kept for c2, which is the task k2 if that was told.
fn kept(told: bool) -> World {
    let mut world = three_kinds();
    if told {
        world.call_goes_on("s1@t1", "c2", Some("k2"));
    }
    world.begins("s1@t2");
    assert!(world.row("/back").kept);
    world
}

#[test]
fn a_begin_after_a_missing_stop_keeps_the_background_call_alone() {
    let mut world = three_kinds();
    assert_eq!(world.begins("s1@t2"), Count(2));
    assert_eq!(world.live(), ["s1@t1 /back"]);
    assert!(world.row("/back").kept);
    assert_eq!(world.refuses("s1@t2", &["/back"]), ["s1@t1 /back"]);
    world.begins("s1@t3");
    assert_eq!(world.live(), ["s1@t1 /back"]);
}

#[test]
fn an_interrupt_does_too() {
    let mut world = three_kinds();
    assert_eq!(world.is_interrupted("s1@t1"), Count(2));
    assert_eq!(world.live(), ["s1@t1 /back"]);
}

#[test]
fn a_stop_without_a_list_keeps_every_call_that_has_no_end() {
    let mut world = three_kinds();
    assert_eq!(world.stops("s1@t1"), Count(1));
    assert_eq!(world.live(), ["s1@t1 /back", "s1@t1 /fore"]);
    world.begins("s1@t2");
    assert_eq!(world.live(), ["s1@t1 /back", "s1@t1 /fore"], "the turn has ended, they have not");
}

#[test]
fn one_that_had_its_end_goes_with_the_turn() {
    let mut world = three_kinds();
    world.call_ends("s1@t1", "c1");
    world.call_ends("s1@t1", "c2");
    assert_eq!(world.live().len(), 3, "the end of a call frees nothing that its turn holds");
    assert_eq!(world.stops("s1@t1"), Count(3));
}

#[test]
fn a_stop_with_a_list_ends_foreground_calls() {
    let mut world = three_kinds();
    assert_eq!(world.stops_with("s1@t1", &[], &["k"]), Count(2));
    assert_eq!(world.live(), ["s1@t1 /back"]);
}

#[test]
fn the_same_holds_for_a_sub_agent() {
    let mut world = World::new();
    world.begins("s1@t1");
    world.grants("s1@agent:a", &["/f"]);
    world.shell("s1@agent:a", "/fore", "c1");
    world.shell_in_background("s1@agent:a", "/back", "c2");
    let mut other = world.clone();
    assert_eq!(world.stops("s1@agent:a"), Count(1));
    assert_eq!(world.live(), ["s1@agent:a /back", "s1@agent:a /fore"]);
    other.stops_with("s1@t1", &["a"], &["k"]);
    assert_eq!(other.stops_with("s1@t1", &[], &["k"]), Count(2), "an ending without an event");
    assert_eq!(other.live(), ["s1@agent:a /back"]);
}

#[test]
fn a_call_that_went_into_the_background_is_one() {
    let mut world = three_kinds();
    world.call_goes_on("s1@t1", "c1", None);
    world.begins("s1@t2");
    assert_eq!(world.live(), ["s1@t1 /back", "s1@t1 /fore"]);
}

#[test]
fn a_call_that_asks_twice_is_in_the_background_if_it_once_said_so() {
    for [first, then] in [[false, true], [true, false], [true, true]] {
        let mut world = World::new();
        world.begins("s1@t1");
        world.runs("s1@t1", "/f", "c1", first);
        world.runs("s1@t1", "/f", "c1", then);
        assert_eq!(world.begins("s1@t2"), EpochMismatch, "{first}, {then}");
        assert_eq!(world.live(), ["s1@t1 /f"]);
    }
    let mut world = World::new();
    world.begins("s1@t1");
    world.shell("s1@t1", "/f", "c1");
    world.shell("s1@t1", "/f", "c1");
    assert_eq!(world.begins("s1@t2"), Count(1));
}

#[test]
fn the_post_of_a_kept_call_frees_and_no_other_does() {
    for owner in ["s1@t1", "s1@t2", "s1"] {
        let mut world = kept(false);
        world.call_ends("s1@agent:a", "c2");
        world.call_ends(owner, "c1");
        world.posts(owner);
        world.call_goes_on(owner, "c2", None);
        world.call_ends("s2@t1", "c2");
        assert_eq!(world.live(), ["s1@t1 /back"]);
        world.call_ends(owner, "c2");
        assert!(world.live().is_empty(), "in whatever turn of the main thread: {owner}");
    }
}

#[test]
fn a_stop_whose_list_no_longer_holds_the_task_frees() {
    let mut world = kept(true);
    assert_eq!(world.stops_with("s1@t2", &[], &["k1", "k2"]), EpochMismatch);
    assert_eq!(world.live(), ["s1@t1 /back"]);
    assert_eq!(world.stops_with("s1@t2", &[], &["k1"]), Count(1));
}

#[test]
fn where_the_task_was_never_told_it_is_freed_by_an_empty_list() {
    let mut world = kept(false);
    assert_eq!(world.stops_with("s1@t2", &[], &["k1"]), EpochMismatch, "it may be that one");
    assert_eq!(world.live(), ["s1@t1 /back"]);
    assert_eq!(world.stops_with("s1@t2", &[], &[]), Count(1));
}

#[test]
fn no_other_stop_frees_it() {
    let mut world = kept(true);
    for other in ["s1@t1", "s1@t3", "s1", "s1@agent:a", "s2@t2"] {
        world.stops_with(other, &[], &[]);
        assert_eq!(world.live(), ["s1@t1 /back"], "{other}");
    }
    world.stops("s1@t2");
    world.is_interrupted("s1@t2");
    assert_eq!(world.live(), ["s1@t1 /back"]);
}

#[test]
fn the_list_of_its_own_turns_stop_counts_at_once() {
    let mut world = three_kinds();
    world.call_goes_on("s1@t1", "c2", Some("k2"));
    let mut other = world.clone();
    assert_eq!(world.stops_with("s1@t1", &[], &[]), Count(3));
    assert_eq!(other.stops_with("s1@t1", &[], &["k2"]), Count(2));
}

#[test]
fn a_list_frees_nothing_that_a_running_sub_agent_holds() {
    let mut world = three_kinds();
    world.shell_in_background("s1@agent:a", "/a", "c3");
    world.stops_with("s1@t1", &[], &[]);
    assert_eq!(world.live(), ["s1@agent:a /a"]);
    assert!(world.row("/a").calls.is_empty(), "but the call is over");
    assert_eq!(world.stops("s1@agent:a"), Count(1));
}

#[test]
fn the_end_of_the_session_and_the_ttl_end_it_too() {
    let mut world = kept(true);
    let mut other = world.clone();
    assert_eq!(world.ends_session("s1"), Count(1));
    assert_eq!(world.ends_session("s1"), Absent);
    other.at(TTL - 1).refuses("s2@t1", &["/back"]);
    other.at(TTL).grants("s2@t1", &["/back"]);
}

#[test]
fn a_lease_of_two_calls_is_kept_until_both_have_ended() {
    let mut world = World::new();
    world.begins("s1@t1");
    world.shell("s1@t1", "/f", "c1");
    world.shell("s1@t1", "/f", "c2");
    world.stops("s1@t1");
    world.call_ends("s1@t1", "c1");
    assert_eq!(world.live(), ["s1@t1 /f"]);
    world.call_ends("s1@t1", "c2");
    assert!(world.live().is_empty());
}

#[test]
fn a_turn_that_goes_on_holds_again_what_it_asks_for() {
    let mut world = three_kinds();
    world.stops("s1@t1");
    world.grants("s1@t1", &["/fore"]);
    world.call_ends("s1@t1", "c1");
    world.call_ends("s1@t1", "c2");
    assert_eq!(world.live(), ["s1@t1 /fore"], "/back was only kept");
    assert_eq!(world.stops("s1@t1"), Count(1));
}

#[test]
fn a_lease_remembers_so_many_calls() {
    let mut world = World::new();
    for number in 0..=CALLS_MAX {
        world.shell("s1@t1", "/f", &format!("c{number}"));
    }
    let calls: Vec<&str> = world.row("/f").calls.iter().map(|call| call.id.as_str()).collect();
    assert_eq!((calls.len(), calls[0]), (CALLS_MAX, "c1"));
    world.shell("s1@t1", "/f", "c1");
    assert_eq!(world.row("/f").calls.len(), CALLS_MAX, "the same call counts once");
}
