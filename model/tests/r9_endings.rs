//! R9: how sub-agents end of which no event tells.
//!
//! Goal: a list ends exactly those that an earlier one named; an interrupt puts those in doubt that
//! no list ever named, and then they yield to their own main thread alone.
//! Method: two sub-agents hold a path each; Stops, begins and events follow in all orders.

mod common;

use common::hook::{in_process, marks};
use common::{TTL, World};
use leasehold_model::Released::{Count, EpochMismatch};
use leasehold_model::Standing;

/// `s1@t1` has begun; its sub-agents a and b hold `/a` and `/b`.
fn two_run() -> World {
    let mut world = World::new();
    world.begins("s1@t1");
    for name in ["a", "b"] {
        world.starts(&format!("s1@agent:{name}"));
        world.grants(&format!("s1@agent:{name}"), &[&format!("/{name}")]);
    }
    world
}

/// The same, and the turn was interrupted: `s1@t2` has begun.
fn interrupted() -> World {
    let mut world = two_run();
    world.begins("s1@t2");
    world
}

#[test]
fn a_list_ends_those_that_an_earlier_one_named() {
    let mut world = two_run();
    assert_eq!(world.stops_with("s1@t1", &[], &[]), EpochMismatch, "none was named");
    assert_eq!(world.stops_with("s1@t1", &["a"], &[]), EpochMismatch, "a is");
    assert_eq!(world.stops_with("s1@t1", &["a", "b"], &[]), EpochMismatch);
    assert_eq!(world.stops_with("s1@t1", &["b"], &[]), Count(1));
    assert_eq!(world.live(), ["s1@agent:b /b"]);
    assert_eq!(world.stops_with("s1@t1", &["b"], &[]), EpochMismatch, "it goes on");
    assert_eq!(world.stops_with("s1@t1", &[], &[]), Count(1));
}

#[test]
fn the_list_of_a_later_turn_ends_them_too() {
    let mut world = two_run();
    world.stops_with("s1@t1", &["a"], &[]);
    world.begins("s1@t2");
    assert_eq!(world.stops_with("s1@t2", &[], &[]), Count(1));
    assert_eq!(world.live(), ["s1@agent:b /b"]);
}

#[test]
fn a_stop_without_a_list_ends_none() {
    let mut world = two_run();
    world.stops_with("s1@t1", &["a", "b"], &[]);
    assert_eq!(world.stops("s1@t1"), EpochMismatch);
    assert_eq!(world.is_interrupted("s1@t1"), EpochMismatch);
    assert_eq!(world.live().len(), 2);
}

#[test]
fn a_stop_of_another_id_ends_none() {
    let mut world = two_run();
    world.stops_with("s1@t1", &["a", "b"], &[]);
    world.begins("s1@t2");
    for other in ["s1@t1", "s1@t3", "s1", "s1@agent:a2"] {
        assert_eq!(world.stops_with(other, &[], &[]), EpochMismatch, "{other}");
    }
    world.begins("s2@t2");
    world.stops_with("s2@t2", &[], &[]);
    assert_eq!(world.live().len(), 2);
}

#[test]
fn a_sub_agents_stop_ends_no_sibling_even_with_a_list() {
    let mut world = two_run();
    world.stops_with("s1@t1", &["a", "b"], &[]);
    assert_eq!(world.stops_with("s1@agent:b", &[], &[]), Count(1));
    assert_eq!(world.live(), ["s1@agent:a /a"]);
}

#[test]
fn a_sub_agent_that_starts_again_was_named_by_no_list() {
    let mut world = two_run();
    world.stops_with("s1@t1", &["a"], &[]);
    world.starts("s1@agent:a");
    assert_eq!(world.stops_with("s1@t1", &[], &[]), EpochMismatch);
}

#[test]
fn the_end_of_a_session_forgets_what_lists_named_and_no_other_sessions() {
    let mut world = two_run();
    world.begins("s2@t1");
    world.grants("s2@agent:a", &["/c"]);
    world.stops_with("s1@t1", &["a"], &[]);
    world.stops_with("s2@t1", &["a"], &[]);
    world.ends_session("s1");
    world.begins("s1@t2");
    world.grants("s1@agent:a", &["/a"]);
    assert_eq!(world.stops_with("s1@t2", &[], &[]), EpochMismatch, "named by no list since");
    assert_eq!(world.stops_with("s2@t1", &[], &[]), Count(1));
}

#[test]
fn in_doubt_it_yields_to_its_own_main_thread() {
    let mut world = interrupted();
    assert_eq!(world.live(), ["s1@agent:a /a", "s1@agent:b /b"], "nothing ends by a begin");
    let grant = world.at(3).grants_one("s1@t2", "/a");
    assert_eq!(grant.acquired, 3, "a new grant");
    assert_eq!(world.live(), ["s1@t2 /a", "s1@agent:b /b"], "and only what is in the way");
}

#[test]
fn to_nobody_else() {
    let mut world = interrupted();
    for other in ["s2@t2", "s1", "s1@agent:b", "s1@agent:c"] {
        assert_eq!(world.refuses(other, &["/a"]), ["s1@agent:a /a"], "{other}");
    }
}

#[test]
fn not_to_the_main_thread_of_another_live_process() {
    let mut world = World::new();
    world.with(in_process(1)).begins("s1@t1");
    world.starts("s1@agent:a");
    world.grants("s1@agent:a", &["/a"]);
    world.begins("s1@t2");
    world.with(in_process(2)).begins("s1@u1");
    assert_eq!(world.refuses("s1@u1", &["/a"]), ["s1@agent:a /a"]);
    world.with(in_process(1)).grants("s1@t2", &["/a"]);
}

#[test]
fn nor_does_a_begin_put_the_sub_agents_of_another_live_process_in_doubt() {
    let mut world = World::new();
    world.with(in_process(1)).begins("s1@t1");
    world.starts("s1@agent:a");
    world.grants("s1@agent:a", &["/a"]);
    world.with(in_process(2)).begins("s1@u1");
    world.begins("s1@u2");
    world.with(in_process(1));
    assert_eq!(world.refuses("s1@t1", &["/a"]), ["s1@agent:a /a"]);
    world.fate(1, Standing::Unknown);
    world.with(in_process(2)).begins("s1@u3");
    world.grants("s1@u3", &["/a"]);
}

#[test]
fn nothing_yields_where_the_answer_is_no() {
    let mut world = interrupted();
    world.grants("s2@t1", &["/c"]);
    assert_eq!(world.refuses("s1@t2", &["/a", "/c"]), ["s2@t1 /c"]);
    assert_eq!(world.holders("/a"), ["s1@agent:a /a"]);
}

#[test]
fn nothing_yields_that_a_shell_call_may_still_write() {
    let mut world = two_run();
    world.shell("s1@agent:a", "/a/x", "c1");
    world.begins("s1@t2");
    assert_eq!(world.refuses("s1@t2", &["/a"]), ["s1@agent:a /a/x"]);
    world.call_ends("s1@agent:a", "c1");
    world.begins("s1@t3");
    world.grants("s1@t3", &["/a"]);
}

#[test]
fn its_next_event_ends_the_doubt() {
    let ends: [fn(&mut World); 5] = [
        |world| _ = world.grants("s1@agent:a", &["/a"]),
        |world| _ = world.refuses("s1@agent:a", &["/b"]),
        |world| _ = world.posts("s1@agent:a"),
        |world| world.starts("s1@agent:a"),
        |world| _ = world.stops_with("s1@t2", &["a"], &[]),
    ];
    for ends_the_doubt in ends {
        let mut world = interrupted();
        ends_the_doubt(&mut world);
        assert_eq!(world.refuses("s1@t2", &["/a"]), ["s1@agent:a /a"]);
        world.grants("s1@t2", &["/b"]);
    }
}

#[test]
fn those_that_a_list_named_are_never_in_doubt() {
    let mut world = two_run();
    world.stops_with("s1@t1", &["a"], &[]);
    world.begins("s1@t2");
    world.begins("s1@t3");
    world.refuses("s1@t3", &["/a"]);
    world.grants("s1@t3", &["/b"]);
}

#[test]
fn a_begin_after_a_stop_puts_none_in_doubt() {
    let mut world = two_run();
    world.stops("s1@t1");
    world.begins("s1@t2");
    world.refuses("s1@t2", &["/a"]);
    world.begins("s1@t2");
    world.refuses("s1@t2", &["/a"]);
    world.begins("s1@t3");
    world.grants("s1@t3", &["/a"]);
}

#[test]
fn one_after_an_interrupt_that_is_told_does() {
    let mut world = two_run();
    world.is_interrupted("s1@t1");
    assert_eq!(world.live().len(), 2, "the interrupt itself ends none");
    world.begins("s1@t2");
    world.grants("s1@t2", &["/a"]);
}

#[test]
fn so_does_a_turn_that_went_on_after_its_stop_and_a_begin_by_a_write() {
    let mut world = two_run();
    world.stops("s1@t1");
    world.grants("s1@t1", &["/f"]);
    world.begins("s1@t2");
    world.grants("s1@t2", &["/a"]);
    let mut world = two_run();
    world.with(marks()).at(TTL).grants("s1@t2", &["/f"]);
    world.grants("s1@agent:a", &["/a"]);
    world.grants("s1@t2", &["/b"]);
}

#[test]
fn who_lost_by_yielding_is_told_once() {
    let mut world = interrupted();
    world.at(3).grants("s1@t2", &["/a"]);
    world.releases("s1@t2");
    assert_eq!(world.has_lost("s1@agent:a", "/a"), ["/a: s1 since 3"]);
    world.grants("s1@agent:a", &["/a"]);
}
