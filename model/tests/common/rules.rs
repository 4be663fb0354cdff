//! R1, R7–R9 and R13 in words of their own, without the model's.

#![allow(dead_code, reason = "each test file needs only some of it")]

use std::collections::BTreeSet;

use leasehold_model::{
    Context, Lease, Millis, Op, Outcome, Owner, Process, Resource, Standing, State,
};

/// R1 in words of its own: by the text of the paths, and by the one file that has two names.
pub(crate) fn overlap(a: &Resource, b: &Resource) -> bool {
    let (a, b) = (a.path(), b.path());
    let inside = |inner: &str, outer: &str| inner.starts_with(&format!("{outer}/"));
    let names = ["/r/b", "/q"];
    a == b
        || inside(&a, &b)
        || inside(&b, &a)
        || (names.contains(&a.as_str()) && names.contains(&b.as_str()))
}

/// R7 in words of its own: a migrated row goes to its session's named epochs.
pub(crate) fn inherits(owner: &Owner, lease: &Lease) -> bool {
    lease.migrated && lease.owner.session == owner.session && !owner.epoch.is_empty()
}

/// R7: to the main thread's epochs also what it did not ask for.
pub(crate) fn is_left_to(owner: &Owner, lease: &Lease) -> bool {
    inherits(owner, lease) && !is_subagent(owner)
}

pub(crate) fn is_subagent(owner: &Owner) -> bool {
    owner.epoch.starts_with("agent:")
}

/// A main thread's turn that has a name.
pub(crate) fn is_turn(owner: &Owner) -> bool {
    !owner.epoch.is_empty() && !is_subagent(owner)
}

pub(crate) fn live(state: &State, now: Millis) -> impl Iterator<Item = &Lease> {
    state.leases.iter().filter(move |lease| lease.expires > now)
}

pub(crate) fn fences(state: &State) -> BTreeSet<i64> {
    state.leases.iter().filter_map(|lease| lease.fence).map(|fence| fence.0).collect()
}

/// Whether the answer grants.
pub(crate) fn grants(outcome: &Outcome) -> bool {
    matches!(outcome, Outcome::Acquired(_) | Outcome::Reclaimed(..))
}

/// What an operation says of its hook.
pub(crate) fn context(op: &Op) -> Context {
    match op {
        Op::Acquire { context, .. }
        | Op::Begin { context, .. }
        | Op::Post { context, .. }
        | Op::End { context, .. }
        | Op::EndSession { context, .. } => context.clone(),
        _ => Context::default(),
    }
}

/// Whom an operation names, if it names an owner.
pub(crate) fn named(op: &Op) -> Option<&Owner> {
    match op {
        Op::Acquire { owner, .. }
        | Op::Release { owner, .. }
        | Op::Begin { owner, .. }
        | Op::SubagentStart { owner, .. }
        | Op::Post { owner, .. }
        | Op::End { owner, .. } => Some(owner),
        _ => None,
    }
}

/// R8: whom a caller means who names no turn: its lane's latest.
pub(crate) fn meant(state: &State, owner: &Owner, context: &Context) -> Owner {
    let session = &owner.session;
    let mut turns: Vec<_> = state
        .turns
        .iter()
        .filter(|turn| turn.owner.session == *session && !turn.retired)
        .filter(|turn| !is_elsewhere(state, session, turn.process, context))
        .collect();
    // Those of its own process count first.
    let own = context.sighting.as_ref().map(|sighting| sighting.process);
    turns.sort_by_key(|turn| (own.is_some() && turn.process == own, turn.started));
    match turns.last() {
        Some(turn) if context.minted && owner.epoch.is_empty() => turn.owner.clone(),
        _ => owner.clone(),
    }
}

/// R8, R13: whether this is another process of the session, alive and known to be an agent's.
pub(crate) fn is_elsewhere(
    state: &State,
    session: &str,
    process: Option<Process>,
    context: &Context,
) -> bool {
    let Some(sighting) = &context.sighting else { return false };
    let known = |process: Process| {
        state
            .sightings
            .iter()
            .any(|one| (one.session.as_str(), one.process) == (session, process) && one.believed)
    };
    process.is_some_and(|process| {
        process != sighting.process && known(process) && state.standing(process) == Standing::Alive
    })
}

/// R13: what a process held that is proven to be gone, and no shell call may still write.
pub(crate) fn is_orphan(state: &State, lease: &Lease) -> bool {
    let gone = |process| state.standing(process) == Standing::Gone;
    lease.process.is_some_and(gone) && lease.calls.is_empty()
}

/// R9: a sub-agent gets what its main thread has left alone since that sub-agent started.
pub(crate) fn is_handed_down(
    before: &State,
    lease: &Lease,
    owner: &Owner,
    context: &Context,
) -> bool {
    let started = before.subagents.iter().find(|one| one.owner == *owner);
    is_subagent(owner)
        && lease.owner.session == owner.session
        && is_turn(&lease.owner)
        && lease.calls.is_empty()
        && lease.fence.is_some()
        && started.is_some_and(|one| one.announced && lease.used < one.started)
        && !is_elsewhere(before, &owner.session, lease.process, context)
}

/// R9: what a sub-agent in doubt holds yields to its main thread.
pub(crate) fn yields(after: &State, lease: &Lease, owner: &Owner, context: &Context) -> bool {
    let holder = after.subagents.iter().find(|one| one.owner == lease.owner);
    is_turn(owner)
        && lease.owner.session == owner.session
        && lease.calls.is_empty()
        && holder.is_some_and(|one| {
            let processes = [one.process, lease.process];
            let elsewhere = |process| is_elsewhere(after, &owner.session, process, context);
            one.in_doubt && !processes.into_iter().any(elsewhere)
        })
}

/// R7, R9: what the owner asks for, and the live rows that would be handed over with it, and so on.
pub(crate) fn reach(
    before: &State,
    now: Millis,
    asked: &[Resource],
    comes_along: impl Fn(&Lease) -> bool,
) -> Vec<Resource> {
    let mut reach = asked.to_vec();
    loop {
        let more: Vec<Resource> = live(before, now)
            .filter(|lease| comes_along(lease) && !reach.contains(&lease.resource))
            .map(|lease| lease.resource.clone())
            .filter(|row| reach.iter().any(|reached| overlap(reached, row)))
            .collect();
        if more.is_empty() {
            return reach;
        }
        reach.extend(more);
    }
}
