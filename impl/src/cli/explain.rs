//! `leasehold explain`: what a payload would lease.

use std::io;
use std::path::{Path, PathBuf};

use serde::Serialize;

use super::output;
use super::{Exit, Failure};
use crate::client::Client;
use crate::event::Event;
use crate::intent::Intent;
use crate::owner::session_name;
use crate::payload::{self, Payload};
use crate::resource::{self, windows};

#[derive(Debug, clap::Args)]
pub(super) struct Args {
    /// The event, where the payload names none.
    event: Option<String>,
    /// The client: claude or codex. Default: told from the payload.
    #[arg(long)]
    client: Option<Client>,
    /// Whose path rules apply. Default: this machine's.
    #[arg(long, value_parser = ["windows", "unix"], default_value = "unix")]
    platform: String,
}

#[derive(Serialize)]
struct Explanation {
    client: &'static str,
    event: String,
    session: Option<String>,
    epoch: String,
    writes: Vec<String>,
    trees: Vec<String>,
    reads_only: bool,
    notes: Vec<String>,
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
        session: event.session.as_deref().and_then(|session| session_name(session).ok()),
        epoch: event.epoch.clone(),
        writes: place(&intent.writes)?,
        trees: place(&intent.trees)?,
        reads_only: intent.reads_only,
        notes: [event.notes, intent.notes].concat(),
    })?;
    Ok(Exit::Done)
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
    paths.iter().map(normal).collect()
}
