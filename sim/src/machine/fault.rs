//! What can go wrong in the world of a run.

use std::fmt;

use leasehold_model::Millis;
use serde::{Deserialize, Serialize};

use super::disk::Loss;
use super::kind::Kind;

/// Something that goes wrong at one point of a run.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Fault {
    /// The number of the point, from 1.
    pub at: u64,
    /// What the process there is about to do. A schedule in which that is something else is stale;
    /// none where the fault has not struck yet.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub kind: Option<Kind>,
    /// What goes wrong.
    pub what: Mishap,
}

/// What goes wrong.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Mishap {
    /// This process is killed, wherever it is: its locks go, and nothing that it does counts.
    Kill(usize),
    /// The process at this point stands still for so many milliseconds.
    Pause(Millis),
    /// The wall clock steps by so many milliseconds.
    Clock(Millis),
    /// What the process is about to do fails, where it can.
    Error,
    /// The disk is full: of what the process is about to write, only a beginning fits.
    Full,
    /// The power goes. All processes are gone with it.
    PowerLoss(Loss),
}

impl fmt::Display for Mishap {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Kill(process) => write!(f, "process {process} is killed"),
            Self::Pause(span_ms) => write!(f, "stands still for {span_ms} ms"),
            Self::Clock(by_ms) => write!(f, "the clock steps by {by_ms} ms"),
            Self::Error => f.write_str("the disk fails"),
            Self::Full => f.write_str("the disk is full"),
            Self::PowerLoss(_) => f.write_str("the power goes"),
        }
    }
}
