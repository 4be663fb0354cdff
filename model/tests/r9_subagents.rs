//! R9: sub-agents are owners, and may take over from their main thread.
//!
//! Goal: siblings exclude each other; a sub-agent gets what its main thread has left alone since it
//! started, and nothing else, and keeps it until its end. `r9_endings.rs` has the endings.
//! Method: starts and uses in every order around one path.

mod common;

use common::hook::in_process;
use common::{TTL, World, old_row};
use leasehold_model::Released::{Count, EpochMismatch};
use leasehold_model::{Form, SUBAGENTS_MAX};

/// `s1@t1` has begun and holds `/r/f`; then `s1@agent:a` starts.
fn before_the_start() -> World {
    let mut world = World::new();
    world.begins("s1@t1");
    world.grants("s1@t1", &["/r/f"]);
    world.starts("s1@agent:a");
    world
}

#[test]
fn siblings_exclude_each_other_and_a_stop_frees_no_sibling() {
    let mut world = World::new();
    world.grants("s1@agent:a", &["/f"]);
    world.grants("s1@agent:b", &["/g"]);
    assert_eq!(world.refuses("s1@agent:b", &["/f"]), ["s1@agent:a /f"]);
    assert_eq!(world.stops("s1@agent:b"), Count(1));
    assert_eq!(world.live(), ["s1@agent:a /f"]);
    assert_eq!(world.stops("s1@agent:b"), EpochMismatch);
    assert_eq!(world.stops("s1@agent:a"), Count(1));
    world.grants("s1@agent:b", &["/f"]);
}

#[test]
fn neither_the_start_nor_the_stop_of_a_sub_agent_touches_its_main_thread() {
    let mut world = before_the_start();
    world.grants("s1@agent:a", &["/mine"]);
    assert_eq!(world.stops("s1@agent:a"), Count(1));
    assert_eq!(world.live(), ["s1@t1 /r/f"]);
}

#[test]
fn what_the_main_thread_used_before_the_start_is_handed_down() {
    for wanted in ["/r/f", "/r", "/r/f/x"] {
        let mut world = before_the_start();
        let old = world.row("/r/f").clone();
        world.at(3).grants("s1@agent:a", &[wanted]);
        let new = world.row("/r/f");
        assert_eq!(new.owner, common::owner("s1@agent:a"), "equal, above or below: {wanted}");
        assert!(new.fence > old.fence, "with a new fence");
        assert_eq!((new.acquired, new.expires), (0, 3 + TTL), "since when is kept");
    }
}

#[test]
fn what_it_used_since_is_not() {
    let mut world = before_the_start();
    world.grants("s1@t1", &["/r/f"]);
    assert_eq!(world.refuses("s1@agent:a", &["/r/f"]), ["s1@t1 /r/f"]);
    for used in ["/r", "/r/f/x"] {
        let mut world = before_the_start();
        world.grants("s1@t1", &[used]);
        world.refuses("s1@agent:a", &["/r/f"]);
    }
    let mut world = before_the_start();
    world.grants("s1@t1", &["/r/other"]);
    world.posts("s1@t1");
    world.grants("s1@agent:a", &["/r/f"]);
}

#[test]
fn its_latest_start_counts() {
    let mut world = before_the_start();
    world.grants("s1@t1", &["/r/f"]);
    world.starts("s1@agent:b");
    world.refuses("s1@agent:a", &["/r/f"]);
    world.starts("s1@agent:a");
    world.grants("s1@agent:a", &["/r/f"]);
}

#[test]
fn nothing_is_handed_down_to_a_sub_agent_that_nobody_announced() {
    let mut world = World::new();
    world.grants("s1@t1", &["/f"]);
    // Since when it runs is not known: it may have been there before the main thread's use.
    world.refuses("s1@agent:a", &["/f"]);
    world.starts("s1@agent:a");
    world.grants("s1@agent:a", &["/f"]);
    world.stops("s1@agent:a");
    world.grants("s1@t1", &["/f"]);
    world.refuses("s1@agent:a", &["/f"]);
}

#[test]
fn only_a_named_main_thread_of_the_same_session_hands_down() {
    let mut world = World::upgraded(Form::First, &[]);
    world.grants("s1", &["/empty"]);
    world.grants("s2@t1", &["/foreign"]);
    world.grants("s2@agent:a", &["/cousin"]);
    world.grants("s1@agent:b", &["/sibling"]);
    world.old_engine_writes(old_row("s1", "/old", 0, 100));
    world.starts("s1@agent:a");
    for path in ["/empty", "/foreign", "/cousin", "/sibling", "/old"] {
        assert_eq!(world.refuses("s1@agent:a", &[path]).len(), 1, "{path}");
    }
    assert_eq!(world.refuses("s1@t1", &["/sibling"]), ["s1@agent:b /sibling"], "nor up");
}

#[test]
fn neither_a_lease_of_a_pending_call_nor_a_kept_one_is_handed_down() {
    let mut world = World::new();
    world.begins("s1@t1");
    world.shell("s1@t1", "/pending", "c1");
    world.shell_in_background("s1@t1", "/background", "c2");
    world.starts("s1@agent:a");
    world.refuses("s1@agent:a", &["/pending"]);
    world.refuses("s1@agent:a", &["/background"]);
    world.call_ends("s1@t1", "c1");
    world.grants("s1@agent:a", &["/pending"]);
    world.begins("s1@t2");
    assert!(world.row("/background").kept);
    world.starts("s1@agent:a");
    world.refuses("s1@agent:a", &["/background"]);
}

#[test]
fn a_refused_sub_agent_is_handed_nothing() {
    let mut world = before_the_start();
    world.grants("s2@t1", &["/r/busy"]);
    let lease = world.row("/r/f").clone();
    assert_eq!(world.refuses("s1@agent:a", &["/r"]), ["s2@t1 /r/busy"]);
    assert_eq!(world.refuses("s1@agent:a", &["/r/f", "/r/busy"]), ["s2@t1 /r/busy"]);
    assert_eq!(*world.row("/r/f"), lease);
}

#[test]
fn what_comes_with_it_must_not_overlap_a_stranger_either() {
    let mut world = World::new();
    world.grants("s1@t1", &["/r"]);
    world.old_engine_writes(old_row("s2", "/r/c", 0, 50));
    world.starts("s1@agent:a");
    assert_eq!(world.refuses("s1@agent:a", &["/r/b"]), ["s2 /r/c"]);
}

#[test]
fn the_main_thread_cannot_take_it_back_before_the_end() {
    let mut world = before_the_start();
    world.grants("s1@agent:a", &["/r/f"]);
    assert_eq!(world.refuses("s1@t1", &["/r/f"]), ["s1@agent:a /r/f"]);
    assert_eq!(world.stops("s1@t1"), EpochMismatch, "nor does its Stop touch it");
    assert_eq!(world.releases("s1@t1"), EpochMismatch);
    assert_eq!(world.stops("s1@agent:a"), Count(1));
    world.grants("s1@t1", &["/r/f"]);
}

#[test]
fn the_main_thread_of_another_live_process_hands_nothing_down() {
    let mut world = World::new();
    world.with(in_process(1)).grants("s1@t1", &["/f"]);
    world.with(in_process(2)).starts("s1@agent:a");
    world.refuses("s1@agent:a", &["/f"]);
    world.with(in_process(1)).grants("s1@agent:a", &["/f"]);
}

#[test]
fn so_many_sub_agents_are_remembered_of_a_session() {
    let mut world = World::new();
    world.grants("s1@t1", &["/f"]);
    world.starts("s1@agent:first");
    world.grants("s1@t1", &["/f"]);
    world.starts("s2@agent:other");
    for number in 1..SUBAGENTS_MAX {
        world.starts(&format!("s1@agent:{number}"));
    }
    world.refuses("s1@agent:first", &["/f"]);
    world.starts("s1@agent:more");
    assert_eq!(world.state.subagents.len(), SUBAGENTS_MAX + 1);
    assert_eq!(world.state.subagents[0].owner, common::owner("s2@agent:other"));
}

#[test]
fn the_end_of_one_sub_agent_says_nothing_of_its_siblings() {
    let mut world = World::new();
    world.begins("s1@t1");
    world.grants("s1@t1", &["/f", "/g"]);
    world.starts("s1@agent:a");
    world.starts("s1@agent:b");
    world.stops("s1@agent:a");
    world.grants("s1@agent:b", &["/f"]);
    assert_eq!(world.refuses("s1@agent:a", &["/g"]), ["s1@t1 /g"], "its start is over");
}
