//! A list of operations with their moments, as a file that a person can read.

use leasehold_model::{Form, Millis, OldRow, Op, State};
use serde::{Deserialize, Serialize};

/// What the database is before the first step.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub enum Start {
    /// It does not exist.
    Empty,
    /// An old engine left it.
    Legacy(Form, Vec<OldRow>),
}

impl Start {
    /// The model's state at the start.
    pub fn state(&self) -> State {
        match self {
            Self::Empty => State::empty(),
            Self::Legacy(form, rows) => State::legacy(*form, rows),
        }
    }
}

/// One operation.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Step {
    /// When, in milliseconds since 1970.
    pub at_ms: Millis,
    /// What.
    pub op: Op,
    /// Whether all rows are compared afterwards. (Reading them settles what old engines wrote, so
    /// it is not done at every step.)
    pub look: bool,
}

/// A run: where it starts, and what happens.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Schedule {
    /// What went wrong when this was found, in a sentence.
    pub what: String,
    /// The database at the start.
    pub start: Start,
    /// The operations.
    pub steps: Vec<Step>,
}
