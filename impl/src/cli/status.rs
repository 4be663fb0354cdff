//! `leasehold status` and `leasehold reap`.

use serde::Serialize;

use super::output::{self, LeaseJson, holder_line};
use super::{Exit, Failure};
use crate::counter::Entry;

#[derive(Debug, clap::Args)]
pub(super) struct Args {
    /// Print JSON, with the leases that have expired but were not met yet.
    #[arg(long)]
    json: bool,
}

#[derive(Serialize)]
struct StatusJson {
    database: String,
    live: usize,
    dead: usize,
    leases: Vec<LeaseJson>,
}

pub(super) fn run(args: &Args) -> Result<Exit, Failure> {
    let settings = super::settings()?;
    let (leases, now_ms) = super::store(&settings)?.leases()?;
    let live = leases.iter().filter(|lease| lease.is_live(now_ms));
    let live_count = live.clone().count();
    let dead_count = leases.len() - live_count;
    if args.json {
        output::json(&StatusJson {
            database: settings.database.to_string_lossy().into_owned(),
            live: live_count,
            dead: dead_count,
            leases: leases.iter().map(|lease| LeaseJson::of(lease, now_ms)).collect(),
        })?;
        return Ok(Exit::Done);
    }
    let mut lines = vec![format!("LEASES {live_count}")];
    lines.extend(live.map(holder_line));
    if dead_count > 0 {
        lines.push(format!("  and {dead_count} expired; `leasehold reap` removes them"));
    }
    output::lines(&lines);
    Ok(Exit::Done)
}

pub(super) fn reap() -> Result<Exit, Failure> {
    let settings = super::settings()?;
    let reaped = super::store(&settings)?.reap()?;
    let entry =
        Entry { event: "reap", outcome: "released", reaped: Some(reaped), ..Entry::default() };
    output::count(&settings, None, entry);
    output::lines(&[format!("REAPED {reaped}")]);
    Ok(Exit::Done)
}
