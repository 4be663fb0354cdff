//! Many drawn runs: one after the other, or shared out to several processes of this program.

use std::fmt;
use std::panic::{self, AssertUnwindSafe, catch_unwind};
use std::sync::Once;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};

use indicatif::{ProgressBar, ProgressStyle};
use serde::{Deserialize, Serialize};

use crate::config::Config;
use crate::draw::Drawn;
use crate::explore;
use crate::rare::Rare;
use crate::replay;
use crate::run::{self, Controls, Course, Report, Run};
use crate::scenario::{Journal, Start};
use crate::schedule::Schedule;
use crate::tally::Tally;
use crate::workers::{self, WorkerError};

/// One run in so many is repeated, and must be the same byte by byte.
const REPEATED: u64 = 20;

/// A broken machine must be noticed within so many runs.
const CANARIES: u64 = 50;

/// The seed of the run that is going on.
static SEED: AtomicU64 = AtomicU64::new(0);

/// How much is run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Amount {
    /// So many schedules.
    Schedules(u64),
    /// As many as there is time for.
    Time(Duration),
}

/// Which of the seeds are one worker's.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Share {
    /// Which worker, from 0.
    pub number: u64,
    /// Of so many.
    pub of: u64,
}

/// Many runs.
#[derive(Clone, Debug)]
pub struct Many {
    /// The first schedule is drawn from this number, the next from the one after it, and so on.
    pub seed: u64,
    /// How many.
    pub amount: Amount,
    /// What is not drawn.
    pub config: Config,
    /// Whether what goes wrong is shrunk before it is shown.
    pub shrinks: bool,
    /// Whether it is wrong, too, if one of the rare situations never came.
    pub requires_rare: bool,
}

/// What a worker tells.
#[derive(Debug, Serialize, Deserialize)]
pub(crate) enum Message {
    /// The run of this seed begins: if nothing comes after it, it is known where that was.
    Begun(u64),
    /// A run that went wrong, and what an oracle says against it.
    Wrong {
        /// The whole schedule.
        schedule: Box<Schedule>,
        /// The oracle and what it says.
        says: String,
    },
    /// Two runs from one seed were not the same.
    Unsteady(u64),
    /// The simulator itself panicked in the run of this seed, and has said so on standard error.
    Panicked(u64),
    /// All is run.
    Done(Tally),
}

impl Many {
    /// Runs all of it in so many processes, prints the table, and stops at the first run that goes
    /// wrong, which is shrunk, drawn, and written to a file. True when nothing goes wrong.
    ///
    /// # Errors
    /// A process that cannot be started, or ends before its work is done.
    pub fn run(&self, jobs: u64) -> Result<bool, WorkerError> {
        if !canary_dies() {
            println!("a machine without locks was not noticed: the oracles see nothing");
            return Ok(false);
        }
        let bar = self.bar();
        let started = Instant::now();
        let mut tally = Tally::default();
        let mut wrong = None;
        let mut hear = |message: Message| {
            match message {
                Message::Begun(_) => bar.inc(1),
                Message::Done(part) => tally.add(part),
                found => wrong = Some(found),
            }
            wrong.is_none()
        };
        if jobs == 1 {
            self.work(Share { number: 0, of: 1 }, &mut hear);
        } else {
            workers::run(self, jobs, &mut hear)?;
        }
        bar.finish_and_clear();
        if let Some(found) = wrong {
            self.show(&found);
            return Ok(false);
        }
        println!("{tally} seconds={:.1}", started.elapsed().as_secs_f64());
        Ok(self.is_complete(&tally))
    }

    /// Runs one worker's share, and tells of it until nobody wants to hear more.
    pub(crate) fn work(&self, share: Share, tell: &mut dyn FnMut(Message) -> bool) {
        tell_the_seed_of_panics();
        let started = Instant::now();
        let mut tally = Tally::default();
        for number in (share.number..).step_by(usize::try_from(share.of).unwrap_or(1)) {
            let is_over = match self.amount {
                Amount::Schedules(all) => number >= all,
                Amount::Time(span) => started.elapsed() >= span,
            };
            let Some(seed) = self.seed.checked_add(number).filter(|_| !is_over) else { break };
            if !tell(Message::Begun(seed)) {
                return;
            }
            match caught(seed, || one(&self.config, seed)) {
                Ok(report) => tally.take(&report),
                Err(message) => {
                    tell(message);
                    return;
                }
            }
        }
        tell(Message::Done(tally));
    }

    fn bar(&self) -> ProgressBar {
        let (bar, form) = match self.amount {
            Amount::Schedules(all) => {
                (ProgressBar::new(all), "{bar:20} {pos}/{len} {per_sec} {eta}")
            }
            Amount::Time(_) => (ProgressBar::new_spinner(), "{spinner} {pos} {per_sec} {elapsed}"),
        };
        let style = ProgressStyle::with_template(form);
        bar.set_style(style.unwrap_or_else(|_| ProgressStyle::default_bar()));
        bar
    }

    fn is_complete(&self, tally: &Tally) -> bool {
        let missing = Rare::ALL.iter().find(|rare| tally.of(**rare) == 0);
        let Some(rare) = missing.filter(|_| self.requires_rare) else { return true };
        println!("it never came to this: {}", rare.name());
        false
    }

    fn show(&self, found: &Message) {
        match found {
            Message::Wrong { schedule, says } => {
                println!("seed {}: {says}", schedule.seed);
                replay::write_down(schedule, self.shrinks);
            }
            Message::Unsteady(seed) => println!("seed {seed} gave two different runs"),
            Message::Panicked(seed) => println!("seed {seed}: the simulator panicked"),
            Message::Begun(_) | Message::Done(_) => {}
        }
    }
}

/// What a run gives. A panic of the model, an oracle or the machine names the seed.
fn caught<T>(seed: u64, run: impl FnOnce() -> Result<T, Message>) -> Result<T, Message> {
    SEED.store(seed, Ordering::Relaxed);
    let ended = catch_unwind(AssertUnwindSafe(run));
    ended.unwrap_or(Err(Message::Panicked(seed)))
}

/// From now on a panic also tells which run it was in: inside of a call of SQLite's it ends the
/// program, and cannot be caught.
fn tell_the_seed_of_panics() {
    static ONCE: Once = Once::new();
    ONCE.call_once(|| {
        let usual = panic::take_hook();
        panic::set_hook(Box::new(move |panic| {
            usual(panic);
            eprintln!("in the run of seed {}", SEED.load(Ordering::Relaxed));
        }));
    });
}

/// One run, and its repetition if it is its turn.
fn one(config: &Config, seed: u64) -> Result<Report, Message> {
    let drawn = Drawn::within(config, seed);
    let repeated = seed.is_multiple_of(REPEATED);
    let report = run::run(&Run { keeps_trace: repeated, ..drawn.run() });
    if repeated {
        let again = run::run(&Run { keeps_trace: true, ..drawn.run() });
        if again.hash != report.hash || again.trace != report.trace {
            return Err(Message::Unsteady(seed));
        }
    }
    match &report.violation {
        None => Ok(report),
        Some(violation) => Err(Message::Wrong {
            says: format!("{}: {}", violation.oracle, violation.detail),
            schedule: Box::new(Schedule::of_drawn(&drawn, &report)),
        }),
    }
}

/// Whether the oracles notice a machine that grants every lock to everybody.
fn canary_dies() -> bool {
    let scenario = explore::one_acquire_each(3, Start::Ready, Journal::Log);
    let controls = Controls { no_slot_locks: true, no_file_locks: true, ..Controls::default() };
    (1..=CANARIES).any(|seed| {
        let plain = Run::plain(&scenario, Course::Random { seed, per_mille: 300 });
        run::run(&Run { controls, ..plain }).violation.is_some()
    })
}

impl fmt::Display for Share {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}/{}", self.number, self.of)
    }
}

#[cfg(test)]
mod tests {
    use std::env;
    use std::process::Command;

    use super::*;

    #[test]
    fn a_panic_of_the_simulator_names_the_seed() {
        let panicked = caught(7, || -> Result<(), Message> { panic!("on purpose") });
        assert!(matches!(panicked, Err(Message::Panicked(7))), "{panicked:?}");
        assert!(matches!(caught(8, || Ok(1)), Ok(1)));
    }

    extern "C" fn called_back() {
        panic!("on purpose");
    }

    /// Runs itself once more, for a program that aborts can be seen from outside only.
    #[test]
    fn a_panic_that_cannot_be_caught_names_the_seed() {
        const ABORTS: &str = "LEASEHOLD_SIM_ABORTS";
        if env::var_os(ABORTS).is_some() {
            tell_the_seed_of_panics();
            let _ = caught(4711, || {
                called_back();
                Ok(())
            });
            return;
        }
        let name = "many::tests::a_panic_that_cannot_be_caught_names_the_seed";
        let mut again = Command::new(env::current_exe().expect("this program"));
        let output = again.args(["--exact", name, "--nocapture"]).env(ABORTS, "1").output();
        let output = output.expect("it runs");
        let said = String::from_utf8_lossy(&output.stderr);
        assert!(!output.status.success() && said.contains("in the run of seed 4711"), "{said}");
    }
}
