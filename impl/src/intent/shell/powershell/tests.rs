//! Scripts, and what they write.

mod hostile;
mod language;
mod runs;
mod writers;

use super::{Outcome, Site, read};
use crate::intent::shell::disk::{Disk, Entry, Kind};
use crate::intent::shell::place::{Place, Style};
use std::collections::BTreeMap;
use std::path::Path;

/// A disk that is made up.
struct Fake(BTreeMap<String, Kind>);

impl Fake {
    /// A disk with directories, which end in a separator, and files.
    fn new(paths: &[&str]) -> Self {
        let mut map = BTreeMap::new();
        for path in paths {
            let kind = if path.ends_with(['\\', '/']) { Kind::Directory } else { Kind::File };
            map.insert(path.trim_end_matches(['\\', '/']).to_owned(), kind);
        }
        Self(map)
    }
}

impl Disk for Fake {
    fn kind(&self, path: &Path) -> Kind {
        let path = path.to_string_lossy();
        self.0.get(path.trim_end_matches(['\\', '/'])).copied().unwrap_or(Kind::Absent)
    }

    fn list(&self, path: &Path) -> Vec<Entry> {
        let path = path.to_string_lossy();
        let path = path.trim_end_matches(['\\', '/']);
        let inside = |(name, kind): (&String, &Kind)| {
            let name = name.strip_prefix(path)?.strip_prefix(['\\', '/'])?;
            let direct = !name.is_empty() && !name.contains(['\\', '/']);
            direct.then(|| Entry { name: name.to_owned(), kind: *kind })
        };
        self.0.iter().filter_map(inside).collect()
    }

    fn read(&self, _path: &Path, _at_most: usize) -> Option<String> {
        None
    }
}

/// The disk of most tests.
fn disk() -> Fake {
    Fake::new(&[
        "C:\\repo\\",
        "C:\\repo\\a.txt",
        "C:\\repo\\b.txt",
        "C:\\repo\\c.log",
        "C:\\repo\\old [1].txt",
        "C:\\repo\\out\\",
        "C:\\repo\\src\\",
        "C:\\repo\\src\\x.pyc",
        "C:\\repo\\src\\y.py",
        "C:\\repo\\src\\sub\\",
        "C:\\repo\\src\\sub\\z.pyo",
        "D:\\data\\",
        "D:\\data\\one.csv",
    ])
}

/// Reads a script in a repository on Windows.
fn windows(script: &str) -> Outcome {
    let place = Place::new(Some("C:\\repo"), Style::Windows);
    read(script, &Site { place: &place, home: Some("C:\\Users\\me"), disk: &disk() })
}

/// Reads a script in a repository on Unix.
fn unix(script: &str) -> Outcome {
    let place = Place::new(Some("/repo"), Style::Unix);
    let disk = Fake::new(&["/repo/", "/repo/a.txt", "/repo/b.txt", "/repo/out/"]);
    read(script, &Site { place: &place, home: Some("/home/me"), disk: &disk })
}

/// What an outcome writes: paths in the repository without it, trees with a `T` before them.
fn written(outcome: &Outcome, repository: &str) -> Vec<String> {
    let short = |path: &str| path.strip_prefix(repository).unwrap_or(path).to_owned();
    let mut found: Vec<String> =
        outcome.findings.files.iter().map(|target| short(&target.path)).collect();
    found.extend(outcome.findings.trees.iter().map(|tree| format!("T {}", short(&tree.path))));
    found.sort();
    found.dedup();
    found
}

/// Checks rows of scripts with what they write, separated by bars.
fn check(rows: &[(&str, &str)]) {
    let mut wrong = Vec::new();
    for (script, expected) in rows {
        let mut expected: Vec<String> =
            expected.split('|').filter(|one| !one.is_empty()).map(str::to_owned).collect();
        expected.sort();
        let found = written(&windows(script), "C:\\repo\\");
        if found != expected {
            wrong.push(format!("{script}\n  expected {expected:?}\n  found    {found:?}"));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}
