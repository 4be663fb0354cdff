//! `leasehold check`.

use std::path::PathBuf;

use serde::Serialize;

use super::output::{self, LeaseJson, holder_line, seconds};
use super::{Exit, Failure, Place};
use crate::lease::Lease;
use crate::resource::{self, Resource};

#[derive(Debug, clap::Args)]
pub(super) struct Args {
    /// The file or directory.
    path: PathBuf,
    /// Ask whether a live lease with this fence covers the path: 0 if so, else 7.
    #[arg(long, value_name = "N")]
    fence: Option<i64>,
    #[command(flatten)]
    place: Place,
    /// Print JSON.
    #[arg(long)]
    json: bool,
}

pub(super) fn run(args: &Args) -> Result<Exit, Failure> {
    let settings = super::settings()?;
    let cwd = args.place.directory()?;
    let resources = resource::resolve(&args.path, Some(&cwd))
        .map_err(|error| Failure::usage(error.to_string()))?;
    let mut store = super::store(&settings)?;
    match args.fence {
        Some(fence) => {
            // Through a final symbolic link the file is what is written.
            let Some(file) = resources.last() else {
                return Err(Failure::usage("this path names no file"));
            };
            let left_ms = store.check_fence(file, fence)?;
            tell_fence(args, file, fence, left_ms)
        }
        None => tell_holders(args, &store.check(&resources)?),
    }
}

#[derive(Serialize)]
struct FenceJson {
    resource: String,
    fence: i64,
    stands: bool,
    seconds_left: f64,
}

fn tell_fence(
    args: &Args,
    file: &Resource,
    fence: i64,
    left_ms: Option<i64>,
) -> Result<Exit, Failure> {
    let exit = if left_ms.is_some() { Exit::Done } else { Exit::Busy };
    if args.json {
        output::json(&FenceJson {
            resource: resource::spelling(&file.path),
            fence,
            stands: left_ms.is_some(),
            seconds_left: seconds(left_ms.unwrap_or(0)),
        })?;
    } else {
        output::lines(&[match left_ms {
            Some(left_ms) => format!("HELD: fence {fence} stands, {} s left", left_ms / 1000),
            None => format!("GONE: no live lease with fence {fence} covers this path"),
        }]);
    }
    Ok(exit)
}

#[derive(Serialize)]
struct CheckJson {
    outcome: &'static str,
    leases: Vec<LeaseJson>,
}

fn tell_holders(args: &Args, leases: &[Lease]) -> Result<Exit, Failure> {
    let (outcome, exit) =
        if leases.is_empty() { ("free", Exit::Done) } else { ("busy", Exit::Busy) };
    if args.json {
        let now_ms = output::now_ms();
        let leases = leases.iter().map(|lease| LeaseJson::of(lease, now_ms)).collect();
        output::json(&CheckJson { outcome, leases })?;
    } else if leases.is_empty() {
        output::lines(&["FREE".to_owned()]);
    } else {
        let first = output::busy_line(leases.iter());
        output::lines(&[vec![first], leases.iter().map(holder_line).collect()].concat());
    }
    Ok(exit)
}
