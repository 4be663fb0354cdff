//! Schedules from files, on the command line.

use std::error::Error;
use std::fs;
use std::path::Path;

use indicatif::ProgressBar;

use crate::run::Report;
use crate::schedule::Schedule;
use crate::shrink;
use crate::{lanes, picture};

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
    require_fresh(&report)?;
    let seen = report.violation.as_ref().map(|violation| violation.oracle);
    match &report.violation {
        Some(violation) => println!("violated: {}: {}", violation.oracle, violation.detail),
        None => println!("no oracle says anything against it"),
    }
    println!("points={} trace={:016x}", report.points, report.hash);
    Ok(seen == schedule.violates.as_deref())
}

fn require_fresh(report: &Report) -> Result<(), Box<dyn Error>> {
    match &report.stale {
        None => Ok(()),
        Some(stale) => {
            let why = format!("stale schedule: at point {}, {}", stale.at, stale.why);
            Err(format!("{why}. The code has changed since it was found: find it anew").into())
        }
    }
}

/// Makes the schedule of a file smaller and writes it. True when it went wrong at all.
///
/// # Errors
/// A file that cannot be read or written, and a schedule that is stale.
pub fn shrink(file: &Path, out: &Path) -> Result<bool, Box<dyn Error>> {
    let mut schedule = Schedule::read(file)?;
    let report = schedule.run();
    require_fresh(&report)?;
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

/// The smallest schedule, with its progress on standard error.
pub(crate) fn shrunk(schedule: &Schedule) -> Schedule {
    let bar = ProgressBar::new_spinner();
    let small = shrink::shrink(schedule, &mut |now| {
        bar.set_message(format!("shrinking: {}", shrink::size(now)));
        bar.tick();
    });
    bar.finish_and_clear();
    small
}
