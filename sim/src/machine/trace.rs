//! What is written down of a run, for people and for who searches through runs.

use super::kind::Kind;

/// One point of a run.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Point {
    /// Its number, from 1.
    pub at: u64,
    /// Whose.
    pub process: usize,
    /// What it is about to do.
    pub kind: Kind,
    /// On which file, if on any: `db`, `wal`, `journal`.
    pub file: &'static str,
    /// A number that tells more: an offset, a slot, a level.
    pub detail: u64,
}

/// A point at which another could have gone on.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Choice {
    /// Its number.
    pub at: u64,
    /// What the process there was about to do.
    pub kind: Kind,
    /// Whether nobody is left who could go on: the process there cannot, or none has begun yet.
    pub leaves_nobody: bool,
    /// Who would have gone on if nobody was preferred.
    pub usual: usize,
    /// Who else could.
    pub others: Vec<usize>,
    /// Who waits for a moment, and could go on if that came now. None where nothing has been done
    /// that they could see since they could last go on: they would only wait again.
    pub sleepers: Vec<usize>,
}

/// One thing that happened in a run.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Event {
    /// A process came to a point.
    Point(Point),
    /// A process called, or was answered; or something went wrong.
    Note {
        /// Whose.
        process: usize,
        /// For people.
        text: String,
    },
    /// A process took the write lock of the database, or let it go.
    WriteLock {
        /// Which.
        process: usize,
        /// Whether it has it now.
        held: bool,
    },
}

impl Event {
    /// Whose it is.
    pub fn process(&self) -> usize {
        match self {
            Self::Point(point) => point.process,
            Self::Note { process, .. } | Self::WriteLock { process, .. } => *process,
        }
    }
}
