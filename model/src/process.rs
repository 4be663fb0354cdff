//! R13: the agents' processes, and what the operating system says of them.

use crate::{Millis, State};

/// A process of an agent, told from every other one, for ever.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Process(pub u32);

/// What the operating system says of a process.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub enum Standing {
    /// It runs.
    Alive,
    /// It is proven to be gone.
    Gone,
    /// Nothing is proven: another boot, another machine, another namespace.
    Unknown,
}

/// The process that a hook call found as its agent.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Sighting {
    /// Which.
    pub process: Process,
    /// The client named it; otherwise it may be a helper that lives as long as one call.
    pub certain: bool,
    /// The id of the tool call in which it was seen.
    pub call: Option<String>,
}

/// A process as a session's calls have seen it so far.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Seen {
    /// Whose.
    pub session: String,
    /// Which.
    pub process: Process,
    /// When first; once it is believed, when last.
    pub at: Millis,
    /// In which call first.
    pub call: Option<String>,
    /// Whether it counts as the agent.
    pub believed: bool,
}

/// A process is believed when it is seen again after this time, in another call.
pub const BELIEVED_AFTER_MS: Millis = 1000;
/// The last sight of a believed process is written down when it is older than this.
pub(crate) const SEEN_AGAIN_AFTER_MS: Millis = 3600 * 1000;
/// So many processes are remembered of a session.
pub const SEEN_MAX: usize = 16;

/// Takes note of a sighting; the process, if it is believed by now.
pub(crate) fn believe(
    state: &mut State,
    session: &str,
    sighting: Option<&Sighting>,
    now: Millis,
) -> Option<Process> {
    let Sighting { process, certain, call } = sighting?;
    let known = |seen: &&mut Seen| seen.session == session && seen.process == *process;
    if let Some(seen) = state.sightings.iter_mut().find(known) {
        // Without ids, calls a second apart are different ones.
        let other_call = seen.call.is_none() || seen.call != *call;
        let long_enough = now - seen.at >= BELIEVED_AFTER_MS;
        seen.at = seen.at.min(now);
        seen.believed |= *certain || (other_call && long_enough);
        if seen.believed && !(0..SEEN_AGAIN_AFTER_MS).contains(&(now - seen.at)) {
            seen.at = now;
        }
        return seen.believed.then_some(*process);
    }
    make_room(state, session);
    state.sightings.push(Seen {
        session: session.to_owned(),
        process: *process,
        at: now,
        call: call.clone(),
        believed: *certain,
    });
    certain.then_some(*process)
}

/// A session's sightings are few: the first that nobody believes gives way, else the first.
fn make_room(state: &mut State, session: &str) {
    let of_session = |seen: &&Seen| seen.session == session;
    if state.sightings.iter().filter(of_session).count() < SEEN_MAX {
        return;
    }
    let mine = state.sightings.iter().enumerate().filter(|(_, seen)| of_session(seen));
    if let Some((at, _)) = mine.min_by_key(|(at, seen)| (seen.believed, *at)) {
        state.sightings.remove(at);
    }
}

/// R13: whether the operating system proves that the process is gone.
pub(crate) fn is_gone(state: &State, process: Option<Process>) -> bool {
    process.is_some_and(|process| state.standing(process) == Standing::Gone)
}

/// R8: whether what belongs to process `other` is in reach of an event that was seen in this one.
/// Another process that is proven alive never is: two terminals may have resumed one session.
pub(crate) fn in_reach(
    state: &State,
    session: &str,
    sighting: Option<&Sighting>,
    other: Option<Process>,
) -> bool {
    let (Some(seen), Some(other)) = (sighting, other) else { return true };
    let believed = state
        .sightings
        .iter()
        .any(|one| one.session == session && one.process == other && one.believed);
    seen.process == other || !believed || state.standing(other) != Standing::Alive
}
