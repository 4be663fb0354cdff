//! `leasehold acquire`.

use std::path::PathBuf;

use serde::Serialize;

use super::output::{self, LeaseJson, holder_line, seconds, shown};
use super::{Exit, Failure, Place};
use crate::counter::Entry;
use crate::lease::Lease;
use crate::machine;
use crate::owner::Owner;
use crate::resource;
use crate::settings;
use crate::store::{Acquired, Busy, Context, Grant, LOG_BYTES_MAX, Lost, Overlap, Request};

#[derive(Debug, clap::Args)]
pub(super) struct Args {
    /// Files or directories; a directory covers everything in it.
    #[arg(required = true)]
    paths: Vec<PathBuf>,
    /// The conversation that asks.
    #[arg(long)]
    session: String,
    /// The turn within it: only a release that names the same epoch gives these leases back.
    #[arg(long, default_value = "", hide_default_value = true)]
    epoch: String,
    /// The agent's label, for the people who meet the lease.
    #[arg(long, default_value = "cli")]
    agent: String,
    /// How many seconds the leases last without renewal. Default: `LEASEHOLD_TTL_SEC` or 1800.
    #[arg(long, value_name = "N")]
    ttl_sec: Option<String>,
    #[command(flatten)]
    place: Place,
    /// Free text for the people who meet the lease.
    #[arg(long)]
    note: Option<String>,
    /// Print JSON, with the fence of each lease.
    #[arg(long)]
    json: bool,
}

pub(super) fn run(args: &Args) -> Result<Exit, Failure> {
    let settings = super::settings()?;
    let usage = |error: &dyn std::fmt::Display| Failure::usage(error.to_string());
    let owner = Owner::new(&args.session, &args.epoch).map_err(|error| usage(&error))?;
    let ttl_ms = match &args.ttl_sec {
        Some(text) => settings::ttl_ms("--ttl-sec", text).map_err(|error| usage(&error))?,
        None => settings.ttl_ms,
    };
    let cwd = args.place.directory()?;
    let resources =
        resource::resolve_all(&args.paths, Some(&cwd)).map_err(|error| usage(&error))?;
    let request = Request {
        owner,
        resources,
        ttl_ms,
        agent: args.agent.clone(),
        host: machine::host_name(),
        cwd: Some(cwd.to_string_lossy().into_owned()),
        note: args.note.clone(),
        call: None,
        trees: Vec::new(),
        context: Context::default(),
    };
    let mut store = super::store(&settings)?;
    let mut answer = store.acquire(&request)?;
    if let Acquired::Lost(lost) = &answer {
        for one in lost {
            output::problem(&lost_line(one));
        }
        // Told once: a script that asks has no old picture of the file to write back.
        answer = store.acquire(&request)?;
    }
    // The decision stands; a log that cannot be emptied only costs time.
    let _ = store.tidy(LOG_BYTES_MAX);
    output::count(&settings, Some(&request.owner), entry(&request, &answer));
    match answer {
        Acquired::Granted { grants, reclaimed } => {
            granted(args, &request, &grants, &reclaimed)?;
            Ok(Exit::Done)
        }
        Acquired::Busy(busy) => {
            refused(args, &busy)?;
            Ok(Exit::Busy)
        }
        Acquired::Stale => {
            stale(args, &request)?;
            Ok(Exit::Stale)
        }
        Acquired::Lost(_) => Err(Failure {
            exit: Exit::Failed,
            text: "another session keeps taking these leases at this moment: try again".to_owned(),
        }),
    }
}

fn entry(request: &Request, answer: &Acquired) -> Entry {
    let mut entry = Entry {
        event: "acquire",
        outcome: "acquired",
        agent: Some(request.agent.clone()),
        resources: request.resources.iter().map(|one| resource::spelling(&one.path)).collect(),
        ttl_sec: Some(request.ttl_ms / 1000),
        note: request.note.clone(),
        ..Entry::default()
    };
    match answer {
        Acquired::Granted { grants, .. } => entry.count = Some(grants.len()),
        Acquired::Stale => entry.outcome = "stale",
        Acquired::Lost(_) => entry.outcome = "lost",
        Acquired::Busy(busy) => {
            entry.outcome = "blocked";
            let owners = busy.conflicts.iter().map(|conflict| &conflict.lease.owner);
            entry.held_by = owners.clone().map(|owner| owner.session().to_owned()).collect();
            entry.held_epochs = owners.map(|owner| owner.epoch().to_owned()).collect();
        }
    }
    entry
}

#[derive(Serialize)]
struct GrantJson {
    resource: String,
    fence: i64,
    acquired: f64,
    expires: f64,
}

#[derive(Serialize)]
struct GrantedJson {
    outcome: &'static str,
    session: String,
    epoch: String,
    leases: Vec<GrantJson>,
    reclaimed: Vec<LeaseJson>,
}

#[derive(Serialize)]
struct StaleJson {
    outcome: &'static str,
    session: String,
    epoch: String,
}

fn stale(args: &Args, request: &Request) -> Result<(), Failure> {
    let owner = &request.owner;
    if args.json {
        return output::json(&StaleJson {
            outcome: "stale",
            session: owner.session().to_owned(),
            epoch: owner.epoch().to_owned(),
        });
    }
    output::lines(&[
        format!("STALE: epoch {} of {}", shown(owner.epoch()), shown(owner.session())),
        "  a later turn of this session has superseded it: ask with the current one".to_owned(),
    ]);
    Ok(())
}

/// R11: what an owner lost, in one line.
fn lost_line(lost: &Lost) -> String {
    format!(
        "this owner's lease on {} ended, and {} session {} took it at {}",
        shown(&lost.resource),
        shown(&lost.agent),
        shown(&lost.session),
        crate::clock::timestamp(lost.taken_ms),
    )
}

fn granted(
    args: &Args,
    request: &Request,
    grants: &[Grant],
    reclaimed: &[Lease],
) -> Result<(), Failure> {
    let owner = &request.owner;
    if args.json {
        let leases = grants.iter().map(|grant| GrantJson {
            resource: grant.resource.clone(),
            fence: grant.fence,
            acquired: seconds(grant.acquired_ms),
            expires: seconds(grant.expires_ms),
        });
        return output::json(&GrantedJson {
            outcome: "acquired",
            session: owner.session().to_owned(),
            epoch: owner.epoch().to_owned(),
            leases: leases.collect(),
            reclaimed: reclaimed
                .iter()
                .map(|lease| LeaseJson::of(lease, output::now_ms()))
                .collect(),
        });
    }
    let first = format!("ACQUIRED {} path(s) by {}", grants.len(), shown(owner.session()));
    let each = grants.iter().map(|grant| {
        let until = crate::clock::timestamp(grant.expires_ms);
        format!("  {} until {until}, fence {}", shown(&grant.resource), grant.fence)
    });
    let reclaimed = reclaimed.iter().map(|lease| {
        let holder = shown(lease.owner.session());
        format!("  {} reclaimed: the process of session {holder} is gone", shown(&lease.resource))
    });
    output::lines(&[vec![first], each.collect(), reclaimed.collect()].concat());
    Ok(())
}

#[derive(Serialize)]
struct BusyJson {
    outcome: &'static str,
    holders: Vec<LeaseJson>,
    more: usize,
    own_session: bool,
}

fn refused(args: &Args, busy: &Busy) -> Result<(), Failure> {
    let leases = busy.conflicts.iter().map(|conflict| &conflict.lease);
    if args.json {
        let now_ms = output::now_ms();
        return output::json(&BusyJson {
            outcome: "busy",
            holders: leases.map(|lease| LeaseJson::of(lease, now_ms)).collect(),
            more: busy.more,
            own_session: busy.conflicts.iter().any(|conflict| conflict.own_session),
        });
    }
    let mut lines = vec![output::busy_line(leases)];
    for conflict in &busy.conflicts {
        let wanted = shown(&conflict.wanted);
        let meets = match conflict.overlap {
            Overlap::Same => String::new(),
            Overlap::Above => format!(" (contains {wanted})"),
            Overlap::Below => format!(" (lies in {wanted})"),
            Overlap::OtherName => format!(" (the same file as {wanted})"),
            Overlap::Inherited => format!(" (overlaps this session's older lease over {wanted})"),
        };
        let own = if conflict.own_session { " (this same session, another epoch)" } else { "" };
        lines.push(format!("{}{meets}{own}", holder_line(&conflict.lease)));
    }
    if busy.more > 0 {
        lines.push(format!("  and {} more", busy.more));
    }
    output::lines(&lines);
    Ok(())
}
