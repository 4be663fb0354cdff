//! A call of one tool, in one form for all clients.

use std::path::{Path, PathBuf};

use super::is_rooted;
use crate::client::Client;
use crate::payload::{Json, Payload};

/// The spellings of the tool's name.
const NAME_FIELDS: &[&str] = &["tool_name", "toolName"];

/// The spellings of the tool's arguments.
const INPUT_FIELDS: &[&str] = &["tool_input", "toolArgs"];

/// Fields of a tool's input that name its own working directory, best first.
const DIRECTORY_FIELDS: &[&str] = &["workdir", "cwd"];

/// The shell tool of Gemini CLI and Qwen Code, and what they call its directory.
const DIRECTORY_FIELDS_OF: (&str, &[&str]) = ("run_shell_command", &["dir_path", "directory"]);

/// A call of one tool.
#[derive(Clone, Debug, PartialEq)]
pub struct ToolCall {
    /// The tool's name, never empty.
    pub name: String,
    /// The tool's arguments; null where the payload has none.
    pub input: Json,
    /// The directory that the call's relative paths start from.
    pub cwd: Option<PathBuf>,
    /// Whether the call asks to go on running after the tool has answered (R10).
    pub background: bool,
}

impl ToolCall {
    /// The call that a payload describes, of an agent that works in `cwd`.
    pub(super) fn of(payload: &Payload, client: Client, cwd: Option<&Path>) -> Option<Self> {
        let given = payload.first_filled_text(NAME_FIELDS)?;
        let name = mcp_name(payload, given).unwrap_or_else(|| given.to_owned());
        let input = payload.first(INPUT_FIELDS).cloned().unwrap_or(Json::Null);
        let input = if client == Client::Copilot { unpacked(input) } else { input };
        let cwd = directory(&name, &input, cwd);
        let background = in_background(client, &input);
        Some(Self { name, input, cwd, background })
    }
}

/// Gemini joins an MCP server's name and the tool's with one underscore, where nobody can take them
/// apart again; it names both beside that.
fn mcp_name(payload: &Payload, given: &str) -> Option<String> {
    let context = payload.get("mcp_context").filter(|_| given.starts_with("mcp_"))?;
    let text = |field| context.get(field).and_then(Json::as_text).filter(|text| !text.is_empty());
    Some(format!("mcp__{}__{}", text("server_name")?, text("tool_name")?))
}

/// Copilot's arguments may be an object as a text. A text that is none, such as a patch, stays.
fn unpacked(input: Json) -> Json {
    match &input {
        Json::Text(text) => match Json::parse(text.as_bytes()) {
            Ok(map @ Json::Map(_)) => map,
            _ => input,
        },
        _ => input,
    }
}

fn directory(name: &str, input: &Json, cwd: Option<&Path>) -> Option<PathBuf> {
    let more = if name == DIRECTORY_FIELDS_OF.0 { DIRECTORY_FIELDS_OF.1 } else { &[] };
    let own = DIRECTORY_FIELDS
        .iter()
        .chain(more)
        .filter_map(|field| input.get(field).and_then(Json::as_text))
        .find(|directory| !directory.is_empty());
    match own {
        Some(directory) if is_rooted(Path::new(directory)) => Some(PathBuf::from(directory)),
        Some(directory) => cwd.map(|cwd| cwd.join(directory)),
        None => cwd.map(Path::to_path_buf),
    }
}

/// Whether the call asks to run in the background, in the client's own words.
fn in_background(client: Client, input: &Json) -> bool {
    let is_true = |field| input.get(field) == Some(&Json::Bool(true));
    match client {
        Client::Claude => is_true("run_in_background"),
        Client::Gemini | Client::Qwen => is_true("is_background"),
        Client::Copilot => {
            is_true("detach") || input.get("mode").and_then(Json::as_text) == Some("async")
        }
        Client::Codex | Client::OpenCode => false,
    }
}
