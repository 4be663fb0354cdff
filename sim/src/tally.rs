//! What many runs add up to.

use std::collections::BTreeMap;
use std::fmt;

use serde::{Deserialize, Serialize};

use crate::rare::Rare;
use crate::run::Report;

/// The sums.
#[derive(Debug, Default, Serialize, Deserialize)]
pub(crate) struct Tally {
    pub(crate) schedules: u64,
    points: u64,
    calls: u64,
    faults: usize,
    /// The same for the same runs, in whatever order they were made.
    trace: u64,
    seen: BTreeMap<Rare, u64>,
}

impl Tally {
    /// Takes in one run.
    pub(crate) fn take(&mut self, report: &Report) {
        self.schedules += 1;
        self.points += report.points;
        self.calls += u64::from(report.calls);
        self.faults += report.struck.len();
        self.trace = self.trace.wrapping_add(report.hash);
        for rare in &report.seen {
            *self.seen.entry(*rare).or_default() += 1;
        }
    }

    /// Takes in what another worker has added up.
    pub(crate) fn add(&mut self, other: Self) {
        self.schedules += other.schedules;
        self.points += other.points;
        self.calls += other.calls;
        self.faults += other.faults;
        self.trace = self.trace.wrapping_add(other.trace);
        for (rare, times) in other.seen {
            *self.seen.entry(rare).or_default() += times;
        }
    }

    /// How many runs were in this situation.
    pub(crate) fn of(&self, rare: Rare) -> u64 {
        self.seen.get(&rare).copied().unwrap_or(0)
    }
}

impl fmt::Display for Tally {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for rare in Rare::ALL {
            writeln!(f, "{:>9}  {}", self.of(rare), rare.name())?;
        }
        let Self { schedules, points, calls, faults, trace, .. } = self;
        write!(
            f,
            "schedules={schedules} points={points} calls={calls} faults={faults} violations=0 \
             trace={trace:016x}"
        )
    }
}
