//! What must hold in every run at the ends: of owners, of sessions, and of shell calls.
//!
//! Goal: state R6 and R10 once more, in other words than the model's and its invariants'.
//! Method: that of `properties.rs`, with the same walks.

mod common;
#[path = "common/random.rs"]
mod random;
#[path = "common/rules.rs"]
mod rules;

use leasehold_model::{CallState, End, Lease, Op, Outcome, Owner, Released, Running, step};
use proptest::prelude::*;
use random::{Seen, always};
use rules::{context, is_elsewhere, is_left_to, live, meant, named};

#[test]
fn what_is_kept_stays_until_its_calls_have_ended() {
    always(|walk| {
        for Seen { before, op, now, after, .. } in walk.play() {
            for lease in live(&before, now).filter(|lease| lease.kept) {
                if after.get(&lease.resource).is_some_and(|left| left.owner == lease.owner) {
                    continue;
                }
                let is_over = |call: &leasehold_model::Call| match &op {
                    Op::Post { call: Some((id, CallState::Ended)), .. } => *id == call.id,
                    Op::End { how: End::Stop(Some(Running { shells, .. })), .. } => {
                        call.task.as_ref().map_or(shells.is_empty(), |task| !shells.contains(task))
                    }
                    // By their names, and by old engines.
                    Op::Release { owner, .. } => *owner == lease.owner,
                    Op::EndSession { session, .. } | Op::OldDelete { session } => {
                        *session == lease.owner.session
                    }
                    Op::OldUpsert(row) => row.resource == lease.resource,
                    _ => false,
                };
                prop_assert!(lease.calls.iter().all(is_over), "{:?} ended {:?}", op, lease);
            }
        }
        Ok(())
    });
}

/// What an answer says of what went, where it says that.
fn told(outcome: &Outcome) -> Option<Released> {
    match outcome {
        Outcome::Released(released) | Outcome::Begun(_, released, _) => Some(*released),
        _ => None,
    }
}

#[test]
fn an_end_tells_what_went_and_a_second_one_finds_nothing() {
    always(|walk| {
        for Seen { before, op, now, after, outcome } in walk.play() {
            let Some(released) = told(&outcome) else { continue };
            let session = match &op {
                Op::EndSession { session, .. } => session,
                op => &named(op).expect("an owner").session,
            };
            let others = live(&after, now).any(|lease| lease.owner.session == *session);
            let none = if others { Released::EpochMismatch } else { Released::Absent };
            let went = live(&before, now).count() - live(&after, now).count();
            let expected = if went > 0 { Released::Count(went) } else { none };
            prop_assert_eq!(released, expected, "{:?}", op);
            let (again, second) = step(&after, &op, now);
            prop_assert_eq!((again, told(&second)), (after, Some(none)), "{:?}", op);
        }
        Ok(())
    });
}

#[test]
fn an_owner_that_ended_holds_nothing_but_what_is_kept() {
    always(|walk| {
        for Seen { op, after, outcome, .. } in walk.play() {
            let context = context(&op);
            let owner = named(&op).map(|owner| meant(&after, owner, &context));
            let is_owners =
                |owner: &Option<Owner>, lease: &Lease| Some(&lease.owner) == owner.as_ref();
            let left = after.leases.iter().find(|lease| match (&op, &outcome) {
                (Op::Release { owner, hand_over }, _) => {
                    lease.owner == *owner || (*hand_over && is_left_to(owner, lease))
                }
                (Op::Begin { .. }, Outcome::Begun(owner, ..)) => is_left_to(owner, lease),
                (Op::End { .. }, _) => is_owners(&owner, lease) && !lease.kept,
                (Op::EndSession { session, .. }, _) => {
                    let turn = after.turns.iter().find(|turn| turn.owner == lease.owner);
                    let subagent = after.subagents.iter().find(|one| one.owner == lease.owner);
                    let of_subagent = subagent.and_then(|one| one.process);
                    let of_turn = turn.and_then(|turn| turn.process);
                    let process = lease.process.or(of_turn).or(of_subagent);
                    lease.owner.session == *session
                        && !is_elsewhere(&after, session, process, &context)
                }
                _ => false,
            });
            prop_assert_eq!(left, None, "{:?}", op);
        }
        Ok(())
    });
}
