//! The engine without a process around it, on a clock that the test sets.

use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicI64, Ordering};
use std::time::Duration;

use leasehold::clock::Clock;
use leasehold::lease::Lease;
use leasehold::owner::Owner;
use leasehold::resource;
use leasehold::store::{
    Acquired, Context, HandOver, LOG_BYTES_AT_REST, Options, Released, Request, Store,
};

/// A clock that stands where it was put.
#[derive(Clone, Debug)]
pub struct HandClock(Arc<AtomicI64>);

impl HandClock {
    /// A clock that stands at this moment, in milliseconds since 1970.
    pub fn at(now_ms: i64) -> Self {
        Self(Arc::new(AtomicI64::new(now_ms)))
    }

    /// Puts it somewhere else.
    pub fn set(&self, now_ms: i64) {
        self.0.store(now_ms, Ordering::SeqCst);
    }
}

impl Clock for HandClock {
    fn now_ms(&self) -> i64 {
        self.0.load(Ordering::SeqCst)
    }
}

/// A store and what is asked of it.
pub struct Engine {
    store: Store,
    ttl_ms: i64,
}

impl Engine {
    /// Opens the database, which is made or upgraded by that.
    pub fn open(database: &Path, clock: &HandClock, ttl_ms: i64) -> Self {
        let options = Options {
            clock: Box::new(clock.clone()),
            boot: Some("one boot".to_owned()),
            ..Options::of_machine(Duration::from_secs(10))
        };
        Self { store: Store::open(database, options).expect("the store opens"), ttl_ms }
    }

    /// Asks for one path.
    pub fn acquire(&mut self, session: &str, epoch: &str, path: &Path) -> Acquired {
        let request = Request {
            owner: owner(session, epoch),
            resources: resource::resolve(path, None).expect("a resource"),
            ttl_ms: self.ttl_ms,
            agent: "test".to_owned(),
            host: "localhost".to_owned(),
            cwd: None,
            note: None,
            call: None,
            trees: Vec::new(),
            context: Context::default(),
        };
        self.store.acquire(&request).expect("the store answers")
    }

    /// Gives back, as the command line does.
    pub fn release(&mut self, session: &str, epoch: &str) -> Released {
        let released = self.store.release(&owner(session, epoch), HandOver::Migrated);
        released.expect("the store answers")
    }

    /// A turn begins.
    pub fn begin(&mut self, owner: &Owner, context: &Context) {
        self.store.begin(owner, context).expect("the store answers");
    }

    /// Empties the log, which waits for the disk.
    pub fn tidy(&mut self) {
        self.store.tidy(LOG_BYTES_AT_REST).expect("the log is emptied");
    }

    /// A sub-agent starts.
    pub fn start_subagent(&mut self, owner: &Owner, context: &Context) {
        self.store.start_subagent(owner, context).expect("the store answers");
    }

    /// All rows by resource, dead ones too.
    pub fn leases(&mut self) -> Vec<Lease> {
        self.store.leases().expect("the store answers").0
    }

    /// The row of this path.
    pub fn lease(&mut self, path: &Path) -> Option<Lease> {
        self.leases().into_iter().find(|lease| lease.path == path)
    }
}

fn owner(session: &str, epoch: &str) -> Owner {
    Owner::new(session, epoch).expect("an owner")
}

/// Whether an answer grants.
pub fn is_granted(answer: &Acquired) -> bool {
    matches!(answer, Acquired::Granted { .. })
}

/// The sessions that a refusal names, or that have had since what the caller lost (R11); none for
/// a grant.
pub fn holders(answer: &Acquired) -> Vec<&str> {
    match answer {
        Acquired::Granted { .. } | Acquired::Stale => Vec::new(),
        Acquired::Lost(lost) => lost.iter().map(|one| one.session.as_str()).collect(),
        Acquired::Busy(busy) => {
            busy.conflicts.iter().map(|conflict| conflict.lease.owner.session()).collect()
        }
    }
}
