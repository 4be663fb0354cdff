//! The command line of the checks.

use std::env;
use std::error::Error;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use clap::{Parser, Subcommand};
use leasehold_sim::race::{Mode, Race};
use leasehold_sim::{bench, many, mutants};

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
    /// Plant every mutant on a copy of the tree: each must be found by a check.
    Mutants {
        /// Only these, such as M5.
        only: Vec<String>,
    },
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
        Command::Run(RunArgs { seed, schedules }) => Ok(many::run(seed, schedules)),
        Command::Mutants { only } => mutants::run(&root(), &only),
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
