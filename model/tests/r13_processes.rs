//! R13: what a dead process held is reclaimable at once.
//!
//! Goal: a lease ends with its agent's process where that is proven to be gone, and nowhere else;
//! a process counts as the agent only when it is believed. `r8_lanes.rs` has what is spared of a
//! second process that lives.
//! Method: a lease of one process; what the operating system says of it changes; another asks.

mod common;

use common::hook::{in_process, seen};
use common::{TTL, World, resource};
use leasehold_model::{BELIEVED_AFTER_MS, Context, Millis, SEEN_MAX, Standing};

const HOUR: Millis = 3_600_000;

/// `s1@t1` holds `/f` from process 1, of which this is known; the next caller is the command line.
fn held_from(context: Context, standing: Standing) -> World {
    let mut world = World::new();
    world.with(context).grants("s1@t1", &["/f"]);
    world.fate(1, standing);
    world.with(Context::default());
    world
}

#[test]
fn what_a_process_held_that_is_gone_is_reclaimed_at_once() {
    for wanted in ["/f", "/", "/f/x"] {
        let mut world = held_from(in_process(1), Standing::Gone);
        assert_eq!(world.reclaims("s2@t1", &[wanted]), ["s1@t1 /f"]);
        assert_eq!(world.live(), [format!("s2@t1 {wanted}")]);
    }
    let mut world = held_from(in_process(1), Standing::Gone);
    assert_eq!(world.reclaims("s1@t2", &["/f"]), ["s1@t1 /f"], "by its own session too");
}

#[test]
fn not_while_it_lives_and_not_where_nothing_is_proven() {
    for standing in [Standing::Alive, Standing::Unknown] {
        let mut world = held_from(in_process(1), standing);
        world.refuses("s2@t1", &["/f"]);
        world.at(TTL).grants("s2@t1", &["/f"]);
    }
}

#[test]
fn not_from_the_command_line_and_not_of_another_process() {
    let mut world = held_from(Context::default(), Standing::Gone);
    assert_eq!(world.row("/f").process, None);
    world.refuses("s2@t1", &["/f"]);
    let mut world = held_from(in_process(2), Standing::Gone);
    world.refuses("s2@t1", &["/f"]);
}

#[test]
fn not_what_a_shell_call_may_still_write() {
    let mut world = World::new();
    world.with(in_process(1)).begins("s1@t1");
    world.shell("s1@t1", "/fore", "c1");
    world.shell_in_background("s1@t1", "/back", "c2");
    world.fate(1, Standing::Gone);
    world.with(Context::default());
    world.refuses("s2@t1", &["/fore"]);
    world.refuses("s2@t1", &["/back"]);
    world.call_ends("s1@t1", "c1");
    world.reclaims("s2@t1", &["/fore"]);
    world.at(TTL).grants("s2@t1", &["/back"]);
}

#[test]
fn only_what_is_in_the_way_goes_even_when_the_answer_is_busy() {
    let mut world = World::new();
    world.with(in_process(1)).grants("s1@t1", &["/r/f", "/q"]);
    world.with(Context::default()).grants("s3@t1", &["/r/busy"]);
    world.fate(1, Standing::Gone);
    assert_eq!(world.refuses("s2@t1", &["/r"]), ["s3@t1 /r/busy"]);
    assert_eq!(world.live(), ["s1@t1 /q", "s3@t1 /r/busy"]);
    world.grants("s2@t1", &["/r/f"]);
}

#[test]
fn the_own_goes_on_whatever_became_of_its_process() {
    let mut world = held_from(in_process(1), Standing::Gone);
    let fence = world.row("/f").fence;
    world.with(in_process(2)).grants("s1@t1", &["/f"]);
    assert_eq!(world.row("/f").fence, fence);
    world.with(Context::default()).refuses("s2@t1", &["/f"]);
    world.fate(2, Standing::Gone);
    world.reclaims("s2@t1", &["/f"]);
}

#[test]
fn a_check_still_names_the_holder_and_the_dead_are_not_reclaimed_but_removed() {
    let mut world = held_from(in_process(1), Standing::Gone);
    assert_eq!(world.holders("/f"), ["s1@t1 /f"]);
    assert_eq!(world.at(0).reaps(), 0);
    world.at(TTL).grants("s2@t1", &["/f"]);
}

#[test]
fn who_lost_a_lease_by_its_death_is_told_nothing() {
    let mut world = held_from(in_process(1), Standing::Gone);
    world.reclaims("s2@t1", &["/f"]);
    assert!(world.state.notes.is_empty());
}

#[test]
fn a_process_of_one_call_is_not_believed() {
    let mut world = held_from(seen(1, Some("c1"), false), Standing::Gone);
    world.refuses("s2@t1", &["/f"]);
    assert_eq!(world.row("/f").process, None);
}

/// Whether process 1 is believed after these sightings, at these moments.
fn is_believed(sightings: &[(i64, Option<&str>, bool)]) -> bool {
    let mut world = World::new();
    for (now, call, certain) in sightings {
        world.at(*now).with(seen(1, *call, *certain)).grants_for(100_000, "s1@t1", &["/f"]);
    }
    world.row("/f").process.is_some()
}

#[test]
fn it_is_after_two_different_calls_a_second_apart_or_when_the_client_names_it() {
    let late = BELIEVED_AFTER_MS;
    assert!(is_believed(&[(0, Some("c1"), false), (late, Some("c2"), false)]));
    assert!(!is_believed(&[(0, Some("c1"), false), (late - 1, Some("c2"), false)]), "too soon");
    assert!(!is_believed(&[(0, Some("c1"), false), (late, Some("c1"), false)]), "the same call");
    assert!(is_believed(&[(0, None, false), (late, None, false)]), "without ids, time tells");
    assert!(is_believed(&[(0, Some("c1"), false), (late, None, false)]));
    assert!(is_believed(&[(0, None, false), (late, Some("c1"), false)]));
    let long = (HOUR, Some("c1"), false);
    assert!(is_believed(&[(0, Some("c1"), false), long, (HOUR + 1, Some("c2"), false)]));
    assert!(!is_believed(&[(0, None, false), (late - 1, None, false)]));
    assert!(is_believed(&[(0, Some("c1"), true)]));
    assert!(is_believed(&[(0, Some("c1"), false), (0, Some("c1"), true)]));
    assert!(is_believed(&[(0, Some("c1"), true), (1, Some("c1"), false)]), "once and for all");
}

#[test]
fn a_clock_that_stepped_back_makes_nothing_believed() {
    let late = BELIEVED_AFTER_MS;
    let first = (5000, Some("c1"), false);
    assert!(!is_believed(&[first, (0, Some("c2"), false), (late - 1, Some("c3"), false)]));
    assert!(is_believed(&[first, (0, Some("c2"), false), (late, Some("c3"), false)]));
}

#[test]
fn the_last_sight_of_a_believed_process_is_written_down_once_an_hour() {
    let mut world = World::new();
    world.at(HOUR).with(in_process(1)).begins("s1@t1");
    for (now, written) in [(HOUR + 1, HOUR), (2 * HOUR - 1, HOUR), (2 * HOUR, 2 * HOUR)] {
        world.at(now).posts("s1@t1");
        assert_eq!(world.state.sightings[0].at, written);
    }
}

#[test]
fn each_session_believes_for_itself_and_each_process_is_believed_for_itself() {
    let mut world = World::new();
    world.with(seen(1, Some("c1"), false)).grants("s2@t1", &["/other"]);
    world.with(seen(2, Some("c1"), false)).grants("s1@t1", &["/f"]);
    world.at(BELIEVED_AFTER_MS).with(seen(1, Some("c2"), false)).grants("s1@t1", &["/f"]);
    assert_eq!(world.row("/f").process, None);
    world.grants("s2@t1", &["/other"]);
    assert!(world.row("/other").process.is_some());
}

#[test]
fn every_event_of_a_turn_is_a_sighting() {
    let events: [fn(&mut World); 3] = [
        |world| _ = world.begins("s1@t1"),
        |world| _ = world.posts("s1@t1"),
        |world| _ = world.stops("s1@t1"),
    ];
    for event in events {
        let mut world = World::new();
        world.with(seen(1, Some("c1"), false));
        event(&mut world);
        world.at(BELIEVED_AFTER_MS).with(seen(1, Some("c2"), false)).grants("s1@t1", &["/f"]);
        assert!(world.row("/f").process.is_some());
    }
}

#[test]
fn a_lease_that_is_asked_for_again_learns_the_process_and_never_forgets_it() {
    let mut world = World::new();
    world.grants("s1@t1", &["/f", "/h"]);
    world.grants("s3@t1", &["/g"]);
    world.with(in_process(1)).grants("s1@t1", &["/f"]);
    world.with(Context::default()).grants("s1@t1", &["/f"]);
    world.fate(1, Standing::Gone);
    world.refuses("s2@t1", &["/g"]);
    world.reclaims("s2@t1", &["/f"]);
    // What was renewed beside it is that process's as well.
    world.reclaims("s2@t1", &["/h"]);
    assert!(world.state.get(&resource("/g")).is_some());
}

#[test]
fn the_last_word_on_a_process_counts_and_only_for_that_one() {
    let mut world = World::new();
    world.with(in_process(1)).grants("s1@t1", &["/f"]);
    world.with(in_process(2)).grants("s2@t1", &["/g"]);
    world.with(Context::default()).fate(1, Standing::Gone);
    world.fate(2, Standing::Gone);
    world.fate(1, Standing::Unknown);
    world.refuses("s3@t1", &["/f"]);
    world.reclaims("s3@t1", &["/g"]);
}

#[test]
fn what_is_handed_down_is_no_more_the_process_that_held_it() {
    let mut world = World::new();
    world.with(in_process(1)).begins("s1@t1");
    world.grants("s1@t1", &["/f", "/g"]);
    world.starts("s1@agent:a");
    world.with(Context::default()).grants("s1@agent:a", &["/f"]);
    world.fate(1, Standing::Gone);
    assert_eq!(world.refuses("s2@t1", &["/f"]), ["s1@agent:a /f"], "nobody knows whose");
    world.fate(1, Standing::Unknown);
    world.with(in_process(2)).grants("s1@agent:a", &["/g"]);
    world.fate(1, Standing::Gone);
    assert_eq!(world.refuses("s2@t1", &["/g"]), ["s1@agent:a /g"]);
    world.with(Context::default()).fate(2, Standing::Gone);
    world.reclaims("s2@t1", &["/g"]);
}

#[test]
fn a_session_remembers_few_processes_and_forgets_helpers_first() {
    let mut world = World::new();
    world.with(in_process(1)).begins("s1@t1");
    for number in 100..140 {
        world.with(seen(number, Some("c"), false)).posts("s1@t1");
    }
    let seen_of = |world: &World| {
        let numbers = world.state.sightings.iter().map(|one| one.process.0);
        numbers.collect::<Vec<_>>()
    };
    assert_eq!(world.state.sightings.len(), SEEN_MAX);
    let latest: Vec<u32> = [1].into_iter().chain(125..140).collect();
    assert_eq!(seen_of(&world), latest);
    for number in 2..=17 {
        world.with(in_process(number)).posts("s1@t1");
    }
    assert_eq!(seen_of(&world), (2..=17).collect::<Vec<_>>(), "then the first");
}
