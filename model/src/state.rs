//! The whole state of the engine.

use crate::{Fence, Form, Lease, Millis, OldRow, Resource};

/// A lease that has been dead for longer than this is swept by the next acquires.
pub const SWEEP_AFTER_MS: Millis = 24 * 3600 * 1000;
/// How many such leases one acquire sweeps at most: nobody pays for a stranger's thousands.
pub const SWEEP_MAX: usize = 8;

/// What the database holds.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
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
