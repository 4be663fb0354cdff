//! Schedules from files, on the command line.

use std::error::Error;
use std::fs;
use std::path::Path;

use indicatif::ProgressBar;

use crate::run::Report;
use crate::schedule::Schedule;
use crate::shrink;
use crate::{lanes, picture};

/// Where a schedule that goes wrong is written.
const FOUND: &str = "simulator-found.json";

/// Runs a schedule, draws it, in a page too where one is named, and says what came of it. True when
/// it ends as the file says.
///
/// # Errors
/// A file that cannot be read, and a schedule that is stale.
pub fn replay(file: &Path, html: Option<&Path>) -> Result<bool, Box<dyn Error>> {
    let schedule = Schedule::read(file)?;
    let report = schedule.run();
    print!("{}", lanes::draw(&report.trace));
    if let Some(html) = html {
        fs::write(html, picture::draw(&schedule.what, &report))
            .map_err(|error| format!("{}: {error}", html.display()))?;
    }
    require_fresh(&schedule, &report)?;
    let seen = report.violation.as_ref().map(|violation| violation.oracle);
    match &report.violation {
        Some(violation) => println!("violated: {}: {}", violation.oracle, violation.detail),
        None => println!("no oracle says anything against it"),
    }
    let as_expected = seen == schedule.violates.as_deref();
    if !as_expected {
        match &schedule.violates {
            Some(oracle) => println!("the file expects: violated: {oracle}"),
            None => println!("the file expects that no oracle says anything"),
        }
    }
    println!("points={} trace={:016x}", report.points, report.hash);
    Ok(as_expected)
}

fn require_fresh(schedule: &Schedule, report: &Report) -> Result<(), Box<dyn Error>> {
    let Some(stale) = schedule.unfit(report) else { return Ok(()) };
    let mut why = format!("stale schedule: at point {}, {}", stale.at, stale.why);
    if schedule.differs(report, stale.at) {
        why.push_str(". The code has changed since it was found: find it anew");
    }
    Err(why.into())
}

/// Makes the schedule of a file smaller and writes it. True when it went wrong at all.
///
/// # Errors
/// A file that cannot be read or written, and a schedule that is stale.
pub fn shrink(file: &Path, out: &Path) -> Result<bool, Box<dyn Error>> {
    let mut schedule = Schedule::read(file)?;
    let report = schedule.run();
    require_fresh(&schedule, &report)?;
    let Some(violation) = report.violation else {
        println!("no oracle says anything against it: there is nothing to shrink");
        return Ok(false);
    };
    schedule.violates = Some(violation.oracle.to_owned());
    let small = shrunk(&schedule);
    small.write(out)?;
    println!("{}: {}", out.display(), shrink::size(&small));
    Ok(true)
}

/// Writes what went wrong to a file, shrinks it if that is wanted, and draws it.
pub(crate) fn write_down(whole: &Schedule, shrinks: bool) {
    // Shrinking may take long, and be interrupted.
    if let Err(error) = whole.write(Path::new(FOUND)) {
        println!("{error}");
    }
    if !shrinks {
        println!("{FOUND}: {}", shrink::size(whole));
        return;
    }
    let small = shrunk(whole);
    print!("{}", lanes::draw(&small.run().trace));
    println!("{}", small.what);
    match small.write(Path::new(FOUND)) {
        Ok(()) => println!("{FOUND}: {}", shrink::size(&small)),
        Err(error) => println!("{error}"),
    }
}

/// The smallest schedule, with its progress on standard error.
fn shrunk(schedule: &Schedule) -> Schedule {
    let bar = ProgressBar::new_spinner();
    let small = shrink::shrink(schedule, &mut |now| {
        bar.set_message(format!("shrinking: {}", shrink::size(now)));
        bar.tick();
    });
    bar.finish_and_clear();
    small
}
