//! One lease.

use crate::{Call, Fence, Millis, Owner, Process, Resource};

/// A row of the table: who may write what, since when and until when.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Lease {
    /// What is leased.
    pub resource: Resource,
    /// Who holds it.
    pub owner: Owner,
    /// The agent's label, for people.
    pub agent: String,
    /// When this owner got it.
    pub acquired: Millis,
    /// From this moment on it is dead.
    pub expires: Millis,
    /// What one renewal is worth; for an old engine's row what it gave itself.
    pub ttl: Millis,
    /// The fencing token; old engines give none.
    pub fence: Option<Fence>,
    /// R7: the row stood in a database from before epochs when that was upgraded.
    pub migrated: bool,
    /// Free text of the holder.
    pub note: Option<String>,
    /// R9: the count of starts when the owner last asked for it.
    pub used: i64,
    /// R10: the shell calls that write it and have no end yet.
    pub calls: Vec<Call>,
    /// R10: its owner has ended, and a shell call has not.
    pub kept: bool,
    /// R13: the agent's process, once it is believed.
    pub process: Option<Process>,
}

impl Lease {
    /// R4: the moment of expiry itself is too late.
    #[must_use]
    pub fn is_live(&self, now: Millis) -> bool {
        now < self.expires
    }
}
