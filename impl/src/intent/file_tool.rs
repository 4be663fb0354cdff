//! Tools that write one file and name it in a field.

use super::{Intent, IntentError, Place};
use crate::event::ToolCall;
use crate::payload::Json;

/// The tools, and the fields that may hold their path, best first.
const FILE_TOOLS: &[(&str, &[&str])] = &[
    ("Write", PATH_FIELDS),
    ("Edit", PATH_FIELDS),
    ("MultiEdit", PATH_FIELDS),
    ("NotebookEdit", &["notebook_path", "file_path", "filePath", "path"]),
];

const PATH_FIELDS: &[&str] = &["file_path", "filePath", "path"];

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
    let edits = call.input.get("edits").and_then(Json::as_list).unwrap_or_default();
    for edit in edits {
        if let Some((field, value)) = first_of(edit, PATH_FIELDS) {
            intent.writes.push(path(call, field, value, place)?);
        }
    }
    match first_of(&call.input, fields) {
        Some((field, value)) => intent.writes.push(path(call, field, value, place)?),
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

fn path(
    call: &ToolCall,
    field: &'static str,
    value: &Json,
    place: &Place,
) -> Result<std::path::PathBuf, IntentError> {
    match value.as_text() {
        Some("") => Err(no_path(call, field, "empty")),
        Some(name) => place.join_expanded(name),
        None => Err(no_path(call, field, value.kind())),
    }
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

    /// Goal: edits may name files of their own.
    #[test]
    fn finds_the_files_of_edits() {
        let input = r#"{"file_path":"/a","edits":[{"file_path":"/b"},{"new_string":"x"},7]}"#;
        assert_eq!(names(&judge("MultiEdit", input).unwrap().writes), ["/b", "/a"]);
        let alone = r#"{"edits":[{"file_path":"/b"}]}"#;
        assert_eq!(names(&judge("MultiEdit", alone).unwrap().writes), ["/b"]);
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
