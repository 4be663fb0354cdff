//! Goal: what once went wrong in the simulator does not go wrong again.
//!
//! Method: each kept schedule is run by its list as far as that fits. Code that was mended since
//! has other points, so the same scenario, with the same faults, is also run by chance, and by its
//! list with the faults at every point. A schedule of which nothing fits any more would pass too,
//! so that is looked at as well.

use std::fs;
use std::path::PathBuf;

use leasehold_sim::run::{Course, Report, run};
use leasehold_sim::schedule::Schedule;

/// By how many drawn courses each scenario is run.
const COURSES: u64 = 60;

/// The same, with the last of its faults at this point, and the others as far before it.
fn moved(schedule: &Schedule, at: u64) -> Schedule {
    let mut schedule = schedule.clone();
    let last = schedule.faults.last().map_or(0, |fault| fault.at);
    for fault in &mut schedule.faults {
        fault.at = (at + fault.at).saturating_sub(last).max(1);
    }
    schedule
}

#[test]
fn no_kept_schedule_goes_wrong() {
    let folder = PathBuf::from(concat!(env!("CARGO_MANIFEST_DIR"), "/../regressions/simulator"));
    let mut replayed = 0;
    for entry in fs::read_dir(folder).expect("the folder of regressions") {
        let path = entry.expect("an entry").path();
        let schedule = Schedule::read(&path).expect("a schedule");
        let listed = run(&schedule.as_run(Course::Loose(schedule.preemptions.clone())));
        assert_eq!(listed.violation, None, "{}", path.display());
        let is_course = schedule.preemptions.is_empty() || !listed.taken.is_empty();
        assert!(is_course, "{}: nothing of its list fits", path.display());
        let strikes = |report: &Report| report.struck.len() == schedule.faults.len();
        let mut struck = strikes(&listed);
        for seed in 0..COURSES {
            let per_mille = [20, 300, 1000][usize::try_from(seed % 3).expect("small")];
            let drawn = run(&schedule.as_run(Course::Random { seed, per_mille }));
            assert_eq!(drawn.violation, None, "{}, seed {seed}", path.display());
            struck |= strikes(&drawn);
        }
        let points = if schedule.faults.is_empty() { 0 } else { listed.points };
        for at in 1..=points {
            let moved = moved(&schedule, at);
            let moved = run(&moved.as_run(Course::Loose(schedule.preemptions.clone())));
            assert_eq!(moved.violation, None, "{}, faults at {at}", path.display());
            struck |= strikes(&moved);
        }
        assert!(struck, "{}: its faults never strike", path.display());
        replayed += 1;
    }
    assert!(replayed > 0, "no regression was found to replay");
}
