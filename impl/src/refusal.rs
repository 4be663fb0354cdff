//! R5 and R17: the words of a refusal.
//!
//! The agent that reads it decides what it does next, so it says who holds what, since when, until
//! when at the latest, that nothing was written, and what to do. Asked again it says the same, byte
//! for byte, while the holder is the same: a text that changes makes a model suspect an injection.
//! Everything in it that came from a payload is escaped and cut. What a release command would need
//! is not in it: it shows the agent's label and a short form of the session.

use crate::clock::timestamp;
use crate::store::{Busy, Conflict, Overlap};
use crate::text::printable;

/// A path is cut to this many characters.
const PATH_CHARS_MAX: usize = 200;
/// A label is cut to this many characters.
const LABEL_CHARS_MAX: usize = 40;
/// So much of a session's id is enough to tell it from others, and too little to act for it.
const SESSION_CHARS_SHOWN: usize = 8;

/// The hook's refusal.
pub(crate) fn for_agent(busy: &Busy) -> String {
    let mut holders: Vec<String> = busy.conflicts.iter().map(holder).collect();
    if busy.more > 0 {
        holders.push(format!("{} more leases are in the way", busy.more));
    }
    let own = busy.conflicts.iter().all(|conflict| conflict.own_session);
    let advice = if own {
        "It ends by itself when that work ends; until then work on something else."
    } else {
        "Work on something else, and try this again later."
    };
    format!("leasehold: {}. Nothing was written. {advice}", holders.join("; "))
}

/// One holder: what it holds, who it is, since when and until when.
fn holder(conflict: &Conflict) -> String {
    let lease = &conflict.lease;
    format!(
        "{} is leased by {} since {}, until {} at the latest",
        what(conflict),
        who(conflict),
        timestamp(lease.acquired_ms),
        timestamp(lease.expires_ms),
    )
}

/// What is held, and how that meets what was asked for.
fn what(conflict: &Conflict) -> String {
    let held = printable(&conflict.lease.resource, PATH_CHARS_MAX);
    let wanted = printable(&conflict.wanted, PATH_CHARS_MAX);
    match conflict.overlap {
        Overlap::Same => held,
        Overlap::Above => format!("{held}, which contains {wanted},"),
        Overlap::Below => format!("{held}, which lies in {wanted},"),
        Overlap::OtherName => format!("{held}, which is the same file as {wanted},"),
        Overlap::Inherited => {
            format!("{held}, in the way of this session's older lease over {wanted},")
        }
    }
}

/// Who holds it. Of the caller's own session it says what kind of owner.
fn who(conflict: &Conflict) -> String {
    let lease = &conflict.lease;
    let agent = printable(&lease.agent, LABEL_CHARS_MAX);
    if !conflict.own_session {
        return format!("{agent} (session {})", short(lease.owner.session()));
    }
    let kind = if lease.owner.is_subagent() {
        "a sub-agent"
    } else if lease.owner.epoch().is_empty() {
        "a caller without a turn"
    } else {
        "another turn or the main thread"
    };
    format!("{kind} of this same session ({agent})")
}

/// The beginning of a session's id.
fn short(session: &str) -> String {
    printable(&session.chars().take(SESSION_CHARS_SHOWN).collect::<String>(), LABEL_CHARS_MAX)
}
