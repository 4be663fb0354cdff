//! The words in which the tests are written.
//!
//! A [`World`] is a database with a clock. Everything that happens in it goes through `step`, and
//! every step is checked against the invariants, so that each test of one rule watches the others
//! too. Owners are written `session@epoch`, or `session` for an empty epoch; a path ending in `#7`
//! is a file known by the identity 7, which another hard link may share.

#![allow(dead_code, reason = "each test file needs only some of the words")]

pub(crate) mod hook;

use leasehold_model::{
    Context, FileId, Form, Grant, Lease, Millis, OldRow, Op, Outcome, Owner, Released, Resource,
    State, Terms, check_step, step,
};

/// What a lease lasts unless a test says otherwise.
pub(crate) const TTL: Millis = 10;

/// How long turns, notes and the dead are remembered.
pub(crate) const DAY: Millis = 86_400_000;

/// The owner written `session@epoch`.
pub(crate) fn owner(name: &str) -> Owner {
    let (session, epoch) = name.split_once('@').unwrap_or((name, ""));
    Owner::new(session, epoch).expect("a good name")
}

/// The resource written as a path, with `#` and a number for a file of several names.
pub(crate) fn resource(path: &str) -> Resource {
    match path.split_once('#') {
        None => Resource::new(path),
        Some((path, id)) => Resource::new(path).with_file(FileId(id.parse().expect("a number"))),
    }
}

/// A row of the first engine, which knows no epochs.
pub(crate) fn old_row(session: &str, path: &str, acquired: Millis, expires: Millis) -> OldRow {
    OldRow {
        resource: resource(path),
        session: session.to_owned(),
        epoch: None,
        agent: "old".to_owned(),
        acquired,
        expires,
        note: None,
    }
}

/// The same row by an engine that knows epochs.
pub(crate) fn with_epoch(row: OldRow, epoch: &str) -> OldRow {
    OldRow { epoch: Some(epoch.to_owned()), ..row }
}

/// `owner path` of each lease.
pub(crate) fn told<'a>(leases: impl IntoIterator<Item = &'a Lease>) -> Vec<String> {
    leases.into_iter().map(|lease| format!("{} {}", named(lease), lease.resource.path())).collect()
}

fn named(lease: &Lease) -> String {
    let Owner { session, epoch } = &lease.owner;
    if epoch.is_empty() { session.clone() } else { format!("{session}@{epoch}") }
}

/// A database and a clock.
#[derive(Clone)]
pub(crate) struct World {
    pub(crate) state: State,
    pub(crate) now: Millis,
    /// What the hook knows of the caller; the command line knows nothing.
    pub(crate) context: Context,
}

impl World {
    /// A new database, opened at moment 0.
    pub(crate) fn new() -> Self {
        let mut world = Self::unopened();
        world.opens("boot 1");
        world
    }

    /// A database that does not exist yet.
    pub(crate) fn unopened() -> Self {
        Self { state: State::empty(), now: 0, context: Context::default() }
    }

    /// A database that an old engine left behind, not yet opened by us.
    pub(crate) fn left_behind(form: Form, rows: &[OldRow]) -> Self {
        Self { state: State::legacy(form, rows), ..Self::unopened() }
    }

    /// A database that an old engine left behind, upgraded at moment 0.
    pub(crate) fn upgraded(form: Form, rows: &[OldRow]) -> Self {
        let mut world = Self::left_behind(form, rows);
        assert!(world.opens("boot 1"), "the first open upgrades");
        world
    }

    /// The clock shows this moment.
    pub(crate) fn at(&mut self, now: Millis) -> &mut Self {
        self.now = now;
        self
    }

    /// One step, checked.
    #[track_caller]
    pub(crate) fn run(&mut self, op: &Op) -> Outcome {
        let (after, outcome) = step(&self.state, op, self.now);
        if let Err(broken) = check_step(&self.state, op, &outcome, &after, self.now) {
            panic!("{broken:?}");
        }
        self.state = after;
        outcome
    }

    /// A process opens the database; tells whether that upgraded it.
    #[track_caller]
    pub(crate) fn opens(&mut self, boot: &str) -> bool {
        let Outcome::Opened { upgraded } = self.run(&Op::Open { boot: boot.to_owned() }) else {
            panic!("no answer to an open")
        };
        upgraded
    }

    /// An acquire on any terms.
    #[track_caller]
    pub(crate) fn asks(&mut self, who: &str, paths: &[&str], terms: Terms) -> Outcome {
        let resources = paths.iter().map(|path| resource(path)).collect();
        let context = self.context.clone();
        self.run(&Op::Acquire {
            owner: owner(who),
            resources,
            trees: Vec::new(),
            terms,
            call: None,
            context,
        })
    }

    /// An acquire that must be granted for `ttl`.
    #[track_caller]
    pub(crate) fn grants_for(&mut self, ttl: Millis, who: &str, paths: &[&str]) -> Vec<Grant> {
        match self.asks(who, paths, terms(ttl)) {
            Outcome::Acquired(grants) => grants,
            other => panic!("{who} did not get {paths:?}: {other:?}"),
        }
    }

    /// An acquire that must be granted.
    #[track_caller]
    pub(crate) fn grants(&mut self, who: &str, paths: &[&str]) -> Vec<Grant> {
        self.grants_for(TTL, who, paths)
    }

    /// An acquire of one path that must be granted.
    #[track_caller]
    pub(crate) fn grants_one(&mut self, who: &str, path: &str) -> Grant {
        let [grant] = self.grants(who, &[path]).try_into().expect("one grant");
        grant
    }

    /// An acquire that must be refused: the holders that it names.
    #[track_caller]
    pub(crate) fn refuses(&mut self, who: &str, paths: &[&str]) -> Vec<String> {
        match self.asks(who, paths, terms(TTL)) {
            Outcome::Busy(busy) => told(&busy.holders),
            other => panic!("{who} was not refused {paths:?}: {other:?}"),
        }
    }

    /// A release as the command line does it: a named turn takes the migrated rows along.
    #[track_caller]
    pub(crate) fn releases(&mut self, who: &str) -> Released {
        self.released(&Op::Release { owner: owner(who), hand_over: true })
    }

    /// A release that leaves the migrated rows alone.
    #[track_caller]
    pub(crate) fn releases_only_own(&mut self, who: &str) -> Released {
        self.released(&Op::Release { owner: owner(who), hand_over: false })
    }

    #[track_caller]
    pub(crate) fn released(&mut self, op: &Op) -> Released {
        match self.run(op) {
            Outcome::Released(answer) => answer,
            other => panic!("no answer to a release: {other:?}"),
        }
    }

    /// Removes the dead; tells how many.
    #[track_caller]
    pub(crate) fn reaps(&mut self) -> usize {
        let Outcome::Reaped(count) = self.run(&Op::Reap) else { panic!("no answer to a reap") };
        count
    }

    /// An old engine writes this row.
    #[track_caller]
    pub(crate) fn old_engine_writes(&mut self, row: OldRow) {
        assert_eq!(self.run(&Op::OldUpsert(row)), Outcome::Done);
    }

    /// An old engine deletes what it takes for this session's.
    #[track_caller]
    pub(crate) fn old_engine_deletes(&mut self, session: &str) {
        assert_eq!(self.run(&Op::OldDelete { session: session.to_owned() }), Outcome::Done);
    }

    /// What a check of this path shows.
    #[track_caller]
    pub(crate) fn holders(&mut self, path: &str) -> Vec<String> {
        match self.run(&Op::Check { resource: resource(path) }) {
            Outcome::Held(leases) => told(&leases),
            other => panic!("no answer to a check: {other:?}"),
        }
    }

    /// What a check of a grant's fence on this path shows.
    #[track_caller]
    pub(crate) fn fence_left(&mut self, grant: &Grant, path: &str) -> Option<Millis> {
        match self.run(&Op::CheckFence { resource: resource(path), fence: grant.fence }) {
            Outcome::FenceLeft(left) => left,
            other => panic!("no answer to a check of a fence: {other:?}"),
        }
    }

    /// All live leases.
    pub(crate) fn live(&self) -> Vec<String> {
        told(self.state.leases.iter().filter(|lease| lease.is_live(self.now)))
    }

    /// The row on exactly this path, which must be there, dead or alive.
    #[track_caller]
    pub(crate) fn row(&self, path: &str) -> &Lease {
        self.state.get(&resource(path)).expect("a row")
    }
}

/// Terms that say nothing but how long.
pub(crate) fn terms(ttl: Millis) -> Terms {
    Terms { agent: "claude".to_owned(), ttl, note: None }
}
