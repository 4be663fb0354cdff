//! What `explore` goes through: processes that want one file, on a database that is there and on
//! one that is not, with a log and with a rollback journal, and crashes of them also where each
//! commit is synced before it is answered.
//!
//! Each of these is a leg, and has an operating-system process of its own: SQLite's random numbers
//! are one for all threads, and a schedule must be the same again.

use std::env;
use std::io;
use std::process::{Command, Output, Stdio};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::mpsc;
use std::thread;
use std::time::Instant;

use indicatif::{ProgressBar, ProgressStyle};

use super::{crashes, one_acquire_each, preemptions};
use crate::replay;
use crate::scenario::{Journal, Scenario, Start};

/// One thing to go through.
struct Leg {
    /// As it is told.
    name: String,
    scenario: Scenario,
    /// At most so many; none where it is about crashes.
    preemptions: Option<usize>,
}

/// What is asked for.
#[derive(Clone, Copy, Debug)]
pub struct What {
    /// How many processes, each with one acquire.
    pub processes: usize,
    /// Every schedule with at most so many preemptions.
    pub preemptions: Option<usize>,
    /// Every crash.
    pub crashes: bool,
}

/// All of them. Those that take the longest come first, so that nobody waits for them in the end.
fn legs(what: What) -> Vec<Leg> {
    let processes = what.processes;
    let mut legs = Vec::new();
    for of_crashes in [false, true] {
        for (start, warmth) in [(Start::Empty, "cold"), (Start::Ready, "warm")] {
            for (journal, with) in [(Journal::Log, "log"), (Journal::Rollback, "rollback")] {
                let scenario = one_acquire_each(processes, start.clone(), journal);
                let of = format!("processes={processes} start={warmth} journal={with}");
                if !of_crashes {
                    legs.extend(what.preemptions.map(|at_most| {
                        let name = format!("preemptions<={at_most} {of}");
                        Leg { name, scenario, preemptions: Some(at_most) }
                    }));
                    continue;
                }
                for full_sync in [false, true].into_iter().filter(|_| what.crashes) {
                    let name = format!("crashes {of} full_sync={full_sync}");
                    let scenario = Scenario { full_sync, ..scenario.clone() };
                    legs.push(Leg { name, scenario, preemptions: None });
                }
            }
        }
    }
    legs
}

/// Goes through one leg, and prints a line; where something goes wrong, another one with the
/// schedule as JSON. True when nothing does; false also where there is no such leg.
pub fn one(what: What, number: usize) -> bool {
    let Some(leg) = legs(what).into_iter().nth(number) else { return false };
    let started = Instant::now();
    let explored = match leg.preemptions {
        Some(at_most) => preemptions(&leg.scenario, at_most, true, &|_| {}),
        None => crashes(&leg.scenario, &|_| {}),
    };
    println!(
        "{} schedules={} distinct={} violations={} seconds={:.1}",
        leg.name,
        explored.schedules,
        explored.distinct(),
        u8::from(explored.wrong.is_some()),
        started.elapsed().as_secs_f64(),
    );
    if let Some(wrong) = &explored.wrong {
        println!("{}", serde_json::json!(wrong));
    }
    explored.wrong.is_none()
}

/// Goes through all of them, so many at a time, until one goes wrong. True when none does.
///
/// # Errors
/// A leg that cannot be started.
pub fn all(what: What, jobs: usize) -> io::Result<bool> {
    let legs = legs(what);
    let style = ProgressStyle::with_template("{bar:24} {pos}/{len} {elapsed} {msg}");
    let bar = ProgressBar::new(legs.len() as u64)
        .with_style(style.unwrap_or_else(|_| ProgressStyle::default_bar()));
    let next = AtomicUsize::new(0);
    let (sender, ended) = mpsc::channel();
    let mut right = true;
    thread::scope(|scope| {
        for _ in 0..jobs.clamp(1, legs.len()) {
            let (sender, next, legs) = (sender.clone(), &next, &legs);
            scope.spawn(move || {
                loop {
                    let number = next.fetch_add(1, Ordering::Relaxed);
                    let ended = || sender.send(start(what, number));
                    if number >= legs.len() || ended().is_err() {
                        return;
                    }
                }
            });
        }
        drop(sender);
        bar.tick();
        for output in ended {
            let output = output?;
            let text = String::from_utf8_lossy(&output.stdout);
            let (schedules, lines): (Vec<_>, Vec<_>) =
                text.lines().partition(|line| line.starts_with('{'));
            bar.suspend(|| lines.iter().for_each(|line| println!("{line}")));
            bar.inc(1);
            if right && let Some(schedule) = schedules.first() {
                bar.finish_and_clear();
                replay::write_down(&serde_json::from_str(schedule)?, true);
            }
            right &= output.status.success();
            if !right {
                // Those that have begun go to their ends, and no other begins.
                next.store(legs.len(), Ordering::Relaxed);
            }
        }
        bar.finish_and_clear();
        Ok(right)
    })
}

fn start(what: What, number: usize) -> io::Result<Output> {
    let mut command = Command::new(env::current_exe()?);
    command.args(["explore", "--processes", &what.processes.to_string()]);
    if let Some(at_most) = what.preemptions {
        command.args(["--preemptions", &at_most.to_string()]);
    }
    if what.crashes {
        command.arg("--crashes");
    }
    command.args(["--leg", &number.to_string()]);
    command.stdin(Stdio::null()).stderr(Stdio::inherit()).output()
}
