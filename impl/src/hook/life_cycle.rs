//! The events of a turn's and a session's life: what they give back.

use std::time::Duration;

use crate::counter::Entry;
use crate::event::{Event, Kind};
use crate::owner::{Owner, session_name};
use crate::settings::Settings;
use crate::store::{HandOver, LOG_BYTES_AT_REST, Released, Store};

/// Gives back what the event ends (R6), and nothing else. An error is for people: the event stands.
pub(super) fn end(
    event: &Event,
    settings: &Settings,
    time_left: Duration,
    entry: &mut Entry,
) -> Result<(), String> {
    if !ends_something(event) {
        entry.event = "reader";
        return Ok(());
    }
    entry.event = "release";
    let Some(session) = &event.session else {
        entry.outcome = "no-session";
        return Err("the payload names no session_id, so nothing was given back".to_owned());
    };
    let owner = Owner::new(session, &event.epoch).map_err(|error| error.to_string())?;
    // Where nothing was ever leased there is nothing to give back, and no database to make.
    if !settings.database.exists() {
        entry.outcome = "absent";
        return Ok(());
    }
    let options = settings.store_options(time_left);
    let mut store = Store::open(&settings.database, options).map_err(|error| error.to_string())?;
    let released = match event.kind {
        Kind::Begin => store.hand_over(&owner),
        Kind::SessionEnd => {
            entry.scope = Some("session");
            let session = session_name(session).map_err(|error| error.to_string())?;
            store.end_session(&session)
        }
        // A late Stop of a turn that is over must change nothing, and it cannot be told here from
        // the end of the current one: migrated rows wait for a begin (R7).
        _ => store.release(&owner, HandOver::Nothing),
    };
    count(entry, released.map_err(|error| error.to_string())?);
    if event.kind != Kind::Begin {
        store.tidy(LOG_BYTES_AT_REST).map_err(|error| error.to_string())?;
    }
    store.notices().first().map_or(Ok(()), |notice| Err(notice.clone()))
}

/// Whether the event can give anything back. A sub-agent's end without its id must not end the main
/// thread, nor may a sub-agent's prompt begin a turn.
fn ends_something(event: &Event) -> bool {
    let of_subagent = event.agent_id.is_some();
    match event.kind {
        Kind::Begin => !of_subagent,
        Kind::End | Kind::Interrupt | Kind::SessionEnd => true,
        Kind::SubagentEnd => of_subagent,
        _ => false,
    }
}

fn count(entry: &mut Entry, released: Released) {
    entry.scope = entry.scope.or(Some("epoch"));
    (entry.outcome, entry.count) = match released {
        Released::Count(count) => ("released", Some(count)),
        Released::EpochMismatch => ("epoch-mismatch", None),
        Released::Absent => ("absent", None),
    };
}
