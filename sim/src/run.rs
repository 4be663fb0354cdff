//! One run: a scenario on the machine, by a plan, held against the oracles.

use std::cell::RefCell;
use std::collections::BTreeSet;
use std::path::Path;
use std::rc::Rc;
use std::sync::{Mutex, MutexGuard, PoisonError};

use leasehold::store::Store;
use leasehold_model::{Op, Outcome, State, step};
use rusqlite::Connection;

pub use crate::machine::disk::Loss;
pub use crate::machine::fault::{Fault, Mishap};
pub use crate::machine::kind::Kind;
pub use crate::machine::plan::{Preemption, Stale};
pub use crate::machine::{Choice, Controls, Event, Point};
pub use crate::oracle::Violation;

use crate::executor::{self, Body};
use crate::history::Call;
use crate::linear;
use crate::machine::disk::Disk;
use crate::machine::plan::Plan;
use crate::machine::{self, Setup};
use crate::oracle::{self, Fences};
use crate::process::{self, DATABASE, Made, Nowhere};
use crate::rare::{self, Rare};
use crate::scenario::{Journal, Scenario, Start};
use crate::vfs;
use crate::words;

use rand_chacha::ChaCha8Rng;
use rand_chacha::rand_core::SeedableRng as _;

/// Who goes on when, and what goes wrong.
#[derive(Clone, Debug)]
pub enum Course {
    /// As listed: one list of preemptions for each boot is enough, for points are numbered through.
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

/// The longest history for which an order is searched.
const CALLS_MAX: usize = 24;
/// The most calls in doubt in it.
const DOUBTS_MAX: usize = 4;
/// How many steps of the model that may take: more is an error.
const BUDGET: u64 = 1_000_000;

thread_local! {
    /// Disks that are used again and again, as they are at the start.
    static READY: RefCell<Vec<((Start, Journal), Disk)>> = const { RefCell::new(Vec::new()) };
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
    let mut disk = disk_at_start(&scenario.start, scenario.journal);
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

/// Holds one boot against the oracles. Gives the states in which the next one may begin.
pub(crate) fn judge(
    run: &Run<'_>,
    boot: usize,
    states: Vec<State>,
    made: &[Made],
    power_went: bool,
    fences: &mut Fences,
) -> Result<Vec<State>, Violation> {
    let fails = |fault: &Fault| matches!(fault.what, Mishap::Error | Mishap::Full);
    let disk_fails = run.faults.iter().any(fails);
    let allowed: &[&str] =
        if disk_fails { &["busy", "io", "full", "unopenable"] } else { &["busy"] };
    fences.see(made)?;
    let starts = states.clone();
    for failure in process::take_chores() {
        oracle::failure("the log is emptied", &failure, allowed)?;
    }
    let versions = oracle::replay(states, made, run.scenario, allowed)?;
    linear(&starts, made)?;
    machine::with(|machine| machine.seen.extend(&versions.seen));
    let states = if power_went { versions.after_power_loss() } else { versions.last() };
    // Whoever looks also mends what a killed process has left, and that is for the next boot.
    if boot + 1 < run.scenario.boots.len() {
        return Ok(states);
    }
    let states = look(run, boot + usize::from(power_went), states)?;
    if run.checks_integrity {
        integrity()?;
    }
    Ok(states)
}

/// Holds what is left in the end against the model: the leases, and what owners are told who ask
/// once more.
fn look(run: &Run<'_>, boot: usize, states: Vec<State>) -> Result<Vec<State>, Violation> {
    let asked = if run.checks_integrity { run.scenario.questions() } else { Vec::new() };
    let rows = process::audit(run.scenario, boot, &asked);
    let mut audit = process::take_calls();
    let asked = audit.split_off(audit.len().min(1));
    let versions = oracle::replay(states, &audit, run.scenario, &[])?;
    let Some(rows) = rows else {
        let detail = format!("the database cannot be read in the end: {audit:?}");
        return Err(Violation { oracle: "rows", detail });
    };
    let states = oracle::rows(versions.last(), &rows)?;
    Ok(oracle::replay(states, &asked, run.scenario, &[])?.last())
}

/// A second opinion, of somebody who knows nothing of commits: whether some order of the calls
/// explains the answers. Long histories are left to the first.
fn linear(starts: &[State], made: &[Made]) -> Result<(), Violation> {
    // Who never held the lock, or was told that it is busy, has done nothing.
    let has_effect =
        |one: &&Made| (one.call.answer.is_some() || one.decided.is_some()) && !oracle::is_busy(one);
    let calls: Vec<Call> = made.iter().filter(has_effect).map(|one| one.call.clone()).collect();
    let in_doubt = calls.iter().filter(|call| call.answer.is_none()).count();
    if calls.len() > CALLS_MAX || in_doubt > DOUBTS_MAX {
        return Ok(());
    }
    // The store does not tell which of the openers upgraded.
    let told = |outcome| match words::as_told(outcome) {
        Outcome::Opened { .. } => Outcome::Opened { upgraded: false },
        other => other,
    };
    match linear::check(starts, &calls, told, BUDGET) {
        Ok(_) => Ok(()),
        Err(fault) => Err(Violation { oracle: "linear", detail: fault.to_string() }),
    }
}

fn integrity() -> Result<(), Violation> {
    let verdict = Connection::open(DATABASE).and_then(|connection| {
        connection.query_row("PRAGMA integrity_check", [], |row| row.get::<_, String>(0))
    });
    match verdict {
        Ok(verdict) if verdict == "ok" => Ok(()),
        Ok(detail) => Err(Violation { oracle: "integrity", detail }),
        Err(error) => Err(Violation { oracle: "integrity", detail: error.to_string() }),
    }
}

/// The model at the start.
pub(crate) fn state_at_start(start: &Start) -> State {
    match start {
        Start::Empty => State::empty(),
        Start::Ready => {
            let open = Op::Open { boot: process::boot_name(0) };
            step(&State::empty(), &open, machine::START_MS).0
        }
        Start::Legacy(form, rows) => State::legacy(*form, rows),
    }
}

fn disk_at_start(start: &Start, journal: Journal) -> Disk {
    let wanted = (start.clone(), journal);
    let known = READY.with_borrow(|ready| {
        ready.iter().find(|(one, _)| *one == wanted).map(|(_, disk)| disk.clone())
    });
    known.unwrap_or_else(|| {
        let disk = make_disk(start, journal);
        if !matches!(start, Start::Legacy(_, rows) if !rows.is_empty()) {
            READY.with_borrow_mut(|ready| ready.push((wanted, disk.clone())));
        }
        disk
    })
}

/// Makes the database at the start, on a machine of its own.
fn make_disk(start: &Start, journal: Journal) -> Disk {
    let no_shared_memory = journal == Journal::Rollback;
    machine::boot(Setup { no_shared_memory, ..Setup::default() });
    // What is written here, such as the salts of the log, goes into every run that begins with it.
    vfs::forget_randomness();
    match start {
        Start::Empty => {}
        Start::Ready => {
            let scenario = Scenario {
                start: Start::Empty,
                journal,
                full_sync: false,
                abandons: false,
                powersafe_overwrite: false,
                patience_ms: 0,
                boots: Vec::new(),
            };
            let options = process::options(&scenario, 0);
            Store::open(Path::new(DATABASE), options).expect("a new database");
        }
        Start::Legacy(form, rows) => {
            let connection = words::make_legacy(Path::new(DATABASE), *form);
            for row in rows {
                words::old_upsert(&connection, &Nowhere, row).expect("a row of an old engine");
            }
        }
    }
    machine::with(|machine| std::mem::take(&mut machine.disk))
}
