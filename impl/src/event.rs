//! One hook call in the words of the rules: who calls, at which point of its life, and for
//! which tool.

use std::path::{Path, PathBuf};

use crate::client::Client;
use crate::payload::{Json, Payload};

pub use crate::client::Kind;

/// Fields of a tool's input that name its own working directory, best first.
const TOOL_DIRECTORY_FIELDS: &[&str] = &["workdir", "cwd"];

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
    /// The fencing name of the attempt: `agent:<id>` of a sub-agent, else the turn's id, else
    /// empty.
    pub epoch: String,
    /// The sub-agent's id, never empty.
    pub agent_id: Option<String>,
    /// The id of the tool call.
    pub call: Option<String>,
    /// The directory that the agent works in; none where the payload has no absolute one.
    pub cwd: Option<PathBuf>,
    /// The tool call. None for a pre-tool event means that the call cannot be judged (R15).
    pub tool: Option<ToolCall>,
    /// What a person who asks for an explanation should know.
    pub notes: Vec<String>,
}

/// A call of one tool.
#[derive(Clone, Debug, PartialEq)]
pub struct ToolCall {
    /// The tool's name, never empty.
    pub name: String,
    /// The tool's arguments; null where the payload has none.
    pub input: Json,
    /// The directory that the call's relative paths start from.
    pub cwd: Option<PathBuf>,
}

impl Event {
    /// Reads a payload. `named_event` is the event that the installed command names, which counts
    /// only where the payload names none; `client` overrules the detection.
    pub fn of(payload: &Payload, named_event: Option<&str>, client: Option<Client>) -> Self {
        let client = client.unwrap_or_else(|| Client::detect(payload));
        let mut notes = Vec::new();
        let name = event_name(payload, named_event, &mut notes);
        let agent_id = payload.filled_text("agent_id").map(str::to_owned);
        let epoch = match &agent_id {
            Some(id) => format!("agent:{id}"),
            None => payload.text(client.turn_field()).unwrap_or_default().to_owned(),
        };
        let cwd = payload.text("cwd").map(PathBuf::from).filter(|path| is_rooted(path));
        Self {
            client,
            kind: Kind::of(&name),
            name,
            session: payload.text("session_id").map(str::to_owned),
            epoch,
            agent_id,
            call: payload.filled_text("tool_use_id").map(str::to_owned),
            tool: tool_call(payload, cwd.as_deref()),
            cwd,
            notes,
        }
    }
}

/// The event's name, with a note where it had to be chosen.
fn event_name(payload: &Payload, named: Option<&str>, notes: &mut Vec<String>) -> String {
    let named = named.filter(|name| !name.is_empty());
    match (payload.filled_text("hook_event_name"), named) {
        // A spelling that nobody knows must not hide the call that the command stands before (R15).
        (Some(name), Some(known))
            if Kind::of(name) == Kind::Other && Kind::of(known) != Kind::Other =>
        {
            notes.push(format!(
                "the payload names an event that is not known, {name:?}: {known:?} from the \
                 command line counts"
            ));
            known.to_owned()
        }
        (Some(name), Some(other)) if name != other => {
            notes.push(format!(
                "the command line names the event {other:?} and the payload {name:?}: the \
                 payload counts"
            ));
            name.to_owned()
        }
        (Some(name), _) => name.to_owned(),
        (None, Some(name)) => {
            notes
                .push(format!("the payload names no event: {name:?} from the command line counts"));
            name.to_owned()
        }
        // A call that nobody names is the one kind of event that must not slip through.
        (None, None) if payload.has("tool_name") && payload.get("tool_response").is_none() => {
            notes.push("nobody names the event: taken for PreToolUse, as it names a tool".into());
            "PreToolUse".to_owned()
        }
        (None, None) => String::new(),
    }
}

fn tool_call(payload: &Payload, cwd: Option<&Path>) -> Option<ToolCall> {
    let name = payload.filled_text("tool_name")?.to_owned();
    let input = payload.get("tool_input").cloned().unwrap_or(Json::Null);
    let own = TOOL_DIRECTORY_FIELDS
        .iter()
        .filter_map(|field| input.get(field).and_then(Json::as_text))
        .find(|directory| !directory.is_empty());
    let cwd = match own {
        Some(directory) if is_rooted(Path::new(directory)) => Some(PathBuf::from(directory)),
        Some(directory) => cwd.map(|cwd| cwd.join(directory)),
        None => cwd.map(Path::to_path_buf),
    };
    Some(ToolCall { name, input, cwd })
}

/// Whether a path starts at a root. On Windows that includes `/c/dir`, which has no drive letter
/// and yet depends on no directory.
pub(crate) fn is_rooted(path: &Path) -> bool {
    path.is_absolute() || path.has_root()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn event(text: &str, named: Option<&str>) -> Event {
        Event::of(&Payload::parse(text.as_bytes()).unwrap(), named, None)
    }

    fn cwd_of(text: &str) -> Option<PathBuf> {
        event(text, None).tool.unwrap().cwd
    }

    /// Goal: the turn names the epoch of the main thread, in each client's own field.
    #[test]
    fn the_turn_is_the_epoch() {
        let claude = event(r#"{"hook_event_name":"Stop","session_id":"s","prompt_id":"p"}"#, None);
        assert_eq!((claude.client, claude.epoch.as_str()), (Client::Claude, "p"));
        assert_eq!((claude.kind, claude.session.as_deref()), (Kind::End, Some("s")));
        let codex = event(r#"{"turn_id":"t","model":"m","prompt_id":"p"}"#, Some("Stop"));
        assert_eq!((codex.client, codex.epoch.as_str()), (Client::Codex, "t"));
        assert_eq!(event("{}", None).epoch, "");
    }

    /// Goal: a sub-agent is its own owner, and an empty id is no sub-agent.
    #[test]
    fn a_sub_agent_is_the_epoch() {
        let sub = event(r#"{"prompt_id":"p","agent_id":"a1","agent_type":"x"}"#, None);
        assert_eq!((sub.epoch.as_str(), sub.agent_id.as_deref()), ("agent:a1", Some("a1")));
        let main = event(r#"{"prompt_id":"p","agent_id":"","agent_type":"x"}"#, None);
        assert_eq!((main.epoch.as_str(), main.agent_id), ("p", None));
    }

    /// Goal: the payload's event name rules; argv fills in for it; both cases are told.
    #[test]
    fn the_payload_names_the_event() {
        let both = event(r#"{"hook_event_name":"Stop"}"#, Some("PreToolUse"));
        assert_eq!((both.kind, both.notes.len()), (Kind::End, 1));
        let same = event(r#"{"hook_event_name":"Stop"}"#, Some("Stop"));
        assert_eq!((same.kind, same.notes.len()), (Kind::End, 0));
        let argv = event("{}", Some("SessionEnd"));
        assert_eq!((argv.kind, argv.notes.len()), (Kind::SessionEnd, 1));
        assert_eq!(event(r#"{"tool_name":"Write"}"#, None).kind, Kind::PreTool);
        assert_eq!(event(r#"{"tool_name":"W","tool_response":1}"#, None).kind, Kind::Other);
        assert_eq!(event("{}", Some("")).kind, Kind::Other);
    }

    /// Goal: the call's own directory comes first, then the payload's, and never the process's.
    #[test]
    fn the_call_has_its_own_directory() {
        let own = r#"{"tool_name":"Bash","cwd":"/home","tool_input":{"workdir":"/repo"}}"#;
        assert_eq!(cwd_of(own), Some(PathBuf::from("/repo")));
        let relative = r#"{"tool_name":"Bash","cwd":"/home","tool_input":{"cwd":"r"}}"#;
        assert_eq!(cwd_of(relative), Some(PathBuf::from("/home/r")));
        let both = r#"{"tool_name":"B","tool_input":{"cwd":"/c","workdir":"/w"}}"#;
        assert_eq!(cwd_of(both), Some(PathBuf::from("/w")));
        let payload = r#"{"tool_name":"Bash","cwd":"/home","tool_input":{"workdir":"","cwd":7}}"#;
        assert_eq!(cwd_of(payload), Some(PathBuf::from("/home")));
        for none in [
            r#"{"tool_name":"Bash","tool_input":{"workdir":"r"}}"#,
            r#"{"tool_name":"Bash","cwd":"r"}"#,
        ] {
            assert_eq!(cwd_of(none), None, "{none}");
        }
    }

    /// Goal: a tool without a name is no tool call, and missing arguments are null.
    #[test]
    fn a_tool_call_has_a_name() {
        assert_eq!(event(r#"{"tool_name":"","tool_input":{}}"#, None).tool, None);
        assert_eq!(event(r#"{"tool_name":7}"#, None).tool, None);
        let bare = event(r#"{"tool_name":"Write","tool_use_id":"u"}"#, None);
        assert_eq!((bare.tool.unwrap().input, bare.call.as_deref()), (Json::Null, Some("u")));
    }
}
