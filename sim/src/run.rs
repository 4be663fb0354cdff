//! One run: a scenario on the machine, by a plan, held against the oracles.

mod judge;
mod start;

use std::collections::BTreeSet;
use std::rc::Rc;
use std::sync::{Mutex, MutexGuard, PoisonError};

pub use crate::machine::disk::Loss;
pub use crate::machine::fault::{Fault, Mishap};
pub use crate::machine::kind::Kind;
pub use crate::machine::plan::{Preemption, Stale};
pub use crate::machine::{Choice, Controls, Event, Point};
pub use crate::oracle::Violation;

use crate::executor::{self, Body};
pub(crate) use judge::judge;
pub(crate) use start::state_at_start;

use crate::machine::plan::Plan;
use crate::machine::{self, Setup};
use crate::oracle::Fences;
use crate::process;
use crate::rare::{self, Rare};
use crate::scenario::{Journal, Scenario};
use crate::vfs;

use rand_chacha::ChaCha8Rng;
use rand_chacha::rand_core::SeedableRng as _;

/// Who goes on when, and what goes wrong.
#[derive(Clone, Debug)]
pub enum Course {
    /// As listed. One list is for all boots, whose points are numbered without a break.
    Listed(Vec<Preemption>),
    /// As listed, as far as the list fits.
    Loose(Vec<Preemption>),
    /// By chance, from this seed: so many times of a thousand somebody else goes on.
    Random {
        /// The seed.
        seed: u64,
        /// How often of a thousand.
        per_mille: u32,
    },
}

/// How a scenario is run.
#[derive(Clone, Debug)]
pub struct Run<'s> {
    /// What happens.
    pub scenario: &'s Scenario,
    /// Who goes on when.
    pub course: Course,
    /// What goes wrong, in the order of the points.
    pub faults: Vec<Fault>,
    /// The seed of the machine's own randomness.
    pub seed: u64,
    /// Whether all points are listed.
    pub keeps_trace: bool,
    /// Whether it is listed who could have gone on at each point.
    pub keeps_choices: bool,
    /// Whether the whole database is checked at the end.
    pub checks_integrity: bool,
    /// What is broken on purpose.
    pub controls: Controls,
}

impl<'s> Run<'s> {
    /// A run in which nothing goes wrong.
    pub fn plain(scenario: &'s Scenario, course: Course) -> Self {
        Self {
            scenario,
            course,
            faults: Vec::new(),
            seed: 0,
            keeps_trace: false,
            keeps_choices: false,
            checks_integrity: true,
            controls: Controls::default(),
        }
    }
}

/// What came of a run.
#[derive(Clone, Debug)]
pub struct Report {
    /// A number that two runs share only if they are the same.
    pub hash: u64,
    /// How many points it had.
    pub points: u64,
    /// Where another than the usual process went on.
    pub taken: Vec<Preemption>,
    /// What went wrong.
    pub struck: Vec<Fault>,
    /// What an oracle says against it.
    pub violation: Option<Violation>,
    /// Where the list was not fit for it.
    pub stale: Option<Stale>,
    /// The points, where they were asked for.
    pub trace: Vec<Event>,
    /// Who could have gone on at each point, where that was asked for.
    pub choices: Vec<Choice>,
    /// How many calls were made.
    pub calls: u32,
    /// How many changes of files were not synced when the power went.
    pub unsynced: u32,
    /// The rare situations that it was in.
    pub seen: BTreeSet<Rare>,
}

/// Runs a scenario.
///
/// # Panics
/// When the database at its start cannot be made.
pub fn run(run: &Run<'_>) -> Report {
    let _turn = turn();
    let scenario = run.scenario;
    boot_machine(run);
    let (mut plan, mut faults) = course(run);
    let mut calls = 0;
    let mut verdict = Ok(vec![state_at_start(&scenario.start)]);
    let mut fences = Fences::default();
    for boot in 0..scenario.boots.len() {
        let Ok(states) = verdict else { break };
        machine::with(|machine| machine.begin(scenario.boots[boot].len(), plan, faults));
        executor::run(bodies(scenario, boot));
        let (power_went, rest) = machine::with(|machine| {
            let rest = machine.finish();
            (machine.lose_power(), rest)
        });
        (plan, faults) = rest;
        let made = process::take_calls();
        calls += u32::try_from(made.len()).unwrap_or(u32::MAX);
        machine::with(|machine| {
            machine.seen.extend(made.iter().filter_map(rare::of_call));
            if boot == 0 {
                machine.seen.extend(rare::of_openers(&scenario.start, &made));
            }
            if power_went && made.iter().any(rare::is_grant) {
                machine.seen.insert(Rare::PowerAfterGrant);
            }
        });
        verdict = judge(run, boot, states, &made, power_went, &mut fences);
    }
    if verdict.is_ok() && machine::with(|machine| machine.endless) {
        let detail = "the processes never come to an end".to_owned();
        verdict = Err(Violation { oracle: "liveness", detail });
    }
    machine::with(machine::Machine::mix_disk);
    machine::with(|machine| Report {
        hash: machine.hash(),
        points: machine.points(),
        taken: std::mem::take(&mut machine.taken),
        struck: std::mem::take(&mut machine.struck),
        violation: verdict.err(),
        stale: machine.stale.take(),
        trace: machine.take_trace(),
        choices: machine.choices.take().unwrap_or_default(),
        calls,
        unsynced: machine.unsynced,
        seen: std::mem::take(&mut machine.seen),
    })
}

/// Waits until nobody else runs anything: SQLite's random numbers belong to the whole program.
pub(crate) fn turn() -> MutexGuard<'static, ()> {
    static ONE_AT_A_TIME: Mutex<()> = Mutex::new(());
    ONE_AT_A_TIME.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Begins with the machine as it is before the first process.
pub(crate) fn boot_machine(run: &Run<'_>) {
    vfs::install();
    let scenario = run.scenario;
    let mut disk = start::disk_at_start(&scenario.start, scenario.journal);
    if run.faults.iter().any(|fault| matches!(fault.what, Mishap::PowerLoss(_))) {
        disk.keep_durable();
    }
    disk.is_powersafe = scenario.powersafe_overwrite;
    disk.lies = run.controls.lying_disk;
    machine::boot(Setup {
        disk,
        seed: run.seed,
        no_shared_memory: scenario.journal == Journal::Rollback,
        keeps_trace: run.keeps_trace,
        keeps_choices: run.keeps_choices,
        controls: run.controls,
    });
    vfs::forget_randomness();
}

/// Who goes on when, and what goes wrong.
pub(crate) fn course(run: &Run<'_>) -> (Plan, Vec<Fault>) {
    let plan = match &run.course {
        Course::Listed(list) => Plan::listed(list),
        Course::Loose(list) => Plan::loose(list),
        Course::Random { seed, per_mille } => {
            Plan::Random(Box::new(ChaCha8Rng::seed_from_u64(*seed)), *per_mille)
        }
    };
    let mut faults = run.faults.clone();
    if !matches!(run.course, Course::Listed(_)) {
        // They were seen in another course.
        for fault in &mut faults {
            fault.kind = None;
        }
    }
    (plan, faults)
}

/// What the processes of one boot do.
pub(crate) fn bodies(scenario: &Scenario, boot: usize) -> Vec<Body> {
    let scenario = Rc::new(scenario.clone());
    let body = |number: usize| -> Body {
        let scenario = Rc::clone(&scenario);
        Box::new(move || {
            process::run(number, &scenario.boots[boot][number], &scenario, boot);
        })
    };
    (0..scenario.boots[boot].len()).map(body).collect()
}
