//! Random walks: sequences of operations by a few sessions on a few overlapping paths.
//!
//! The walk is small on purpose, so that its owners meet all the time: three sessions under five
//! spellings, four epochs, six paths. Its clock mostly creeps, sometimes stands, jumps or steps
//! back, and it begins in a new database or in one that an old engine left behind.

#![allow(dead_code, reason = "each test file needs only some of it")]

use leasehold_model::{
    Form, Millis, OldRow, Op, Outcome, Owner, RESERVED_EPOCH, Resource, State, step,
};
use proptest::collection::vec;
use proptest::prelude::*;
use proptest::sample::select;
use proptest::test_runner::{Config, RngSeed, TestCaseResult, TestRunner};

use super::common::{old_row, resource, terms, with_epoch};

const SESSIONS: [&str; 5] = ["s1", "agent/s1", "s2", "Agent/AGENT/s2", "s3"];
const EPOCHS: [&str; 4] = ["", "t1", "t2", "agent:a"];
/// The last two are two names of one file.
const PATHS: [&str; 6] = ["/r", "/r/a", "/r/a/x", "/r/ab", "/r/b#7", "/q#7"];

/// Runs a property over many walks, the same ones each time. `PROPTEST_CASES` asks for more.
pub(crate) fn always(property: impl Fn(&Walk) -> TestCaseResult) {
    let asked = Config::default();
    let config = Config {
        cases: asked.cases.max(256),
        failure_persistence: None,
        rng_seed: RngSeed::Fixed(1),
        ..asked
    };
    let result = TestRunner::new(config).run(&walks(), |walk| property(&walk));
    assert!(result.is_ok(), "{}", result.expect_err("checked"));
}

/// How a walk begins, and what happens in it.
#[derive(Clone, Debug)]
pub(crate) struct Walk {
    start: State,
    moves: Vec<Move>,
}

/// What happens, and how far the clock goes first.
#[derive(Clone, Debug)]
struct Move {
    clock: Millis,
    deed: Deed,
}

#[derive(Clone, Debug)]
enum Deed {
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
    let releases = matches!(op, Op::Release { .. } | Op::HandOver { .. } | Op::EndSession { .. });
    releases || matches!(op, Op::Acquire { .. } | Op::Reap)
}

fn walks() -> impl Strategy<Value = Walk> {
    let open = Just(Move { clock: 0, deed: Deed::Ours(Op::Open { boot: "boot 1".to_owned() }) });
    (starts(), open, vec(moves(), 1..40)).prop_map(|(start, open, mut moves)| {
        moves.insert(0, open);
        Walk { start, moves }
    })
}

fn starts() -> impl Strategy<Value = State> {
    let form = select(vec![Form::First, Form::Second, Form::Third]);
    let legacy = (form, vec(old_rows(), 1..6)).prop_map(|(form, rows)| {
        let rows: Vec<OldRow> = rows
            .into_iter()
            .map(|(row, ttl)| fitting(form, OldRow { expires: 3 * ttl, ..row }))
            .collect();
        State::legacy(form, &rows)
    });
    prop_oneof![1 => Just(State::empty()), 3 => legacy]
}

/// The row as a database of that form can hold it.
fn fitting(form: Form, row: OldRow) -> OldRow {
    match form {
        Form::First => OldRow { epoch: None, ..row },
        Form::Third if row.epoch.is_none() => with_epoch(row, RESERVED_EPOCH),
        Form::Second | Form::Third => row,
    }
}

fn moves() -> impl Strategy<Value = Move> {
    let clock = prop_oneof![3 => Just(0), 5 => 1..6_i64, 1 => 20..60_i64, 1 => -30..0_i64];
    (clock, deeds()).prop_map(|(clock, deed)| Move { clock, deed })
}

fn deeds() -> impl Strategy<Value = Deed> {
    prop_oneof![
        16 => ours().prop_map(Deed::Ours),
        1 => old_rows().prop_map(|(row, ttl)| Deed::OldWrite(row, ttl)),
        1 => (resources(), 1..20_i64).prop_map(|(resource, ttl)| Deed::OldRenew(resource, ttl)),
    ]
}

fn ours() -> impl Strategy<Value = Op> {
    let acquire = (owners(), vec(resources(), 1..4), 1..20_i64)
        .prop_map(|(owner, resources, ttl)| Op::Acquire { owner, resources, terms: terms(ttl) });
    let release =
        (owners(), any::<bool>()).prop_map(|(owner, hand_over)| Op::Release { owner, hand_over });
    let begin = owners().prop_map(|owner| Op::HandOver { owner });
    let end = owners().prop_map(|owner| Op::EndSession { session: owner.session });
    let delete = owners().prop_map(|owner| Op::OldDelete { session: owner.session });
    let boot = select(vec!["boot 1", "boot 2"]);
    prop_oneof![
        16 => acquire,
        6 => release,
        4 => begin,
        1 => end,
        1 => delete,
        1 => resources().prop_map(|resource| Op::Check { resource }),
        1 => Just(Op::Reap),
        1 => boot.prop_map(|boot| Op::Open { boot: boot.to_owned() }),
    ]
}

fn owners() -> impl Strategy<Value = Owner> {
    (select(&SESSIONS), select(&EPOCHS))
        .prop_map(|(session, epoch)| Owner::new(session, epoch).expect("a good name"))
}

fn resources() -> impl Strategy<Value = Resource> {
    select(&PATHS).prop_map(resource)
}

/// A row of an old engine that begins at 0, and how long it lasts.
fn old_rows() -> impl Strategy<Value = (OldRow, Millis)> {
    let epoch = prop_oneof![2 => Just(None), 1 => select(&EPOCHS).prop_map(Some)];
    (select(vec!["s1", "s2"]), select(&PATHS), epoch, 1..20_i64).prop_map(
        |(session, path, epoch, ttl)| {
            let row = old_row(session, path, 0, 0);
            (epoch.iter().fold(row, |row, epoch| with_epoch(row, epoch)), ttl)
        },
    )
}
