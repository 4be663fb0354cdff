//! How many schedules a second of the processor the simulator runs.
//!
//! Two kinds: the production store, whose six tables and a dozen statements SQLite has to read anew
//! in every virtual process, with all oracles; and one bare upsert on one table, without, which
//! shows what the machine itself costs.

use std::time::Duration;

use leasehold_model::{Form, OldRow, Resource};
use rusqlite::{Connection, TransactionBehavior};

use crate::executor::{self, Body};
use crate::explore::one_acquire_each;
use crate::machine;
use crate::process::{DATABASE, Nowhere};
use crate::run::{Course, Run, boot_machine, course, run};
use crate::scenario::{Journal, Scenario, Start};
use crate::words;

/// How long each scenario is run, of the processor's time.
const SPAN: Duration = Duration::from_secs(3);

/// How often of a thousand another process goes on.
const PER_MILLE: u32 = 300;

/// Prints a line for each of some scenarios. True when nothing goes wrong.
pub fn run_all() -> bool {
    println!("schedules a second of one processor, at {PER_MILLE} switches in 1000 points");
    println!("{:<44} {:>12} {:>12}", "scenario", "schedules/s", "points each");
    let rows = [
        (8, Start::Ready, Journal::Log, "8 processes, warm, log"),
        (8, Start::Ready, Journal::Rollback, "8 processes, warm, rollback journal"),
        (8, Start::Empty, Journal::Log, "8 processes, cold, log"),
        (2, Start::Ready, Journal::Log, "2 processes, warm, log"),
    ];
    let right = rows.into_iter().all(|(processes, start, journal, name)| {
        let scenario = one_acquire_each(processes, start, journal);
        pace(&format!("store: {name}"), |seed| {
            let plain = Run::plain(&scenario, Course::Random { seed, per_mille: PER_MILLE });
            let report = run(&Run { checks_integrity: false, ..plain });
            report.violation.is_none().then_some(report.points)
        })
    });
    let rows = [
        (8, Journal::Log, "8 processes, log"),
        (8, Journal::Rollback, "8 processes, rollback journal"),
        (2, Journal::Log, "2 processes, log"),
    ];
    right
        && rows.into_iter().all(|(processes, journal, name)| {
            pace(&format!("bare upsert: {name}"), |seed| bare(processes, journal, seed))
        })
}

/// Runs schedules for a while, and prints how many there were.
fn pace(name: &str, mut schedule: impl FnMut(u64) -> Option<u64>) -> bool {
    let started = processor_time();
    let (mut schedules, mut points) = (0_u32, 0_u64);
    while processor_time().saturating_sub(started) < SPAN {
        let Some(more) = schedule(schedules.into()) else {
            println!("{name}: seed {schedules} goes wrong");
            return false;
        };
        schedules += 1;
        points += more;
    }
    let spent = processor_time().saturating_sub(started);
    let pace = f64::from(schedules) / spent.as_secs_f64();
    println!("{name:<44} {pace:>12.0} {:>12}", points / u64::from(schedules.max(1)));
    true
}

/// Processes that each open the database of the first engine and write one row, as that one does.
/// Gives the number of points; none where a row cannot be written.
fn bare(processes: usize, journal: Journal, seed: u64) -> Option<u64> {
    let scenario = Scenario {
        start: Start::Legacy(Form::First, Vec::new()),
        journal,
        full_sync: false,
        abandons: false,
        powersafe_overwrite: true,
        patience_ms: 10_000,
        boots: Vec::new(),
    };
    let schedule = Run::plain(&scenario, Course::Random { seed, per_mille: PER_MILLE });
    boot_machine(&schedule);
    if journal == Journal::Log {
        let set = Connection::open(DATABASE)
            .and_then(|connection| connection.pragma_update(None, "journal_mode", "WAL"));
        set.ok()?;
    }
    let (plan, faults) = course(&schedule);
    machine::with(|machine| machine.begin(processes, plan, faults));
    let bodies = (0..processes).map(|number| -> Body {
        Box::new(move || {
            if let Err(error) = upsert(number) {
                machine::with(|machine| machine.endless = true);
                eprintln!("process {number}: {error}");
            }
        })
    });
    executor::run(bodies.collect());
    machine::with(|machine| {
        machine.finish();
        (!machine.endless).then_some(machine.points())
    })
}

fn upsert(number: usize) -> rusqlite::Result<()> {
    let mut connection = Connection::open(DATABASE)?;
    connection.busy_timeout(Duration::from_secs(10))?;
    let tx = connection.transaction_with_behavior(TransactionBehavior::Immediate)?;
    let row = OldRow {
        resource: Resource::new("/r/a"),
        session: format!("s{number}"),
        epoch: None,
        agent: "test".to_owned(),
        acquired: 0,
        expires: 60_000,
        note: None,
    };
    words::old_upsert(&tx, &Nowhere, &row)?;
    tx.commit()
}

/// What this process has used of the processor: other load does not count.
#[cfg(unix)]
fn processor_time() -> Duration {
    let time = rustix::time::clock_gettime(rustix::time::ClockId::ProcessCPUTime);
    Duration::try_from(time).unwrap_or_default()
}

/// The time that has passed: this platform is not asked for the processor's.
#[cfg(not(unix))]
fn processor_time() -> Duration {
    use std::sync::OnceLock;
    use std::time::Instant;

    static STARTED: OnceLock<Instant> = OnceLock::new();
    STARTED.get_or_init(Instant::now).elapsed()
}
