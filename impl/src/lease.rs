//! A lease as the rest of the program sees it.

use std::path::PathBuf;

use serde::{Deserialize, Serialize};

use crate::owner::Owner;

/// Who may write what, since when and until when.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Lease {
    /// What is leased: the path as it was written to the table.
    pub resource: String,
    /// The same as a path.
    pub path: PathBuf,
    /// Who holds it.
    pub owner: Owner,
    /// The agent's label, for people.
    pub agent: String,
    /// The machine on which it was taken.
    pub host: String,
    /// The directory from which it was taken.
    pub cwd: Option<String>,
    /// When this owner got it, in milliseconds since 1970.
    pub acquired_ms: i64,
    /// From this moment on it is dead (R4), in milliseconds since 1970.
    pub expires_ms: i64,
    /// What one renewal is worth, in milliseconds.
    pub ttl_ms: i64,
    /// The fencing token (R14); rows of old engines have none.
    pub fence: Option<i64>,
    /// R7: the row stood in a database from before epochs when that was upgraded.
    pub migrated: bool,
    /// Free text of the holder.
    pub note: Option<String>,
    /// R9: the count of starts of turns and sub-agents when the owner last asked for it.
    pub used: i64,
    /// R10: the shell calls that write it and have no end yet.
    pub calls: Vec<Call>,
    /// R10: its owner has ended, and a shell call has not.
    pub kept: bool,
    /// R13: the agent's process as text, once it is believed.
    pub process: Option<String>,
}

/// R10: a shell call that writes what a lease is on, until its end is known.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Call {
    /// The client's id of the call.
    pub id: String,
    /// It outlives its turn: it was started so, or it had no end yet when its turn ended.
    #[serde(default)]
    pub background: bool,
    /// The client's id of the task that it became.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub task: Option<String>,
}

impl Lease {
    /// Whether it still counts at `now_ms` (R4: the moment of expiry itself is too late).
    pub fn is_live(&self, now_ms: i64) -> bool {
        now_ms < self.expires_ms
    }
}
