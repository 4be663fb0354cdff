//! The reference model of leasehold: its rules as one pure function.
//!
//! [`step`] takes a state, an operation and the time, and gives the next state and the answer.
//! There is no I/O here, no clock, no database and no code shared with the implementation, so that
//! agreement of the two says something. The rules carry the numbers that tests, code and documents
//! refer to:
//!
//! * **R1** live leases of different owners never overlap (old engines' rows aside)
//! * **R2** an acquire grants all of its resources or none, and a refused one changes nothing
//! * **R3** an owner that asks again for what it holds live gets it: renewed, same fence
//! * **R4** a lease is live while `now < expires`; an acquire removes the dead ones that it meets
//! * **R5** a refusal names the holders
//! * **R6** a release removes exactly one owner's leases
//! * **R7** rows of a database from before epochs are handed over once, and no other row ever is
//! * **R12** no lease outlives one TTL from now, whatever the clock did
//! * **R14** fences grow for ever, over crashes and clocks
//!
//! Read [`mod@step`] first: it is one short function a rule.

mod fence;
mod invariant;
mod lease;
mod op;
mod owner;
mod resource;
mod state;
pub mod step;

pub use fence::Fence;
pub use invariant::{Violation, check_state, check_step};
pub use lease::Lease;
pub use op::{Busy, Form, Grant, OldRow, Op, Outcome, Released, Terms};
pub use owner::{BadName, Owner, RESERVED_EPOCH};
pub use resource::{FileId, Resource};
pub use state::{SWEEP_AFTER_MS, SWEEP_MAX, State};
pub use step::step;

/// A point in time, or a span: milliseconds, points counted from 1970.
pub type Millis = i64;
