//! The events of a turn's and a session's life: what they begin, renew and give back.

use std::time::Duration;

use super::caller::{Caller, Thread};
use super::judge::REPLY_TIME;
use crate::counter::Entry;
use crate::event::{Event, Kind};
use crate::intent::Intent;
use crate::owner::Owner;
use crate::refusal;
use crate::resource::{self, Resource};
use crate::settings::Settings;
use crate::store::{CallState, End, LOG_BYTES_AT_REST, Lost, Posted, Released, Running, Store};

/// The event of a turn that ended with an error of the model's service. It tells of nothing that
/// still runs, and nothing ends as it would by a Stop.
const FAILED: &str = "StopFailure";

/// Does what the event means for leases, and nothing else. The answer is what the model is to be
/// told, if anything (R11). An error is for people: the event stands.
pub(super) fn live(
    event: &Event,
    settings: &Settings,
    time_left: Duration,
    entry: &mut Entry,
) -> Result<Option<String>, String> {
    let written = if event.kind == Kind::PostTool { written(event) } else { None };
    let Some(name) = name(event, written.is_some()) else {
        entry.event = "reader";
        return Ok(None);
    };
    entry.event = name;
    let Some(session) = &event.session else {
        entry.outcome = "no-session";
        return Err("the payload names no session_id, so nothing was changed".to_owned());
    };
    Owner::new(session, &event.epoch).map_err(|error| error.to_string())?;
    // Where nothing was ever leased nothing can be given back. What begins is remembered (R8, R9).
    let begins = matches!(event.kind, Kind::Begin | Kind::SubagentStart);
    if !begins && !settings.database.exists() {
        entry.outcome = "absent";
        return Ok(None);
    }
    let options = settings.store_options(time_left.saturating_sub(REPLY_TIME));
    let mut store = Store::open(&settings.database, options).map_err(|error| error.to_string())?;
    let caller = Caller::of(event, session, settings, &mut store)?;
    let told = step(event, &caller, &written.unwrap_or_default(), &mut store, entry)?;
    if event.kind != Kind::Begin && event.kind != Kind::PostTool {
        store.tidy(LOG_BYTES_AT_REST).map_err(|error| error.to_string())?;
    }
    store.notices().first().map_or(Ok(told), |notice| Err(notice.clone()))
}

/// What the counter calls the event; none for one that changes nothing. A sub-agent's end or start
/// without its id must not be taken for the main thread's.
fn name(event: &Event, wrote: bool) -> Option<&'static str> {
    let of_subagent = event.agent_id.is_some();
    match event.kind {
        Kind::Begin => Some("begin"),
        Kind::End | Kind::Interrupt | Kind::SessionEnd => Some("release"),
        Kind::SubagentEnd if of_subagent => Some("release"),
        Kind::SubagentStart if of_subagent => Some("start"),
        Kind::PostTool if wrote => Some("post"),
        _ => None,
    }
}

/// What a call that has run was judged to write; none where that was nothing.
fn written(event: &Event) -> Option<Vec<Resource>> {
    let tool = event.tool.as_ref()?;
    let home = std::env::home_dir();
    // What could not be judged was stopped, and what cannot be resolved any more is not there.
    let intent = Intent::of(tool, home.as_deref()).ok()?;
    if intent.writes.is_empty() {
        return None;
    }
    resource::resolve_all(&intent.writes, tool.cwd.as_deref()).ok()
}

/// The step of the rules that the event is.
fn step(
    event: &Event,
    caller: &Caller,
    written: &[Resource],
    store: &mut Store,
    entry: &mut Entry,
) -> Result<Option<String>, String> {
    let Caller { owner, context, thread } = caller;
    let told = match (event.kind, thread) {
        (Kind::Begin, Thread::Main) => {
            let begun = store.begin(owner, context).map_err(|error| error.to_string())?;
            count(entry, begun.released);
            lost(&begun.lost)
        }
        // A sub-agent's prompt begins no turn.
        (Kind::Begin, _) => {
            let posted = store.post(owner, &[], None, context);
            inform(&posted.map_err(|error| error.to_string())?, entry)
        }
        (Kind::PostTool, _) => {
            entry.resources = written.iter().map(|one| resource::spelling(&one.path)).collect();
            let state = call_state(event);
            let call = event.call.as_deref().map(|id| (id, &state));
            let posted = store.post(owner, written, call, context);
            inform(&posted.map_err(|error| error.to_string())?, entry)
        }
        // What acts as its main thread holds nothing of its own, so neither its start nor its end
        // means anything.
        (_, Thread::Shared) => None,
        (Kind::SubagentStart, _) => {
            store.start_subagent(owner, context).map_err(|error| error.to_string())?;
            None
        }
        // The end of a sub-agent's own session, where it has one, is not that of the root.
        (Kind::SessionEnd, Thread::Main) => {
            entry.scope = Some("session");
            let ended = store.end_session(owner.session(), context);
            count(entry, ended.map_err(|error| error.to_string())?);
            None
        }
        _ => {
            let ended = store.end(owner, &how(event), context);
            count(entry, ended.map_err(|error| error.to_string())?);
            None
        }
    };
    Ok(told)
}

/// R10: how a shell call stands after its post event. That of a call in the background comes at
/// once, and ends nothing.
fn call_state(event: &Event) -> CallState {
    let background = event.tool.as_ref().is_some_and(|tool| tool.background);
    if background || event.task.is_some() {
        CallState::GoesOn(event.task.clone())
    } else {
        CallState::Ended
    }
}

/// How a turn or a sub-agent ends by this event (R9, R10).
fn how(event: &Event) -> End {
    if event.kind == Kind::Interrupt || event.name == FAILED {
        return End::Interrupt;
    }
    End::Stop(event.running.as_ref().map(|running| Running {
        subagents: running.subagents.clone(),
        shells: running.shells.clone(),
    }))
}

/// R11: what the model is to be told after a call.
fn inform(posted: &Posted, entry: &mut Entry) -> Option<String> {
    entry.outcome = if posted.taken.is_empty() { "renewed" } else { "taken" };
    let taken = (!posted.taken.is_empty()).then(|| refusal::taken(&posted.taken));
    let told: Vec<String> = taken.into_iter().chain(lost(&posted.lost)).collect();
    (!told.is_empty()).then(|| told.join(" "))
}

fn lost(lost: &[Lost]) -> Option<String> {
    (!lost.is_empty()).then(|| refusal::has_lost(lost))
}

fn count(entry: &mut Entry, released: Released) {
    entry.scope = entry.scope.or(Some("epoch"));
    (entry.outcome, entry.count) = match released {
        Released::Count(count) => ("released", Some(count)),
        Released::EpochMismatch => ("epoch-mismatch", None),
        Released::Absent => ("absent", None),
    };
}
