//! What must hold in every state.

use super::{Violation, ensure};
use crate::{Lease, Millis, State};

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
        let in_background = !a.calls.is_empty() && a.calls.iter().all(|call| call.background);
        ensure("R10", !a.kept || in_background, || format!("kept for nothing: {a:?}"))?;
        let superseded = state.turns.iter().any(|turn| turn.retired && turn.owner == a.owner);
        let may_stay = a.kept || a.fence.is_none() || !a.is_live(now);
        ensure("R8", !superseded || may_stay, || format!("a retired turn holds {a:?}"))?;
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
