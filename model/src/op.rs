//! What can be asked of the engine, and what it answers.

use crate::{Fence, Lease, Millis, Owner, Resource};

/// What a holder says of itself.
#[derive(Clone, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Terms {
    /// The agent's label.
    pub agent: String,
    /// How long the lease lasts without renewal; more than nothing.
    pub ttl: Millis,
    /// Free text.
    pub note: Option<String>,
}

/// The forms of database that old engines left behind.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub enum Form {
    /// Without an epoch: every row is from before epochs.
    First,
    /// With an epoch column: an empty epoch is ambiguous, so it counts as fresh.
    Second,
    /// With rows from before epochs marked by a reserved epoch.
    Third,
}

/// A row as an old engine writes it.
#[derive(Clone, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct OldRow {
    /// What it leases.
    pub resource: Resource,
    /// For whom.
    pub session: String,
    /// The epoch, where that engine knows of epochs.
    pub epoch: Option<String>,
    /// Its label.
    pub agent: String,
    /// Its own idea of since when.
    pub acquired: Millis,
    /// Its own idea of until when.
    pub expires: Millis,
    /// Its note.
    pub note: Option<String>,
}

/// An operation. `Open` comes before all others but those of old engines, which may also come
/// before it in a database of their own ([`State::legacy`](crate::State::legacy)).
#[derive(Clone, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub enum Op {
    /// A process opens the database during the boot of that name.
    Open {
        /// The machine's boot.
        boot: String,
    },
    /// R1–R5: lease all of these, or none.
    Acquire {
        /// For whom.
        owner: Owner,
        /// What; the same resource twice counts once.
        resources: Vec<Resource>,
        /// On which terms.
        terms: Terms,
    },
    /// R6: give back what this owner holds. With an empty epoch: the session's leases without one.
    Release {
        /// Whose.
        owner: Owner,
        /// R7: whether the session's migrated rows go too, if the owner is a tokened main thread.
        hand_over: bool,
    },
    /// R7: the session's named turn takes over from the time before epochs: the migrated rows that
    /// nobody adopted go, and nothing else.
    HandOver {
        /// The turn.
        owner: Owner,
    },
    /// The session is over: all of it goes.
    EndSession {
        /// Which, without the alias prefix.
        session: String,
    },
    /// Who holds this?
    Check {
        /// What.
        resource: Resource,
    },
    /// R14: is this still the fence of a live lease on, or above, this resource?
    CheckFence {
        /// What.
        resource: Resource,
        /// The token.
        fence: Fence,
    },
    /// Remove everything that is dead.
    Reap,
    /// An old engine's `INSERT … ON CONFLICT(resource) DO UPDATE`.
    OldUpsert(OldRow),
    /// An old engine's `DELETE … WHERE session = ?`.
    OldDelete {
        /// Which session.
        session: String,
    },
}

/// One granted resource.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Grant {
    /// What was granted.
    pub resource: Resource,
    /// The token to show.
    pub fence: Fence,
    /// Since when this owner has it.
    pub acquired: Millis,
    /// Until when.
    pub expires: Millis,
}

/// R5: the conflicting leases, by resource.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Busy {
    /// Every live lease of another owner that overlaps what was asked for, or what would be handed
    /// over with it (R7).
    pub holders: Vec<Lease>,
}

/// R6: what a release came to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Released {
    /// So many live leases went.
    Count(usize),
    /// None went, but the session holds live leases of other epochs.
    EpochMismatch,
    /// The session holds nothing.
    Absent,
}

/// The answer to an operation.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Outcome {
    /// To `Open`: whether a legacy database was upgraded by it.
    Opened {
        /// True for the one open that did it.
        upgraded: bool,
    },
    /// To `Acquire`: everything is leased, in the order of the resources' names.
    Acquired(Vec<Grant>),
    /// To `Acquire`: nothing is.
    Busy(Busy),
    /// To `Release`, `HandOver` and `EndSession`.
    Released(Released),
    /// To `Check`: the live leases that overlap; none means free.
    Held(Vec<Lease>),
    /// To `CheckFence`: the milliseconds left, or none.
    FenceLeft(Option<Millis>),
    /// To `Reap`: how many went.
    Reaped(usize),
    /// To an old engine.
    Done,
}
