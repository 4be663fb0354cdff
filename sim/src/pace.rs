//! How many schedules a second the simulator runs.

use std::time::{Duration, Instant};

use crate::explore::one_acquire_each;
use crate::run::{Course, Run, run};
use crate::scenario::{Journal, Start};

/// How long each scenario is run.
const SPAN: Duration = Duration::from_secs(3);

/// Prints a line for each of some scenarios. One thread does the work, so on a quiet machine a
/// second is one of the processor's. True when nothing goes wrong.
pub fn run_all() -> bool {
    let scenarios = [
        (8, Start::Ready, Journal::Log, "processes=8 start=warm journal=log"),
        (8, Start::Ready, Journal::Rollback, "processes=8 start=warm journal=rollback"),
        (8, Start::Empty, Journal::Log, "processes=8 start=cold journal=log"),
        (2, Start::Ready, Journal::Log, "processes=2 start=warm journal=log"),
    ];
    scenarios.into_iter().all(|(processes, start, journal, name)| {
        let scenario = one_acquire_each(processes, start, journal);
        let started = Instant::now();
        let (mut schedules, mut points) = (0_u32, 0_u64);
        let mut right = true;
        while started.elapsed() < SPAN {
            let course = Course::Random { seed: schedules.into(), per_mille: 300 };
            let plain = Run::plain(&scenario, course);
            let report = run(&Run { checks_integrity: false, ..plain });
            right &= report.violation.is_none();
            schedules += 1;
            points += report.points;
        }
        let pace = f64::from(schedules) / started.elapsed().as_secs_f64();
        let points = points / u64::from(schedules.max(1));
        println!("{name}: schedules/s={pace:.0} points each={points}");
        right
    })
}
