//! Who holds a lease: the pair (session, epoch). Two epochs of one session are two owners.

use std::fmt;

/// The epoch text by which the third form of the old engine marked rows from before epochs (R7).
/// From outside it is refused: nobody can claim to be such a row.
pub const RESERVED_EPOCH: &str = "__workspace_lease_legacy_migrated_v1__";

/// A name longer than this is a mistake or an attack, and would be stored with every lease.
const NAME_BYTES_MAX: usize = 1024;

/// The prefix that names a session by its alias.
const ALIAS: &str = "agent/";

/// What sets a sub-agent's epoch apart.
const SUBAGENT: &str = "agent:";

/// A session, and one turn or sub-agent of it.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Owner {
    session: String,
    epoch: String,
}

/// Why a name is no owner's. [`fmt::Display`] says what to do.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum BadName {
    /// The session is empty, at once or when its alias is stripped.
    EmptySession,
    /// The epoch is the text that only a migration may write.
    ReservedEpoch,
    /// A name is longer than 1024 bytes.
    TooLong,
}

impl fmt::Display for BadName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::EmptySession => "the session id is empty: name the conversation",
            Self::ReservedEpoch => "this epoch is reserved for migrated rows: name another",
            Self::TooLong => "a session id or epoch may have at most 1024 bytes: shorten it",
        })
    }
}

impl std::error::Error for BadName {}

impl Owner {
    /// The owner that a caller names; an empty `epoch` is that of callers without turns. The alias
    /// `agent/<id>` of a session stands for `<id>`.
    ///
    /// # Errors
    /// [`BadName`] for an empty session, the reserved epoch, or names that are too long.
    pub fn new(session: &str, epoch: &str) -> Result<Self, BadName> {
        let session = session_name(session)?;
        if epoch == RESERVED_EPOCH {
            return Err(BadName::ReservedEpoch);
        }
        if epoch.len() > NAME_BYTES_MAX {
            return Err(BadName::TooLong);
        }
        Ok(Self { session, epoch: epoch.to_owned() })
    }

    /// An owner as the database has it.
    pub(crate) fn stored(session: String, epoch: String) -> Self {
        Self { session, epoch }
    }

    /// Another epoch of the same session.
    pub(crate) fn with_epoch(&self, epoch: &str) -> Self {
        Self { session: self.session.clone(), epoch: epoch.to_owned() }
    }

    /// The sub-agent of the same session with this id (R9).
    #[must_use]
    pub fn subagent(&self, id: &str) -> Self {
        self.with_epoch(&format!("{SUBAGENT}{id}"))
    }

    /// The session, without alias.
    pub fn session(&self) -> &str {
        &self.session
    }

    /// The epoch; empty for callers that have none.
    pub fn epoch(&self) -> &str {
        &self.epoch
    }

    /// Whether the epoch is a sub-agent's.
    pub fn is_subagent(&self) -> bool {
        self.epoch.starts_with(SUBAGENT)
    }

    /// Whether the owner is the main thread in a turn that has a name (R7).
    pub fn is_tokened_main_thread(&self) -> bool {
        !self.epoch.is_empty() && !self.is_subagent()
    }
}

/// A session's name without the alias prefix, stripped as often as it stands there, in any case.
///
/// # Errors
/// [`BadName`] when nothing is left, or too much.
pub fn session_name(session: &str) -> Result<String, BadName> {
    let mut rest = session;
    while rest.get(..ALIAS.len()).is_some_and(|head| head.eq_ignore_ascii_case(ALIAS)) {
        rest = &rest[ALIAS.len()..];
    }
    match rest.len() {
        0 => Err(BadName::EmptySession),
        bytes if bytes > NAME_BYTES_MAX => Err(BadName::TooLong),
        _ => Ok(rest.to_owned()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_alias_is_stripped_as_often_as_it_stands_there() {
        for alias in ["s", "agent/s", "Agent/AGENT/s"] {
            assert_eq!(Owner::new(alias, "t").unwrap().session(), "s", "{alias}");
        }
    }

    #[test]
    fn what_only_looks_like_an_alias_stays() {
        for name in ["agents/s", "agent", "s/agent/", "agent:s", "ägent/s"] {
            assert_eq!(Owner::new(name, "").unwrap().session(), name);
        }
    }

    #[test]
    fn bad_names_are_refused() {
        assert_eq!(Owner::new("", "t"), Err(BadName::EmptySession));
        assert_eq!(Owner::new("agent/", "t"), Err(BadName::EmptySession));
        assert_eq!(Owner::new("s", RESERVED_EPOCH), Err(BadName::ReservedEpoch));
        assert_eq!(Owner::new(&"s".repeat(1025), "t"), Err(BadName::TooLong));
        assert_eq!(Owner::new("s", &"t".repeat(1025)), Err(BadName::TooLong));
        assert!(Owner::new(&"s".repeat(1024), &"t".repeat(1024)).is_ok());
    }

    #[test]
    fn only_a_named_turn_is_a_tokened_main_thread() {
        let tokened = |epoch| Owner::new("s", epoch).unwrap().is_tokened_main_thread();
        assert!(tokened("t1"));
        assert!(!tokened(""));
        assert!(!tokened("agent:a1"));
    }
}
