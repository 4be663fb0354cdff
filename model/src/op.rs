//! What can be asked of the engine, and what it answers.

use crate::{Fence, Lease, Millis, Note, Owner, Process, Resource, Sighting, Standing};

/// What a holder says of itself.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Terms {
    /// The agent's label.
    pub agent: String,
    /// How long the lease lasts without renewal; more than nothing.
    pub ttl: Millis,
    /// Free text.
    pub note: Option<String>,
}

/// What a hook knows of the caller, and the command line does not.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Context {
    /// R8: the client has no turn ids: an empty epoch means the current turn.
    pub minted: bool,
    /// R8: the client marks its sub-agents, so a main thread's write from an epoch that nobody has
    /// seen may begin it.
    pub begins: bool,
    /// R13: the process that was found as the agent.
    pub sighting: Option<Sighting>,
}

/// R10: the shell call that asks.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct ShellCall {
    /// The client's id of it.
    pub id: String,
    /// It is started to outlive its turn.
    pub background: bool,
}

/// How a shell call stands after the event that follows it.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub enum CallState {
    /// It has ended.
    Ended,
    /// It goes on, as the task of this id where the client tells one.
    GoesOn(Option<String>),
}

/// R9, R10: the background tasks that a Stop names as running.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Running {
    /// The ids of sub-agents.
    pub subagents: Vec<String>,
    /// The ids of the tasks that shell calls have become.
    pub shells: Vec<String>,
}

/// How an owner ends.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub enum End {
    /// A Stop, or a sub-agent's: with the list of what still runs, where the client gives one.
    Stop(Option<Running>),
    /// The user interrupted it.
    Interrupt,
}

/// The forms of database that old engines left behind.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
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
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
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
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
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
        /// R16: directories that are moved or removed. They are not leased, and nobody else may
        /// hold anything in them.
        #[cfg_attr(feature = "serde", serde(default))]
        trees: Vec<Resource>,
        /// On which terms.
        terms: Terms,
        /// R10: the shell call that will write them.
        #[cfg_attr(feature = "serde", serde(default))]
        call: Option<ShellCall>,
        /// What a hook knows.
        #[cfg_attr(feature = "serde", serde(default))]
        context: Context,
    },
    /// R6: give back what this owner holds. With an empty epoch: the session's leases without one.
    Release {
        /// Whose.
        owner: Owner,
        /// R7: whether the session's migrated rows go too, if the owner is a tokened main thread.
        hand_over: bool,
    },
    /// R8: a prompt came in. A turn with another id than the current one begins by that, and
    /// supersedes; R7: the migrated rows that nobody adopted go.
    Begin {
        /// The turn.
        owner: Owner,
        /// What a hook knows.
        context: Context,
    },
    /// R9: a sub-agent starts, for the first time or again.
    SubagentStart {
        /// The sub-agent.
        owner: Owner,
        /// What a hook knows.
        context: Context,
    },
    /// R11: a tool call has run: its owner's leases are renewed.
    Post {
        /// Whose.
        owner: Owner,
        /// What it wrote.
        resources: Vec<Resource>,
        /// R10: which shell call it was, and how that stands.
        call: Option<(String, CallState)>,
        /// What a hook knows.
        context: Context,
    },
    /// R9, R10: a turn or a sub-agent has ended.
    End {
        /// Which.
        owner: Owner,
        /// How.
        how: End,
        /// What a hook knows.
        context: Context,
    },
    /// The session is over: all of it goes, but for what another living process of it holds.
    EndSession {
        /// Which, without the alias prefix.
        session: String,
        /// What a hook knows.
        #[cfg_attr(feature = "serde", serde(default))]
        context: Context,
    },
    /// R13: what the operating system says of a process changes.
    Fate {
        /// Which.
        process: Process,
        /// What it says from now on.
        standing: Standing,
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
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
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
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Busy {
    /// Every live lease of another owner that overlaps what was asked for, or what would be handed
    /// over with it (R7).
    pub holders: Vec<Lease>,
}

/// R6: what a release came to.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Released {
    /// So many live leases went.
    Count(usize),
    /// None went, but the session holds live leases of other epochs.
    EpochMismatch,
    /// The session holds nothing.
    Absent,
}

/// The answer to an operation.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Outcome {
    /// To `Open`: whether a legacy database was upgraded by it.
    Opened {
        /// True for the one open that did it.
        upgraded: bool,
    },
    /// To `Acquire`: everything is leased, in the order of the resources' names.
    Acquired(Vec<Grant>),
    /// R13, to `Acquire`: the same, and these leases of dead agents were in the way.
    Reclaimed(Vec<Grant>, Vec<Lease>),
    /// To `Acquire`: nothing is.
    Busy(Busy),
    /// R8, to `Acquire`: the epoch is retired, and nothing is leased.
    Stale,
    /// R11, to `Acquire`: nothing is leased, for the owner has lost a lease on what it wants. It is
    /// told once.
    Lost(Vec<Note>),
    /// To `Release`, `End` and `EndSession`.
    Released(Released),
    /// To `Begin`: the turn as it is called, what went, and what the owner is to be told (R11).
    Begun(Owner, Released, Vec<Note>),
    /// R11, to `Post`: the live leases of others on what was written, and what the owner is to be
    /// told.
    Posted(Vec<Lease>, Vec<Note>),
    /// To `Check`: the live leases that overlap; none means free.
    Held(Vec<Lease>),
    /// To `CheckFence`: the milliseconds left, or none.
    FenceLeft(Option<Millis>),
    /// To `Reap`: how many went.
    Reaped(usize),
    /// To an old engine.
    Done,
}
