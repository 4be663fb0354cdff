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
pub mod shell;

use std::collections::HashSet;
use std::path::{Component, Path, PathBuf};

pub use error::IntentError;

use crate::event::ToolCall;
use place::Place;

/// Tools that run a shell script, in all the spellings that clients have used.
const SHELL_TOOLS: &[&str] = &[
    "Bash",
    "Monitor",
    "PowerShell",
    "bash",
    "exec_command",
    "local_shell",
    "powershell",
    "run_in_terminal",
    "run_shell_command",
    "shell",
    "shell_command",
];

/// What the call is going to write.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Intent {
    /// Files: absolute, neither resolved nor doubled.
    pub writes: Vec<PathBuf>,
    /// Directories that are written with all that is in them.
    pub trees: Vec<PathBuf>,
    /// Whether the tool is one that cannot write files.
    pub reads_only: bool,
    /// Whether the tool is a shell.
    pub shell: bool,
    /// Whether a shell's script is one patch and nothing else. Codex applies it by itself, and no
    /// post event follows (R10).
    pub patch_only: bool,
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
        let shell = SHELL_TOOLS.contains(&call.name.as_str());
        let mut intent = Self { shell, ..Self::default() };
        if patch::is_handed_over(call) {
            patch::judge(call, &place, &mut intent)?;
        } else if let Some(fields) = file_tool::path_fields(&call.name) {
            file_tool::judge(call, fields, &place, &mut intent)?;
        } else if shell {
            heredoc::judge(call, &place, &mut intent)?;
        } else if let Some(tool) = mcp::tool_of(&call.name) {
            mcp::judge(tool, &call.input, &place, &mut intent)?;
        } else {
            intent.reads_only = true;
        }
        if !shell {
            both_readings(&mut intent.writes);
            both_readings(&mut intent.trees);
        }
        unique(&mut intent.writes);
        unique(&mut intent.trees);
        Ok(intent)
    }

    fn note(&mut self, text: impl Into<String>) {
        self.notes.push(text.into());
    }
}

/// Some clients take `link/..` as text before they open a file, where the kernel goes through the
/// link: both files are named. What a shell opens, the kernel resolves.
fn both_readings(paths: &mut Vec<PathBuf>) {
    let as_text =
        paths.iter().filter(|path| path.components().any(|one| one == Component::ParentDir));
    let as_text: Vec<PathBuf> = as_text.map(|path| without_dots(path)).collect();
    paths.extend(as_text);
}

/// The path with `..` taken as text.
fn without_dots(path: &Path) -> PathBuf {
    let mut plain = PathBuf::new();
    for component in path.components() {
        match component {
            // The parent of a root is the root: then there is nothing to take back.
            Component::ParentDir => {
                plain.pop();
            }
            other => plain.push(other),
        }
    }
    plain
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

    /// Goal: shells are known as such in every client's spelling, and nothing else is one.
    #[test]
    fn tells_shells() {
        for tool in ["Bash", "bash", "powershell", "run_shell_command", "run_in_terminal"] {
            let intent = judge(tool, r#"{"command":"make > log"}"#).unwrap();
            assert!(intent.shell && !intent.reads_only && !intent.patch_only, "{tool}");
        }
        assert!(!judge("Read", "{}").unwrap().shell);
    }

    /// Goal: a patch as the bare text of a patch tool, or of what Copilot calls an edit.
    #[test]
    fn bare_patches() {
        let patch = r#""*** Begin Patch\n*** Update File: f\n@@\n*** End Patch\n""#;
        for (tool, input) in [
            ("apply_patch", patch.to_owned()),
            ("apply_patch", format!(r#"{{"patchText":{patch}}}"#)),
            ("Edit", patch.to_owned()),
        ] {
            let intent = judge(tool, &input).unwrap();
            assert_eq!(names(&intent.writes), ["/repo/f"], "{tool} {input}");
            assert!(!intent.shell && !intent.patch_only);
        }
        assert!(judge("Edit", "\"f\"").is_err());
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

    /// Goal: a client may take `..` as text, and then writes another file than the kernel would.
    #[test]
    fn a_path_with_dots_has_both_readings() {
        let input = r#"{"file_path":"/repo/link/../../x/f","content":""}"#;
        let intent = judge("Write", input).unwrap();
        assert_eq!(names(&intent.writes), ["/repo/link/../../x/f", "/x/f"]);
        let intent = judge("Write", r#"{"file_path":"/../../f","content":""}"#).unwrap();
        assert_eq!(names(&intent.writes), ["/../../f", "/f"]);
        let patch = "*** Begin Patch\n*** Delete File: link/../f\n*** End Patch\n";
        let script = shell_intent(&format!("apply_patch <<'EOF'\n{patch}EOF\n")).unwrap();
        assert_eq!(names(&script.writes), ["/repo/link/../f"], "a shell leaves it to the kernel");
    }
}
