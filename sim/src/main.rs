//! The command line of the checks.

use std::env;
use std::error::Error;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use clap::{Parser, Subcommand};
use leasehold_sim::{bench, mutants};

/// Checks leasehold where a unit test cannot.
#[derive(Debug, Parser)]
#[command(name = "leasehold-sim", version)]
struct Cli {
    #[command(subcommand)]
    command: Command,
}

#[derive(Debug, Subcommand)]
enum Command {
    /// Plant every mutant on a copy of the tree: each must be found by a check.
    Mutants {
        /// Only these, such as M5.
        only: Vec<String>,
    },
    /// Print what a call costs, as ratios. Build with --release first.
    Bench,
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
        Command::Mutants { only } => mutants::run(&root(), &only),
        Command::Bench => {
            let binary = env::current_exe()?;
            bench::run(binary.parent().unwrap_or(Path::new(".")))?;
            Ok(true)
        }
    }
}

/// The tree that this program was built from.
fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("..")
}
