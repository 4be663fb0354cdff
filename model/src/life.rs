//! What the events of a turn and a session do to leases: begin, post, end.

use crate::call::{Foreground, end_calls, end_owner};
use crate::process::{believe, in_reach};
use crate::{
    Call, CallState, Context, End, Lease, Millis, Note, Outcome, Owner, Process, Released,
    Resource, Running, State, note, subagent, turn,
};

/// R6 and R7: exactly the leases of this owner, and, where it hands over, the migrated rows.
pub(crate) fn release(state: &mut State, owner: &Owner, hand_over: bool, now: Millis) -> Outcome {
    let mine = |lease: &Lease| lease.owner == *owner || (hand_over && left_to(owner, lease));
    let live = give_back(state, mine, now);
    Outcome::Released(answer(state, &owner.session, live, now))
}

/// R8: a prompt begins a turn, or is typed into the running one, which changes nothing. R7: what
/// nobody adopted goes when a named turn begins.
pub(crate) fn begin(state: &mut State, owner: &Owner, context: &Context, now: Millis) -> Outcome {
    let owner = turn::begun(state, owner, context);
    let process = believe(state, &owner.session, context.sighting.as_ref(), now);
    let mut live = 0;
    if owner.is_tokened_main_thread() {
        let running = turn::current(state, &owner.session, context)
            .is_some_and(|current| current.owner == owner);
        if running {
            turn::goes_on(state, &owner, context, now);
        } else {
            live += turn::supersede(state, &owner, context, now);
        }
        live += give_back(state, |lease| left_to(&owner, lease), now);
    }
    subagent::heard(state, &owner, context, now);
    let notes = renew_and_tell(state, &owner, process, context, now);
    let released = answer(state, &owner.session, live, now);
    Outcome::Begun(owner, released, notes)
}

/// R11: a call has run: its owner's leases are renewed, and it is told what others hold of what it
/// wrote. R10: what was only kept for the call goes.
pub(crate) fn post(
    state: &mut State,
    owner: &Owner,
    written: &[Resource],
    call: Option<&(String, CallState)>,
    context: &Context,
    now: Millis,
) -> Outcome {
    let owner = turn::meant(state, owner, context);
    let process = believe(state, &owner.session, context.sighting.as_ref(), now);
    turn::heard(state, &owner, now);
    subagent::heard(state, &owner, context, now);
    let writes = |lease: &Lease| {
        let of_call = call.is_some_and(|(id, _)| lease.calls.iter().any(|one| one.id == *id));
        lease.owner == owner || (of_call && is_of_thread(lease, &owner))
    };
    let taken = |lease: &&Lease| {
        lease.is_live(now)
            && !writes(lease)
            && written.iter().any(|one| one.overlaps(&lease.resource))
    };
    let taken: Vec<Lease> = state.leases.iter().filter(taken).cloned().collect();
    match call {
        Some((id, CallState::Ended)) => {
            let ended = |lease: &Lease, call: &Call| call.id == *id && is_of_thread(lease, &owner);
            end_calls(state, &owner.session, ended, now);
        }
        Some((id, CallState::GoesOn(task))) => goes_on(state, &owner, id, task.as_ref()),
        None => {}
    }
    let notes = renew_and_tell(state, &owner, process, context, now);
    Outcome::Posted(taken, notes)
}

/// R10: whether a lease is of the same thread: that sub-agent, or the main thread in whatever turn.
/// A post event may carry a later turn than its call, and some clients' call ids are not unique.
fn is_of_thread(lease: &Lease, owner: &Owner) -> bool {
    let of_main = !lease.owner.is_subagent() && !owner.is_subagent();
    lease.owner == *owner || (of_main && lease.owner.session == owner.session)
}

/// R10: a shell call has become a task in the background.
fn goes_on(state: &mut State, owner: &Owner, id: &str, task: Option<&String>) {
    let leases = state.leases.iter_mut().filter(|lease| is_of_thread(lease, owner));
    for call in leases.flat_map(|lease| &mut lease.calls).filter(|call| call.id == id) {
        call.background = true;
        call.task = task.cloned().or(call.task.take());
    }
}

/// R6: a turn or a sub-agent has ended, and gives back its own. A late end of an old turn says
/// nothing of the current one, nor of what runs beside it (R9, R10).
pub(crate) fn end(
    state: &mut State,
    owner: &Owner,
    how: &End,
    context: &Context,
    now: Millis,
) -> Outcome {
    let owner = turn::meant(state, owner, context);
    believe(state, &owner.session, context.sighting.as_ref(), now);
    let foreground = match how {
        // Only a client that tells what runs has told that the rest does not.
        End::Stop(None) => Foreground::GoesOn,
        End::Stop(Some(_)) | End::Interrupt => Foreground::Ends,
    };
    let is_current =
        turn::current(state, &owner.session, context).is_some_and(|current| current.owner == owner);
    let mut live = if owner.is_subagent() {
        subagent::end(state, &owner, foreground, now)
    } else {
        end_owner(state, &owner, foreground, now)
    };
    if is_current && let End::Stop(running) = how {
        live += end_current(state, &owner, running.as_ref(), context, now);
    }
    Outcome::Released(answer(state, &owner.session, live, now))
}

/// The Stop of the current turn tells more than that of an old one.
fn end_current(
    state: &mut State,
    owner: &Owner,
    running: Option<&Running>,
    context: &Context,
    now: Millis,
) -> usize {
    for turn in state.turns.iter_mut().filter(|turn| turn.owner == *owner) {
        turn.over = true;
    }
    let mut live = give_back(state, |lease| left_to(owner, lease), now);
    if let Some(running) = running {
        let session = &owner.session;
        live += subagent::end_unlisted(state, session, &running.subagents, context, now);
        let sighting = context.sighting.as_ref();
        let out_of_reach: Vec<Resource> = state
            .leases
            .iter()
            .filter(|lease| !in_reach(state, session, sighting, lease.process))
            .map(|lease| lease.resource.clone())
            .collect();
        let shells = &running.shells;
        live += end_calls(
            state,
            session,
            |lease, call| {
                let listed = match &call.task {
                    Some(task) => shells.contains(task),
                    // Which task it is was never told: it ends with the last one.
                    None => !shells.is_empty(),
                };
                call.background && !listed && !out_of_reach.contains(&lease.resource)
            },
            now,
        );
    }
    live
}

/// R7: the migrated rows of a session are left to its named main thread. A fresh lease without an
/// epoch never is: not then, and not years later.
fn left_to(owner: &Owner, lease: &Lease) -> bool {
    owner.is_tokened_main_thread() && lease.migrated && lease.owner.session == owner.session
}

/// The end of a session frees all of it, but for what another living process of it holds.
pub(crate) fn end_session(
    state: &mut State,
    session: &str,
    context: &Context,
    now: Millis,
) -> Outcome {
    let sighting = context.sighting.as_ref();
    let of_turn = |lease: &Lease| {
        let turn = state.turns.iter().find(|turn| turn.owner == lease.owner);
        let subagent = state.subagents.iter().find(|one| one.owner == lease.owner);
        turn.and_then(|turn| turn.process).or(subagent.and_then(|one| one.process))
    };
    let spared: Vec<Resource> = state
        .leases
        .iter()
        .filter(|lease| lease.owner.session == session)
        .filter(|lease| !in_reach(state, session, sighting, lease.process.or(of_turn(lease))))
        .map(|lease| lease.resource.clone())
        .collect();
    let goes = |lease: &Lease| lease.owner.session == session && !spared.contains(&lease.resource);
    let live = give_back(state, goes, now);
    let over: Vec<bool> = state
        .subagents
        .iter()
        .map(|one| one.owner.session == session && in_reach(state, session, sighting, one.process))
        .collect();
    let mut over = over.into_iter();
    state.subagents.retain(|_| !over.next().unwrap_or_default());
    let told: Vec<bool> = state
        .notes
        .iter()
        .map(|note| {
            let of_turn = state.turns.iter().find(|turn| turn.owner == note.owner);
            let process = of_turn.and_then(|turn| turn.process);
            note.owner.session == session && in_reach(state, session, sighting, process)
        })
        .collect();
    let mut told = told.into_iter();
    state.notes.retain(|_| !told.next().unwrap_or_default());
    Outcome::Released(answer(state, session, live, now))
}

/// R11: renews all live leases of an owner, never a dead one; a sub-agent's event those of its main
/// thread too, which waits for it.
/// It is written once a quarter of the TTL has passed: who holds much must not pay for all of it at
/// each call.
/// R13: they are this process's by now, if that is believed.
pub(crate) fn renew(
    state: &mut State,
    owner: &Owner,
    process: Option<Process>,
    context: &Context,
    now: Millis,
) {
    let main = turn::current(state, &owner.session, context).map(|turn| turn.owner.clone());
    let main = main.filter(|_| owner.is_subagent());
    let whose = |lease: &&mut Lease| {
        lease.is_live(now) && (lease.owner == *owner || Some(&lease.owner) == main.as_ref())
    };
    for lease in state.leases.iter_mut().filter(whose) {
        if lease.expires < now + lease.ttl - lease.ttl / 4 {
            lease.expires = now + lease.ttl;
        }
        if lease.owner == *owner {
            lease.process = process.or(lease.process);
        }
    }
}

/// R11: what every event of an owner that writes nothing does.
fn renew_and_tell(
    state: &mut State,
    owner: &Owner,
    process: Option<Process>,
    context: &Context,
    now: Millis,
) -> Vec<Note> {
    renew(state, owner, process, context, now);
    note::tell(state, owner)
}

/// Removes leases, and tells how many live ones went. Dead ones go silently: only what was held
/// counts as given back.
fn give_back(state: &mut State, mine: impl Fn(&Lease) -> bool, now: Millis) -> usize {
    let live = state.remove(|lease| mine(lease) && lease.is_live(now));
    state.remove(mine);
    live
}

/// R6: which of the three answers it is.
fn answer(state: &State, session: &str, live: usize, now: Millis) -> Released {
    let holds_more =
        state.leases.iter().any(|lease| lease.owner.session == session && lease.is_live(now));
    match live {
        0 if holds_more => Released::EpochMismatch,
        0 => Released::Absent,
        live => Released::Count(live),
    }
}
