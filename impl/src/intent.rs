//! Which files a tool call will write.
//!
//! A call that visibly writes has its files named here, or is refused (R15). A call that does not
//! visibly write names none (R16). Where the text leaves a doubt between two files, both are
//! named. Paths are only put together here: links and `..` are resolved by whoever asks the
//! file system.

mod error;
mod file_tool;
mod heredoc;
mod mcp;
mod patch;
mod place;

use std::collections::HashSet;
use std::path::{Path, PathBuf};

pub use error::IntentError;

use crate::event::ToolCall;
use place::Place;

/// Tools that run a shell script, in all the spellings that clients have used.
const SHELL_TOOLS: &[&str] =
    &["Bash", "Monitor", "PowerShell", "exec_command", "local_shell", "shell", "shell_command"];

/// Tools that apply a patch.
const PATCH_TOOLS: &[&str] = &["apply_patch", "applypatch"];

/// What the call is going to write.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Intent {
    /// Files: absolute, neither resolved nor doubled.
    pub writes: Vec<PathBuf>,
    /// Directories that are written with all that is in them.
    pub trees: Vec<PathBuf>,
    /// Whether the tool is one that cannot write files.
    pub reads_only: bool,
    /// What a person who asks for an explanation should know.
    pub notes: Vec<String>,
}

impl Intent {
    /// Judges a call. `home` is the directory that `~` stands for where the tool expands it.
    ///
    /// # Errors
    /// [`IntentError`] where the call writes but does not say readably what.
    pub fn of(call: &ToolCall, home: Option<&Path>) -> Result<Self, IntentError> {
        let place = Place::new(call.cwd.as_deref(), home);
        let mut intent = Self::default();
        if let Some(fields) = file_tool::path_fields(&call.name) {
            file_tool::judge(call, fields, &place, &mut intent)?;
        } else if PATCH_TOOLS.contains(&call.name.as_str()) {
            patch::judge(call, &place, &mut intent)?;
        } else if SHELL_TOOLS.contains(&call.name.as_str()) {
            heredoc::judge(call, &place, &mut intent)?;
        } else if let Some(tool) = mcp::tool_of(&call.name) {
            mcp::judge(tool, &call.input, &place, &mut intent)?;
        } else {
            intent.reads_only = true;
        }
        unique(&mut intent.writes);
        unique(&mut intent.trees);
        Ok(intent)
    }

    fn note(&mut self, text: impl Into<String>) {
        self.notes.push(text.into());
    }
}

/// Drops all but the first of equal paths.
fn unique(paths: &mut Vec<PathBuf>) {
    let mut seen = HashSet::new();
    paths.retain(|path| seen.insert(path.clone()));
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::event::Event;
    use crate::payload::Payload;

    /// The intent of a tool call in `/repo`, with `/home/ana` as home.
    pub(super) fn judge(tool: &str, input: &str) -> Result<Intent, IntentError> {
        let text = format!(r#"{{"cwd":"/repo","tool_name":"{tool}","tool_input":{input}}}"#);
        let payload = Payload::parse(text.as_bytes()).unwrap();
        let call = Event::of(&payload, Some("PreToolUse"), None).tool.unwrap();
        Intent::of(&call, Some(Path::new("/home/ana")))
    }

    /// The files that a shell script in `/repo` will write.
    pub(super) fn shell_intent(script: &str) -> Result<Intent, IntentError> {
        judge("Bash", &serde_json::json!({ "command": script }).to_string())
    }

    /// The written paths as text.
    pub(super) fn names(paths: &[PathBuf]) -> Vec<&str> {
        paths.iter().map(|path| path.to_str().unwrap()).collect()
    }

    /// Goal: readers, and tools that nobody knows, take no lease (R16).
    #[test]
    fn readers_are_free() {
        for tool in ["Read", "Glob", "Grep", "LS", "WebFetch", "Agent", "TodoWrite", "Writer"] {
            let intent = judge(tool, r#"{"file_path":"/repo/a","path":"b"}"#).unwrap();
            assert_eq!(intent, Intent { reads_only: true, ..Intent::default() }, "{tool}");
        }
    }

    /// Goal: a shell call without a patch is not judged here, and says so.
    #[test]
    fn shell_calls_are_not_judged() {
        let intent = shell_intent("printf x > a.txt").unwrap();
        assert!(intent.writes.is_empty() && !intent.reads_only);
        assert_eq!(intent.notes, [heredoc::NOT_JUDGED]);
    }

    /// Goal: one file is one path, however often and however it is spelt; `..` stays.
    #[test]
    fn paths_are_unique() {
        let input = r#"{"paths":["a","./a","/repo//a","/repo/./a/","b/../a"]}"#;
        let intent = judge("mcp__fs__write_files", input).unwrap();
        assert_eq!(names(&intent.writes), ["/repo/a", "/repo/b/../a"]);
    }
}
