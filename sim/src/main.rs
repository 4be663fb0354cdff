//! The command line of the checks.

use std::env;
use std::error::Error;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::time::Duration;

use clap::builder::RangedU64ValueParser;
use clap::{Parser, Subcommand};
use leasehold_sim::config::Config;
use leasehold_sim::explore::legs::{self, What};
use leasehold_sim::many::{Amount, Many, Share};
use leasehold_sim::race::{Mode, Race};
use leasehold_sim::{bench, hunt, mutants, output, pace, replay, space, workers};

/// A quarter of the simulator's time was the system's allocator, SQLite's calls of it more than
/// ours: this one takes its place for both.
#[cfg(unix)]
#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

/// Processes of this program, or of the real binary, at once.
const PROCESSES_MAX: u64 = 256;

/// The sum of a seed and a number of schedules is a number, too.
const SEED_MAX: u64 = u64::MAX / 2;

/// A year.
const MINUTES_MAX: u64 = 366 * 24 * 60;

/// A number from 1 on: a check of nothing would pass.
fn some(at_most: u64) -> RangedU64ValueParser<usize> {
    RangedU64ValueParser::new().range(1..=at_most)
}

/// Checks leasehold where a unit test cannot.
#[derive(Debug, Parser)]
#[command(name = "leasehold-sim", version)]
struct Cli {
    #[command(subcommand)]
    command: Command,
}

#[derive(Debug, Subcommand)]
enum Command {
    /// Race real processes of the real binary.
    #[command(after_help = "\
Examples:
  leasehold-sim race --racers 8 --rounds 200
  leasehold-sim race --kill --rounds 200
  leasehold-sim race --openers
  leasehold-sim race --sets --rounds 200")]
    Race(RaceArgs),
    /// Run drawn scenarios on the simulated machine, and hold them against the model.
    #[command(after_help = "\
Examples:
  leasehold-sim run --schedules 100000 --jobs 2
  leasehold-sim run --seed 77 --schedules 1
  leasehold-sim run --minutes 30 --config journal=rollback,faults=power+kill")]
    Run(RunArgs),
    /// Run every schedule with few preemptions, and every crash.
    #[command(after_help = "\
Without --preemptions and --crashes it does both, with one preemption.

Examples:
  leasehold-sim explore --preemptions 2
  leasehold-sim explore --crashes")]
    Explore {
        /// Every schedule with at most so many preemptions.
        #[arg(long)]
        preemptions: Option<usize>,
        /// Every crash.
        #[arg(long)]
        crashes: bool,
        /// How many processes, each with one acquire.
        #[arg(long, default_value_t = 2, value_parser = some(16))]
        processes: usize,
        /// How much is done at a time.
        #[arg(long, default_value_t = 2, value_parser = some(64))]
        jobs: usize,
        /// Go through this part only.
        #[arg(long, hide = true)]
        leg: Option<usize>,
    },
    /// Run a schedule from a file, and draw it.
    #[command(after_help = "\
Examples:
  leasehold-sim replay simulator-found.json
  leasehold-sim replay simulator-found.json --html run.html")]
    Replay {
        /// The file.
        file: PathBuf,
        /// Also draw it as a page, into this file.
        #[arg(long)]
        html: Option<PathBuf>,
    },
    /// Find the smallest run that goes wrong as this one does.
    Shrink {
        /// The file.
        file: PathBuf,
        /// Where the smaller one is written. Default: over the file.
        #[arg(long)]
        out: Option<PathBuf>,
    },
    /// Plant every mutant on a copy of the tree: each must be found by a check.
    Mutants {
        /// Only these, such as M5.
        only: Vec<String>,
        /// Let the simulator look for them, and tell how many schedules that takes.
        #[arg(long)]
        simulator: bool,
        /// Where the tree is copied to and built. Default: target/mutants.
        #[arg(long, hide = true)]
        folder: Option<PathBuf>,
    },
    /// Tell how many drawn schedules it takes until something is found, again and again.
    #[command(hide = true)]
    Hunt {
        /// How often.
        #[arg(long, default_value_t = 9, value_parser = clap::value_parser!(u64).range(1..=1000))]
        tries: u64,
        /// At most so many schedules each time.
        #[arg(long, default_value_t = 5000,
              value_parser = clap::value_parser!(u64).range(1..=1_000_000))]
        schedules: u64,
    },
    /// Visit all states of a small world of the model, and check each move between them.
    #[command(after_help = "\
Example:
  leasehold-sim states --depth 4")]
    States {
        /// How many moves from the first state. Each costs about ten times as much as all before.
        #[arg(long, default_value_t = 3, value_parser = some(100))]
        depth: usize,
    },
    /// Print how many schedules a second are run. Build with --profile sim first.
    Pace,
    /// Print what a call costs, as ratios. Build with --release first.
    Bench,
}

#[derive(Debug, clap::Args)]
struct RunArgs {
    /// The first schedule is drawn from this number, the next from the one after it, and so on.
    #[arg(long, default_value_t = 1, value_parser = clap::value_parser!(u64).range(..=SEED_MAX))]
    seed: u64,
    /// How many schedules.
    #[arg(long, default_value_t = 1000, group = "amount",
          value_parser = clap::value_parser!(u64).range(1..=SEED_MAX))]
    schedules: u64,
    /// As many schedules as so many minutes allow.
    #[arg(long, group = "amount",
          value_parser = clap::value_parser!(u64).range(1..=MINUTES_MAX))]
    minutes: Option<u64>,
    #[arg(long, hide = true, group = "amount")]
    seconds: Option<u64>,
    /// In so many processes at once.
    #[arg(long, default_value_t = 1,
          value_parser = clap::value_parser!(u64).range(1..=PROCESSES_MAX))]
    jobs: u64,
    /// What is not to be drawn: journal=log|rollback, start=empty|ready|legacy, sync=full|normal,
    /// processes=N, faults=none or some of kill+pause+clock+error+full+power.
    #[arg(long, value_name = "KEY=VALUE,…")]
    config: Option<Config>,
    /// Fail too if one of the situations in the table never came.
    #[arg(long)]
    require_rare: bool,
    /// Write down the first that goes wrong as it is, without shrinking it.
    #[arg(long)]
    no_shrink: bool,
    #[arg(long, hide = true, value_parser = share)]
    share: Option<Share>,
}

/// Reads `NUMBER/OF`.
fn share(text: &str) -> Result<Share, String> {
    let numbers = text.split_once('/').and_then(|(number, of)| {
        Some(Share { number: number.parse().ok()?, of: of.parse().ok()? })
    });
    let is_share = |share: &Share| share.number < share.of && share.of <= PROCESSES_MAX;
    numbers.filter(is_share).ok_or_else(|| format!("not NUMBER/OF, at most of {PROCESSES_MAX}"))
}

impl RunArgs {
    fn run(self) -> Result<bool, Box<dyn Error>> {
        let span = self.minutes.map(|minutes| 60 * minutes).or(self.seconds);
        let amount = span.map_or(Amount::Schedules(self.schedules), |seconds| {
            Amount::Time(Duration::from_secs(seconds))
        });
        let many = Many {
            seed: self.seed,
            amount,
            config: self.config.unwrap_or_default(),
            shrinks: !self.no_shrink,
            requires_rare: self.require_rare,
        };
        match self.share {
            Some(share) => {
                workers::work(&many, share);
                Ok(true)
            }
            None => Ok(many.run(self.jobs)?),
        }
    }
}

#[derive(Debug, clap::Args)]
struct RaceArgs {
    /// How many processes at once. Default: 8, or 24 with --openers.
    #[arg(long, value_parser = some(PROCESSES_MAX))]
    racers: Option<usize>,
    /// How many rounds. Default: 200, or 3 with --openers.
    #[arg(long, value_parser = some(u64::from(u32::MAX)))]
    rounds: Option<usize>,
    /// Kill some racers at random moments.
    #[arg(long, group = "mode")]
    kill: bool,
    /// All racers open one legacy database first.
    #[arg(long, group = "mode")]
    openers: bool,
    /// Racers want sets of paths that overlap.
    #[arg(long, group = "mode")]
    sets: bool,
    /// Every choice comes from this number.
    #[arg(long, default_value_t = 1)]
    seed: u64,
    /// The binary `leasehold`. Default: the one beside this program.
    #[arg(long)]
    binary: Option<PathBuf>,
}

impl RaceArgs {
    fn race(self, beside: &Path) -> Race {
        let mode = match (self.kill, self.openers, self.sets) {
            (true, _, _) => Mode::Killed,
            (_, true, _) => Mode::Openers,
            (_, _, true) => Mode::Sets,
            _ => Mode::OneFile,
        };
        let (racers, rounds) = if mode == Mode::Openers { (24, 3) } else { (8, 200) };
        Race {
            binary: self.binary.unwrap_or_else(|| beside.join("leasehold")),
            mode,
            racers: self.racers.unwrap_or(racers),
            rounds: self.rounds.unwrap_or(rounds),
            seed: self.seed,
        }
    }
}

fn main() -> ExitCode {
    let ended = run(Cli::parse().command);
    let written = output::end().map_err(|error| format!("standard output: {error}").into());
    // What is wrong comes before what could not be told of it.
    match ended.and_then(|right| written.map(|()| right)) {
        Ok(true) => ExitCode::SUCCESS,
        Ok(false) => ExitCode::FAILURE,
        Err(error) => {
            eprintln!("leasehold-sim: {error}");
            ExitCode::from(2)
        }
    }
}

/// True when all is as it should be.
fn run(command: Command) -> Result<bool, Box<dyn Error>> {
    match command {
        Command::Race(args) => {
            let report = args.race(&beside()?).run()?;
            for trouble in &report.troubles {
                eprintln!("{trouble}");
            }
            output::line(format_args!("{}", report.line));
            Ok(report.right)
        }
        Command::Run(args) => args.run(),
        Command::Explore { preemptions, crashes, processes, jobs, leg } => {
            let both = preemptions.is_none() && !crashes;
            let what = What {
                processes,
                preemptions: preemptions.or(both.then_some(1)),
                crashes: crashes || both,
            };
            match leg {
                Some(leg) => Ok(legs::one(what, leg)),
                None => Ok(legs::all(what, jobs)?),
            }
        }
        Command::Replay { file, html } => replay::replay(&file, html.as_deref()),
        Command::Shrink { file, out } => replay::shrink(&file, out.as_deref().unwrap_or(&file)),
        Command::Mutants { only, simulator, folder } => {
            let folder = folder.unwrap_or_else(|| root().join("target/mutants"));
            let run = if simulator { mutants::hunted::run } else { mutants::run };
            run(&root(), &folder, &only)
        }
        Command::Hunt { tries, schedules } => Ok(hunt::hunt(tries, schedules)),
        Command::States { depth } => Ok(space::run(depth)),
        Command::Pace => Ok(pace::run_all()),
        Command::Bench => {
            bench::run(&beside()?)?;
            Ok(true)
        }
    }
}

/// The folder of this program, where its siblings are.
fn beside() -> Result<PathBuf, Box<dyn Error>> {
    let program = env::current_exe()?;
    Ok(program.parent().ok_or("this program has no folder")?.to_owned())
}

/// The tree that this program was built from.
fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("..")
}
