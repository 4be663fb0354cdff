//! The reference model of leasehold: its rules as one pure function.
//!
//! [`step()`] takes a state, an operation and the time, and gives the next state and the answer.
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
//!
//! ```
//! use leasehold_model::{Op, Outcome, Owner, Released, Resource, State, Terms, step};
//!
//! let file = Resource::new("/repo/main.rs");
//! let acquire = |owner: &Owner| Op::Acquire {
//!     owner: owner.clone(),
//!     resources: vec![file.clone()],
//!     terms: Terms { agent: "claude".to_owned(), ttl: 1_800_000, note: None },
//! };
//! let release = |owner: &Owner| Op::Release { owner: owner.clone(), hand_over: false };
//! let [old, new] = ["turn-1", "turn-2"].map(|turn| Owner::new("ada", turn).unwrap());
//! let other = Owner::new("bob", "turn-1").unwrap();
//!
//! let now = 1_000;
//! let (state, _) = step(&State::empty(), &Op::Open { boot: "boot".to_owned() }, now);
//! let (held, outcome) = step(&state, &acquire(&new), now);
//! assert!(matches!(outcome, Outcome::Acquired(_)));
//! let (_, outcome) = step(&held, &acquire(&other), now + 1);
//! assert!(matches!(outcome, Outcome::Busy(busy) if busy.holders[0].owner == new));
//!
//! // The late release of an old turn changes nothing; its own release frees the file.
//! let (after, outcome) = step(&held, &release(&old), now + 2);
//! assert_eq!((&after, outcome), (&held, Outcome::Released(Released::EpochMismatch)));
//! let (free, outcome) = step(&after, &release(&new), now + 3);
//! assert_eq!(outcome, Outcome::Released(Released::Count(1)));
//! let (_, outcome) = step(&free, &Op::Check { resource: file }, now + 3);
//! assert_eq!(outcome, Outcome::Held(Vec::new()));
//! ```

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
