//! Random walks: sequences of operations by a few sessions on a few overlapping paths.
//!
//! The walks are small on purpose, so that those in them meet all the time: `deeds.rs` draws what
//! happens. The clock mostly creeps, sometimes stands, jumps or steps back, and a walk begins in a
//! new database or in one that an old engine left behind.

#![allow(dead_code, reason = "each test file needs only some of it")]

mod deeds;

use std::cell::RefCell;
use std::sync::OnceLock;

use leasehold_model::{Millis, OldRow, Op, Outcome, Resource, State, step};
use proptest::test_runner::{Config, RngSeed, TestCaseResult, TestRunner};

/// All walks, which are drawn once: that is most of what they cost.
static WALKS: OnceLock<Vec<Walk>> = OnceLock::new();

/// Runs a property over many walks, the same ones each time. `PROPTEST_CASES` asks for more.
pub(crate) fn always(property: impl Fn(&Walk) -> TestCaseResult) {
    let walks = WALKS.get_or_init(|| {
        let drawn = RefCell::new(Vec::new());
        let draw = |walk| {
            drawn.borrow_mut().push(walk);
            Ok(())
        };
        runner().run(&deeds::walks(), draw).expect("nothing is checked");
        drawn.into_inner()
    });
    if walks.iter().any(|walk| property(walk).is_err()) {
        // Once more, to shrink it.
        let result = runner().run(&deeds::walks(), |walk| property(&walk));
        panic!("{}", result.expect_err("the same walk"));
    }
}

fn runner() -> TestRunner {
    let asked = Config::default();
    TestRunner::new(Config {
        cases: asked.cases.max(512),
        failure_persistence: None,
        rng_seed: RngSeed::Fixed(1),
        ..asked
    })
}

/// How a walk begins, and what happens in it.
#[derive(Clone, Debug)]
pub(crate) struct Walk {
    pub(crate) start: State,
    pub(crate) moves: Vec<Move>,
}

/// What happens, and how far the clock goes first.
#[derive(Clone, Debug)]
pub(crate) struct Move {
    pub(crate) clock: Millis,
    pub(crate) deed: Deed,
}

#[derive(Clone, Debug)]
pub(crate) enum Deed {
    Ours(Op),
    /// An old engine writes a row that begins now and lasts so long.
    OldWrite(OldRow, Millis),
    /// An old engine renews the row that it finds there.
    OldRenew(Resource, Millis),
}

/// One step as it was taken.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Seen {
    pub(crate) before: State,
    pub(crate) op: Op,
    pub(crate) now: Millis,
    pub(crate) after: State,
    pub(crate) outcome: Outcome,
}

impl Walk {
    /// Takes all steps, on the clock as it goes.
    pub(crate) fn play(&self) -> Vec<Seen> {
        self.play_with(|clock| clock)
    }

    /// Takes all steps on a clock that never steps back.
    pub(crate) fn play_forward(&self) -> Vec<Seen> {
        self.play_with(Millis::abs)
    }

    fn play_with(&self, pace: impl Fn(Millis) -> Millis) -> Vec<Seen> {
        let (mut state, mut now) = (self.start.clone(), 0);
        let mut seen = Vec::new();
        for Move { clock, deed } in &self.moves {
            now += pace(*clock);
            let op = deed.op(&state, now);
            let (after, outcome) = step(&state, &op, now);
            seen.push(Seen { before: state, op, now, after: after.clone(), outcome });
            state = after;
        }
        seen
    }
}

impl Deed {
    fn op(&self, state: &State, now: Millis) -> Op {
        match self {
            Self::Ours(op) => op.clone(),
            Self::OldWrite(row, ttl) => {
                Op::OldUpsert(OldRow { acquired: now, expires: now + ttl, ..row.clone() })
            }
            Self::OldRenew(resource, ttl) => {
                let Some(held) = state.get(resource) else {
                    return Op::Check { resource: resource.clone() };
                };
                // An old engine computes the expiry from its own clock and keeps the rest.
                Op::OldUpsert(OldRow {
                    resource: resource.clone(),
                    session: held.owner.session.clone(),
                    epoch: None,
                    agent: "old".to_owned(),
                    acquired: held.acquired,
                    expires: held.acquired.max(now) + ttl,
                    note: None,
                })
            }
        }
    }
}

/// Whether the operation is one of our write transactions.
pub(crate) fn is_our_write(op: &Op) -> bool {
    let ends = matches!(op, Op::Release { .. } | Op::End { .. } | Op::EndSession { .. });
    let begins = matches!(op, Op::Begin { .. } | Op::SubagentStart { .. } | Op::Post { .. });
    begins || ends || matches!(op, Op::Acquire { .. } | Op::Reap)
}
