//! The whole state of the engine.

use crate::{
    Fence, Form, Lease, Millis, Note, OldRow, Process, Resource, Seen, Standing, Subagent, Turn,
};

/// A lease that has been dead for longer than this is swept, in the course of new grants.
pub const SWEEP_AFTER_MS: Millis = 24 * 3600 * 1000;
/// The acquire that makes each so-manieth grant of a generation sweeps.
pub const SWEEP_EVERY: i64 = 16;
/// How many leases one sweep removes at most: nobody pays for a stranger's thousands. It is more
/// than the grants between two sweeps, so the dead grow fewer.
pub const SWEEP_MAX: usize = 32;

/// What the database holds.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub struct State {
    /// The leases, in the order of their resources.
    pub leases: Vec<Lease>,
    /// R14: the current generation; 0 before the first open.
    pub generation: i64,
    /// R14: grants so far in this generation.
    pub count: i64,
    /// The boot in which `generation` began.
    pub boot: Option<String>,
    /// The form of a database that waits for its upgrade.
    pub legacy: Option<Form>,
    /// How many turns and sub-agents have started: time that no clock can turn back.
    pub starts: i64,
    /// R8: the turns that are known, in no order.
    pub turns: Vec<Turn>,
    /// R9: the sub-agents that run, in the order of their starts.
    pub subagents: Vec<Subagent>,
    /// R11: what owners are yet to be told, oldest first.
    pub notes: Vec<Note>,
    /// R13: the processes that sessions were seen in, oldest first.
    pub sightings: Vec<Seen>,
    /// What the operating system says of processes that are not alive. It is no part of the
    /// database.
    pub standings: Vec<(Process, Standing)>,
}

impl State {
    /// A database that does not exist yet.
    #[must_use]
    pub fn empty() -> Self {
        Self::default()
    }

    /// A database that an old engine left behind. Rows of the first form have no epoch.
    #[must_use]
    pub fn legacy(form: Form, rows: &[OldRow]) -> Self {
        let mut state = Self { legacy: Some(form), ..Self::default() };
        for row in rows {
            state.put(Lease::of_old_engine(row));
        }
        state
    }

    /// The lease on exactly this resource.
    #[must_use]
    pub fn get(&self, resource: &Resource) -> Option<&Lease> {
        self.leases.iter().find(|lease| lease.resource.is(resource))
    }

    /// R13: what the operating system says of a process.
    #[must_use]
    pub fn standing(&self, process: Process) -> Standing {
        let known = self.standings.iter().find(|(one, _)| *one == process);
        known.map_or(Standing::Alive, |(_, standing)| *standing)
    }

    /// Puts a turn in its place.
    pub(crate) fn put_turn(&mut self, turn: Turn) {
        self.turns.retain(|other| other.owner != turn.owner);
        self.turns.push(turn);
    }

    /// The number of the next start.
    pub(crate) fn next_start(&mut self) -> i64 {
        self.starts += 1;
        self.starts
    }

    /// Puts a lease in its place; one on the same resource gives way.
    pub(crate) fn put(&mut self, lease: Lease) {
        self.leases.retain(|other| !other.resource.is(&lease.resource));
        let at = self.leases.partition_point(|other| other.resource.path() < lease.resource.path());
        self.leases.insert(at, lease);
    }

    /// Removes the leases that `gone` says, and tells how many.
    pub(crate) fn remove(&mut self, gone: impl Fn(&Lease) -> bool) -> usize {
        let before = self.leases.len();
        self.leases.retain(|lease| !gone(lease));
        before - self.leases.len()
    }

    /// R14: the next fence.
    pub(crate) fn next_fence(&mut self) -> Fence {
        self.count += 1;
        Fence::new(self.generation, self.count)
    }
}
