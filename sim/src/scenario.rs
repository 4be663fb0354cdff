//! What happens in a run, but for who goes on when: the database at the start, and what each
//! virtual process does.

use std::collections::BTreeSet;

use leasehold_model::{Context, Form, Millis, OldRow, Op, Owner, Resource, Terms};
use serde::{Deserialize, Serialize};

/// The database before the first process.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Start {
    /// There is none.
    Empty,
    /// It is of today's form, and nothing is leased.
    Ready,
    /// An old engine left it.
    Legacy(Form, Vec<OldRow>),
}

/// How SQLite keeps its promises.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Journal {
    /// With a write-ahead log.
    Log,
    /// With a rollback journal: the machine has no shared memory.
    Rollback,
}

/// One thing that a virtual process does.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Step {
    /// It asks the store.
    Ask(Box<Op>),
    /// It waits for so many milliseconds.
    Wait(Millis),
    /// It empties the log if that is longer than so many bytes, as the hook does after a call.
    Tidy(u64),
}

/// What one virtual process does: it opens the store, does this, and closes it.
pub type Program = Vec<Step>;

/// A run's scenario.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Scenario {
    /// The database before the first process.
    pub start: Start,
    /// How SQLite keeps its promises.
    pub journal: Journal,
    /// Whether each commit is put on the disk before it is answered.
    pub full_sync: bool,
    /// Whether processes end without closing their connection, as the hook does.
    #[serde(default)]
    pub abandons: bool,
    /// Whether the disk promises that a write touches no byte beside those written, as SQLite takes
    /// for granted on Unix. Older schedules do not say it: they were found without.
    #[serde(default)]
    pub powersafe_overwrite: bool,
    /// How long a process waits for another one's transaction, in milliseconds.
    pub patience_ms: u64,
    /// The processes of each boot of the machine: the next ones begin when all of these have ended,
    /// or the power has gone.
    pub boots: Vec<Vec<Program>>,
}

/// So many owners are asked for in the end.
const OWNERS_MAX: usize = 6;

impl Scenario {
    /// What shows, in the end, what the database knows beside leases: each owner asks for all paths
    /// and gives them back, and then each session is over.
    pub(crate) fn questions(&self) -> Vec<Op> {
        let programs = self.boots.iter().flatten().flatten();
        let asked: Vec<&Op> = programs.filter_map(Step::op).collect();
        let owners: BTreeSet<&Owner> = asked.iter().filter_map(|op| owner(op)).collect();
        let sessions: BTreeSet<&String> = owners.iter().map(|owner| &owner.session).collect();
        let paths: BTreeSet<&Resource> = asked.iter().flat_map(|op| paths(op)).collect();
        let mut questions = Vec::new();
        for owner in owners.into_iter().take(OWNERS_MAX).filter(|_| !paths.is_empty()) {
            questions.push(Op::Acquire {
                owner: owner.clone(),
                resources: paths.iter().map(|path| (*path).clone()).collect(),
                trees: Vec::new(),
                terms: Terms { agent: "audit".to_owned(), ttl: 1000, note: None },
                call: None,
                context: Context::default(),
            });
            questions.push(Op::Release { owner: owner.clone(), hand_over: true });
        }
        let over = |session: &String| Op::EndSession {
            session: session.clone(),
            context: Context::default(),
        };
        questions.extend(sessions.into_iter().map(over));
        questions
    }
}

impl Step {
    fn op(&self) -> Option<&Op> {
        match self {
            Self::Ask(op) => Some(op),
            Self::Wait(_) | Self::Tidy(_) => None,
        }
    }
}

fn owner(op: &Op) -> Option<&Owner> {
    match op {
        Op::Acquire { owner, .. }
        | Op::Release { owner, .. }
        | Op::Begin { owner, .. }
        | Op::SubagentStart { owner, .. }
        | Op::Post { owner, .. }
        | Op::End { owner, .. } => Some(owner),
        _ => None,
    }
}

fn paths(op: &Op) -> &[Resource] {
    match op {
        Op::Acquire { resources, .. } | Op::Post { resources, .. } => resources,
        Op::Check { resource } | Op::CheckFence { resource, .. } => std::slice::from_ref(resource),
        Op::OldUpsert(row) => std::slice::from_ref(&row.resource),
        _ => &[],
    }
}
