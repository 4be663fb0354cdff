//! R5 and R17: the words of a refusal.
//!
//! The agent that reads it decides what it does next, so it says who holds what, since when, until
//! when at the latest, that nothing was written, and what to do. Asked again it says the same, byte
//! for byte, while the holder does nothing: a text that changes makes a model suspect an injection.
//! Everything in it that came from a payload is escaped and cut. What a release command would need
//! is not in it: it shows the agent's label and a short form of the session.

use crate::clock::timestamp;
use crate::lease::Lease;
use crate::owner::Owner;
use crate::store::{Busy, CONFLICTS_NAMED_MAX, Conflict, Lost, Overlap};
use crate::text::printable;

/// A path is cut to this many characters.
const PATH_CHARS_MAX: usize = 200;
/// A label is cut to this many characters.
const LABEL_CHARS_MAX: usize = 40;
/// So much of a session's id is enough to tell it from others, and too little to act for it.
const SESSION_CHARS_SHOWN: usize = 8;

/// R8: the refusal of a call that comes too late.
pub(crate) const STALE: &str = "leasehold: this call belongs to a turn that a later prompt of this \
    session has ended. Nothing was written. Stop this work: the current turn goes on with it.";

/// The hook's refusal of what `owner` asked for.
pub(crate) fn for_agent(busy: &Busy, owner: &Owner) -> String {
    let mut holders: Vec<String> =
        busy.conflicts.iter().map(|conflict| holder(conflict, owner)).collect();
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
fn holder(conflict: &Conflict, asker: &Owner) -> String {
    let lease = &conflict.lease;
    format!(
        "{} is leased by {} since {}, until {} at the latest",
        what(conflict),
        who(conflict, asker),
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
fn who(conflict: &Conflict, asker: &Owner) -> String {
    let lease = &conflict.lease;
    let agent = printable(&lease.agent, LABEL_CHARS_MAX);
    if !conflict.own_session {
        return format!("{agent} (session {})", short(lease.owner.session()));
    }
    let kind = if lease.kept {
        "a task in the background"
    } else if lease.owner.is_subagent() && asker.is_subagent() {
        "a sibling sub-agent"
    } else if lease.owner.is_subagent() {
        "a sub-agent"
    } else if lease.owner.epoch().is_empty() {
        "a caller without a turn"
    } else if asker.is_subagent() {
        "the main thread"
    } else {
        "an earlier turn"
    };
    format!("{kind} of this same session ({agent})")
}

/// R13: what was in the way of a grant, and whose process is gone.
pub(crate) fn reclaimed(lease: &Lease) -> String {
    format!(
        "{} was reclaimed from {} (session {}), whose process is gone",
        printable(&lease.resource, PATH_CHARS_MAX),
        printable(&lease.agent, LABEL_CHARS_MAX),
        short(lease.owner.session()),
    )
}

/// R11: the refusal, once, of a write to what the caller has lost.
pub(crate) fn lost(lost: &[Lost]) -> String {
    format!(
        "leasehold: {}. Nothing was written. Read it again before you write: it may have changed. \
         Asked again, this call is judged as usual.",
        losses(lost)
    )
}

/// R11: the same as news, at an event that blocks nothing.
pub(crate) fn has_lost(lost: &[Lost]) -> String {
    format!("leasehold: {}. Read it again before you write to it.", losses(lost))
}

fn losses(lost: &[Lost]) -> String {
    let each = lost.iter().take(CONFLICTS_NAMED_MAX).map(|one| {
        format!(
            "your lease on {} ended, and {} (session {}) has had it since {}",
            printable(&one.resource, PATH_CHARS_MAX),
            printable(&one.agent, LABEL_CHARS_MAX),
            short(&one.session),
            timestamp(one.taken_ms),
        )
    });
    let mut each: Vec<String> = each.collect();
    let more = lost.len().saturating_sub(CONFLICTS_NAMED_MAX);
    if more > 0 {
        each.push(format!("{more} more were lost"));
    }
    each.join("; ")
}

/// R11: what others hold of that which a call has written.
pub(crate) fn taken(leases: &[Lease]) -> String {
    let each = leases.iter().take(CONFLICTS_NAMED_MAX).map(|lease| {
        format!(
            "{} is leased by {} (session {}) since {}",
            printable(&lease.resource, PATH_CHARS_MAX),
            printable(&lease.agent, LABEL_CHARS_MAX),
            short(lease.owner.session()),
            timestamp(lease.acquired_ms),
        )
    });
    let each: Vec<String> = each.collect();
    format!(
        "leasehold: what this call wrote was not yours any more: {}. Look at it before you go on, \
         and do not write it again now.",
        each.join("; ")
    )
}

/// The beginning of a session's id.
fn short(session: &str) -> String {
    printable(&session.chars().take(SESSION_CHARS_SHOWN).collect::<String>(), LABEL_CHARS_MAX)
}
