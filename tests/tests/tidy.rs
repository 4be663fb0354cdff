//! Goal: the source stays small, finished and in its place.
//! Method: every source file of the workspace is read as text. Each checker is fed something bad as
//! well, and must say so.

use std::fs;
use std::path::{Path, PathBuf};

const FILE_LINES_MAX: usize = 400;
const LINE_COLUMNS_MAX: usize = 100;
const FUNCTION_LINES_MAX: usize = 70;

/// The file that may name what it looks for.
const THIS_FILE: &str = "tests/tests/tidy.rs";

/// What no finished source holds.
const UNFINISHED: [&str; 4] = ["todo!(", "unimplemented!(", "#[ignore", "dbg!("];

/// What has its one place among the crates other than `tests/`: the store.
const SQL: [&str; 4] = ["SELECT ", "INSERT INTO", "DELETE FROM", "UPDATE "];

/// What has its one place within `impl/src/`.
const PLACES: [(&str, &str); 2] =
    [("rusqlite", "impl/src/store"), ("SystemTime", "impl/src/clock.rs")];

/// What the model may depend on.
const MODEL_DEPENDENCIES: [&str; 2] = ["serde", "proptest"];

/// One source file.
struct Source {
    /// From the root, with `/`.
    path: String,
    text: String,
}

impl Source {
    fn new(path: &str, text: &str) -> Self {
        Self { path: path.to_owned(), text: text.to_owned() }
    }
}

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("..")
}

fn read(path: &str) -> String {
    fs::read_to_string(root().join(path)).unwrap_or_else(|error| panic!("{path}: {error}"))
}

/// Every source file of the workspace.
fn sources() -> Vec<Source> {
    let mut sources = Vec::new();
    for name in ["model", "impl", "sim", "tests"] {
        for part in ["src", "tests", "benches", "examples"] {
            collect(&format!("{name}/{part}"), &mut sources);
        }
    }
    assert!(sources.len() > 80, "the tree was not found");
    sources
}

fn collect(folder: &str, sources: &mut Vec<Source>) {
    let Ok(entries) = fs::read_dir(root().join(folder)) else { return };
    for entry in entries {
        let entry = entry.expect("an entry");
        let name = entry.file_name().into_string().expect("a name in UTF-8");
        let path = format!("{folder}/{name}");
        if entry.path().is_dir() {
            collect(&path, sources);
        } else if entry.path().extension().is_some_and(|ending| ending == "rs") {
            sources.push(Source { text: read(&path), path });
        }
    }
}

/// Runs a checker on the whole tree.
#[track_caller]
fn holds_everywhere(check: impl Fn(&Source) -> Vec<String>) {
    let found: Vec<String> = sources().iter().flat_map(check).collect();
    assert!(found.is_empty(), "{}", found.join("\n"));
}

/// Runs a checker on one text, and tells whether it found fault.
fn finds(check: impl Fn(&Source) -> Vec<String>, path: &str, text: &str) -> bool {
    !check(&Source::new(path, text)).is_empty()
}

fn long_files(source: &Source) -> Vec<String> {
    let lines = source.text.lines().count();
    if lines <= FILE_LINES_MAX {
        return Vec::new();
    }
    vec![format!("{}: {lines} lines", source.path)]
}

fn long_lines(source: &Source) -> Vec<String> {
    let numbered = source.text.lines().zip(1..);
    let long = numbered.filter(|(line, _)| line.chars().count() > LINE_COLUMNS_MAX);
    long.map(|(_, number)| format!("{}:{number}: a long line", source.path)).collect()
}

/// Functions by their shape in formatted source: one ends at the first line that is its own indent
/// and a closing brace.
fn long_functions(source: &Source) -> Vec<String> {
    let lines: Vec<&str> = source.text.lines().collect();
    let mut found = Vec::new();
    for (start, line) in lines.iter().enumerate() {
        if !begins_function(line) {
            continue;
        }
        let indent = &line[..line.len() - line.trim_start().len()];
        let end = format!("{indent}}}");
        let length = lines[start..].iter().position(|line| *line == end).map_or(0, |at| at + 1);
        if length > FUNCTION_LINES_MAX {
            found.push(format!("{}:{}: a function of {length} lines", source.path, start + 1));
        }
    }
    found
}

/// Whether a function with a body begins here; one on a single line is short.
fn begins_function(line: &str) -> bool {
    let mut words = line.split_whitespace();
    let qualifiers = ["pub", "const", "async", "unsafe", "extern", "\"C\""];
    let first = words.find(|word| !qualifiers.contains(word) && !word.starts_with("pub("));
    first == Some("fn") && !line.ends_with([';', '}'])
}

fn unfinished(source: &Source) -> Vec<String> {
    if source.path == THIS_FILE {
        return Vec::new();
    }
    let found = UNFINISHED.iter().filter(|word| source.text.contains(**word));
    found.map(|word| format!("{}: {word}", source.path)).collect()
}

fn out_of_place(source: &Source) -> Vec<String> {
    let is_below = |folder: &str| source.path.starts_with(folder);
    let mut places = Vec::new();
    if ["model/src/", "impl/src/", "sim/src/"].into_iter().any(is_below) {
        places.extend(SQL.map(|word| (word, "impl/src/store")));
    }
    if is_below("impl/src/") {
        places.extend(PLACES);
    }
    places.retain(|(word, place)| !is_at(&source.path, place) && source.text.contains(word));
    let found = places.into_iter();
    found.map(|(word, place)| format!("{}: {word} belongs to {place}", source.path)).collect()
}

/// Whether a file is the place, its module's file, or lies in it.
fn is_at(path: &str, place: &str) -> bool {
    path.strip_prefix(place)
        .is_some_and(|rest| rest.is_empty() || rest == ".rs" || rest.starts_with('/'))
}

/// The names under every heading of a manifest that ends with `dependencies`.
fn dependencies(manifest: &str) -> Vec<&str> {
    let mut inside = false;
    let mut names = Vec::new();
    for line in manifest.lines().map(str::trim) {
        if let Some(heading) = line.strip_prefix('[') {
            let heading = heading.trim_end_matches(']');
            inside = heading.ends_with("dependencies");
            // A dependency may have a heading of its own.
            if let Some((_, name)) = heading.split_once("dependencies.") {
                names.push(name);
            }
        } else if inside && !line.is_empty() && !line.starts_with('#') {
            names.push(line.split(['.', '=', ' ']).next().unwrap_or_default());
        }
    }
    names
}

fn strange_dependencies(manifest: &str) -> Vec<&str> {
    let names = dependencies(manifest).into_iter();
    names.filter(|name| !MODEL_DEPENDENCIES.contains(name)).collect()
}

fn depends_on_model(manifest: &str) -> bool {
    manifest.contains("leasehold-model")
}

#[test]
fn files_are_short() {
    holds_everywhere(long_files);
    assert!(finds(long_files, "a.rs", &"\n".repeat(FILE_LINES_MAX + 1)));
    assert!(!finds(long_files, "a.rs", &"\n".repeat(FILE_LINES_MAX)));
}

#[test]
fn lines_are_short() {
    holds_everywhere(long_lines);
    assert!(finds(long_lines, "a.rs", &"é".repeat(LINE_COLUMNS_MAX + 1)));
    assert!(!finds(long_lines, "a.rs", &"é".repeat(LINE_COLUMNS_MAX)));
}

#[test]
fn functions_are_short() {
    holds_everywhere(long_functions);
    let function = |head: &str, lines: usize| {
        format!("mod a {{\n    {head} {{\n{}    }}\n}}\n", "        b();\n".repeat(lines - 2))
    };
    for head in ["fn a()", "pub(super) fn a()", "pub const fn a()", "pub async unsafe fn a()"] {
        assert!(finds(long_functions, "a.rs", &function(head, FUNCTION_LINES_MAX + 1)), "{head}");
        assert!(!finds(long_functions, "a.rs", &function(head, FUNCTION_LINES_MAX)), "{head}");
    }
}

#[test]
fn nothing_is_unfinished() {
    holds_everywhere(unfinished);
    for word in UNFINISHED {
        assert!(finds(unfinished, "impl/src/a.rs", &format!("    {word})")), "{word}");
    }
    assert!(!finds(unfinished, "impl/src/a.rs", "// ignore what is to do"));
}

#[test]
fn everything_is_in_its_place() {
    holds_everywhere(out_of_place);
    for (word, place) in PLACES {
        assert!(finds(out_of_place, "impl/src/storey.rs", word), "{word}");
        assert!(!finds(out_of_place, place, word), "{word}");
    }
    for word in SQL {
        assert!(finds(out_of_place, "impl/src/storey.rs", &format!("\n    {word} 1")), "{word}");
        assert!(finds(out_of_place, "sim/src/a.rs", word), "{word}");
        assert!(!finds(out_of_place, "impl/src/store/open.rs", word), "{word}");
        assert!(!finds(out_of_place, "tests/src/a.rs", word), "{word}");
    }
    assert!(!finds(out_of_place, "impl/src/store.rs", "use rusqlite::Connection;"));
    assert!(finds(out_of_place, "impl/src/store/open.rs", "SystemTime"));
}

#[test]
fn the_implementation_does_not_know_the_model() {
    assert!(!depends_on_model(&read("impl/Cargo.toml")));
    assert!(depends_on_model("[dependencies]\nleasehold-model.workspace = true\n"));
}

#[test]
fn the_model_depends_on_nothing_to_speak_of() {
    let manifest = read("model/Cargo.toml");
    assert_eq!(dependencies(&manifest), MODEL_DEPENDENCIES);
    assert_eq!(strange_dependencies(&manifest), Vec::<&str>::new());
    for bad in [
        "[dependencies]\n# Why not.\nserde = \"1\"\nrusqlite.workspace = true\n",
        "[dependencies.rusqlite]\nversion = \"0.43\"\n",
        "[target.'cfg(unix)'.dev-dependencies]\nrusqlite = \"0.43\"\n",
    ] {
        assert!(strange_dependencies(bad).contains(&"rusqlite"), "{bad}");
    }
}
