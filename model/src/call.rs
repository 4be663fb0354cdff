//! R10: shell calls, which may outlive their turn.

use crate::{Lease, Millis, Owner, State};

/// A shell call that writes what a lease is on, until its end is known.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Call {
    /// The client's id of the call.
    pub id: String,
    /// It outlives its turn: it was started so, or it had no end yet when its turn ended.
    pub background: bool,
    /// The client's id of the task that it became.
    pub task: Option<String>,
}

/// So many calls are remembered of a lease; the first gives way.
pub const CALLS_MAX: usize = 32;

/// How the end of an owner treats calls that have no end yet.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) enum Foreground {
    /// They go on: the turn has ended and they have not.
    GoesOn,
    /// They have ended with the owner.
    Ends,
}

/// The end of an owner: its leases go, but for those that a shell call still writes. Tells how many
/// live ones went.
pub(crate) fn end_owner(
    state: &mut State,
    owner: &Owner,
    foreground: Foreground,
    now: Millis,
) -> usize {
    for lease in state.leases.iter_mut().filter(|lease| lease.owner == *owner) {
        match foreground {
            Foreground::Ends => lease.calls.retain(|call| call.background),
            Foreground::GoesOn => lease.calls.iter_mut().for_each(|call| call.background = true),
        }
        lease.kept = !lease.calls.is_empty();
    }
    let goes = |lease: &Lease| lease.owner == *owner && !lease.kept;
    let live = state.remove(|lease| goes(lease) && lease.is_live(now));
    state.remove(goes);
    live
}

/// The end of those calls of a session: what was only kept for them goes. Tells how many live
/// leases went.
pub(crate) fn end_calls(
    state: &mut State,
    session: &str,
    ended: impl Fn(&Lease, &Call) -> bool,
    now: Millis,
) -> usize {
    for lease in state.leases.iter_mut().filter(|lease| lease.owner.session == session) {
        let over: Vec<bool> = lease.calls.iter().map(|call| ended(lease, call)).collect();
        let mut over = over.into_iter();
        lease.calls.retain(|_| !over.next().unwrap_or_default());
    }
    let goes =
        |lease: &Lease| lease.owner.session == session && lease.kept && lease.calls.is_empty();
    let live = state.remove(|lease| goes(lease) && lease.is_live(now));
    state.remove(goes);
    live
}
