//! R8: begins by a write, turns that a client does not name, and the second process of a session.
//!
//! Goal: a write begins its turn exactly where a hook knows enough; a client without turn ids gets
//! one turn from each end to the next; a process that is proven alive is never touched.
//! Method: the same write with and without what the rule asks for, side by side.

mod common;

use common::hook::{in_process, marks, seen, unnamed};
use common::{DAY, TTL, World, owner};
use leasehold_model::Released::{Absent, Count, EpochMismatch};
use leasehold_model::{BELIEVED_AFTER_MS, Context, Standing};

/// A client that marks its sub-agents, in this process.
fn marks_in(process: u32) -> Context {
    Context { begins: true, ..in_process(process) }
}

/// A client without turn ids, in this process.
fn unnamed_in(process: u32) -> Context {
    Context { minted: true, ..in_process(process) }
}

/// `s1@t1` has begun and holds `/f`; the caller knows this.
fn one_runs(context: Context) -> World {
    let mut world = World::new();
    world.with(context).begins("s1@t1");
    world.grants("s1@t1", &["/f"]);
    world
}

#[test]
fn a_write_from_the_same_process_begins_its_turn() {
    let mut world = one_runs(marks_in(1));
    world.grants("s1@t2", &["/f"]);
    world.is_stale("s1@t1", "/g");
}

#[test]
fn a_write_of_a_client_that_does_not_mark_sub_agents_never_does() {
    let mut world = one_runs(in_process(1));
    assert_eq!(world.refuses("s1@t2", &["/f"]), ["s1@t1 /f"]);
    world.at(100 * TTL).grants("s1@t2", &["/f"]);
    world.grants("s1@t1", &["/g"]);
}

#[test]
fn a_write_from_another_process_or_none_does_only_after_one_ttl_of_silence() {
    for context in [marks_in(2), marks()] {
        let mut world = one_runs(marks_in(1));
        world.fate(1, Standing::Unknown);
        world.with(context);
        assert_eq!(world.at(TTL - 1).refuses("s1@t2", &["/f"]), ["s1@t1 /f"]);
        assert!(world.state.turns.iter().all(|turn| !turn.retired));
        world.at(TTL).grants("s1@t2", &["/g"]);
        world.is_stale("s1@t1", "/f");
    }
}

#[test]
fn a_turn_that_holds_nothing_and_waits_is_not_silent() {
    let mut world = World::new();
    world.with(marks()).begins("s1@t1");
    world.grants_for(1000, "s2@t1", &["/f"]);
    world.at(50).refuses("s1@t1", &["/f"]);
    world.at(50 + TTL - 1).grants("s1@t2", &["/g"]);
    world.refuses("s1@t1", &["/f"]);
    world.at(100).posts("s1@t1");
    world.at(100 + TTL - 1).grants("s1@t3", &["/h"]);
    world.refuses("s1@t1", &["/f"]);
    world.at(200).grants("s1@t4", &["/i"]);
    world.is_stale("s1@t1", "/f");
}

#[test]
fn nor_is_one_that_holds_a_live_lease() {
    let mut world = World::new();
    world.with(marks()).begins("s1@t1");
    world.grants_for(100, "s1@t1", &["/f"]);
    assert_eq!(world.at(99).refuses("s1@t2", &["/f"]), ["s1@t1 /f"]);
    world.posts("s1@agent:a");
    world.at(198).grants("s1@t2", &["/g"]);
    world.grants("s1@t1", &["/f"]);
    world.at(298).grants("s1@t3", &["/f"]);
}

#[test]
fn where_no_turn_is_known_a_write_begins_the_first() {
    let mut world = World::new();
    world.grants("s1@t0", &["/f"]);
    world.with(marks()).grants("s1@t1", &["/f"]);
    world.is_stale("s1@t0", "/f");
}

#[test]
fn a_write_begins_even_where_it_is_refused() {
    let mut world = one_runs(marks_in(1));
    world.grants("s2@t1", &["/g"]);
    assert_eq!(world.refuses("s1@t2", &["/g"]), ["s2@t1 /g"]);
    assert!(world.holders("/f").is_empty());
    world.is_stale("s1@t1", "/f");
}

#[test]
fn no_write_of_a_retired_turn_a_sub_agent_or_without_epoch_begins() {
    let mut world = one_runs(marks_in(1));
    world.begins("s1@t2");
    world.grants("s1@t2", &["/f"]);
    world.is_stale("s1@t1", "/f");
    world.grants("s1@agent:a", &["/a"]);
    world.grants("s1", &["/b"]);
    world.grants("s1@t2", &["/f"]);
}

#[test]
fn a_begin_without_an_end_keeps_the_minted_turn_and_one_after_an_end_mints_another() {
    let mut world = World::new();
    world.with(unnamed());
    let (first, ..) = world.begun("s1");
    assert!(first.is_tokened_main_thread());
    world.grants("s1", &["/f"]);
    assert_eq!(world.row("/f").owner, first);
    assert_eq!(world.begun("s1"), (first.clone(), EpochMismatch, Vec::new()), "no end");
    assert_eq!(world.stops("s1"), Count(1));
    let (second, ..) = world.begun("s1");
    assert_ne!(second, first);
    world.grants("s1", &["/f"]);
    assert_eq!(world.row("/f").owner, second);
}

#[test]
fn a_write_after_the_end_goes_on_with_the_minted_turn() {
    let mut world = World::new();
    world.with(unnamed());
    let (first, ..) = world.begun("s1");
    world.stops("s1");
    world.grants("s1", &["/f"]);
    assert_eq!(world.row("/f").owner, first);
    assert_eq!(world.begun("s1").0, first, "for its Stop was not the last word");
}

#[test]
fn a_write_before_any_begin_mints_the_turn() {
    let mut world = World::new();
    world.grants("s1@t0", &["/old"]);
    world.with(unnamed()).grants("s1", &["/f"]);
    let first = world.row("/f").owner.clone();
    assert!(first.is_tokened_main_thread());
    assert_eq!(world.begun("s1"), (first, EpochMismatch, Vec::new()));
    assert!(world.holders("/old").is_empty(), "and supersedes");
}

#[test]
fn a_minted_turn_supersedes_and_no_name_is_minted_twice() {
    let mut world = World::new();
    world.with(unnamed());
    let mut names = Vec::new();
    for _ in 0..5 {
        names.push(world.begun("s1").0);
        world.stops("s1");
        world.grants("s2", &["/f"]);
    }
    names.sort();
    names.dedup();
    assert_eq!(names.len(), 5);
    let retired = |turn: &&leasehold_model::Turn| turn.retired && turn.owner.session == "s1";
    assert_eq!(world.state.turns.iter().filter(retired).count(), 4);
}

#[test]
fn a_minted_turn_is_called_by_its_start() {
    let mut world = World::new();
    world.starts("s1@agent:a");
    world.with(unnamed()).begins("s1");
    let turn = &world.state.turns[0];
    assert_eq!((turn.started, &turn.owner), (2, &owner("s1@minted:2")));
}

#[test]
fn the_sub_agents_of_a_client_without_turn_ids_are_owners_too() {
    let mut world = World::new();
    world.with(unnamed()).begins("s1");
    world.grants("s1", &["/f"]);
    world.grants("s1@agent:b", &["/b"]);
    world.starts("s1@agent:a");
    world.grants("s1@agent:a", &["/f"]);
    assert_eq!(world.refuses("s1", &["/f"]), ["s1@agent:a /f"]);
    assert_eq!(world.refuses("s1@agent:a", &["/b"]), ["s1@agent:b /b"]);
    assert_eq!(world.stops("s1"), EpochMismatch);
    assert_eq!(world.stops("s1@agent:a"), Count(1));
}

/// `s1@t1` runs in process 1 and holds `/f`; process 2 is the caller from now on.
fn two_processes() -> World {
    let mut world = one_runs(in_process(1));
    world.with(in_process(2));
    world
}

#[test]
fn a_second_live_process_of_a_session_is_touched_by_no_begin_stop_or_end() {
    let mut world = two_processes();
    let lease = world.row("/f").clone();
    assert_eq!(world.begins("s1@t2"), EpochMismatch);
    assert_eq!(world.stops_with("s1@t2", &[], &[]), EpochMismatch);
    assert_eq!(world.ends_session("s1"), EpochMismatch);
    assert_eq!(*world.row("/f"), lease);
    world.with(in_process(1)).grants("s1@t1", &["/f"]);
    assert_eq!(world.ends_session("s1"), Count(1), "its own process may");
}

#[test]
fn nor_by_an_end_what_was_leased_before_its_process_was_believed() {
    let mut world = World::new();
    world.with(seen(1, Some("c1"), false)).begins("s1@t1");
    world.grants_for(BELIEVED_AFTER_MS * 2, "s1@t1", &["/f"]);
    world.grants_for(BELIEVED_AFTER_MS * 2, "s1@agent:a", &["/a"]);
    // The late end of an old turn renews nothing.
    world.at(BELIEVED_AFTER_MS).with(seen(1, Some("c2"), false)).stops("s1@t0");
    assert_eq!((world.row("/f").process, world.row("/a").process), (None, None));
    world.with(in_process(2)).begins("s1@u1");
    world.starts("s1@agent:b");
    assert_eq!(world.ends_session("s1"), EpochMismatch);
    assert_eq!(world.live(), ["s1@agent:a /a", "s1@t1 /f"]);
    assert_eq!(world.with(in_process(1)).ends_session("s1"), Count(2));
}

#[test]
fn neither_are_its_sub_agents_and_background_calls_by_a_list() {
    let mut world = one_runs(in_process(1));
    world.starts("s1@agent:a");
    world.grants("s1@agent:a", &["/a"]);
    world.shell_in_background("s1@t1", "/b", "c1");
    world.stops_with("s1@t1", &["a"], &["task"]);
    world.with(in_process(2)).begins("s1@t2");
    assert_eq!(world.stops_with("s1@t2", &[], &[]), EpochMismatch);
    assert_eq!(world.ends_session("s1"), EpochMismatch);
    assert_eq!(world.live(), ["s1@agent:a /a", "s1@t1 /b"]);
    world.with(in_process(1));
    assert_eq!(world.stops_with("s1@t1", &[], &[]), Count(2), "its own list ends both");
}

#[test]
fn a_second_process_that_is_gone_unknown_or_not_believed_is_in_reach() {
    for standing in [Standing::Gone, Standing::Unknown] {
        let mut world = two_processes();
        world.fate(1, standing);
        assert_eq!(world.begins("s1@t2"), Count(1), "{standing:?}");
        world.is_stale("s1@t1", "/g");
    }
    let mut world = one_runs(seen(1, Some("c1"), false));
    assert_eq!(world.with(in_process(2)).begins("s1@t2"), Count(1), "a helper, perhaps");
    let mut world = one_runs(in_process(1));
    world.with(Context::default());
    assert_eq!(world.begins("s1@t2"), Count(1), "who does not know its own spares nobody");
}

#[test]
fn an_agent_of_more_than_a_day_is_still_spared() {
    let mut world = two_processes();
    for hour in 1..=30 {
        world.at(hour * 3_600_000).with(in_process(1)).grants("s1@t1", &["/f"]);
    }
    assert!(world.now > DAY);
    world.at(world.now + 1).with(in_process(2));
    assert_eq!(world.begins("s1@t2"), EpochMismatch);
    assert_eq!(world.live(), ["s1@t1 /f"]);
    world.at(world.now + DAY + 1).begins("s1@t3");
    world.with(in_process(1)).is_stale("s1@t1", "/f");
}

#[test]
fn each_process_has_a_minted_turn_of_its_own() {
    let mut world = World::new();
    world.with(unnamed_in(1)).grants("s1", &["/one"]);
    world.at(BELIEVED_AFTER_MS).grants("s1", &["/one"]);
    world.with(unnamed_in(2)).grants("s1", &["/two"]);
    let [one, two] = ["/one", "/two"].map(|path| world.row(path).owner.clone());
    assert_ne!(one, two);
    assert_eq!(world.refuses("s1", &["/one"]).len(), 1);
    assert_eq!(world.stops("s1"), Count(1));
    assert_eq!(world.row("/one").owner, one);
    world.with(unnamed_in(1));
    assert_eq!(world.stops("s1"), Count(1));
    assert_eq!(world.stops("s1"), Absent);
    assert_ne!(owner("s1"), one);
}

#[test]
fn an_event_means_the_turn_of_its_own_process_first() {
    let mut world = World::new();
    world.with(unnamed_in(1)).grants("s1", &["/one"]);
    world.with(unnamed_in(2)).grants("s1", &["/two"]);
    let [one, two] = ["/one", "/two"].map(|path| world.row(path).owner.clone());
    // The other one is in reach of each, for nothing proves any more that it lives.
    world.fate(1, Standing::Unknown);
    world.fate(2, Standing::Unknown);
    world.grants("s1", &["/two/more"]);
    world.with(unnamed_in(1)).grants("s1", &["/one/more"]);
    assert_eq!(world.row("/one/more").owner, one);
    assert_eq!(world.row("/two/more").owner, two);
    world.with(unnamed_in(3)).grants("s1", &["/two/last"]);
    assert_eq!(world.row("/two/last").owner, two, "the last one of others");
}
