//! Who goes on at each point of a run.

use std::collections::BTreeMap;

use rand_chacha::ChaCha8Rng;
use rand_chacha::rand_core::Rng as _;
use serde::{Deserialize, Serialize};

use super::kind::Kind;

/// Another process than the usual one goes on. The usual one is the process that is running, and
/// where it cannot go on, the next one by number that can.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Preemption {
    /// The number of the point, from 1.
    pub at: u64,
    /// What the process that is left is about to do. Where that is something else, the schedule is
    /// stale.
    pub kind: Kind,
    /// Who goes on.
    pub to: usize,
}

/// Of so many switches by chance, one is to somebody who waits for a moment that has not come.
const WAKES_ONE_IN: u32 = 16;

/// How it is chosen who goes on.
pub(crate) enum Plan {
    /// By a list.
    Listed(BTreeMap<u64, Preemption>),
    /// By a list that may have been made for another run: what does not fit in it is left out.
    Loose(BTreeMap<u64, Preemption>),
    /// By chance: so many times of a thousand somebody else, where somebody else can go on. Now
    /// and then that is somebody whose moment comes early.
    Random(Box<ChaCha8Rng>, u32),
}

/// A list names a point at which it is not as the list says.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Stale {
    /// The point.
    pub at: u64,
    /// What the list says of it, and what it is.
    pub why: String,
}

impl Plan {
    /// By this list.
    pub(crate) fn listed(preemptions: &[Preemption]) -> Self {
        Self::Listed(preemptions.iter().map(|one| (one.at, *one)).collect())
    }

    /// By this list, as far as it fits.
    pub(crate) fn loose(preemptions: &[Preemption]) -> Self {
        Self::Loose(preemptions.iter().map(|one| (one.at, *one)).collect())
    }

    /// Chooses one of those that can go on, of whom there is at least one, or of those who wait for
    /// a moment: time passes as it likes, also in the middle of somebody's transaction.
    pub(crate) fn choose(
        &mut self,
        at: u64,
        kind: Kind,
        usual: usize,
        ready: &[usize],
        parked: &[usize],
    ) -> Result<usize, Stale> {
        let can = |one: &usize| ready.contains(one) || parked.contains(one);
        match self {
            Self::Listed(list) => {
                let Some(listed) = list.get(&at) else { return Ok(usual) };
                if listed.kind != kind {
                    let (says, is) = (listed.kind.name(), kind.name());
                    return Err(Stale { at, why: format!("it says `{says}`, and it is `{is}`") });
                }
                if !can(&listed.to) {
                    let why = format!("process {} cannot go on", listed.to);
                    return Err(Stale { at, why });
                }
                Ok(listed.to)
            }
            Self::Loose(list) => {
                let listed = list.get(&at).map_or(usual, |listed| listed.to);
                Ok(if can(&listed) { listed } else { usual })
            }
            Self::Random(rng, per_mille) => {
                if ready.len() + parked.len() < 2 || rng.next_u32() % 1000 >= *per_mille {
                    return Ok(usual);
                }
                let wakes = !parked.is_empty() && rng.next_u32().is_multiple_of(WAKES_ONE_IN);
                let all = if wakes { parked } else { ready };
                let others: Vec<usize> = all.iter().copied().filter(|one| *one != usual).collect();
                if others.is_empty() {
                    return Ok(usual);
                }
                Ok(others[rng.next_u32() as usize % others.len()])
            }
        }
    }
}
