//! Tools that write one file and name it in a field.

use std::path::PathBuf;

use super::{Intent, IntentError, Place};
use crate::event::ToolCall;
use crate::payload::Json;

/// The tools, and the fields that may hold their path, best first.
const FILE_TOOLS: &[(&str, &[&str])] = &[
    // Claude Code, and Copilot CLI for hooks in Claude Code's form.
    ("Write", PATH_FIELDS),
    ("Edit", PATH_FIELDS),
    ("MultiEdit", PATH_FIELDS),
    ("NotebookEdit", NOTEBOOK_FIELDS),
    // Gemini CLI and Qwen Code.
    ("write_file", PATH_FIELDS),
    ("replace", PATH_FIELDS),
    ("notebook_edit", NOTEBOOK_FIELDS),
    // Qwen Code, Copilot CLI and OpenCode, each with its own field.
    ("edit", PATH_FIELDS),
    // Copilot CLI.
    ("create", &["path", "file_path", "filePath"]),
    // OpenCode.
    ("write", CAMEL_PATH_FIELDS),
    // VS Code.
    ("create_file", CAMEL_PATH_FIELDS),
    ("replace_string_in_file", CAMEL_PATH_FIELDS),
    ("multi_replace_string_in_file", CAMEL_PATH_FIELDS),
    ("insert_edit_into_file", CAMEL_PATH_FIELDS),
    ("edit_notebook_file", CAMEL_PATH_FIELDS),
];

const PATH_FIELDS: &[&str] = &["file_path", "filePath", "path"];
const CAMEL_PATH_FIELDS: &[&str] = &["filePath", "file_path", "path"];
const NOTEBOOK_FIELDS: &[&str] = &["notebook_path", "file_path", "filePath", "path"];

/// Lists in a call whose items may name files of their own.
const EDIT_LISTS: &[&str] = &["edits", "replacements"];

/// The path fields of a tool that writes one file; none for other tools.
pub(super) fn path_fields(tool: &str) -> Option<&'static [&'static str]> {
    FILE_TOOLS.iter().find(|(name, _)| *name == tool).map(|(_, fields)| *fields)
}

/// Adds the call's file, and those that its edits name for themselves.
pub(super) fn judge(
    call: &ToolCall,
    fields: &'static [&'static str],
    place: &Place,
    intent: &mut Intent,
) -> Result<(), IntentError> {
    let lists = EDIT_LISTS.iter().filter_map(|list| call.input.get(list).and_then(Json::as_list));
    for edit in lists.flatten() {
        if let Some((field, value)) = first_of(edit, PATH_FIELDS) {
            intent.writes.extend(paths(call, field, value, place)?);
        }
    }
    match first_of(&call.input, fields) {
        Some((field, value)) => intent.writes.extend(paths(call, field, value, place)?),
        // An edit that names its file makes up for the call.
        None if !intent.writes.is_empty() => {}
        None => return Err(no_path(call, fields[0], "missing")),
    }
    Ok(())
}

/// The first field that is there with a value.
fn first_of<'a>(input: &'a Json, fields: &[&'static str]) -> Option<(&'static str, &'a Json)> {
    fields.iter().find_map(|field| {
        let value = input.get(field).filter(|value| !value.is_null())?;
        Some((*field, value))
    })
}

/// The file that a value names. Claude Code's tools expand a leading `~`; of the others nobody
/// knows, so there both readings count.
fn paths(
    call: &ToolCall,
    field: &'static str,
    value: &Json,
    place: &Place,
) -> Result<Vec<PathBuf>, IntentError> {
    let name = match value.as_text() {
        Some("") => return Err(no_path(call, field, "empty")),
        Some(name) => name,
        None => return Err(no_path(call, field, value.kind())),
    };
    let mut paths = vec![place.join_expanded(name)?];
    if name.starts_with('~') && call.name.starts_with(|letter: char| letter.is_lowercase()) {
        paths.push(place.join(name)?);
    }
    Ok(paths)
}

fn no_path(call: &ToolCall, field: &'static str, found: &'static str) -> IntentError {
    IntentError::NoPath { tool: call.name.clone(), field, found }
}

#[cfg(test)]
mod tests {
    use super::super::tests::{judge, names};

    /// Goal: each tool's file is found, in its own field and in its equivalents.
    #[test]
    fn finds_the_file() {
        for (tool, input, path) in [
            ("Write", r#"{"file_path":"/a","content":"x"}"#, "/a"),
            ("Edit", r#"{"file_path":"b.txt"}"#, "/repo/b.txt"),
            ("Edit", r#"{"file_path":null,"path":"b.txt"}"#, "/repo/b.txt"),
            ("MultiEdit", r#"{"filePath":"~/c","edits":[]}"#, "/home/ana/c"),
            ("NotebookEdit", r#"{"notebook_path":"/n","file_path":"/f"}"#, "/n"),
            ("NotebookEdit", r#"{"file_path":"/f"}"#, "/f"),
        ] {
            let intent = judge(tool, input).unwrap();
            assert_eq!(names(&intent.writes), [path], "{tool} {input}");
            assert!(!intent.reads_only);
        }
    }

    /// Goal: where nobody knows whether a tool expands `~`, both files are named.
    #[test]
    fn a_tilde_may_have_two_readings() {
        let both = judge("write_file", r#"{"file_path":"~/c"}"#).unwrap();
        assert_eq!(names(&both.writes), ["/home/ana/c", "/repo/~/c"]);
        let other = judge("edit", r#"{"path":"~bob/c"}"#).unwrap();
        assert_eq!(names(&other.writes), ["/repo/~bob/c"]);
    }

    /// Goal: edits may name files of their own.
    #[test]
    fn finds_the_files_of_edits() {
        let input = r#"{"file_path":"/a","edits":[{"file_path":"/b"},{"new_string":"x"},7]}"#;
        assert_eq!(names(&judge("MultiEdit", input).unwrap().writes), ["/b", "/a"]);
        let alone = r#"{"edits":[{"file_path":"/b"}]}"#;
        assert_eq!(names(&judge("MultiEdit", alone).unwrap().writes), ["/b"]);
    }

    /// Goal: each client's writers are known by their exact names, and look-alikes are free.
    #[test]
    fn knows_every_clients_writers() {
        for (tool, input) in [
            ("write_file", r#"{"file_path":"f","content":"x"}"#),
            ("replace", r#"{"file_path":"f","instruction":"i"}"#),
            ("edit", r#"{"file_path":"f"}"#),
            ("edit", r#"{"path":"f","old_str":"a"}"#),
            ("edit", r#"{"filePath":"f","oldString":"a"}"#),
            ("notebook_edit", r#"{"notebook_path":"f"}"#),
            ("create", r#"{"path":"f","file_text":"x"}"#),
            ("write", r#"{"filePath":"f","content":"x"}"#),
            ("create_file", r#"{"filePath":"f"}"#),
            ("replace_string_in_file", r#"{"filePath":"f"}"#),
            ("insert_edit_into_file", r#"{"filePath":"f","code":"x"}"#),
            ("edit_notebook_file", r#"{"filePath":"f"}"#),
            ("multi_replace_string_in_file", r#"{"replacements":[{"filePath":"f"}]}"#),
            ("Edit", r#"{"path":"f","old_str":"a"}"#),
        ] {
            assert_eq!(names(&judge(tool, input).unwrap().writes), ["/repo/f"], "{tool} {input}");
            assert!(judge(tool, "{}").is_err(), "{tool}");
        }
        let two = r#"{"replacements":[{"filePath":"/a"},{"filePath":"b"}]}"#;
        let intent = judge("multi_replace_string_in_file", two).unwrap();
        assert_eq!(names(&intent.writes), ["/a", "/repo/b"]);
        for tool in ["Replace", "writeFile", "EDIT", "Create", "view"] {
            assert!(judge(tool, r#"{"path":"f"}"#).unwrap().reads_only, "{tool}");
        }
    }

    /// Goal: a writing tool without a readable path is refused (R15).
    #[test]
    fn refuses_what_names_no_file() {
        for (input, word) in [
            ("{}", "missing"),
            ("null", "missing"),
            (r#"{"file_path":""}"#, "empty"),
            (r#"{"file_path":["/a"]}"#, "a list"),
            (r#"{"file_path":7,"path":"/a"}"#, "a number"),
            (r#"{"file_path":"/a","file_path":{}}"#, "an object"),
            (r#"{"file_path":"/a\u0000b"}"#, "cannot be a path"),
            (r#"{"file_path":"/a","edits":[{"file_path":false}]}"#, "a truth value"),
        ] {
            let message = judge("Write", input).unwrap_err().to_string();
            assert!(message.contains(word), "{input}: {message}");
        }
    }
}
