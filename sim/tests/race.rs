//! Goal: the rules hold among real processes, and a race can tell when they do not.
//! Method: a few rounds of each mode; the long ones are `leasehold-sim race`.

use std::path::PathBuf;
use std::process::Command;

use leasehold_sim::race::{Mode, Race, Report};

/// The binary, built from today's sources.
fn binary() -> PathBuf {
    let built = Command::new(env!("CARGO")).args(["build", "-q", "-p", "leasehold"]).status();
    assert!(built.expect("cargo runs").success(), "the binary cannot be built");
    let test = std::env::current_exe().expect("this test's path");
    let folder = test.ancestors().nth(2).expect("the build folder");
    folder.join("leasehold")
}

fn race(mode: Mode, racers: usize, rounds: usize) -> Report {
    Race { binary: binary(), mode, racers, rounds, seed: 7 }.run().expect("the race is run")
}

#[track_caller]
fn is_right(report: &Report) {
    assert!(report.right, "{report:#?}");
}

#[test]
fn one_of_eight_gets_the_file_and_the_others_are_told_who() {
    let report = race(Mode::OneFile, 8, 20);
    is_right(&report);
    assert_eq!(report.line, "rounds=20 one_winner=20 busy=140 wrong_holder=0 errors=0");
}

#[test]
fn racers_that_are_killed_leave_at_most_one_holder() {
    let report = race(Mode::Killed, 8, 20);
    is_right(&report);
    assert!(!report.line.contains("killed=0 "), "nobody was killed: {}", report.line);
}

#[test]
fn all_first_openers_of_a_legacy_database_succeed() {
    let report = race(Mode::Openers, 24, 2);
    is_right(&report);
    assert_eq!(report.line, "waves=2 openers=48 failed=0 rows_lost=0");
}

#[test]
fn overlapping_sets_are_granted_as_the_model_says() {
    is_right(&race(Mode::Sets, 8, 20));
}

/// The canary: a program that grants everything must be found out.
#[cfg(unix)]
#[test]
fn a_lock_that_locks_nothing_is_found_out() {
    for mode in [Mode::OneFile, Mode::Sets] {
        let race = Race { binary: PathBuf::from("/bin/true"), mode, racers: 3, rounds: 2, seed: 7 };
        let report = race.run().expect("the race is run");
        assert!(!report.right, "{report:#?}");
    }
}
