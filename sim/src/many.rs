//! Many drawn runs, one after the other.

use std::collections::BTreeMap;
use std::path::Path;
use std::time::Instant;

use indicatif::{ProgressBar, ProgressStyle};

use crate::draw::Drawn;
use crate::rare::Rare;
use crate::run::{self, Report};
use crate::schedule::Schedule;
use crate::{lanes, replay, shrink};

/// Where a schedule that goes wrong is written.
const FOUND: &str = "simulator-found.json";

/// One run in so many is repeated, and must be the same to the last point.
const REPEATED: u64 = 20;

/// Runs so many drawn scenarios. True when no oracle says anything against any of them. Stops at
/// the first that fails and prints it.
pub fn run(first_seed: u64, schedules: u64, shrinks: bool) -> bool {
    let bar = ProgressBar::new(schedules);
    let style = ProgressStyle::with_template("{bar:20} {pos}/{len} {per_sec} {eta}");
    bar.set_style(style.unwrap_or_else(|_| ProgressStyle::default_bar()));
    let started = Instant::now();
    let mut seen = BTreeMap::<Rare, u64>::new();
    let (mut points, mut calls, mut faults, mut hash) = (0, 0, 0, 0_u64);
    for seed in first_seed..first_seed.saturating_add(schedules) {
        let drawn = Drawn::from_seed(seed);
        let report = run::run(&drawn.run());
        if seed % REPEATED == 0 {
            let mut again = drawn.run();
            again.keeps_trace = true;
            let again = run::run(&again);
            if again.hash != report.hash || again.points != report.points {
                println!("seed {seed} gave two different runs");
                return false;
            }
        }
        if let Some(violation) = &report.violation {
            bar.finish_and_clear();
            println!("seed {seed}: {}: {}", violation.oracle, violation.detail);
            write_down(&drawn, &report, shrinks);
            return false;
        }
        for rare in report.seen {
            *seen.entry(rare).or_default() += 1;
        }
        points += report.points;
        calls += u64::from(report.calls);
        faults += report.struck.len();
        hash = hash.rotate_left(7) ^ report.hash;
        bar.inc(1);
    }
    bar.finish_and_clear();
    for rare in Rare::ALL {
        println!("{:>9}  {}", seen.get(&rare).unwrap_or(&0), rare.name());
    }
    let seconds = started.elapsed().as_secs_f64();
    println!(
        "schedules={schedules} points={points} calls={calls} faults={faults} violations=0 \
         trace={hash:016x} seconds={seconds:.1}"
    );
    true
}

/// Shrinks what went wrong, draws it, and writes it to a file.
fn write_down(drawn: &Drawn, report: &Report, shrinks: bool) {
    let whole = Schedule::of_drawn(drawn, report);
    // Shrinking may take long, and be interrupted.
    if let Err(error) = whole.write(Path::new(FOUND)) {
        println!("{error}");
    }
    if !shrinks {
        return;
    }
    let small = replay::shrunk(&whole);
    print!("{}", lanes::draw(&small.run().trace));
    println!("{}", small.what);
    match small.write(Path::new(FOUND)) {
        Ok(()) => println!("{FOUND}: {}", shrink::size(&small)),
        Err(error) => println!("{error}"),
    }
}
