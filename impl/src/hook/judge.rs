//! Before a tool call: may it write what it will write?

use std::time::Duration;

use super::caller::Caller;
use crate::client::Client;
use crate::counter::Entry;
use crate::decision::Decision;
use crate::event::{Event, ToolCall};
use crate::intent::Intent;
use crate::machine;
use crate::owner::Owner;
use crate::refusal;
use crate::resource;
use crate::settings::Settings;
use crate::store::{Acquired, LOG_BYTES_MAX, Request, ShellCall, Store};

/// Kept back from the deadline for the reply, when another process's transaction is waited for.
pub(super) const REPLY_TIME: Duration = Duration::from_millis(200);

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
    let cwd = tool.cwd.as_deref();
    // The names are judged before the database is opened: what is wrong with them stays wrong.
    Owner::new(session, &event.epoch).map_err(|error| error.to_string())?;
    let resources =
        resource::resolve_all(&intent.writes, cwd).map_err(|error| error.to_string())?;
    let trees = resource::resolve_all(&intent.trees, cwd).map_err(|error| error.to_string())?;
    entry.resources = resources.iter().map(|one| resource::spelling(&one.path)).collect();
    entry.ttl_sec = Some(settings.ttl_ms / 1000);
    let options = settings.store_options(time_left.saturating_sub(REPLY_TIME));
    let mut store = Store::open(&settings.database, options).map_err(|error| error.to_string())?;
    let caller = Caller::of(event, session, settings, &mut store)?;
    let request = Request {
        owner: caller.owner.clone(),
        resources,
        trees,
        ttl_ms: settings.ttl_ms,
        agent: event.client.label().to_owned(),
        host: machine::host_name(),
        cwd: cwd.map(|cwd| cwd.to_string_lossy().into_owned()),
        note: None,
        call: shell_call(event, tool, &intent),
        context: caller.context.clone(),
    };
    let acquired = store.acquire(&request).map_err(|error| error.to_string())?;
    // The decision stands; a log that cannot be emptied only costs time.
    let _ = store.tidy(LOG_BYTES_MAX);
    let decision = decide(&acquired, &caller.owner, &store, entry);
    store.abandon();
    Ok(decision)
}

/// R10: the shell call that will write. Codex applies a script that is one patch by itself, and
/// tells of no end of it.
fn shell_call(event: &Event, tool: &ToolCall, intent: &Intent) -> Option<ShellCall> {
    let by_codex = event.client == Client::Codex && intent.patch_only;
    let id = event.call.clone().filter(|_| intent.shell && !by_codex)?;
    Some(ShellCall { id, background: tool.background })
}

fn decide(acquired: &Acquired, owner: &Owner, store: &Store, entry: &mut Entry) -> Decision {
    match acquired {
        Acquired::Granted { grants, reclaimed } => {
            entry.outcome = "acquired";
            entry.count = Some(grants.len());
            let mut warnings = store.notices().to_vec();
            warnings.extend(reclaimed.iter().map(refusal::reclaimed));
            if warnings.is_empty() {
                Decision::Allow
            } else {
                Decision::AllowWith { warning: warnings.join("; ") }
            }
        }
        Acquired::Busy(busy) => {
            entry.outcome = "blocked";
            for conflict in &busy.conflicts {
                entry.held_by.push(conflict.lease.owner.session().to_owned());
                entry.held_epochs.push(conflict.lease.owner.epoch().to_owned());
            }
            Decision::Deny { reason: refusal::for_agent(busy, owner) }
        }
        Acquired::Stale => {
            entry.outcome = "stale";
            Decision::Deny { reason: refusal::STALE.to_owned() }
        }
        Acquired::Lost(lost) => {
            entry.outcome = "lost";
            Decision::Deny { reason: refusal::lost(lost) }
        }
    }
}
