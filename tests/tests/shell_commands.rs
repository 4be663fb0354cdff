//! Goal: on commands as agents type them (`tests/cases/command-*.jsonl`) nothing is made up: each
//! file that the reading of a script names is one that the command writes.
//!
//! Method: what a case needs is laid out in a temporary folder. No program is known here, so only
//! redirections, here-documents, directories and scripts in scripts count. The files that the cases
//! name were seen to change under the real bash, where a case says that it can be run.

use std::fs;
use std::path::Path;

use leasehold::intent::shell::disk::{Disk, Entry, Kind};
use leasehold::intent::shell::invocation::Effects;
use leasehold::intent::shell::place::{Place, Style};
use leasehold::intent::shell::walk::{World, findings};
use leasehold_tests::case;
use serde_json::Value;

/// The real disk.
struct Real;

fn kind(path: &Path) -> Kind {
    match fs::metadata(path) {
        Ok(metadata) if metadata.is_dir() => Kind::Directory,
        Ok(_) => Kind::File,
        Err(_) => Kind::Absent,
    }
}

impl Disk for Real {
    fn kind(&self, path: &Path) -> Kind {
        kind(path)
    }

    fn list(&self, path: &Path) -> Vec<Entry> {
        let entries = fs::read_dir(path).into_iter().flatten().flatten();
        let entry = |entry: fs::DirEntry| {
            Some(Entry { name: entry.file_name().into_string().ok()?, kind: kind(&entry.path()) })
        };
        entries.filter_map(entry).collect()
    }

    fn read(&self, path: &Path, at_most: usize) -> Option<String> {
        fs::read_to_string(path).ok().filter(|text| text.len() <= at_most)
    }
}

fn texts<'v>(case: &'v Value, field: &str) -> impl Iterator<Item = &'v str> {
    case[field].as_array().into_iter().flatten().filter_map(Value::as_str)
}

/// Lays out what a case needs.
fn lay_out(case: &Value, root: &Path) {
    for directory in case["setup"]["dirs"].as_array().into_iter().flatten() {
        let directory = directory.as_str().expect("a name");
        fs::create_dir_all(root.join(directory.trim_start_matches('/'))).expect("a directory");
    }
    for (name, text) in case["setup"]["files"].as_object().into_iter().flatten() {
        let path = root.join(name.trim_start_matches('/'));
        fs::create_dir_all(path.parent().expect("a folder")).expect("a directory");
        fs::write(path, text.as_str().expect("a text")).expect("a file");
    }
}

/// The files that the reading names, those in the folder relative to it.
fn named(case: &Value) -> Vec<String> {
    let folder = tempfile::tempdir().expect("a folder");
    let root = folder.path().to_str().expect("a name");
    lay_out(case, folder.path());
    let world = World {
        disk: &Real,
        home: Some("/home/dev"),
        environment: &|_| None,
        programs: &|_| Effects::default(),
    };
    let place = Place::new(Some(root), Style::Unix);
    let found = findings(case["command"].as_str().expect("a command"), place, &world);
    let short = |path: String| match path.strip_prefix(root) {
        Some(inside) => inside.trim_start_matches('/').to_owned(),
        None => path,
    };
    found.files.into_iter().map(|target| short(target.path)).collect()
}

/// A path with `..` taken as text: no case has a link.
fn without_dots(path: &str) -> String {
    let mut parts: Vec<&str> = Vec::new();
    for part in path.split('/') {
        if part == ".." {
            parts.pop();
        } else {
            parts.push(part);
        }
    }
    parts.join("/")
}

/// What the reading names that the case does not.
fn made_up(case: &Value) -> Vec<String> {
    let is_expected = |name: &String| {
        let name = &without_dots(name);
        let spelt = name.replacen("/home/dev/", "~/", 1);
        let in_tree = |tree: &str| tree == "." || Path::new(name).starts_with(tree);
        let here = name.strip_prefix("/repo/").unwrap_or(name);
        texts(case, "writes").any(|one| one == *name || one == spelt || one == here)
            || texts(case, "trees").any(in_tree)
    };
    named(case).into_iter().filter(|name| !is_expected(name)).collect()
}

fn check(file: &str, at_least: usize) -> Vec<Value> {
    let cases = case::all(file);
    assert!(cases.len() >= at_least, "{file}: {}", cases.len());
    let wrong: Vec<_> = cases.iter().map(|case| (case["id"].to_string(), made_up(case))).collect();
    let wrong: Vec<_> = wrong.into_iter().filter(|(_, names)| !names.is_empty()).collect();
    assert!(wrong.is_empty(), "{file}: {wrong:#?}");
    cases
}

#[test]
fn nothing_is_made_up_on_commands_that_read() {
    check("command-read", 300);
}

#[test]
fn nothing_is_made_up_on_commands_that_write() {
    let cases = check("command-write", 300);
    let named = cases.iter().filter(|case| !named(case).is_empty()).count();
    assert!(named > 60, "only {named} commands were seen to write");
}

#[test]
fn nothing_is_made_up_on_pitfalls() {
    let cases = check("command-pitfall", 40);
    assert!(cases.iter().any(|case| !named(case).is_empty()));
}

/// Goal: the check can fail.
#[test]
fn what_is_made_up_is_noticed() {
    let case = |writes: &[&str]| serde_json::json!({ "command": "a > b > c", "writes": writes });
    assert_eq!(made_up(&case(&["b", "c"])), Vec::<String>::new());
    assert_eq!(made_up(&case(&["b"])), ["c"]);
}
