//! Who holds a lease: a session, and the epoch (one turn, one sub-agent) within it.

/// The epoch text with which the third form of the old engine marked rows from before epochs.
/// From outside it is refused: nobody can claim to be such a row.
pub const RESERVED_EPOCH: &str = "__workspace_lease_legacy_migrated_v1__";

/// The pair (session, epoch). Two epochs of one session are two owners.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Owner {
    /// The conversation, without the alias prefix.
    pub session: String,
    /// The turn, `agent:<id>` for a sub-agent, empty for callers that have none.
    pub epoch: String,
}

/// Why a name is no owner's.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum BadName {
    /// The session is empty, at once or when its alias is stripped.
    EmptySession,
    /// The epoch is the text that only a migration may write.
    ReservedEpoch,
}

impl Owner {
    /// The owner that a caller names. `agent/<id>` is an alias of `<id>`.
    ///
    /// # Errors
    /// [`BadName`] for an empty session or the reserved epoch.
    pub fn new(session: &str, epoch: &str) -> Result<Self, BadName> {
        let session = Self::session_name(session)?;
        if epoch == RESERVED_EPOCH {
            return Err(BadName::ReservedEpoch);
        }
        Ok(Self { session, epoch: epoch.to_owned() })
    }

    /// A session's name without the alias prefix, stripped as often as it stands there.
    ///
    /// # Errors
    /// [`BadName::EmptySession`] when nothing is left.
    pub fn session_name(session: &str) -> Result<String, BadName> {
        let alias = "agent/";
        let mut rest = session;
        while rest.get(..alias.len()).is_some_and(|head| head.eq_ignore_ascii_case(alias)) {
            rest = &rest[alias.len()..];
        }
        if rest.is_empty() { Err(BadName::EmptySession) } else { Ok(rest.to_owned()) }
    }

    /// The owner that a sub-agent of a session is.
    #[must_use]
    pub fn subagent(session: &str, id: &str) -> Self {
        Self { session: session.to_owned(), epoch: format!("agent:{id}") }
    }

    /// R8: the turn that is minted for a client that names none.
    #[must_use]
    pub fn minted(session: &str, start: i64) -> Self {
        Self { session: session.to_owned(), epoch: format!("minted:{start}") }
    }

    /// Whether the owner is a sub-agent.
    #[must_use]
    pub fn is_subagent(&self) -> bool {
        self.epoch.starts_with("agent:")
    }

    /// Whether the owner is the main thread in a turn that has a name. Sub-agents are not, and
    /// callers without an epoch are not.
    #[must_use]
    pub fn is_tokened_main_thread(&self) -> bool {
        !self.epoch.is_empty() && !self.is_subagent()
    }
}
