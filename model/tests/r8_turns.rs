//! R8: a new turn supersedes the older ones of its lane.
//!
//! Goal: an interrupted turn, which gets no Stop, stands in nobody's way; its late calls are stale;
//! nothing but a begin retires, and nothing that is no older turn of the lane is retired.
//! Method: turns hold a path each, another begins, and all rows are compared. `r8_lanes.rs` has the
//! begins by a write, the turns that a client does not name, and the second process.

mod common;

use common::{DAY, TTL, World, old_row, owner, terms};
use leasehold_model::Released::{Absent, Count, EpochMismatch};
use leasehold_model::{Form, Outcome, RETIRED_MAX};

#[test]
fn an_interrupt_without_a_stop_leaves_nothing_in_the_way() {
    let mut world = World::new();
    world.begins("s1@t1");
    world.grants("s1@t1", &["/f"]);
    assert_eq!(world.begins("s1@t2"), Count(1));
    assert!(world.holders("/f").is_empty(), "free at once");
    world.grants("s1@t2", &["/f"]);
    let before = world.state.clone();
    assert_eq!(world.stops("s1@t1"), EpochMismatch, "the late Stop");
    assert_eq!(world.state, before, "changes nothing");
    world.is_stale("s1@t1", "/f");
    world.is_stale("s1@t1", "/elsewhere");
    assert_eq!(world.state, before, "nor does a late call");
    assert_eq!(world.stops("s1@t2"), Count(1));
}

#[test]
fn what_a_begin_frees_is_free_for_strangers_too() {
    let mut world = World::new();
    world.grants("s1@t1", &["/f"]);
    world.refuses("s2@t1", &["/f"]);
    world.begins("s1@t2");
    world.grants("s2@t1", &["/f"]);
}

#[test]
fn a_turn_that_never_began_is_retired_for_what_it_holds() {
    let mut world = World::new();
    world.grants("s1@t1", &["/f"]);
    assert_eq!(world.begins("s1@t2"), Count(1));
    world.is_stale("s1@t1", "/f");
    world.grants("s1@t0", &["/f"]);
}

#[test]
fn a_turn_that_holds_nothing_is_retired_all_the_same() {
    let mut world = World::new();
    world.begins("s1@t1");
    assert_eq!(world.begins("s1@t2"), Absent);
    world.is_stale("s1@t1", "/f");
}

#[test]
fn the_same_id_again_changes_nothing_but_the_expiry() {
    let mut world = World::new();
    world.begins("s1@t1");
    let grant = world.grants_one("s1@t1", "/f");
    let before = world.row("/f").clone();
    assert_eq!(world.at(5).begins("s1@t1"), EpochMismatch);
    assert_eq!(world.row("/f").expires, 5 + TTL, "a prompt renews");
    let after = world.row("/f").clone();
    assert_eq!(after, leasehold_model::Lease { expires: after.expires, ..before });
    assert_eq!(world.grants_one("s1@t1", "/f").fence, grant.fence);
}

#[test]
fn the_same_id_after_its_stop_goes_on_with_the_turn() {
    let mut world = World::new();
    world.begins("s1@t1");
    world.stops("s1@t1");
    world.begins("s1@t1");
    world.grants("s1@t1", &["/f"]);
    assert_eq!(world.state.turns.len(), 1);
}

#[test]
fn a_begin_takes_back_that_its_own_id_was_retired() {
    let mut world = World::new();
    world.begins("s1@t1");
    world.begins("s1@t2");
    world.is_stale("s1@t1", "/f");
    world.grants("s1@t2", &["/f"]);
    assert_eq!(world.begins("s1@t1"), Count(1), "some clients count anew");
    world.grants("s1@t1", &["/f"]);
    world.is_stale("s1@t2", "/f");
}

#[test]
fn only_a_begin_retires() {
    let mut world = World::new();
    world.begins("s1@t1");
    world.grants("s1@t1", &["/f"]);
    assert_eq!(world.refuses("s1@t2", &["/f"]), ["s1@t1 /f"], "a write without a hook does not");
    world.stops("s1@t1");
    world.grants("s1@t1", &["/f"]);
    world.releases("s1@t1");
    world.grants("s1@t1", &["/f"]);
    world.is_interrupted("s1@t1");
    world.grants("s1@t1", &["/f"]);
    world.ends_session("s1");
    world.grants("s1@t1", &["/f"]);
}

#[test]
fn empty_epochs_are_never_retired_and_retire_nobody() {
    let mut world = World::new();
    world.grants("s1", &["/empty"]);
    world.grants("s1@t1", &["/turn"]);
    assert_eq!(world.begins("s1"), EpochMismatch);
    assert_eq!(world.live(), ["s1 /empty", "s1@t1 /turn"]);
    assert_eq!(world.begins("s1@t2"), Count(1));
    assert_eq!(world.live(), ["s1 /empty"]);
    world.grants("s1", &["/empty", "/more"]);
}

#[test]
fn a_begin_does_not_end_sub_agents_and_a_sub_agent_retires_nobody() {
    let mut world = World::new();
    world.begins("s1@t1");
    world.starts("s1@agent:a");
    world.grants("s1@agent:a", &["/a"]);
    world.grants("s1@t1", &["/f"]);
    assert_eq!(world.begins("s1@agent:b"), EpochMismatch, "which is no turn");
    assert_eq!(world.live(), ["s1@agent:a /a", "s1@t1 /f"]);
    world.begins("s1@t2");
    assert_eq!(world.live(), ["s1@agent:a /a"]);
    world.grants("s1@agent:a", &["/a", "/more"]);
}

#[test]
fn a_begin_touches_no_other_session() {
    let mut world = World::new();
    world.begins("s2@t1");
    world.grants("s2@t1", &["/f"]);
    let lease = world.row("/f").clone();
    for stranger in ["s1@t1", "s1@t2", "s@t9", "s22@t2"] {
        world.begins(stranger);
    }
    assert_eq!(*world.row("/f"), lease);
    world.grants("s2@t1", &["/f"]);
}

#[test]
fn a_begin_takes_the_migrated_rows_along() {
    let mut world = World::upgraded(Form::First, &[old_row("s1", "/old", 0, 100)]);
    world.begins("s1@t1");
    world.grants("s1@t1", &["/f"]);
    world.old_engine_writes(old_row("s1", "/fresh", 0, 100));
    assert_eq!(world.begins("s1@t2"), Count(1));
    assert_eq!(world.live(), ["s1 /fresh"]);
}

#[test]
fn stale_is_said_before_all_else_and_corrects_no_more_than_the_clock() {
    let mut world = World::new();
    world.begins("s1@t1");
    world.begins("s1@t2");
    world.at(1000).grants("s2@t1", &["/held", "/dead"]);
    let expected = world.at(999).clone();
    assert_eq!(world.asks("s1@t1", &["/held"], terms(TTL)), Outcome::Stale, "though it is busy");
    let mut corrected = expected.state.clone();
    corrected.leases.iter_mut().for_each(|lease| lease.expires = 999 + TTL);
    assert_eq!(world.state, corrected);
    world.at(5000).is_stale("s1@t1", "/dead");
    assert!(world.state.get(&common::resource("/dead")).is_some(), "not even the dead go");
}

#[test]
fn so_many_retired_turns_are_remembered_and_no_more() {
    let mut world = World::new();
    for number in 0..=RETIRED_MAX + 1 {
        world.begins(&format!("s1@t{number}"));
    }
    let retired = world.state.turns.iter().filter(|turn| turn.retired).count();
    assert_eq!(retired, RETIRED_MAX);
    world.is_stale("s1@t1", "/f");
    world.grants("s1@t0", &["/f"]);
    world.begins("s2@t1");
    world.begins("s2@t2");
    world.is_stale("s2@t1", "/g");
    world.is_stale("s1@t1", "/g");
}

#[test]
fn they_are_remembered_for_a_day() {
    let mut world = World::new();
    world.begins("s1@t1");
    world.at(5).begins("s1@t2");
    world.at(5 + DAY).begins("s2@t1");
    world.is_stale("s1@t1", "/f");
    world.at(6 + DAY).begins("s2@t1");
    world.begins("s2@t2");
    world.grants("s1@t1", &["/f"]);
}

#[test]
fn a_day_counts_from_now_where_the_clock_stepped_back() {
    let mut world = World::new();
    world.at(10 * DAY).begins("s1@t1");
    world.begins("s1@t2");
    world.at(0).begins("s2@t1");
    world.at(DAY).begins("s2@t2");
    world.is_stale("s1@t1", "/f");
    world.at(DAY + 1).begins("s2@t3");
    world.grants("s1@t1", &["/f"]);
}

#[test]
fn a_turn_that_is_at_work_is_not_forgotten() {
    let mut world = World::new();
    world.begins("s1@t1");
    world.at(DAY).posts("s1@t1");
    world.at(DAY + 5).begins("s2@t1");
    assert!(world.state.turns.iter().any(|turn| turn.owner == owner("s1@t1")));
    world.at(2 * DAY + 1).begins("s2@t2");
    assert!(world.state.turns.iter().all(|turn| turn.owner != owner("s1@t1")));
}
