//! Before a tool call: may it write what it will write?

use std::path::{Path, PathBuf};
use std::time::Duration;

use crate::counter::Entry;
use crate::decision::Decision;
use crate::event::Event;
use crate::intent::Intent;
use crate::machine;
use crate::owner::Owner;
use crate::refusal;
use crate::resource::{self, Resource};
use crate::settings::Settings;
use crate::store::{
    Acquired, Busy, CONFLICTS_NAMED_MAX, Conflict, LOG_BYTES_MAX, Overlap, Request, Store,
};

/// Kept back from the deadline for the reply, when another process's transaction is waited for.
const REPLY_TIME: Duration = Duration::from_millis(200);

/// Takes the leases that the call needs, all or none. An error is a call that cannot be judged, in
/// one clause for the reply.
pub(super) fn judge(
    event: &Event,
    settings: &Settings,
    time_left: Duration,
    entry: &mut Entry,
) -> Result<Decision, String> {
    entry.outcome = "error";
    let Some(tool) = &event.tool else {
        return Err("the payload names no tool".to_owned());
    };
    let home = std::env::home_dir();
    let intent = Intent::of(tool, home.as_deref()).map_err(|error| error.to_string())?;
    if intent.writes.is_empty() && intent.trees.is_empty() {
        // R16: no lease, no database.
        entry.outcome = "no-write";
        if intent.reads_only {
            entry.event = "reader";
        }
        return Ok(Decision::Allow);
    }
    let Some(session) = &event.session else {
        entry.outcome = "no-session";
        return Err("the payload names no session_id, so the write has no owner".to_owned());
    };
    let owner = Owner::new(session, &event.epoch).map_err(|error| error.to_string())?;
    let cwd = tool.cwd.as_deref();
    let resources =
        resource::resolve_all(&intent.writes, cwd).map_err(|error| error.to_string())?;
    list(entry, &resources);
    let request = Request {
        owner,
        resources,
        ttl_ms: settings.ttl_ms,
        agent: event.client.label().to_owned(),
        host: machine::host_name(),
        cwd: cwd.map(|cwd| cwd.to_string_lossy().into_owned()),
        note: None,
    };
    entry.ttl_sec = Some(settings.ttl_ms / 1000);
    let options = settings.store_options(time_left.saturating_sub(REPLY_TIME));
    let mut store = Store::open(&settings.database, options).map_err(|error| error.to_string())?;
    if let Some(busy) = in_trees(&mut store, &intent.trees, cwd, &request.owner)? {
        return Ok(decide(&Acquired::Busy(busy), &store, entry));
    }
    let acquired = store.acquire(&request).map_err(|error| error.to_string())?;
    // The decision stands; a log that cannot be emptied only costs time.
    let _ = store.tidy(LOG_BYTES_MAX);
    Ok(decide(&acquired, &store, entry))
}

/// A directory that is moved or removed is not leased, but refused while somebody else holds
/// something in it, or all of it.
fn in_trees(
    store: &mut Store,
    trees: &[PathBuf],
    cwd: Option<&Path>,
    owner: &Owner,
) -> Result<Option<Busy>, String> {
    let trees = resource::resolve_all(trees, cwd).map_err(|error| error.to_string())?;
    if trees.is_empty() {
        return Ok(None);
    }
    let wanted = resource::spelling(&trees[0].path);
    let held = store.check(&trees).map_err(|error| error.to_string())?;
    let mut conflicts: Vec<Conflict> = held
        .into_iter()
        .filter(|lease| lease.owner != *owner)
        .map(|lease| Conflict {
            own_session: lease.owner.session() == owner.session(),
            overlap: Overlap::Below,
            wanted: wanted.clone(),
            lease,
        })
        .collect();
    let more = conflicts.len().saturating_sub(CONFLICTS_NAMED_MAX);
    conflicts.truncate(CONFLICTS_NAMED_MAX);
    Ok((!conflicts.is_empty()).then_some(Busy { conflicts, more }))
}

fn decide(acquired: &Acquired, store: &Store, entry: &mut Entry) -> Decision {
    match acquired {
        Acquired::Granted(grants) => {
            entry.outcome = "acquired";
            entry.count = Some(grants.len());
            if store.notices().is_empty() {
                Decision::Allow
            } else {
                Decision::AllowWith { warning: store.notices().join("; ") }
            }
        }
        Acquired::Busy(busy) => {
            entry.outcome = "blocked";
            for conflict in &busy.conflicts {
                entry.held_by.push(conflict.lease.owner.session().to_owned());
                entry.held_epochs.push(conflict.lease.owner.epoch().to_owned());
            }
            Decision::Deny { reason: refusal::for_agent(busy) }
        }
    }
}

fn list(entry: &mut Entry, resources: &[Resource]) {
    entry.resources = resources.iter().map(|one| resource::spelling(&one.path)).collect();
}
