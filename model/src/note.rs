//! R11: notes to owners that lost a lease.

use crate::{Millis, Owner, Resource, State};

/// What an owner is told of a lease that it let expire.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Note {
    /// Who lost it.
    pub owner: Owner,
    /// What it was on.
    pub resource: Resource,
    /// When it was removed.
    pub at: Millis,
    /// Who has had it since, if anybody.
    pub taken: Option<Taken>,
    /// Whether an event has told the owner.
    pub told: bool,
}

/// Who took what somebody lost.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Taken {
    /// The label of the agent.
    pub agent: String,
    /// Its session.
    pub session: String,
    /// Since when.
    pub at: Millis,
}

/// So many notes are kept of a session.
pub const NOTES_MAX: usize = 64;

/// Leaves a note for the owner of a lease that is removed. The oldest of the session gives way.
pub(crate) fn leave(state: &mut State, owner: &Owner, resource: &Resource, now: Millis) {
    state.notes.retain(|note| note.owner != *owner || !note.resource.is(resource));
    let of_session = |note: &Note| note.owner.session == owner.session;
    if state.notes.iter().filter(|note| of_session(note)).count() >= NOTES_MAX
        && let Some(first) = state.notes.iter().position(of_session)
    {
        state.notes.remove(first);
    }
    state.notes.push(Note {
        owner: owner.clone(),
        resource: resource.clone(),
        at: now,
        taken: None,
        told: false,
    });
}

/// What its owner holds again it has not lost.
pub(crate) fn withdraw(state: &mut State, owner: &Owner, held: &[Resource]) {
    let again = |note: &Note| held.iter().any(|one| one.contains_or_is(&note.resource));
    state.notes.retain(|note| note.owner != *owner || !again(note));
}

/// Whoever is granted what another owner lost is the one that has had it since: since the first
/// grant, however often it renews.
pub(crate) fn claim(state: &mut State, by: &Owner, agent: &str, what: &[Resource], now: Millis) {
    for note in &mut state.notes {
        let lost = note.owner != *by && what.iter().any(|one| one.overlaps(&note.resource));
        let known = note.taken.as_ref().is_some_and(|taken| taken.session == by.session);
        if lost && !known {
            let (agent, session) = (agent.to_owned(), by.session.clone());
            note.taken = Some(Taken { agent, session, at: now });
            note.told = false;
        }
    }
}

/// The notes of this owner on what it wants to write, which are told by that and go.
pub(crate) fn take(state: &mut State, owner: &Owner, wanted: &[Resource]) -> Vec<Note> {
    let stops = |note: &Note| {
        note.owner == *owner
            && note.taken.is_some()
            && wanted.iter().any(|one| one.overlaps(&note.resource))
    };
    let (told, left) = state.notes.drain(..).partition(|note| stops(note));
    state.notes = left;
    told
}

/// The notes of this owner that no event has told yet. They stay: its next write is denied once.
pub(crate) fn tell(state: &mut State, owner: &Owner) -> Vec<Note> {
    let mut told = Vec::new();
    for note in &mut state.notes {
        if note.owner == *owner && note.taken.is_some() && !note.told {
            note.told = true;
            told.push(note.clone());
        }
    }
    told
}
