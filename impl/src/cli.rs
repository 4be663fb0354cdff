//! The command line.

mod acquire;
mod begin;
mod check;
mod explain;
mod output;
mod release;
mod status;

use std::ffi::OsString;
use std::path::PathBuf;
use std::process::ExitCode;

use clap::{Parser, Subcommand};

use crate::client::UnknownClient;
use crate::demo;
use crate::hook;
use crate::settings::{CLI_BUSY_TIMEOUT, Settings};
use crate::store::{Store, StoreError};

/// What a script reads from the exit code.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Exit {
    /// Acquired, free, released.
    Done = 0,
    /// Something is wrong with the store or the machine.
    Failed = 1,
    /// The call itself is wrong.
    Usage = 2,
    /// Somebody else holds it.
    Busy = 7,
    /// A later turn has superseded the caller's.
    Stale = 8,
}

/// Fenced file leases for AI coding agents that share one checkout.
#[derive(Debug, Parser)]
#[command(name = "leasehold", version, after_help = AFTER_HELP)]
struct Cli {
    #[command(subcommand)]
    command: Command,
}

const AFTER_HELP: &str = "\
Exit codes:
  0  acquired, free, released
  1  the store or the machine failed
  2  the call is wrong, or the hook denies (some clients are denied by JSON, with 0)
  7  BUSY: somebody else holds it; or the fence does not stand
  8  STALE: a later turn of the session has superseded this epoch

Environment:
  LEASEHOLD_DB           the lease database (absolute path)
  LEASEHOLD_COUNTER      the usage counter's file (absolute path)
  LEASEHOLD_TTL_SEC      how long a lease lasts without renewal (1800)
  LEASEHOLD_SYNC         `full`: an acknowledged lease survives the loss of power
  LEASEHOLD_ON_ERROR     `allow`: a write that cannot be judged goes ahead with a warning
  LEASEHOLD_DEADLINE_MS  the hook's own deadline (3000)
  LEASEHOLD_SUBAGENTS    `shared`: sub-agents act as their main thread

See it work: leasehold demo";

#[derive(Debug, Subcommand)]
enum Command {
    /// Lease files or directories: all of them, or none.
    #[command(after_help = "\
Examples:
  leasehold acquire src/cart.py --session $USER
  leasehold acquire src docs/api.md --session ci --epoch run-17 --ttl-sec 600 --json")]
    Acquire(acquire::Args),
    /// Give back what one owner holds: exactly that session's leases of that epoch.
    #[command(after_help = "\
Examples:
  leasehold release-session --session ci --epoch run-17
  leasehold release-session --session $USER")]
    ReleaseSession(release::Args),
    /// Begin a turn: the session's older ones are retired, and give back their leases.
    #[command(after_help = "\
Examples:
  leasehold begin-turn --session ci --epoch run-18
The same epoch again changes nothing. A later acquire from a retired epoch is STALE (8), until
begin-turn names that epoch again.")]
    BeginTurn(begin::Args),
    /// Tell who holds a path, or whether a fence still stands.
    #[command(after_help = "\
Examples:
  leasehold check src/cart.py
  leasehold check src/cart.py --fence 502511173632001 && deploy")]
    Check(check::Args),
    /// List the leases.
    Status(status::Args),
    /// Remove every lease that has expired.
    Reap,
    /// Answer a call of an agent's hook: the payload on standard input.
    #[command(after_help = "\
Examples:
  leasehold hook PreToolUse < payload.json
  leasehold hook Stop --client codex < payload.json")]
    Hook {
        /// The event, as the client calls it. A life-cycle event always ends with 0.
        event: Option<String>,
        /// The client: claude, codex, gemini, copilot, qwen or opencode. Default: told from the
        /// payload.
        #[arg(long)]
        client: Option<String>,
    },
    /// Tell what a hook payload on standard input would lease, as JSON. Takes no lease.
    #[command(after_help = "\
Example:
  leasehold explain < payload.json")]
    Explain(explain::Args),
    /// Show two agents on one file, in a temporary folder that is gone afterwards.
    Demo,
}

/// Where relative paths of the command line lie.
#[derive(Clone, Debug, clap::Args)]
struct Place {
    /// The directory that relative paths start from. Default: the current one.
    #[arg(long, value_name = "DIR")]
    cwd: Option<PathBuf>,
}

impl Place {
    /// The directory as an absolute path.
    fn directory(&self) -> Result<PathBuf, Failure> {
        let here = std::env::current_dir();
        match &self.cwd {
            Some(given) if given.is_absolute() => Ok(given.clone()),
            given => {
                let here = here.map_err(|error| {
                    Failure::usage(format!("the current directory is not known ({error})"))
                })?;
                Ok(given.as_ref().map_or_else(|| here.clone(), |given| here.join(given)))
            }
        }
    }
}

/// Why a command ended early.
#[derive(Debug)]
struct Failure {
    exit: Exit,
    text: String,
}

impl Failure {
    fn usage(text: impl Into<String>) -> Self {
        Self { exit: Exit::Usage, text: text.into() }
    }
}

impl From<StoreError> for Failure {
    fn from(error: StoreError) -> Self {
        Self { exit: Exit::Failed, text: error.to_string() }
    }
}

/// Reads the arguments, carries the command out and tells the exit code.
pub fn run(args: Vec<OsString>) -> ExitCode {
    let cli = match Cli::try_parse_from(args) {
        Ok(cli) => cli,
        Err(error) => {
            let code = if error.use_stderr() { Exit::Usage } else { Exit::Done };
            let _ = error.print();
            return ExitCode::from(code as u8);
        }
    };
    let exit = match dispatch(cli.command) {
        Ok(exit) => exit,
        Err(failure) => {
            output::problem(&failure.text);
            failure.exit
        }
    };
    ExitCode::from(exit as u8)
}

fn dispatch(command: Command) -> Result<Exit, Failure> {
    match command {
        Command::Acquire(args) => acquire::run(&args),
        Command::ReleaseSession(args) => release::run(&args),
        Command::BeginTurn(args) => begin::run(&args),
        Command::Check(args) => check::run(&args),
        Command::Status(args) => status::run(&args),
        Command::Reap => status::reap(),
        Command::Hook { event, client } => {
            let client = client.map(|name| name.parse()).transpose();
            let client =
                client.map_err(|error: UnknownClient| Failure::usage(error.to_string()))?;
            hook::run(&hook::HookArgs { event, client })
        }
        Command::Explain(args) => explain::run(&args),
        Command::Demo => demo::run().map_err(|error| Failure {
            exit: Exit::Failed,
            text: format!("the demonstration stopped: {error}"),
        }),
    }
}

fn settings() -> Result<Settings, Failure> {
    Settings::from_env().map_err(|error| Failure::usage(error.to_string()))
}

fn store(settings: &Settings) -> Result<Store, Failure> {
    let store = Store::open(&settings.database, settings.store_options(CLI_BUSY_TIMEOUT))?;
    for notice in store.notices() {
        output::problem(notice);
    }
    Ok(store)
}
