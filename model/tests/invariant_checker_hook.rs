//! The checker of the invariants itself, where hooks tell of turns, sub-agents, calls and
//! processes.
//!
//! Goal: each check that the rules R8–R13 ask for can fail, and the nearest good step passes.
//! Method: that of `invariant_checker.rs`: good steps are taken, and then spoilt by hand.

mod common;
#[path = "common/spoilt.rs"]
mod spoilt;

use common::hook::{in_process, marks};
use common::{TTL, World, owner, resource};
use leasehold_model::{CallState, Context, End, Note, Op, Outcome, Standing, State, check_state};
use spoilt::{Step, acquire, all_hold, begin, calls, end, leaves, listing, plain, post};

/// Spoils a good state, which must then break this rule.
#[track_caller]
fn state_breaks(rule: &str, good: &State, spoil: impl FnOnce(&mut State)) {
    assert_eq!(check_state(good, 0), Ok(()));
    let mut spoilt = good.clone();
    spoil(&mut spoilt);
    assert_eq!(check_state(&spoilt, 0).expect_err("a spoilt state").rule, rule);
}

#[test]
fn r8_a_retired_turn_that_holds_something() {
    let world = all_hold();
    let retire = |state: &mut State| state.turns[0].retired = true;
    state_breaks("R8", &world.state, retire);
    let mut world = all_hold();
    world.begins("s1@t2");
    assert_eq!(check_state(&world.state, 0), Ok(()), "what is kept may stay");
    let old_engines = |state: &mut State| state.leases.retain(|lease| lease.kept);
    old_engines(&mut world.state);
    state_breaks("R8", &world.state, |state| state.leases[0].kept = false);
    world.state.leases[0].kept = false;
    world.state.leases[0].fence = None;
    assert_eq!(check_state(&world.state, 0), Ok(()), "and an old engine's row");
}

#[test]
fn r10_a_lease_that_is_kept_for_nothing() {
    let mut world = all_hold();
    world.begins("s1@t2");
    let kept =
        |state: &mut State| state.leases.iter().position(|lease| lease.kept).expect("a kept lease");
    state_breaks("R10", &world.state, |state| {
        let at = kept(state);
        state.leases[at].calls.clear();
    });
    state_breaks("R10", &world.state, |state| {
        let at = kept(state);
        state.leases[at].calls[0].background = false;
    });
}

#[test]
fn r8_stale_is_for_the_retired_and_for_nobody_else() {
    let mut world = all_hold();
    world.begins("s1@t2");
    let stale = Step::of(&world, plain("s1@t1", "/f"));
    assert_eq!(stale.outcome, Outcome::Stale);
    stale.breaks("R8", |step| step.op = plain("s1@t2", "/f"));
    stale.breaks("R8", |step| step.outcome = Outcome::Acquired(Vec::new()));
    leaves(&stale, "R8", &["/a", "/other", "/none"]);
}

#[test]
fn r8_a_begin_that_takes_too_much_or_too_little() {
    let taken = Step::of(&all_hold(), begin("s1@t2"));
    leaves(&taken, "R8", &["/a", "/b", "/none", "/other"]);
    taken.breaks("R10", |step| step.drop("/back"));
    taken.breaks("R8", |step| step.undo("/f"));
    taken.breaks("R8", |step| step.after.turns.retain(|turn| turn.owner != owner("s1@t2")));
    taken.breaks("R8", |step| {
        step.after.turns.retain(|turn| !turn.retired);
        step.undo("/f");
    });
    let same = Step::of(all_hold().at(3), begin("s1@t1"));
    leaves(&same, "R8", &["/f", "/fore", "/a", "/other"]);
    same.breaks("R11", |step| step.undo("/f"));
}

#[test]
fn r8_a_begin_spares_a_second_process_that_lives() {
    let mut world = World::new();
    world.with(in_process(1)).begins("s1@t1");
    world.grants("s1@t1", &["/f"]);
    world.with(in_process(2)).posts("s1@t2");
    let op = Op::Begin { owner: owner("s1@t2"), context: in_process(2) };
    let taken = Step::of(&world, op);
    leaves(&taken, "R8", &["/f"]);
    let of_session = Op::EndSession { session: "s1".to_owned(), context: in_process(2) };
    Step::of(&world, of_session).breaks("R6", |step| step.drop("/f"));
    let own = Op::EndSession { session: "s1".to_owned(), context: in_process(1) };
    Step::of(&world, own).breaks("R6", |step| step.undo("/f"));
}

#[test]
fn r8_a_write_that_begins_takes_what_a_begin_would() {
    let mut world = World::new();
    world.begins("s1@t1");
    world.grants("s1@t1", &["/f"]);
    world.grants_for(100, "s1@agent:a", &["/a"]);
    world.grants_for(100, "s2@t1", &["/other"]);
    world.at(TTL);
    let granted = Step::of(&world, acquire("s1@t2", "/new", marks()));
    granted.breaks("R1", |step| step.drop("/a"));
    granted.breaks("R1", |step| step.drop("/other"));
    let refused = Step::of(&world, acquire("s1@t2", "/other", marks()));
    leaves(&refused, "R2", &["/a", "/other"]);
}

#[test]
fn r9_a_hand_down_that_is_none() {
    let mut world = World::new();
    world.begins("s1@t1");
    world.grants("s1@t1", &["/f"]);
    world.starts("s1@agent:a");
    let taken = Step::of(&world, plain("s1@agent:a", "/f"));
    taken.breaks("R9", |step| step.before.leases[0].used = 99);
    taken.breaks("R9", |step| step.before.leases[0].calls = calls(&["c1"]));
    taken.breaks("R9", |step| step.before.leases[0].kept = true);
    taken.breaks("R9", |step| step.left("/f").acquired = -1);
    for stranger in ["s1@agent:b", "s2@t1", "s1"] {
        taken.breaks("R1", |step| step.before.leases[0].owner = owner(stranger));
    }
}

#[test]
fn r9_a_yield_that_is_none() {
    let mut world = World::new();
    world.begins("s1@t1");
    world.grants("s1@agent:a", &["/a"]);
    world.begins("s1@t2");
    let taken = Step::of(&world, plain("s1@t2", "/a"));
    taken.breaks("R1", |step| step.after.subagents[0].in_doubt = false);
    taken.breaks("R1", |step| step.before.leases[0].owner = owner("s1@agent:b"));
    taken.breaks("R9", |step| step.before.leases[0].calls = calls(&["c1"]));
}

#[test]
fn r9_a_start_that_touches_a_lease() {
    let op = Op::SubagentStart { owner: owner("s1@agent:a"), context: Context::default() };
    let taken = Step::of(&all_hold(), op);
    leaves(&taken, "R9", &["/a", "/f", "/other"]);
}

#[test]
fn r6_an_end_that_takes_too_much_or_too_little() {
    let stop = Step::of(&all_hold(), end("s1@t1", End::Stop(None)));
    leaves(&stop, "R6", &["/a", "/b", "/none", "/other"]);
    stop.breaks("R6", |step| step.undo("/f"));
    stop.breaks("R10", |step| step.drop("/back"));
    stop.breaks("R10", |step| step.drop("/fore"));
    let interrupt = Step::of(&all_hold(), end("s1@t1", End::Interrupt));
    interrupt.breaks("R10", |step| step.drop("/back"));
    interrupt.breaks("R6", |step| step.undo("/fore"));
    let subagent = Step::of(&all_hold(), end("s1@agent:a", End::Stop(None)));
    leaves(&subagent, "R6", &["/b", "/f", "/back", "/none", "/other"]);
}

#[test]
fn r9_a_list_that_ends_what_no_list_named_or_another_turns_stop() {
    let mut world = all_hold();
    world.stops_with("s1@t1", &["a"], &["k"]);
    let taken = Step::of(&world, end("s1@t1", listing(&[], &["k"])));
    assert!(taken.after.get(&resource("/a")).is_none());
    leaves(&taken, "R6", &["/b", "/none", "/other"]);
    taken.breaks("R10", |step| step.drop("/back"));
    taken.breaks("R6", |step| step.op = end("s1@t1", listing(&["a"], &["k"])));
    taken.breaks("R6", |step| step.op = end("s1@t1", End::Stop(None)));
    taken.breaks("R6", |step| step.op = end("s1@t2", listing(&[], &["k"])));
    let call = Step::of(&world, end("s1@t1", listing(&["a"], &[])));
    assert!(call.after.get(&resource("/back")).is_none());
    call.breaks("R10", |step| step.op = end("s1@t1", listing(&["a"], &["k"])));
    call.breaks("R10", |step| step.op = end("s1@t1", End::Stop(None)));
}

#[test]
fn r10_a_post_that_frees_too_much_or_too_little() {
    let mut world = all_hold();
    world.stops("s1@t1");
    let taken = Step::of(world.at(3), post("s1@t1", Some(("c2", CallState::Ended))));
    assert!(taken.after.get(&resource("/back")).is_none());
    taken.breaks("R10", |step| step.undo("/back"));
    taken.breaks("R10", |step| step.op = post("s1@t1", Some(("c1", CallState::Ended))));
    taken.breaks("R10", |step| step.op = post("s2@t1", Some(("c2", CallState::Ended))));
    leaves(&taken, "R10", &["/fore", "/a", "/none", "/other"]);
    let goes_on = Step::of(&all_hold(), post("s1@t1", Some(("c1", CallState::GoesOn(None)))));
    goes_on.breaks("R10", |step| step.op = post("s1@t1", None));
    goes_on.breaks("R10", |step| step.left("/fore").fence = None);
}

#[test]
fn r11_an_event_that_does_not_renew_all_or_renews_the_dead() {
    let mut world = all_hold();
    world.at(5).grants("s1@t1", &["/late"]);
    world.at(TTL + 1);
    let posted = Step::of(&world, post("s1@t1", None));
    posted.breaks("R11", |step| step.undo("/late"));
    let written = Step::of(&world, plain("s1@t1", "/new"));
    written.breaks("R11", |step| step.undo("/late"));
    world.at(2 * TTL + 20);
    let posted = Step::of(&world, post("s1@t1", None));
    posted.breaks("R10", |step| step.left("/late").expires = step.before.leases[0].expires + TTL);
    let written = Step::of(&world, plain("s1@t1", "/new"));
    written.breaks("R4", |step| step.left("/late").expires = 2 * TTL + 25);
}

#[test]
fn r11_a_denial_without_a_note() {
    let mut world = World::new();
    world.grants("s1@t1", &["/f"]);
    world.at(TTL).grants("s2@t1", &["/f"]);
    let taken = Step::of(&world, plain("s1@t1", "/f"));
    let noted = |spoil: fn(&mut Vec<Note>)| {
        move |step: &mut Step| {
            if let Outcome::Lost(notes) = &mut step.outcome {
                spoil(notes);
            }
        }
    };
    taken.breaks("R11", noted(Vec::clear));
    taken.breaks("R11", noted(|notes| notes[0].owner = owner("s1@t2")));
    taken.breaks("R11", noted(|notes| notes[0].taken = None));
    taken.breaks("R11", noted(|notes| notes[0].resource = resource("/g")));
    taken.breaks("R11", |step| step.after.notes = step.before.notes.clone());
    taken.breaks("R11", |step| step.before.notes.clear());
    leaves(&taken, "R11", &["/f"]);
    let elsewhere = Step::of(&world, plain("s1@t1", "/g"));
    elsewhere.breaks("R11", |step| step.after.notes[0].resource = resource("/g"));
}

#[test]
fn r13_a_reclaim_that_is_none() {
    let mut world = World::new();
    world.with(in_process(1)).grants("s1@t1", &["/f"]);
    world.fate(1, Standing::Gone);
    let taken = Step::of(&world, plain("s2@t1", "/f"));
    let reclaimed = |spoil: fn(&mut Vec<leasehold_model::Lease>)| {
        move |step: &mut Step| {
            if let Outcome::Reclaimed(_, leases) = &mut step.outcome {
                spoil(leases);
            }
        }
    };
    taken.breaks("R13", reclaimed(Vec::clear));
    taken.breaks("R13", reclaimed(|leases| leases[0].acquired = -1));
    taken.breaks("R13", |step| {
        if let Outcome::Reclaimed(grants, _) = step.outcome.clone() {
            step.outcome = Outcome::Acquired(grants);
        }
    });
    for standing in [Standing::Alive, Standing::Unknown] {
        taken.breaks("R1", |step| step.before.standings[0].1 = standing);
    }
    taken.breaks("R1", |step| step.before.leases[0].process = None);
    taken.breaks("R1", |step| step.before.leases[0].calls = calls(&["c1"]));
}

#[test]
fn r3_r4_a_grant_that_begins_anew_or_leaves_the_dead() {
    let mut world = World::new();
    world.grants("s1@t1", &["/r/f"]);
    let again = Step::of(world.at(3), plain("s1@t1", "/r/f"));
    again.breaks("R3", |step| step.left("/r/f").acquired = 3);
    again.breaks("R3", |step| step.before.leases[0].fence = Some(leasehold_model::Fence(1)));
    let dead = Step::of(world.at(TTL), plain("s2@t1", "/r"));
    dead.breaks("R4", |step| step.undo("/r/f"));
    world.at(5).grants("s3@t1", &["/r/g"]);
    let refused = Step::of(world.at(TTL), plain("s2@t1", "/r"));
    refused.breaks("R4", |step| step.undo("/r/f"));
    let reap = Step::of(&world, Op::Reap);
    reap.breaks("R4", |step| step.drop("/r/g"));
}

#[test]
fn r12_a_write_that_leaves_more_than_a_ttl_and_a_read_that_writes() {
    let mut world = all_hold();
    world.at(-100);
    for op in [Op::Reap, begin("s2@t1"), plain("s2@t1", "/new"), post("s2@t1", None)] {
        Step::of(&world, op).breaks("R12", |step| step.left("/f").expires = 0);
    }
    let check = Step::of(&world, Op::Check { resource: resource("/f") });
    check.breaks("R12", |step| step.left("/f").expires -= 1);
}
