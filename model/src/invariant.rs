//! What must hold in every state, and over every step.
//!
//! The rules once more, in other words than those of the model: not how a step goes about it, but
//! which lease may have changed by it, and how.

mod acquire;
mod change;
mod life;
mod standing;

use change::Change;

use crate::{Millis, Op, Outcome, State};

pub use standing::check_state;

/// A broken invariant: the rule, and what broke it.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Violation {
    /// The rule's name, such as `R1`.
    pub rule: &'static str,
    /// What was seen.
    pub detail: String,
}

/// Checks what one step did.
///
/// # Errors
/// The first [`Violation`] found.
pub fn check_step(
    before: &State,
    op: &Op,
    outcome: &Outcome,
    after: &State,
    now: Millis,
) -> Result<(), Violation> {
    check_state(after, now)?;
    let token = |state: &State| (state.generation, state.count);
    ensure("R14", token(before) <= token(after), || "the fence went back".to_owned())?;
    ensure("R7", no_new_flag(before, op, after), || format!("{op:?} flagged a row"))?;
    let immortal = after.leases.iter().find(|lease| lease.expires - now > lease.ttl);
    ensure("R12", !writes(op) || immortal.is_none(), || format!("{op:?} left {immortal:?}"))?;
    let step = Change { before, after, now };
    match op {
        Op::Acquire { .. } => acquire::check(&step, op, outcome),
        Op::Release { owner, hand_over } => life::release(&step, owner, *hand_over, outcome),
        Op::Begin { context, .. } => life::begin(&step, context, outcome),
        Op::Post { owner, call, context, .. } => life::post(&step, owner, call.as_ref(), context),
        Op::End { owner, how, context } => life::end(&step, owner, how, context),
        Op::EndSession { session, context } => life::end_session(&step, session, context),
        Op::SubagentStart { .. } => step.only("R9", |_, _| false),
        Op::Reap => step.only("R4", |old, new| new.is_none() && !old.is_live(now)),
        Op::Fate { .. } | Op::Check { .. } | Op::CheckFence { .. } => {
            ensure("R12", before.leases == after.leases, || format!("{op:?} changed a lease"))
        }
        Op::Open { .. } | Op::OldUpsert(_) | Op::OldDelete { .. } => Ok(()),
    }
}

/// R12: what is a write transaction of ours leaves no lease more than its TTL.
fn writes(op: &Op) -> bool {
    let reads = matches!(op, Op::Check { .. } | Op::CheckFence { .. } | Op::Fate { .. });
    let of_old_engine = matches!(op, Op::OldUpsert(_) | Op::OldDelete { .. });
    !reads && !of_old_engine && !matches!(op, Op::Open { .. })
}

/// R7: only the upgrade flags rows.
fn no_new_flag(before: &State, op: &Op, after: &State) -> bool {
    matches!(op, Op::Open { .. } if before.legacy.is_some())
        || after
            .leases
            .iter()
            .filter(|lease| lease.migrated)
            .all(|lease| before.get(&lease.resource).is_some_and(|old| old.migrated))
}

fn ensure(
    rule: &'static str,
    holds: bool,
    detail: impl FnOnce() -> String,
) -> Result<(), Violation> {
    if holds { Ok(()) } else { Err(Violation { rule, detail: detail() }) }
}
