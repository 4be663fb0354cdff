//! One hook call in the words of the rules: who calls, at which point of its life, and for
//! which tool.

mod call;
mod name;
mod running;

use std::path::{Path, PathBuf};

use crate::client::Client;
use crate::payload::{Json, Payload};

pub use crate::client::Kind;
pub use call::ToolCall;
pub use running::Running;

/// The spellings of the session's id.
const SESSION_FIELDS: &[&str] = &["session_id", "sessionId"];

/// The spellings of a sub-agent's id.
const AGENT_FIELDS: &[&str] = &["agent_id", "agentId"];

/// The spellings of the id of the session that started a sub-agent.
const PARENT_FIELDS: &[&str] = &["parent_agent_id", "parentAgentId"];

/// The spellings of a tool call's id.
const CALL_FIELDS: &[&str] = &["tool_use_id", "call_id"];

/// Where a turn's id comes from (R8).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Turn {
    /// The client names its turns. Where this payload names none, the epoch is empty.
    Named,
    /// The client has no turn ids: whoever keeps the leases mints one. The epoch of the main thread
    /// is empty until then.
    Minted,
}

/// A hook call.
#[derive(Clone, Debug, PartialEq)]
pub struct Event {
    /// The agent that runs the hook.
    pub client: Client,
    /// The event's name as the client spells it; empty where nobody gave one.
    pub name: String,
    /// What the event means for leases.
    pub kind: Kind,
    /// The session id as it came, with its alias and without judgement; none where it is no text.
    pub session: Option<String>,
    /// The session that started this sub-agent, where the sub-agent has a session id of its own.
    pub parent: Option<String>,
    /// Where the turn's id comes from.
    pub turn: Turn,
    /// The fencing name of the attempt: `agent:<id>` of a sub-agent, else the turn's id, else
    /// empty.
    pub epoch: String,
    /// The sub-agent's id, never empty.
    pub agent_id: Option<String>,
    /// The id of the tool call.
    pub call: Option<String>,
    /// The id of the background task that a shell call has become.
    pub task: Option<String>,
    /// The background work that still runs; none where the payload does not tell (R9, R10).
    pub running: Option<Running>,
    /// The directory that the agent works in; none where the payload has no absolute one.
    pub cwd: Option<PathBuf>,
    /// The tool call. None for a pre-tool event means that the call cannot be judged (R15).
    pub tool: Option<ToolCall>,
    /// What a person who asks for an explanation should know.
    pub notes: Vec<String>,
}

impl Event {
    /// Reads a payload. `named_event` is the event that the installed command names, which counts
    /// only where the payload names none; `client` overrules the detection.
    pub fn of(payload: &Payload, named_event: Option<&str>, client: Option<Client>) -> Self {
        let client = client.unwrap_or_else(|| Client::detect_here(payload));
        let mut notes = Vec::new();
        let name = name::of(payload, client, named_event, &mut notes);
        let session = payload.first(SESSION_FIELDS).and_then(Json::as_text).map(str::to_owned);
        let (agent_id, parent) = sub_agent(payload, client, session.as_deref());
        let turn_id = client.turn_field().and_then(|field| payload.text(field));
        let epoch = match &agent_id {
            Some(id) => format!("agent:{id}"),
            None => turn_id.unwrap_or_default().to_owned(),
        };
        let cwd = payload.text("cwd").map(PathBuf::from).filter(|path| is_rooted(path));
        Self {
            client,
            kind: Kind::of(&name),
            name,
            session,
            parent,
            turn: if client.has_turn_ids() { Turn::Named } else { Turn::Minted },
            epoch,
            agent_id,
            call: payload.first_filled_text(CALL_FIELDS).map(str::to_owned),
            task: running::task(payload),
            running: Running::of(payload),
            tool: ToolCall::of(payload, client, cwd.as_deref()),
            cwd,
            notes,
        }
    }
}

/// The sub-agent's id, and its parent where the session's id is the sub-agent's own, as in
/// Copilot's tool events. One whose parent nobody names is a session like any other.
fn sub_agent(
    payload: &Payload,
    client: Client,
    session: Option<&str>,
) -> (Option<String>, Option<String>) {
    let Some(id) = payload.first_filled_text(AGENT_FIELDS) else { return (None, None) };
    if client != Client::Copilot || session != Some(id) {
        return (Some(id.to_owned()), None);
    }
    let parent = payload.first_filled_text(PARENT_FIELDS).filter(|parent| *parent != id);
    (parent.map(|_| id.to_owned()), parent.map(str::to_owned))
}

/// Whether a path starts at a root. On Windows that includes `/c/dir`, which has no drive letter
/// and yet depends on no directory.
pub(crate) fn is_rooted(path: &Path) -> bool {
    path.is_absolute() || path.has_root()
}

#[cfg(test)]
mod tests;
