//! The command line of the checks.

use std::env;
use std::error::Error;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use clap::{Parser, Subcommand};
use leasehold_sim::race::{Mode, Race};
use leasehold_sim::{bench, explore, many, mutants, pace, replay, space};

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
  leasehold-sim run --schedules 10000
  leasehold-sim run --seed 77 --schedules 1")]
    Run(RunArgs),
    /// Run every schedule with few preemptions, and every crash.
    #[command(after_help = "\
Example:
  leasehold-sim explore --preemptions 2")]
    Explore {
        /// At most so many preemptions.
        #[arg(long, default_value_t = 1)]
        preemptions: usize,
        /// How many processes, each with one acquire.
        #[arg(long, default_value_t = 2)]
        processes: usize,
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
    },
    /// Visit all states of a small world of the model, and check each move between them.
    #[command(after_help = "\
Example:
  leasehold-sim states --depth 4")]
    States {
        /// How many moves from the first state. Each costs about ten times as much as all before.
        #[arg(long, default_value_t = 3)]
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
    #[arg(long, default_value_t = 1)]
    seed: u64,
    /// How many schedules.
    #[arg(long, default_value_t = 1000)]
    schedules: u64,
    /// Write down the first that goes wrong as it is, without shrinking it.
    #[arg(long)]
    no_shrink: bool,
}

#[derive(Debug, clap::Args)]
struct RaceArgs {
    /// How many processes at once. Default: 8, or 24 with --openers.
    #[arg(long)]
    racers: Option<usize>,
    /// How many rounds. Default: 200, or 3 with --openers.
    #[arg(long)]
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
    match run(Cli::parse().command) {
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
            println!("{}", report.line);
            Ok(report.right)
        }
        Command::Run(RunArgs { seed, schedules, no_shrink }) => {
            Ok(many::run(seed, schedules, !no_shrink))
        }
        Command::Explore { preemptions, processes } => Ok(explore::all(preemptions, processes)),
        Command::Replay { file, html } => replay::replay(&file, html.as_deref()),
        Command::Shrink { file, out } => replay::shrink(&file, out.as_deref().unwrap_or(&file)),
        Command::Mutants { only } => mutants::run(&root(), &only),
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
