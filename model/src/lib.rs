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
//! * **R8** a new turn supersedes the older ones of its lane, whose late calls are stale
//! * **R9** sub-agents are owners of their own, and may take over from their main thread
//! * **R10** what a shell call still writes outlives its turn
//! * **R11** an owner's events renew all that it holds, and it is told once what it lost
//! * **R12** no lease outlives one TTL from now, whatever the clock did
//! * **R13** what a dead process held is reclaimable at once
//! * **R14** fences grow for ever, over crashes and clocks
//!
//! Read [`mod@step`] first: it is one short function a rule.
//!
//! ```
//! use leasehold_model::{Context, Op, Outcome, Owner, Released, Resource, State, Terms, step};
//!
//! let file = Resource::new("/repo/main.rs");
//! let acquire = |owner: &Owner| Op::Acquire {
//!     owner: owner.clone(),
//!     resources: vec![file.clone()],
//!     trees: Vec::new(),
//!     terms: Terms { agent: "claude".to_owned(), ttl: 1_800_000, note: None },
//!     call: None,
//!     context: Context::default(),
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

mod acquire;
mod call;
mod fence;
mod invariant;
mod lease;
mod life;
mod note;
mod op;
mod owner;
mod process;
mod resource;
mod state;
pub mod step;
mod subagent;
mod turn;

pub use call::{CALLS_MAX, Call};
pub use fence::Fence;
pub use invariant::{Violation, check_state, check_step};
pub use lease::Lease;
pub use note::{NOTES_MAX, Note, Taken};
pub use op::{
    Busy, CallState, Context, End, Form, Grant, OldRow, Op, Outcome, Released, Running, ShellCall,
    Terms,
};
pub use owner::{BadName, Owner, RESERVED_EPOCH};
pub use process::{BELIEVED_AFTER_MS, Process, SEEN_MAX, Seen, Sighting, Standing};
pub use resource::{FileId, Resource};
pub use state::{SWEEP_AFTER_MS, SWEEP_EVERY, SWEEP_MAX, State};
pub use step::step;
pub use subagent::{SUBAGENTS_MAX, Subagent};
pub use turn::{REMEMBERED_MS, RETIRED_MAX, Turn};

/// A point in time, or a span: milliseconds, points counted from 1970.
pub type Millis = i64;
