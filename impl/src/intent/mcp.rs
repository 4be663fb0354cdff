//! Tools of MCP servers, which have no common form: the words of a tool's name tell whether it
//! writes, and the usual fields tell what.

mod uri;
mod words;

use std::path::PathBuf;

use super::{Intent, IntentError, Place};
use crate::payload::Json;
use words::Words;

/// The longest text that is taken for a path, in bytes.
const PATH_BYTES_MAX: usize = 4096;

/// What a field means for a tool that writes.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Field {
    /// What is written.
    Target,
    /// What is taken away, by a tool that moves or deletes; read by all others.
    Source,
}

/// The fields that may hold a path, or a list of paths.
const FIELDS: &[(&str, Field)] = &[
    ("path", Field::Target),
    ("paths", Field::Target),
    ("file_path", Field::Target),
    ("filePath", Field::Target),
    ("file_paths", Field::Target),
    ("filePaths", Field::Target),
    ("absolute_path", Field::Target),
    ("absolutePath", Field::Target),
    ("relative_path", Field::Target),
    ("relativePath", Field::Target),
    ("notebook_path", Field::Target),
    ("filename", Field::Target),
    ("file", Field::Target),
    ("files", Field::Target),
    ("target", Field::Target),
    ("destination", Field::Target),
    ("dest", Field::Target),
    ("new_path", Field::Target),
    ("newPath", Field::Target),
    ("uri", Field::Target),
    ("source", Field::Source),
    ("old_path", Field::Source),
    ("oldPath", Field::Source),
];

/// The tool's own name in `mcp__server__tool`, or in Gemini's `mcp_server_tool`, where a server's
/// name may hold more than one word; none for other names.
pub(super) fn tool_of(name: &str) -> Option<&str> {
    if let Some(name) = name.strip_prefix("mcp__") {
        return Some(name.split_once("__").map_or("", |(_, tool)| tool));
    }
    let name = name.strip_prefix("mcp_")?;
    Some(name.split_once('_').map_or(name, |(_, tool)| tool))
}

/// Adds the files that the tool's usual fields name, where the tool's name says that it writes.
pub(super) fn judge(
    tool: &str,
    input: &Json,
    place: &Place,
    intent: &mut Intent,
) -> Result<(), IntentError> {
    let words = Words::of(tool);
    if !words.write() {
        intent.reads_only = words.read();
        if !intent.reads_only {
            intent.note("the tool's name does not say whether it writes: taken for a reader");
        }
        return Ok(());
    }
    if words.make_directory() {
        intent.note("the tool makes a directory and writes no file");
        return Ok(());
    }
    let mut paths = Vec::new();
    for (name, field) in FIELDS {
        if *field == Field::Target || words.take_away() {
            let value = input.get(name).unwrap_or(&Json::Null);
            add_paths(name, value, place, &mut paths)?;
        }
    }
    if paths.is_empty() {
        intent.note("the tool writes, but names no file in a usual field");
    }
    for path in paths {
        if place.is_at(&path) {
            intent.note("the tool names the working directory, which is never leased");
        } else if words.take_away() && words.directory() {
            intent.trees.push(path);
        } else {
            intent.writes.push(path);
        }
    }
    Ok(())
}

/// Adds the paths of a field: a text, an object with path fields, or a list of these.
fn add_paths(
    name: &'static str,
    value: &Json,
    place: &Place,
    paths: &mut Vec<PathBuf>,
) -> Result<(), IntentError> {
    match value {
        Json::Text(text) => paths.extend(path(text, place)?),
        Json::Skipped => return Err(IntentError::UnreadField(name)),
        Json::Map(_) => {
            for (inner, field) in FIELDS {
                if let (Field::Target, Some(Json::Text(text))) = (field, value.get(inner)) {
                    paths.extend(path(text, place)?);
                }
            }
        }
        Json::List(items) => {
            for item in items {
                add_paths(name, item, place, paths)?;
            }
        }
        Json::Null | Json::Bool(_) | Json::Number(_) => {}
    }
    Ok(())
}

/// The path that a text means; none where it is clearly no path of this machine.
fn path(text: &str, place: &Place) -> Result<Option<PathBuf>, IntentError> {
    if text.trim().is_empty() || text.len() > PATH_BYTES_MAX || text.contains(['\n', '\r']) {
        return Ok(None);
    }
    match uri::scheme(text) {
        Some(scheme) if scheme.eq_ignore_ascii_case("file") => match uri::file_path(text) {
            Some(path) => place.join(&path).map(Some),
            None => Err(IntentError::BadPath(text.to_owned())),
        },
        Some(_) => Ok(None),
        None => place.join_expanded(text).map(Some),
    }
}

#[cfg(test)]
mod tests {
    use super::super::tests::{judge, names};
    use super::*;

    fn writes(tool: &str, input: &str) -> Vec<String> {
        let intent = judge(tool, input).unwrap();
        assert!(!intent.reads_only && intent.trees.is_empty());
        names(&intent.writes).into_iter().map(str::to_owned).collect()
    }

    /// Goal: what a writing tool names is found, in every field and form.
    #[test]
    fn finds_paths() {
        for (tool, input, paths) in [
            ("mcp__fs__write_file", r#"{"path":"/a"}"#, &["/a"][..]),
            ("mcp__serena__replace_symbol_body", r#"{"relative_path":"s/q"}"#, &["/repo/s/q"]),
            ("mcp__x__editFile", r#"{"filePath":"~/a"}"#, &["/home/ana/a"]),
            ("mcp__x__save", r#"{"uri":"FILE:///a%20b"}"#, &["/a b"]),
            ("mcp__x__write_files", r#"{"files":[{"path":"a"},"b",7]}"#, &["/repo/a", "/repo/b"]),
            ("mcp__x__update", r#"{"file":{"filename":"a"}}"#, &["/repo/a"]),
            ("mcp__x__delete_file", r#"{"path":"a","path":"b"}"#, &["/repo/b"]),
            ("mcp__a-b__c__put", r#"{"path":"a"}"#, &["/repo/a"]),
            ("mcp_fs_write_file", r#"{"path":"a"}"#, &["/repo/a"]),
            ("mcp_my_server_write_file", r#"{"path":"a"}"#, &["/repo/a"]),
        ] {
            assert_eq!(writes(tool, input), paths, "{tool} {input}");
        }
    }

    /// Goal: a source is written where it goes away, and read where it stays.
    #[test]
    fn sources() {
        let input = r#"{"source":"/s","destination":"/d"}"#;
        assert_eq!(writes("mcp__fs__move_file", input), ["/d", "/s"]);
        assert_eq!(writes("mcp__fs__copy_file", input), ["/d"]);
    }

    /// Goal: readers are free, whatever they name (R16).
    #[test]
    fn readers_are_free() {
        for tool in ["mcp__fs__read_file", "mcp__serena__find_symbol", "mcp_fs_get_patch"] {
            let intent = judge(tool, r#"{"path":"/a"}"#).unwrap();
            assert!(intent.reads_only && intent.writes.is_empty(), "{tool}");
        }
        let unknown = judge("mcp__x__run", r#"{"path":"/a"}"#).unwrap();
        assert!(unknown.writes.is_empty() && !unknown.reads_only && unknown.notes.len() == 1);
        assert_eq!(judge("mcp__x", "{}").unwrap().notes.len(), 1);
    }

    /// Goal: what is clearly no local path is no target.
    #[test]
    fn leaves_out_what_is_no_path() {
        let long = format!(r#"{{"path":"{}"}}"#, "x".repeat(PATH_BYTES_MAX + 1));
        for input in [
            r#"{"title":"t"}"#,
            r#"{"path":"https://x/y"}"#,
            r#"{"uri":"s3://b/k"}"#,
            r#"{"file":"two\nlines"}"#,
            r#"{"path":" ","file":null,"target":3}"#,
            &long,
        ] {
            let intent = judge("mcp__x__create_issue", input).unwrap();
            assert!(intent.writes.is_empty() && intent.notes.len() == 1, "{input}");
        }
    }

    /// Goal: directories are leased only where all in them changes; the working one never (R16).
    #[test]
    fn directories() {
        let moved =
            judge("mcp__fs__move_directory", r#"{"source":"a","destination":"b"}"#).unwrap();
        assert_eq!((names(&moved.trees), moved.writes.len()), (vec!["/repo/b", "/repo/a"], 0));
        for (tool, input) in [
            ("mcp__fs__create_directory", r#"{"path":"a"}"#),
            ("mcp__x__create_project", r#"{"path":"."}"#),
        ] {
            let intent = judge(tool, input).unwrap();
            assert!(intent.writes.is_empty() && intent.trees.is_empty(), "{tool}");
            assert_eq!(intent.notes.len(), 1);
        }
    }

    /// Goal: a path that was not read, or that no file can have, is refused (R15).
    #[test]
    fn refuses_unreadable_paths() {
        let deep = format!(r#"{{"paths":{}"a"{}}}"#, "[".repeat(99), "]".repeat(99));
        for input in [&*deep, r#"{"path":"a\u0000"}"#, r#"{"uri":"file:///%ff"}"#] {
            assert!(judge("mcp__x__write", input).is_err(), "{input}");
        }
        assert_eq!(writes("mcp__x__write", r#"{"paths":[["a"]]}"#), ["/repo/a"]);
        let skipped = r#"{"files":[{"path":"a"}],"file":{"content":"x"}}"#;
        assert_eq!(writes("mcp__x__write", skipped), ["/repo/a"]);
    }
}
