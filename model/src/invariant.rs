//! What must hold in every state, and over every step.

use crate::{Lease, Millis, Op, Outcome, Released, State};

/// A broken invariant: the rule, and what broke it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Violation {
    /// The rule's name, such as `R1`.
    pub rule: &'static str,
    /// What was seen.
    pub detail: String,
}

/// Checks a state by itself.
///
/// # Errors
/// The first [`Violation`] found.
pub fn check_state(state: &State, now: Millis) -> Result<(), Violation> {
    for (i, a) in state.leases.iter().enumerate() {
        for b in &state.leases[i + 1..] {
            one_owner(a, b, now)?;
            ensure("R14", a.fence.is_none() || a.fence != b.fence, || format!("{a:?} and {b:?}"))?;
        }
        ensure("R7", !a.migrated || (a.owner.epoch.is_empty() && a.fence.is_none()), || {
            format!("a migrated row was granted: {a:?}")
        })?;
    }
    Ok(())
}

/// R1: two live leases of different owners do not overlap, unless an old engine wrote one of them.
fn one_owner(a: &Lease, b: &Lease, now: Millis) -> Result<(), Violation> {
    let of_old_engine = a.fence.is_none() || b.fence.is_none();
    let live = a.is_live(now) && b.is_live(now);
    let clash = live && a.owner != b.owner && a.resource.overlaps(&b.resource);
    ensure("R1", of_old_engine || !clash, || format!("{a:?} and {b:?}"))
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
    match (op, outcome) {
        (Op::Acquire { resources, owner, .. }, Outcome::Acquired(grants)) => {
            let all = resources.iter().all(|wanted| {
                grants.iter().any(|grant| grant.resource.is(wanted))
                    && after.get(wanted).is_some_and(|lease| {
                        lease.owner == *owner && lease.is_live(now) && !lease.migrated
                    })
            });
            ensure("R2", all, || format!("{op:?} was granted in part"))
        }
        (Op::Acquire { owner, .. }, Outcome::Busy(busy)) => {
            let kept = unchanged_but_for_dead(before, after, now);
            ensure("R2", kept, || format!("the refused {op:?} changed a lease"))?;
            let real = !busy.holders.is_empty()
                && busy.holders.iter().all(|holder| {
                    after.get(&holder.resource) == Some(holder)
                        && holder.is_live(now)
                        && holder.owner != *owner
                });
            ensure("R5", real, || format!("{busy:?} names no real holder"))
        }
        (Op::Release { owner, hand_over }, Outcome::Released(answer)) => {
            let touched = |lease: &Lease| {
                lease.owner == *owner
                    || (*hand_over
                        && owner.is_tokened_main_thread()
                        && lease.migrated
                        && lease.owner.session == owner.session)
            };
            let gone: Vec<&Lease> =
                before.leases.iter().filter(|lease| after.get(&lease.resource).is_none()).collect();
            let exact =
                gone.iter().all(|lease| touched(lease)) && !after.leases.iter().any(touched);
            ensure("R6", exact, || format!("{op:?} removed {gone:?}"))?;
            let absent = !after
                .leases
                .iter()
                .any(|lease| lease.owner.session == owner.session && lease.is_live(now));
            let told = *answer != Released::Absent || absent;
            ensure("R6", told, || format!("{op:?} answered {answer:?}"))
        }
        _ => Ok(()),
    }
}

/// R2, R12: a refused acquire leaves every live lease as it was, but for the clock's correction.
fn unchanged_but_for_dead(before: &State, after: &State, now: Millis) -> bool {
    let corrected = before
        .leases
        .iter()
        .map(|lease| Lease { expires: lease.expires.min(now + lease.ttl), ..lease.clone() });
    let mut live = corrected.filter(|lease| lease.is_live(now));
    live.all(|lease| after.get(&lease.resource) == Some(&lease))
        && after.leases.iter().all(|lease| before.get(&lease.resource).is_some())
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
