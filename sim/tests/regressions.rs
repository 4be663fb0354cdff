//! Goal: what once went wrong in the simulator does not go wrong again.
//!
//! Method: each kept schedule is run by its list as far as that fits. Code that was mended since
//! has other points, so the same scenario, with the same faults, is also run by chance.

use std::fs;
use std::path::PathBuf;

use leasehold_sim::run::{Course, run};
use leasehold_sim::schedule::Schedule;

/// By how many drawn courses each scenario is run.
const COURSES: u64 = 60;

#[test]
fn no_kept_schedule_goes_wrong() {
    let folder = PathBuf::from(concat!(env!("CARGO_MANIFEST_DIR"), "/../regressions/simulator"));
    let mut replayed = 0;
    for entry in fs::read_dir(folder).expect("the folder of regressions") {
        let path = entry.expect("an entry").path();
        let schedule = Schedule::read(&path).expect("a schedule");
        let listed = run(&schedule.as_run(Course::Loose(schedule.preemptions.clone())));
        assert_eq!(listed.violation, None, "{}", path.display());
        for seed in 0..COURSES {
            let per_mille = [20, 300, 1000][usize::try_from(seed % 3).expect("small")];
            let drawn = run(&schedule.as_run(Course::Random { seed, per_mille }));
            assert_eq!(drawn.violation, None, "{}, seed {seed}", path.display());
        }
        replayed += 1;
    }
    assert!(replayed > 0, "no regression was found to replay");
}
