//! What the events of a turn and a session may do to leases.

use super::change::Change;
use super::{Violation, ensure};
use crate::{
    Call, CallState, Context, End, Lease, Outcome, Owner, Released, Running, Subagent, Turn,
};

/// R6: a release takes all that is its owner's, and nothing else.
pub(super) fn release(
    step: &Change<'_>,
    owner: &Owner,
    hand_over: bool,
    outcome: &Outcome,
) -> Result<(), Violation> {
    let mine = |lease: &Lease| lease.owner == *owner || (hand_over && is_left_to(owner, lease));
    step.only("R6", |old, new| new.is_none() && mine(old))?;
    let left = step.after.leases.iter().find(|lease| mine(lease));
    ensure("R6", left.is_none(), || format!("{left:?} was not released"))?;
    let absent = !holds_live(step, &owner.session);
    let told = *outcome != Outcome::Released(Released::Absent) || absent;
    ensure("R6", told, || format!("answered {outcome:?}"))
}

/// R7: the migrated rows of a session are its named main thread's.
fn is_left_to(owner: &Owner, lease: &Lease) -> bool {
    lease.migrated && lease.owner.session == owner.session && owner.is_tokened_main_thread()
}

fn holds_live(step: &Change<'_>, session: &str) -> bool {
    step.after.leases.iter().any(|one| one.owner.session == session && one.is_live(step.now))
}

/// R11: whether the lease was renewed by an event of this owner: its own, or, by a sub-agent's, its
/// main thread's.
fn is_renewed(step: &Change<'_>, owner: &Owner, old: &Lease, new: Option<&Lease>) -> bool {
    let of_main = owner.is_subagent()
        && old.owner.session == owner.session
        && old.owner.is_tokened_main_thread();
    (old.owner == *owner || of_main) && step.is_renewed(old, new)
}

/// R11: every live lease of the owner that is still there was renewed.
fn all_renewed(step: &Change<'_>, owner: &Owner) -> Result<(), Violation> {
    let stale = |lease: &Lease| {
        let left =
            step.new_of(lease).is_some_and(|new| new.expires < step.now + new.ttl - new.ttl / 4);
        lease.owner == *owner && lease.is_live(step.now) && left
    };
    let old = step.old().find(stale);
    ensure("R11", old.is_none(), || format!("{old:?} was not renewed"))
}

/// R8: a begin takes what the older turns of its lane hold, and the migrated rows.
pub(super) fn begin(
    step: &Change<'_>,
    context: &Context,
    outcome: &Outcome,
) -> Result<(), Violation> {
    let Outcome::Begun(owner, ..) = outcome else {
        return ensure("R8", false, || format!("a begin was answered {outcome:?}"));
    };
    step.only("R8", |old, new| {
        let superseded =
            step.is_superseded(&old.owner, owner, context) && Change::is_ended(old, new);
        superseded || (new.is_none() && is_left_to(owner, old)) || is_renewed(step, owner, old, new)
    })?;
    let in_background = |lease: &Lease| lease.calls.iter().any(|call| call.background);
    let lost = step.touched().find(|(old, new)| new.is_none() && in_background(old));
    ensure("R10", lost.is_none(), || format!("{lost:?} was not kept"))?;
    let migrated = step.after.leases.iter().find(|lease| is_left_to(owner, lease));
    ensure("R7", migrated.is_none(), || format!("{migrated:?} was not handed over"))?;
    if owner.is_tokened_main_thread() {
        has_begun(step, owner, context)?;
    }
    all_renewed(step, owner)
}

/// R8: the turn runs, and where it is new no older one of its lane holds what is not kept.
fn has_begun(step: &Change<'_>, owner: &Owner, context: &Context) -> Result<(), Violation> {
    let runs = |turns: &[Turn]| turns.iter().any(|one| one.owner == *owner && !one.retired);
    ensure("R8", runs(&step.after.turns), || format!("{owner:?} did not begin"))?;
    if runs(&step.before.turns) {
        return Ok(());
    }
    let older = |lease: &&Lease| {
        lease.owner.session == owner.session
            && lease.owner.is_tokened_main_thread()
            && lease.owner != *owner
            && lease.fence.is_some()
            && !lease.kept
            && !step.lives_elsewhere(&lease.owner, context)
    };
    let held = step.after.leases.iter().find(older);
    ensure("R8", held.is_none(), || format!("the older turn holds {held:?}"))
}

/// R10, R11: a post renews, and ends its call.
pub(super) fn post(
    step: &Change<'_>,
    owner: &Owner,
    call: Option<&(String, CallState)>,
    context: &Context,
) -> Result<(), Violation> {
    let owner = &step.meant(owner, context);
    let of_session = |lease: &Lease| lease.owner.session == owner.session;
    // The same sub-agent, or the main thread in any turn.
    let of_thread = |lease: &Lease| {
        of_session(lease)
            && (lease.owner == *owner || !(lease.owner.is_subagent() || owner.is_subagent()))
    };
    let ends =
        |one: &Call| call.is_some_and(|(id, state)| *id == one.id && *state == CallState::Ended);
    let is_named =
        |lease: &Lease| call.is_some_and(|(id, _)| lease.calls.iter().any(|one| one.id == *id));
    let of_main = |lease: &Lease| owner.is_subagent() && lease.owner.is_tokened_main_thread();
    step.only("R10", |old, new| {
        let renewed = old.is_live(step.now)
            && (old.owner == *owner || of_main(old))
            && new.is_some_and(|new| [old.expires, step.now + old.ttl].contains(&new.expires));
        // Apart from the expiry.
        let like = |new: &Lease| Lease {
            expires: if renewed { old.expires } else { new.expires },
            process: if renewed { old.process } else { new.process },
            ..new.clone()
        };
        let new = new.map(like);
        let gone = Change::is_without_calls(old, new.as_ref(), ends);
        let in_background = new.as_ref().is_some_and(|new| {
            let calls = new.calls.clone();
            let same_ids = calls.iter().map(|one| &one.id).eq(old.calls.iter().map(|one| &one.id));
            same_ids && *new == Lease { calls, ..old.clone() }
        });
        let goes_on = matches!(call, Some((_, CallState::GoesOn(_)))) && in_background;
        let named = of_thread(old) && is_named(old);
        of_session(old) && (new.as_ref() == Some(old) || (named && (gone || goes_on)))
    })?;
    let left = |lease: &&Lease| of_thread(lease) && lease.calls.iter().any(ends);
    let left = step.after.leases.iter().find(left);
    ensure("R10", left.is_none(), || format!("{left:?} is written by a call that has ended"))?;
    all_renewed(step, owner)
}

/// R6, R9, R10: an end takes its owner's. The Stop of a running turn takes the migrated rows too,
/// and one with a list what an earlier list named and this one does not.
pub(super) fn end(
    step: &Change<'_>,
    owner: &Owner,
    how: &End,
    context: &Context,
) -> Result<(), Violation> {
    let owner = &step.meant(owner, context);
    let runs = step.before.turns.iter().any(|turn| turn.owner == *owner && !turn.retired);
    let stops = runs && matches!(how, End::Stop(_));
    let list = match how {
        End::Stop(Some(running)) if runs => Some(running),
        _ => None,
    };
    let of_session = |lease: &Lease| lease.owner.session == owner.session;
    let has_ended = |lease: &Lease| {
        list.is_some_and(|running| {
            of_session(lease) && is_unlisted(step, &lease.owner, running, context)
        })
    };
    let is_over = |call: &Call| list.is_some_and(|running| is_over(call, running));
    step.only("R6", |old, new| {
        let left = stops && is_left_to(owner, old) && new.is_none();
        let ended = (old.owner == *owner || has_ended(old)) && Change::is_ended(old, new);
        let done = of_session(old)
            && !step.is_elsewhere(&owner.session, old.process, context)
            && Change::is_without_calls(old, new, is_over);
        left || ended || done
    })?;
    let mine = |lease: &&Lease| lease.owner == *owner;
    let held = step.after.leases.iter().filter(mine).find(|lease| !lease.kept);
    ensure("R6", held.is_none(), || format!("{held:?} was not given back"))?;
    let goes_on = |call: &Call| (call.background || *how == End::Stop(None)) && !is_over(call);
    let dropped = step
        .old()
        .filter(|old| old.owner == *owner && step.new_of(old).is_none())
        .find(|old| old.calls.iter().any(goes_on));
    ensure("R10", dropped.is_none(), || format!("{dropped:?} was not kept"))
}

/// R9: whether this is a sub-agent that an earlier list named and this one does not.
fn is_unlisted(step: &Change<'_>, owner: &Owner, running: &Running, context: &Context) -> bool {
    let listed = |one: &&Subagent| one.owner == *owner && one.listed;
    let Some(one) = step.before.subagents.iter().find(listed) else { return false };
    let named = running.subagents.iter().any(|id| owner.epoch == format!("agent:{id}"));
    !named && !step.is_elsewhere(&owner.session, one.process, context)
}

/// R10: whether this is a call in the background whose task is not on the list. Where nobody told
/// which task it is, the list must be empty.
fn is_over(call: &Call, running: &Running) -> bool {
    let listed = match &call.task {
        Some(task) => running.shells.contains(task),
        None => !running.shells.is_empty(),
    };
    call.background && !listed
}

/// The end of a session takes all of it, but for what lives elsewhere.
pub(super) fn end_session(
    step: &Change<'_>,
    session: &str,
    context: &Context,
) -> Result<(), Violation> {
    let elsewhere = |lease: &Lease| step.is_elsewhere(session, lease.process, context);
    step.only("R6", |old, new| new.is_none() && old.owner.session == session && !elsewhere(old))?;
    let left = |lease: &&Lease| {
        lease.owner.session == session && !step.lives_elsewhere(&lease.owner, context)
    };
    let left = step.after.leases.iter().find(left);
    ensure("R6", left.is_none(), || format!("{left:?} outlived its session"))
}
