//! What can go wrong in the world of a run.

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
    /// The power goes. All processes are gone with it.
    PowerLoss(Loss),
}

impl Mishap {
    /// The name in a trace and in tables.
    pub fn name(self) -> &'static str {
        match self {
            Self::Kill(_) => "kill",
            Self::Pause(_) => "pause",
            Self::Clock(_) => "clock step",
            Self::Error => "I/O error",
            Self::PowerLoss(_) => "power loss",
        }
    }
}
