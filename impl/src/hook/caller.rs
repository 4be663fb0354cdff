//! Whose call a hook event is: the owner, and what the rules want to know of it (R8, R9, R13).

use crate::client::Client;
use crate::event::{Event, Turn};
use crate::owner::Owner;
use crate::process;
use crate::settings::{Settings, Subagents};
use crate::store::{Context, Store};

/// The caller of an event.
#[derive(Debug)]
pub(super) struct Caller {
    /// The owner, with an empty epoch where the current turn is meant.
    pub(super) owner: Owner,
    /// What the store is to know besides.
    pub(super) context: Context,
    /// Which thread of the session it is.
    pub(super) thread: Thread,
}

/// A thread of a session.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Thread {
    /// The main one.
    Main,
    /// A sub-agent, which owns what it leases.
    Subagent,
    /// A sub-agent that acts as its main thread (`LEASEHOLD_SUBAGENTS=shared`), and owns nothing.
    Shared,
}

impl Caller {
    /// The caller of this event. An error is a name that cannot own anything, in one clause.
    pub(super) fn of(
        event: &Event,
        session: &str,
        settings: &Settings,
        store: &mut Store,
    ) -> Result<Self, String> {
        let (session, agent) = root(event, session, store)?;
        let (thread, epoch) = match (&agent, settings.subagents) {
            (None, _) => (Thread::Main, event.epoch.clone()),
            (Some(id), Subagents::Own) => (Thread::Subagent, format!("agent:{id}")),
            // The main thread's current turn, whatever that is called.
            (Some(_), Subagents::Shared) => (Thread::Shared, String::new()),
        };
        let context = Context {
            minted: thread == Thread::Shared || event.turn == Turn::Minted,
            begins: thread == Thread::Main && event.client.marks_subagents(),
            sighting: sighting(event),
        };
        let owner = Owner::new(&session, &epoch).map_err(|error| error.to_string())?;
        if thread == Thread::Main && owner.is_subagent() {
            return Err("the payload names its turn as a sub-agent is named (agent:…)".to_owned());
        }
        Ok(Self { owner, context, thread })
    }
}

/// The root conversation, and the sub-agent in it that calls. Where a client gives sub-agents a
/// session id of their own, the store knows which sessions those are.
fn root(
    event: &Event,
    session: &str,
    store: &mut Store,
) -> Result<(String, Option<String>), String> {
    let known =
        |store: &mut Store, id: &str| store.root_of_subagent(id).map_err(|error| error.to_string());
    if let (Some(parent), Some(id)) = (&event.parent, &event.agent_id) {
        // The parent may be a sub-agent itself, and may have ended before this one.
        let known =
            known(store, id)?.map_or_else(|| known(store, parent), |root| Ok(Some(root)))?;
        return Ok((known.unwrap_or_else(|| parent.clone()), event.agent_id.clone()));
    }
    if event.client != Client::Copilot {
        return Ok((session.to_owned(), event.agent_id.clone()));
    }
    match (known(store, session)?, &event.agent_id) {
        // A sub-agent of a sub-agent starts or stops.
        (Some(root), Some(id)) => Ok((root, Some(id.clone()))),
        // A sub-agent's own prompt or end, which names nobody else.
        (Some(root), None) => Ok((root, Some(session.to_owned()))),
        (None, id) => Ok((session.to_owned(), id.clone())),
    }
}

/// R13: the agent's process. Claude Code names its own, which an agent that it started inherits.
fn sighting(event: &Event) -> Option<process::Sighting> {
    let named = (event.client == Client::Claude)
        .then(|| std::env::var("CLAUDE_PID").ok()?.trim().parse().ok())
        .flatten();
    let seen = process::agent(named)?;
    Some(process::Sighting { call: event.call.clone(), ..seen })
}
