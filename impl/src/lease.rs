//! A lease as the rest of the program sees it.

use std::path::PathBuf;

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
}

impl Lease {
    /// Whether it still counts at `now_ms` (R4: the moment of expiry itself is too late).
    pub fn is_live(&self, now_ms: i64) -> bool {
        now_ms < self.expires_ms
    }
}
