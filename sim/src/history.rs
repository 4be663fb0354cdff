//! What was asked of the store, by whom and when, and what it said: all that its clients see of a
//! run.

use leasehold_model::{Millis, Op, Outcome};

/// One operation of one virtual process.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Call {
    /// Which process.
    pub process: usize,
    /// What it asked for.
    pub op: Op,
    /// The wall clock as the store read it for this decision, in milliseconds since 1970.
    pub now: Millis,
    /// The instant of the run at which it asked. No two calls share an instant.
    pub invoked: u64,
    /// The answer and the instant of the run at which it came. None where the process was killed,
    /// or was told of an error: then it may have taken effect, wholly, or not at all.
    pub answer: Option<Answer>,
}

/// An answer and when it came.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Answer {
    /// The instant of the run.
    pub at: u64,
    /// What was said.
    pub outcome: Outcome,
}

impl Call {
    /// Whether this call was over before the other was made, so that it must have taken effect
    /// first.
    pub fn precedes(&self, later: &Self) -> bool {
        self.answer.as_ref().is_some_and(|answer| answer.at < later.invoked)
    }
}
