//! A table of leases and its clock, so that a test reads as a sentence. Every step is checked.
//!
//! An owner is written `session` or `session#epoch`, a hard link `/path@file`.
#![allow(dead_code, reason = "every test file uses another part of it")]

use leasehold_model::{
    Fence, FileId, Form, Grant, Lease, Millis, OldRow, Op, Outcome, Owner, Released, Resource,
    State, Terms, check_step, step,
};

pub(crate) const TTL: Millis = 100;
pub(crate) const YEARS: Millis = 10 * 365 * 24 * 3_600_000;

pub(crate) struct Table {
    pub(crate) state: State,
    pub(crate) now: Millis,
}

impl Table {
    /// An empty table, opened at 1000.
    pub(crate) fn new() -> Self {
        let mut table = Self { state: State::empty(), now: 1000 };
        table.open("boot");
        table
    }

    /// A table that an old engine left, not opened yet.
    pub(crate) fn left_by(form: Form, rows: &[OldRow]) -> Self {
        Self { state: State::legacy(form, rows), now: 1000 }
    }

    pub(crate) fn apply(&mut self, op: &Op) -> Outcome {
        let (next, outcome) = step(&self.state, op, self.now);
        check_step(&self.state, op, &outcome, &next, self.now).expect("the invariants hold");
        self.state = next;
        outcome
    }

    pub(crate) fn at(&mut self, now: Millis) -> &mut Self {
        self.now = now;
        self
    }

    pub(crate) fn later(&mut self, by: Millis) -> &mut Self {
        self.now += by;
        self
    }

    pub(crate) fn open(&mut self, boot: &str) -> bool {
        match self.apply(&Op::Open { boot: boot.to_owned() }) {
            Outcome::Opened { upgraded } => upgraded,
            other => panic!("an open answered {other:?}"),
        }
    }

    pub(crate) fn acquire(&mut self, who: &str, paths: &[&str]) -> Outcome {
        let resources = paths.iter().copied().map(resource).collect();
        let terms = Terms { agent: format!("agent of {who}"), ttl: TTL, note: None };
        self.apply(&Op::Acquire { owner: owner(who), resources, terms })
    }

    pub(crate) fn gets(&mut self, who: &str, paths: &[&str]) -> Vec<Grant> {
        match self.acquire(who, paths) {
            Outcome::Acquired(grants) => grants,
            other => panic!("{who} should get {paths:?}: {other:?}"),
        }
    }

    /// The holders that the refusal names.
    pub(crate) fn is_refused(&mut self, who: &str, paths: &[&str]) -> Vec<Lease> {
        match self.acquire(who, paths) {
            Outcome::Busy(busy) => busy.holders,
            other => panic!("{who} should not get {paths:?}: {other:?}"),
        }
    }

    pub(crate) fn release(&mut self, who: &str) -> Released {
        self.give_back(&Op::Release { owner: owner(who), hand_over: false })
    }

    pub(crate) fn release_and_hand_over(&mut self, who: &str) -> Released {
        self.give_back(&Op::Release { owner: owner(who), hand_over: true })
    }

    pub(crate) fn hand_over(&mut self, who: &str) -> Released {
        self.give_back(&Op::HandOver { owner: owner(who) })
    }

    pub(crate) fn end_session(&mut self, session: &str) -> Released {
        self.give_back(&Op::EndSession { session: session.to_owned() })
    }

    fn give_back(&mut self, op: &Op) -> Released {
        match self.apply(op) {
            Outcome::Released(answer) => answer,
            other => panic!("{op:?} answered {other:?}"),
        }
    }

    pub(crate) fn reap(&mut self) -> Outcome {
        self.apply(&Op::Reap)
    }

    pub(crate) fn fence_left(&mut self, path: &str, fence: Fence) -> Option<Millis> {
        match self.apply(&Op::CheckFence { resource: resource(path), fence }) {
            Outcome::FenceLeft(left) => left,
            other => panic!("a fence check answered {other:?}"),
        }
    }

    /// Who holds something that overlaps the path, written as owners are.
    pub(crate) fn holders(&mut self, path: &str) -> Vec<String> {
        match self.apply(&Op::Check { resource: resource(path) }) {
            Outcome::Held(leases) => leases.iter().map(named).collect(),
            other => panic!("a check answered {other:?}"),
        }
    }

    /// The row of exactly this path, dead or alive.
    pub(crate) fn row(&self, path: &str) -> &Lease {
        self.state.get(&resource(path)).expect("the row is there")
    }

    pub(crate) fn has_row(&self, path: &str) -> bool {
        self.state.get(&resource(path)).is_some()
    }
}

pub(crate) fn owner(who: &str) -> Owner {
    let (session, epoch) = who.split_once('#').unwrap_or((who, ""));
    Owner::new(session, epoch).expect("an owner's name")
}

pub(crate) fn resource(path: &str) -> Resource {
    match path.split_once('@') {
        Some((path, file)) => {
            Resource::new(path).with_file(FileId(file.parse().expect("a number")))
        }
        None => Resource::new(path),
    }
}

/// `session` or `session#epoch` of a lease.
pub(crate) fn named(lease: &Lease) -> String {
    let Owner { session, epoch } = &lease.owner;
    if epoch.is_empty() { session.clone() } else { format!("{session}#{epoch}") }
}

/// A row that an old engine without epochs wrote at 950, for 100.
pub(crate) fn old_row(session: &str, path: &str) -> OldRow {
    OldRow {
        resource: resource(path),
        session: session.to_owned(),
        epoch: None,
        agent: "old".to_owned(),
        acquired: 950,
        expires: 1050,
        note: None,
    }
}

pub(crate) fn with_epoch(row: OldRow, epoch: &str) -> OldRow {
    OldRow { epoch: Some(epoch.to_owned()), ..row }
}
