//! R8: a new turn supersedes the older ones of its lane.

use std::collections::BTreeSet;

use crate::call::{Foreground, end_owner};
use crate::process::in_reach;
use crate::{Context, Millis, Owner, Process, State, subagent};

/// A turn of a main thread.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Turn {
    /// The session and the turn's name.
    pub owner: Owner,
    /// The count of starts at its begin.
    pub started: i64,
    /// When it began, last wrote, prompted or posted, or was superseded.
    pub at: Millis,
    /// Its agent's process, as seen.
    pub process: Option<Process>,
    /// Its end came. It is the current turn all the same: a client may go on with it.
    pub over: bool,
    /// A later turn has superseded it.
    pub retired: bool,
}

/// So many retired turns are remembered of a session.
pub const RETIRED_MAX: usize = 256;
/// Turns, sub-agents, processes and notes are remembered for this long.
pub const REMEMBERED_MS: Millis = 24 * 3600 * 1000;

/// Whether a later turn has superseded this one.
pub(crate) fn is_retired(state: &State, owner: &Owner) -> bool {
    state.turns.iter().any(|turn| turn.retired && turn.owner == *owner)
}

/// The current turn of the lane: of its own process the one that began last, else of the others in
/// reach.
pub(crate) fn current<'s>(state: &'s State, session: &str, context: &Context) -> Option<&'s Turn> {
    let sighting = context.sighting.as_ref();
    state
        .turns
        .iter()
        .filter(|turn| turn.owner.session == session && !turn.retired)
        .filter(|turn| in_reach(state, session, sighting, turn.process))
        .max_by_key(|turn| {
            let own = sighting.map(|sighting| sighting.process);
            (own.is_some() && own == turn.process, turn.started)
        })
}

/// The owner that is meant. A client without turn ids means the current turn; none where nothing
/// began yet.
pub(crate) fn meant(state: &State, owner: &Owner, context: &Context) -> Owner {
    if !context.minted || !owner.epoch.is_empty() {
        return owner.clone();
    }
    current(state, &owner.session, context).map_or_else(|| owner.clone(), |turn| turn.owner.clone())
}

/// The turn that a begin means. A client without turn ids begins one after the last has ended; a
/// begin without an end goes on with it.
pub(crate) fn begun(state: &State, owner: &Owner, context: &Context) -> Owner {
    let meant = meant(state, owner, context);
    let is_over = state.turns.iter().any(|turn| turn.owner == meant && turn.over);
    if context.minted && owner.epoch.is_empty() && (meant.epoch.is_empty() || is_over) {
        return Owner::minted(&owner.session, state.starts + 1);
    }
    meant
}

/// Whether a main thread's write begins its turn, which no event has begun: where no turn is known,
/// or where the current one is of the same process, or has been silent for one TTL.
pub(crate) fn begins(
    state: &State,
    owner: &Owner,
    context: &Context,
    ttl: Millis,
    now: Millis,
) -> bool {
    let known = state.turns.iter().any(|turn| turn.owner == *owner);
    if !context.begins || !owner.is_tokened_main_thread() || known {
        return false;
    }
    let Some(current) = current(state, &owner.session, context) else { return true };
    let seen = context.sighting.as_ref().map(|sighting| sighting.process);
    let same_process = seen.is_some() && seen == current.process;
    // Every event of an owner renews its leases: one that holds a live lease is not silent.
    let holds = state.leases.iter().any(|lease| lease.owner == current.owner && lease.is_live(now));
    same_process || (!holds && current.at + ttl <= now)
}

/// An event of a turn: it is not silent.
pub(crate) fn heard(state: &mut State, owner: &Owner, now: Millis) {
    for turn in state.turns.iter_mut().filter(|turn| turn.owner == *owner && !turn.retired) {
        turn.at = now;
    }
}

/// The turn goes on: a client whose Stop hook objected sends no second begin.
pub(crate) fn goes_on(state: &mut State, owner: &Owner, context: &Context, now: Millis) {
    heard(state, owner, now);
    let seen = context.sighting.as_ref().map(|sighting| sighting.process);
    for turn in state.turns.iter_mut().filter(|turn| turn.owner == *owner && !turn.retired) {
        turn.over = false;
        turn.process = seen.or(turn.process);
    }
}

/// Begins a turn: the lane's older ones are retired, and give back what no background call still
/// writes. Tells how many live leases went.
pub(crate) fn supersede(state: &mut State, owner: &Owner, context: &Context, now: Millis) -> usize {
    forget(state, now);
    let session = &owner.session;
    let interrupted =
        current(state, session, context).is_some_and(|turn| turn.owner != *owner && !turn.over);
    if interrupted {
        subagent::doubt(state, session, context);
    }
    let mut live = 0;
    for older in older(state, owner, context) {
        live += end_owner(state, &older, Foreground::Ends, now);
        state.notes.retain(|note| note.owner != older);
        retire(state, &older, now);
    }
    let process = context.sighting.as_ref().map(|sighting| sighting.process);
    let started = state.next_start();
    let (over, retired) = (false, false);
    state.put_turn(Turn { owner: owner.clone(), started, at: now, process, over, retired });
    forget_retired(state, session);
    live
}

/// The main thread's other turns in reach: those that began, and those that hold leases.
fn older(state: &State, owner: &Owner, context: &Context) -> BTreeSet<Owner> {
    let sighting = context.sighting.as_ref();
    let other =
        |one: &Owner| one.session == owner.session && one.is_tokened_main_thread() && one != owner;
    let out_of_reach = |process| !in_reach(state, &owner.session, sighting, process);
    let turns = state.turns.iter().filter(|turn| other(&turn.owner));
    let leases = state.leases.iter().filter(|lease| other(&lease.owner));
    let spared: BTreeSet<&Owner> = turns
        .clone()
        .filter(|turn| turn.retired || out_of_reach(turn.process))
        .map(|turn| &turn.owner)
        .chain(leases.clone().filter(|one| out_of_reach(one.process)).map(|one| &one.owner))
        .collect();
    let all = turns.map(|turn| &turn.owner).chain(leases.map(|lease| &lease.owner));
    all.filter(|one| !spared.contains(one)).cloned().collect()
}

/// Retires a turn, which may never have begun.
fn retire(state: &mut State, owner: &Owner, now: Millis) {
    let known = state.turns.iter().find(|turn| turn.owner == *owner).cloned();
    let turn = known.unwrap_or(Turn {
        owner: owner.clone(),
        started: state.starts,
        at: now,
        process: None,
        over: false,
        retired: true,
    });
    state.put_turn(Turn { retired: true, at: now, ..turn });
}

/// At most so many retired turns of a session are remembered, the latest.
fn forget_retired(state: &mut State, session: &str) {
    let of_session = |turn: &&Turn| turn.retired && turn.owner.session == session;
    let mut retired: Vec<(i64, Owner)> = state
        .turns
        .iter()
        .filter(of_session)
        .map(|turn| (turn.started, turn.owner.clone()))
        .collect();
    retired.sort();
    let surplus = retired.len().saturating_sub(RETIRED_MAX);
    for (_, owner) in &retired[..surplus] {
        state.turns.retain(|turn| turn.owner != *owner);
    }
}

/// Forgets what is a day old. What a clock that stepped back left in the future counts from now.
fn forget(state: &mut State, now: Millis) {
    let is_new = |at: &mut Millis| {
        *at = now.min(*at);
        *at >= now - REMEMBERED_MS
    };
    state.turns.retain_mut(|turn| is_new(&mut turn.at));
    state.subagents.retain_mut(|one| is_new(&mut one.at));
    state.sightings.retain_mut(|seen| is_new(&mut seen.at));
    state.notes.retain_mut(|note| is_new(&mut note.at));
}
