//! What happens in a run, but for who goes on when: the database at the start, and what each
//! virtual process does.

use leasehold_model::{Form, Millis, OldRow, Op};
use serde::{Deserialize, Serialize};

/// The database before the first process.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Start {
    /// There is none.
    Empty,
    /// It is of today's form, and nothing is leased.
    Ready,
    /// An old engine left it.
    Legacy(Form, Vec<OldRow>),
}

/// How SQLite keeps its promises.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Journal {
    /// With a write-ahead log.
    Log,
    /// With a rollback journal: the machine has no shared memory.
    Rollback,
}

/// One thing that a virtual process does.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Step {
    /// It asks the store.
    Ask(Box<Op>),
    /// It waits for so many milliseconds.
    Wait(Millis),
    /// It empties the log if that is longer than so many bytes, as the hook does after a call.
    Tidy(u64),
}

/// What one virtual process does: it opens the store, does this, and closes it.
pub type Program = Vec<Step>;

/// A run's scenario.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Scenario {
    /// The database before the first process.
    pub start: Start,
    /// How SQLite keeps its promises.
    pub journal: Journal,
    /// Whether each commit is put on the disk before it is answered.
    pub full_sync: bool,
    /// Whether processes end without closing their connection, as the hook does.
    #[serde(default)]
    pub abandons: bool,
    /// Whether the disk promises that a write touches no byte beside those written, as SQLite takes
    /// for granted on Unix. Older schedules do not say it: they were found without.
    #[serde(default)]
    pub powersafe_overwrite: bool,
    /// How long a process waits for another one's transaction, in milliseconds.
    pub patience_ms: u64,
    /// The processes of each boot of the machine: the next ones begin when all of these have ended,
    /// or the power has gone.
    pub boots: Vec<Vec<Program>>,
}
