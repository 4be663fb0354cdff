//! The small world: who is in it, what there is to write, and what can happen.

use std::fmt;

use leasehold_model::{Context, End, Millis, Op, Owner, Resource, State, Terms, step};

use crate::told;

pub(super) const SESSIONS: [&str; 3] = ["s1", "s2", "s3"];
pub(super) const EPOCHS: [&str; 2] = ["t1", "t2"];
/// The last two are alike, and lie in the first.
pub(super) const PATHS: [&str; 3] = ["/r", "/r/a", "/r/b"];
/// What is acquired at once, as places in [`PATHS`].
const SETS: [&[usize]; 6] = [&[0], &[1], &[2], &[1, 2], &[0, 1], &[0, 2]];
/// How long a lease lasts.
pub(super) const TTL_MS: Millis = 8;

/// Something that can happen.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Move {
    /// Somebody asks for something.
    Ask(Box<Op>),
    /// The clock steps.
    Clock(Clock),
}

/// How the clock steps.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Clock {
    /// A little more than a quarter of a TTL, after which a lease is renewed.
    Quarter,
    /// To the very moment at which the next lease expires; nowhere where none is live.
    Expiry,
    /// A little more than a TTL.
    Ttl,
    /// Half a TTL back.
    Back,
}

/// A state and the time.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Moment {
    pub(super) state: State,
    pub(super) now: Millis,
}

impl Moment {
    /// A new database.
    pub(super) fn first() -> Self {
        let now = 0;
        let open = Op::Open { boot: "boot".to_owned() };
        Self { state: step(&State::empty(), &open, now).0, now }
    }
}

impl Clock {
    const ALL: [Self; 4] = [Self::Quarter, Self::Expiry, Self::Ttl, Self::Back];

    /// The time after the step.
    pub(super) fn from(self, moment: &Moment) -> Option<Millis> {
        let Moment { state, now } = moment;
        let live = state.leases.iter().filter(|lease| lease.is_live(*now));
        match self {
            Self::Quarter => Some(now + TTL_MS / 4 + 1),
            Self::Expiry => live.map(|lease| lease.expires).min(),
            Self::Ttl => Some(now + TTL_MS + 1),
            Self::Back => Some(now - TTL_MS / 2),
        }
    }
}

/// All that can happen.
pub(super) fn moves() -> Vec<Move> {
    let asked = SESSIONS.iter().flat_map(|session| {
        EPOCHS.iter().flat_map(|epoch| {
            asked_by(&Owner { session: (*session).to_owned(), epoch: (*epoch).to_owned() })
        })
    });
    let clock = Clock::ALL.map(Move::Clock);
    asked.chain([Op::Reap]).map(|op| Move::Ask(Box::new(op))).chain(clock).collect()
}

fn asked_by(owner: &Owner) -> Vec<Op> {
    let mut asked: Vec<Op> = SETS.iter().map(|set| acquire(owner, set, false)).collect();
    // A hook's write may begin its turn.
    asked.extend(SETS[..3].iter().map(|set| acquire(owner, set, true)));
    let context = Context::default();
    asked.push(Op::Release { owner: owner.clone(), hand_over: false });
    asked.push(Op::Begin { owner: owner.clone(), context: context.clone() });
    asked.push(Op::End { owner: owner.clone(), how: End::Stop(None), context });
    asked
}

fn acquire(owner: &Owner, set: &[usize], begins: bool) -> Op {
    Op::Acquire {
        owner: owner.clone(),
        resources: set.iter().map(|path| Resource::new(PATHS[*path])).collect(),
        trees: Vec::new(),
        terms: Terms { agent: "agent".to_owned(), ttl: TTL_MS, note: None },
        call: None,
        context: Context { begins, ..Context::default() },
    }
}

impl fmt::Display for Move {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Ask(op) => f.write_str(&told::op(op)),
            Self::Clock(Clock::Quarter) => f.write_str("a quarter of the TTL passes"),
            Self::Clock(Clock::Expiry) => f.write_str("the next lease expires"),
            Self::Clock(Clock::Ttl) => f.write_str("the TTL passes"),
            Self::Clock(Clock::Back) => f.write_str("the clock steps back"),
        }
    }
}
