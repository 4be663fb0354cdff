//! `leasehold explain`: what a payload would lease.

use std::io;
use std::path::{Path, PathBuf};

use serde::Serialize;

use super::output;
use super::{Exit, Failure};
use crate::client::Client;
use crate::event::{Event, Running, Turn};
use crate::intent::Intent;
use crate::owner::session_name;
use crate::payload::{self, Payload};
use crate::resource::{self, windows};

#[derive(Debug, clap::Args)]
pub(super) struct Args {
    /// The event, where the payload names none.
    event: Option<String>,
    /// The client: claude, codex, gemini, copilot, qwen or opencode. Default: told from the
    /// payload.
    #[arg(long)]
    client: Option<Client>,
    /// Whose path rules apply: `unix` asks this machine's disk, `windows` goes by the text.
    #[arg(long, value_parser = ["windows", "unix"], default_value = "unix")]
    platform: String,
}

#[derive(Serialize)]
struct Explanation {
    client: &'static str,
    event: String,
    session: Option<String>,
    parent: Option<String>,
    /// Where the turn's id comes from: `named` by the client, or to be `minted`.
    turn: &'static str,
    epoch: String,
    background: bool,
    running: Option<BackgroundWork>,
    writes: Vec<String>,
    trees: Vec<String>,
    reads_only: bool,
    notes: Vec<String>,
}

/// The background work that still runs.
#[derive(Serialize)]
struct BackgroundWork {
    subagents: Vec<String>,
    shells: Vec<String>,
}

impl From<Running> for BackgroundWork {
    fn from(Running { subagents, shells }: Running) -> Self {
        Self { subagents, shells }
    }
}

pub(super) fn run(args: &Args) -> Result<Exit, Failure> {
    let bytes = payload::read(&mut io::stdin().lock());
    let bytes = bytes.map_err(|error| Failure::usage(error.to_string()))?;
    let payload = Payload::parse(&bytes).map_err(|error| Failure::usage(error.to_string()))?;
    let event = Event::of(&payload, args.event.as_deref(), args.client);
    let intent = match &event.tool {
        Some(tool) => Intent::of(tool, std::env::home_dir().as_deref())
            .map_err(|error| Failure::usage(error.to_string()))?,
        None => Intent { reads_only: true, ..Intent::default() },
    };
    let place = |paths: &[PathBuf]| match args.platform.as_str() {
        "windows" => on_windows(paths, event.cwd.as_deref()),
        _ => here(paths, event.cwd.as_deref()),
    };
    output::json(&Explanation {
        client: event.client.label(),
        event: event.name.clone(),
        session: name(event.session.as_deref()),
        parent: name(event.parent.as_deref()),
        turn: match event.turn {
            Turn::Named => "named",
            Turn::Minted => "minted",
        },
        epoch: event.epoch.clone(),
        background: event.tool.as_ref().is_some_and(|tool| tool.background),
        running: event.running.map(BackgroundWork::from),
        writes: place(&intent.writes)?,
        trees: place(&intent.trees)?,
        reads_only: intent.reads_only,
        notes: [event.notes, intent.notes].concat(),
    })?;
    Ok(Exit::Done)
}

/// The session's name without its alias; none where it has none that a lease could carry.
fn name(session: Option<&str>) -> Option<String> {
    session.and_then(|session| session_name(session).ok())
}

/// The resources that these paths are on this machine.
fn here(paths: &[PathBuf], cwd: Option<&Path>) -> Result<Vec<String>, Failure> {
    let resources =
        resource::resolve_all(paths, cwd).map_err(|error| Failure::usage(error.to_string()))?;
    Ok(resources.iter().map(|one| resource::spelling(&one.path)).collect())
}

/// What these paths are on a Windows machine, as far as their text tells.
fn on_windows(paths: &[PathBuf], cwd: Option<&Path>) -> Result<Vec<String>, Failure> {
    let cwd = cwd.map(Path::to_string_lossy);
    let normal = |path: &PathBuf| {
        windows::normalize(&path.to_string_lossy(), cwd.as_deref())
            .map_err(|error| Failure::usage(error.to_string()))
    };
    let mut names = paths.iter().map(normal).collect::<Result<Vec<_>, _>>()?;
    names.sort();
    names.dedup();
    Ok(names)
}
