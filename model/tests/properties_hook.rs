//! What must hold in every run of what hooks tell: turns, sub-agents, shell calls, processes.
//!
//! Goal: state R8–R11 and R13 once more, in other words than the model's and its invariants'.
//! Method: that of `properties.rs`, with the same walks. `properties_ends.rs` has the ends.

mod common;
#[path = "common/random.rs"]
mod random;
#[path = "common/rules.rs"]
mod rules;

use leasehold_model::{End, Lease, Millis, NOTES_MAX, Op, Outcome, State, step};
use proptest::prelude::*;
use random::{Seen, always, is_our_write};
use rules::{
    context, fences, grants, inherits, is_left_to, is_orphan, is_subagent, is_turn, live, meant,
    named,
};

/// A lease as the next write leaves it if it does nothing else.
fn untouched(lease: &Lease, op: &Op, now: Millis) -> Lease {
    let ttl_from_now = if is_our_write(op) { now + lease.ttl } else { Millis::MAX };
    Lease { expires: lease.expires.min(ttl_from_now), ..lease.clone() }
}

/// Whether any rule lets this step touch another owner's live lease.
fn may_touch(seen: &Seen, lease: &Lease) -> bool {
    let Seen { before, op, after, .. } = seen;
    let context = context(op);
    let Some(owner) = named(op).map(|owner| meant(after, owner, &context)) else {
        return match op {
            Op::EndSession { session, .. } | Op::OldDelete { session } => {
                lease.owner.session == *session
            }
            Op::OldUpsert(row) => lease.resource == row.resource,
            // The upgrade takes the mark off, and flags the row instead.
            Op::Open { .. } => before.legacy.is_some(),
            _ => false,
        };
    };
    let own = lease.owner == owner;
    let same_session = lease.owner.session == owner.session;
    let of_main = is_subagent(&owner) && is_turn(&lease.owner) && same_session;
    let retired = after.turns.iter().any(|turn| turn.retired && turn.owner == lease.owner);
    let superseded = is_turn(&lease.owner) && same_session && retired;
    match op {
        Op::Acquire { .. } => {
            let doubted =
                after.subagents.iter().any(|one| one.owner == lease.owner && one.in_doubt);
            let begins = context.begins || context.minted;
            own || inherits(&owner, lease)
                || of_main
                || is_orphan(before, lease)
                || (is_turn(&owner) && same_session && doubted)
                || (begins && superseded)
        }
        Op::Begin { .. } => own || is_left_to(&owner, lease) || of_main || superseded,
        Op::Release { hand_over, .. } => own || (*hand_over && is_left_to(&owner, lease)),
        Op::Post { call, .. } => {
            let writes = |id: &str| lease.calls.iter().any(|one| one.id == id);
            own || of_main || (same_session && call.as_ref().is_some_and(|(id, _)| writes(id)))
        }
        Op::End { how: End::Stop(Some(_)), .. } => {
            let listed = before.subagents.iter().any(|one| one.owner == lease.owner && one.listed);
            let background = lease.calls.iter().any(|call| call.background);
            own || is_left_to(&owner, lease) || (same_session && (listed || background))
        }
        Op::End { how: End::Stop(None), .. } => own || is_left_to(&owner, lease),
        Op::End { .. } => own,
        _ => false,
    }
}

#[test]
fn nobody_touches_another_owners_live_lease() {
    always(|walk| {
        for seen in walk.play() {
            let Seen { before, op, now, after, .. } = &seen;
            for lease in live(before, *now).filter(|lease| !may_touch(&seen, lease)) {
                let expected = untouched(lease, op, *now);
                prop_assert!(after.leases.contains(&expected), "{:?} touched {:?}", op, lease);
            }
        }
        Ok(())
    });
}

#[test]
fn nobody_touches_another_sessions_live_lease_unless_its_process_is_gone() {
    always(|walk| {
        for Seen { before, op, now, after, .. } in walk.play() {
            let Some(owner) = named(&op) else { continue };
            let foreign = |lease: &&Lease| lease.owner.session != owner.session;
            let asks = matches!(op, Op::Acquire { .. });
            for lease in live(&before, now).filter(foreign) {
                let expected = untouched(lease, &op, now);
                let orphan = asks && is_orphan(&before, lease);
                prop_assert!(after.leases.contains(&expected) || orphan, "{:?}: {:?}", op, lease);
            }
        }
        Ok(())
    });
}

#[test]
fn exactly_the_retired_are_stale_and_that_changes_nothing() {
    always(|walk| {
        for Seen { before, op, now, after, outcome } in walk.play() {
            let Op::Acquire { owner, .. } = &op else { continue };
            let retired =
                |state: &State| state.turns.iter().any(|turn| turn.retired && turn.owner == *owner);
            prop_assert_eq!(retired(&before), outcome == Outcome::Stale, "{:?}", op);
            prop_assert!(!retired(&after) || outcome == Outcome::Stale);
            if outcome == Outcome::Stale {
                let leases: Vec<Lease> =
                    before.leases.iter().map(|lease| untouched(lease, &op, now)).collect();
                prop_assert_eq!(State { leases, ..before }, after);
            }
        }
        Ok(())
    });
}

#[test]
fn where_no_process_was_seen_a_begin_leaves_one_turn() {
    always(|walk| {
        for Seen { op, after, outcome, .. } in walk.play() {
            let (Op::Begin { .. }, Outcome::Begun(owner, ..)) = (op, outcome) else { continue };
            if !is_turn(&owner) || after.sightings.iter().any(|one| one.session == owner.session) {
                continue;
            }
            let runs = after
                .turns
                .iter()
                .filter(|turn| turn.owner.session == owner.session && !turn.retired)
                .map(|turn| &turn.owner);
            prop_assert_eq!(runs.collect::<Vec<_>>(), [&owner]);
        }
        Ok(())
    });
}

#[test]
fn no_begin_ends_a_sub_agent() {
    always(|walk| {
        for Seen { before, op, now, after, .. } in walk.play() {
            if !matches!(op, Op::Begin { .. }) {
                continue;
            }
            for lease in live(&before, now).filter(|lease| is_subagent(&lease.owner)) {
                let left = after.get(&lease.resource);
                prop_assert!(left.is_some_and(|left| left.fence == lease.fence), "{:?}", lease);
            }
            for one in &before.subagents {
                prop_assert!(after.subagents.iter().any(|left| left.owner == one.owner));
            }
        }
        Ok(())
    });
}

#[test]
fn an_owners_event_renews_all_that_it_holds() {
    always(|walk| {
        for Seen { op, now, after, outcome, .. } in walk.play() {
            let events = matches!(op, Op::Begin { .. } | Op::Post { .. }) || grants(&outcome);
            let Some(owner) = named(&op).filter(|_| events) else { continue };
            let owner = meant(&after, owner, &context(&op));
            for lease in after.leases.iter().filter(|lease| lease.owner == owner) {
                // At least three quarters of its TTL are left to it.
                let renewed = lease.expires >= now + lease.ttl - lease.ttl / 4;
                prop_assert_eq!(renewed, lease.is_live(now), "{:?}: {:?}", op, lease);
            }
        }
        Ok(())
    });
}

#[test]
fn what_is_dead_lives_again_only_by_a_grant() {
    always(|walk| {
        for Seen { before, op, now, after, .. } in walk.play() {
            let known = fences(&before);
            let of_old_engine = matches!(op, Op::OldUpsert(_));
            for old in before.leases.iter().filter(|lease| !lease.is_live(now)) {
                let lives = after.get(&old.resource).filter(|lease| lease.is_live(now));
                let granted = |lease: &Lease| {
                    lease.fence.is_some_and(|fence| !known.contains(&fence.0))
                        && lease.acquired == now
                };
                prop_assert!(of_old_engine || lives.is_none_or(granted), "{:?}: {:?}", op, old);
            }
        }
        Ok(())
    });
}

#[test]
fn a_denial_by_a_note_is_once() {
    always(|walk| {
        for Seen { op, now, after, outcome, .. } in walk.play() {
            prop_assert!(after.notes.len() <= 3 * NOTES_MAX);
            if let Outcome::Lost(notes) = outcome {
                prop_assert!(notes.iter().all(|note| note.taken.is_some()));
                let (_, second) = step(&after, &op, now);
                prop_assert!(!matches!(second, Outcome::Lost(_)), "{:?}", second);
            }
        }
        Ok(())
    });
}

#[test]
fn an_event_tells_a_note_once() {
    always(|walk| {
        for Seen { op, now, after, outcome, .. } in walk.play() {
            let (Outcome::Begun(_, _, told) | Outcome::Posted(_, told)) = outcome else {
                continue;
            };
            prop_assert!(told.iter().all(|note| after.notes.contains(note)), "and it stays");
            let (Outcome::Begun(_, _, again) | Outcome::Posted(_, again)) =
                step(&after, &op, now).1
            else {
                return Err(TestCaseError::fail("another answer"));
            };
            prop_assert_eq!(again, Vec::new());
        }
        Ok(())
    });
}
