//! What the command line prints.

use std::io::{self, Write as _};

use serde::Serialize;

use super::{Exit, Failure};
use crate::clock::{Clock as _, SystemClock, timestamp};
use crate::counter::Entry;
use crate::lease::Lease;
use crate::owner::Owner;
use crate::settings::Settings;
use crate::text::printable;

/// A name or path in a line is cut to this many characters.
pub(super) const SHOWN_CHARS_MAX: usize = 1100;

/// Prints lines on standard output. A reader that has gone (`| head`) is no error.
pub(super) fn lines(lines: &[String]) {
    let mut out = io::stdout().lock();
    for line in lines {
        if writeln!(out, "{line}").is_err() {
            return;
        }
    }
}

/// Says on standard error what is wrong.
pub(super) fn problem(text: &str) {
    let _ = writeln!(io::stderr(), "leasehold: {text}");
}

/// Prints one JSON document.
pub(super) fn json(document: &impl Serialize) -> Result<(), Failure> {
    let text = serde_json::to_string_pretty(document)
        .map_err(|error| Failure { exit: Exit::Failed, text: error.to_string() })?;
    lines(&[text]);
    Ok(())
}

/// A name that came from outside, fit for a line.
pub(super) fn shown(text: &str) -> String {
    printable(text, SHOWN_CHARS_MAX)
}

/// The line that tells who holds a lease, since when and until when.
pub(super) fn holder_line(lease: &Lease) -> String {
    let epoch = match lease.owner.epoch() {
        "" if lease.migrated => " (from before epochs)".to_owned(),
        "" => String::new(),
        epoch => format!(" epoch {}", shown(epoch)),
    };
    let kept = if lease.kept { ", kept for a task in the background" } else { "" };
    let fence = lease.fence.map_or_else(String::new, |fence| format!(", fence {fence}"));
    let note =
        lease.note.as_ref().map_or_else(String::new, |note| format!(", note: {}", shown(note)));
    format!(
        "  {} held by {} session {}{epoch} since {} until {}{fence}{kept}{note}",
        shown(&lease.resource),
        shown(&lease.agent),
        shown(lease.owner.session()),
        timestamp(lease.acquired_ms),
        timestamp(lease.expires_ms),
    )
}

/// `BUSY: <resources> held by <sessions>`.
pub(super) fn busy_line<'l>(leases: impl Iterator<Item = &'l Lease> + Clone) -> String {
    let resources: Vec<String> = leases.clone().map(|lease| shown(&lease.resource)).collect();
    let mut sessions: Vec<String> = Vec::new();
    for lease in leases {
        let session = shown(lease.owner.session());
        if !sessions.contains(&session) {
            sessions.push(session);
        }
    }
    format!("BUSY: {} held by {}", resources.join(", "), sessions.join(", "))
}

/// A lease in JSON.
#[derive(Serialize)]
pub(super) struct LeaseJson {
    resource: String,
    session: String,
    epoch: String,
    agent: String,
    host: String,
    cwd: Option<String>,
    acquired: f64,
    expires: f64,
    ttl_sec: f64,
    fence: Option<i64>,
    migrated: bool,
    live: bool,
    kept: bool,
    process: Option<String>,
    note: Option<String>,
}

impl LeaseJson {
    pub(super) fn of(lease: &Lease, now_ms: i64) -> Self {
        Self {
            resource: lease.resource.clone(),
            session: lease.owner.session().to_owned(),
            epoch: lease.owner.epoch().to_owned(),
            agent: lease.agent.clone(),
            host: lease.host.clone(),
            cwd: lease.cwd.clone(),
            acquired: seconds(lease.acquired_ms),
            expires: seconds(lease.expires_ms),
            ttl_sec: seconds(lease.ttl_ms),
            fence: lease.fence,
            migrated: lease.migrated,
            live: lease.is_live(now_ms),
            kept: lease.kept,
            process: lease.process.clone(),
            note: lease.note.clone(),
        }
    }
}

/// Milliseconds as seconds.
#[expect(clippy::cast_precision_loss, reason = "exact up to the year 287396")]
pub(super) fn seconds(ms: i64) -> f64 {
    ms as f64 / 1000.0
}

/// The moment, for what was read a moment ago.
pub(super) fn now_ms() -> i64 {
    SystemClock.now_ms()
}

/// Counts what a command did.
pub(super) fn count(settings: &Settings, owner: Option<&Owner>, entry: Entry) {
    Entry {
        ts: seconds(now_ms()),
        session: owner.map(|owner| owner.session().to_owned()),
        epoch: owner.map(|owner| owner.epoch().to_owned()),
        client: Some("cli"),
        ..entry
    }
    .append(&settings.counter);
}
