//! R9: sub-agents are owners of their own, and may take over from their main thread.

use crate::call::{Foreground, end_owner};
use crate::process::in_reach;
use crate::{Context, Lease, Millis, Owner, Process, State};

/// A sub-agent of a session that runs, as far as is known.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Subagent {
    /// Its owner.
    pub owner: Owner,
    /// The count of starts at its latest start.
    pub started: i64,
    /// That start was told. One that is only heard of may have run for long: nothing is handed down
    /// to it.
    pub announced: bool,
    /// Its last event.
    pub at: Millis,
    /// A Stop has named it among the running tasks: a later one that does not is its end.
    pub listed: bool,
    /// An interrupt may have killed it: its leases yield to its main thread.
    pub in_doubt: bool,
    /// Its agent's process, as seen.
    pub process: Option<Process>,
}

/// So many sub-agents are remembered of a session.
pub const SUBAGENTS_MAX: usize = 256;

/// A sub-agent starts, for the first time or again.
pub(crate) fn start(state: &mut State, owner: &Owner, context: &Context, now: Millis) {
    state.subagents.retain(|one| one.owner != *owner);
    heard(state, owner, context, now);
    for one in state.subagents.iter_mut().filter(|one| one.owner == *owner) {
        one.announced = true;
    }
}

/// An event of a sub-agent: it runs. Who was not known is remembered from now on.
pub(crate) fn heard(state: &mut State, owner: &Owner, context: &Context, now: Millis) {
    if !owner.is_subagent() {
        return;
    }
    let process = context.sighting.as_ref().map(|sighting| sighting.process);
    if let Some(known) = state.subagents.iter_mut().find(|one| one.owner == *owner) {
        known.in_doubt = false;
        known.at = now;
        known.process = process.or(known.process);
        return;
    }
    let of_session = |one: &Subagent| one.owner.session == owner.session;
    if state.subagents.iter().filter(|one| of_session(one)).count() >= SUBAGENTS_MAX
        && let Some(first) = state.subagents.iter().position(of_session)
    {
        state.subagents.remove(first);
    }
    let started = state.next_start();
    let owner = owner.clone();
    let (announced, listed, in_doubt) = (false, false, false);
    state.subagents.push(Subagent {
        owner,
        started,
        announced,
        at: now,
        listed,
        in_doubt,
        process,
    });
}

/// R9: whether this lease of its own main thread goes to a sub-agent that asks for it: one that the
/// main thread has not used since the sub-agent started, and that no shell call writes. Where two
/// processes share a session, only that of the sub-agent's own.
pub(crate) fn is_handed_down(
    state: &State,
    lease: &Lease,
    to: &Owner,
    context: &Context,
    now: Millis,
) -> bool {
    let unused_since_start = state
        .subagents
        .iter()
        .any(|one| one.owner == *to && one.announced && lease.used < one.started);
    unused_since_start
        && lease.is_live(now)
        && lease.owner.session == to.session
        && lease.owner.is_tokened_main_thread()
        && lease.fence.is_some()
        && lease.calls.is_empty()
        && in_reach(state, &to.session, context.sighting.as_ref(), lease.process)
}

/// R9: whether this lease of a sub-agent that may be dead yields to its main thread. Where two
/// processes share a session, only to that of the sub-agent's own.
pub(crate) fn yields(state: &State, lease: &Lease, to: &Owner, context: &Context) -> bool {
    let sighting = context.sighting.as_ref();
    let in_doubt = |one: &Subagent| {
        one.owner == lease.owner
            && one.in_doubt
            && in_reach(state, &to.session, sighting, one.process)
            && in_reach(state, &to.session, sighting, lease.process)
    };
    to.is_tokened_main_thread()
        && lease.owner.session == to.session
        && lease.calls.is_empty()
        && state.subagents.iter().any(in_doubt)
}

/// R9: a turn that had no end may have been interrupted, which kills foreground sub-agents and says
/// nothing. Those that a Stop has named are background ones, and go on.
pub(crate) fn doubt(state: &mut State, session: &str, context: &Context) {
    let in_reach: Vec<bool> = state
        .subagents
        .iter()
        .map(|one| in_reach(state, session, context.sighting.as_ref(), one.process))
        .collect();
    for (one, in_reach) in state.subagents.iter_mut().zip(in_reach) {
        if one.owner.session == session && !one.listed && in_reach {
            one.in_doubt = true;
        }
    }
}

/// R9: a Stop of the current turn names the sub-agents that run: one that an earlier list named and
/// this one does not has ended. Tells how many live leases went.
pub(crate) fn end_unlisted(
    state: &mut State,
    session: &str,
    running: &[String],
    context: &Context,
    now: Millis,
) -> usize {
    let names: Vec<Owner> = running.iter().map(|id| Owner::subagent(session, id)).collect();
    let ended = |one: &&Subagent| {
        one.owner.session == session
            && one.listed
            && !names.contains(&one.owner)
            && in_reach(state, session, context.sighting.as_ref(), one.process)
    };
    let ended: Vec<Owner> =
        state.subagents.iter().filter(ended).map(|one| one.owner.clone()).collect();
    let mut live = 0;
    for owner in ended {
        live += end(state, &owner, Foreground::Ends, now);
    }
    for owner in names {
        heard(state, &owner, context, now);
        for one in state.subagents.iter_mut().filter(|one| one.owner == owner) {
            one.listed = true;
        }
    }
    live
}

/// A sub-agent has ended.
pub(crate) fn end(state: &mut State, owner: &Owner, foreground: Foreground, now: Millis) -> usize {
    state.subagents.retain(|one| one.owner != *owner);
    state.notes.retain(|note| note.owner != *owner);
    end_owner(state, owner, foreground, now)
}
