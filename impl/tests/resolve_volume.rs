//! Letter case and Unicode form, where the volume says so, on volumes in memory.
#![cfg(unix)]

mod memory;

use std::cell::Cell;
use std::ffi::OsString;
use std::io;
use std::path::{Path, PathBuf};

use leasehold::resource::{FileId, FileKind, FileSystem, Resolver, Stat};
use memory::{Memory, Names, key};
use proptest::prelude::*;

// Goal: on a folding volume every spelling of a file is one key, there or not yet.
#[test]
fn a_folding_volume_folds() {
    let resolver = Memory::new(Names::Folded).file("/Repo/README.md").resolver();
    for path in ["/Repo/README.md", "/repo/readme.md", "/REPO/ReadMe.MD"] {
        assert_eq!(key(&resolver, path), "/repo/readme.md");
    }
    for path in ["/Repo/New/Caf\u{e9}", "/repo/new/CAFE\u{301}"] {
        assert_eq!(key(&resolver, path), "/repo/new/caf\u{e9}");
    }
}

// Goal: on an exact volume no two names are taken for one.
#[test]
fn an_exact_volume_does_not_fold() {
    let memory = Memory::new(Names::Exact).file("/Repo/README.md").file("/Repo/readme.MD");
    let resolver = memory.resolver();
    for path in ["/Repo/README.md", "/Repo/readme.MD", "/repo/README.md", "/Repo/New", "/Repo/new"]
    {
        assert_eq!(key(&resolver, path), path);
    }
    assert_ne!(key(&resolver, "/Repo/caf\u{e9}"), key(&resolver, "/Repo/cafe\u{301}"));
}

// Goal: the canonical path keeps the letter case that was asked for; only the key folds.
#[test]
fn the_path_is_not_folded() {
    let resolver = Memory::new(Names::Folded).dir("/repo").resolver();
    let resources = resolver.resolve(Path::new("/Repo/./New.txt"), None).unwrap();
    assert_eq!(resources[0].path, Path::new("/Repo/New.txt"));
    assert_eq!(resources[0].key.as_bytes(), b"/repo/new.txt");
}

// Goal: every directory speaks for itself, whatever stands above it.
#[test]
fn each_directory_is_asked() {
    let memory = Memory::new(Names::Exact)
        .mount("/mnt/C", Names::Folded)
        .file("/mnt/C/Src/x")
        .dir_of("/Casefold", Names::Folded)
        .file("/Casefold/one")
        .dir("/Plain");
    let resolver = memory.resolver();
    assert_eq!(key(&resolver, "/mnt/C/SRC/New"), "/mnt/C/src/new");
    assert_eq!(key(&resolver, "/mnt/c/SRC/New"), "/mnt/c/SRC/New");
    // Told by another entry of the directory, not by its parent.
    assert_eq!(key(&resolver, "/Casefold/New"), "/Casefold/new");
    assert_eq!(key(&resolver, "/Plain/New"), "/Plain/New");
}

// Goal: names without letters tell nothing; the parent on the same device does.
#[test]
fn letterless_directories_inherit() {
    for (names, expected) in [(Names::Exact, "/Repo/2024/01/A"), (Names::Folded, "/repo/2024/01/a")]
    {
        let resolver = Memory::new(names).file("/Repo/2024/01/1").resolver();
        assert_eq!(key(&resolver, "/Repo/2024/01/A"), expected);
    }
}

// Goal: an empty volume, of which nothing tells, folds. The name as written stays leased beside
// the folded one, so that a file written there, which may prove the volume exact, frees nothing.
#[test]
fn an_unknown_volume_folds() {
    let empty = || Memory::new(Names::Exact).file("/x/Y").mount("/1", Names::Exact);
    let keys = |resolver: &Resolver<Memory>, path: &str| -> Vec<String> {
        let resources = resolver.resolve(Path::new(path), None).unwrap();
        resources.iter().map(|one| String::from_utf8_lossy(one.key.as_bytes()).into()).collect()
    };
    let before = empty().resolver();
    assert_eq!(keys(&before, "/1/README"), ["/1/README", "/1/readme"]);
    assert_eq!(keys(&before, "/1/readme"), ["/1/readme"]);
    let after = empty().file("/1/README").resolver();
    assert_eq!(keys(&after, "/1/README"), ["/1/README"]);
    assert_eq!(keys(&after, "/1/readme"), ["/1/readme"]);
}

// Goal: two hard links that differ in case do not make an exact directory look folding.
#[test]
fn hard_links_tell_nothing() {
    let memory = Memory::new(Names::Exact).file("/repo/Name").hard_link("/repo/nAME", "/repo/Name");
    let resolver = memory.resolver();
    assert_eq!(key(&resolver, "/repo/Name"), "/repo/Name");
    assert_eq!(key(&resolver, "/repo/nAME"), "/repo/nAME");
}

// Goal: what may not be looked at counts as not there, and `..` leads back out of it.
#[test]
fn a_locked_directory_is_the_end() {
    let resolver = Memory::new(Names::Exact).file("/a/b/x").locked("/a/b").resolver();
    assert_eq!(key(&resolver, "/a/b/x/y"), "/a/b/x/y");
    assert_eq!(key(&resolver, "/a/b/x/../../c"), "/a/c");
    assert_eq!(key(&resolver, "/a/b/New"), "/a/b/New");
}

// Goal: a name that is its own folded form costs one question a component and no more.
#[test]
fn lower_case_paths_are_cheap() {
    let memory = Memory::new(Names::Exact).file("/home/me/repo/src/main.rs");
    let resolver = Resolver::new(&memory, None);
    resolver.resolve(Path::new("/home/me/repo/src/main.rs"), None).unwrap();
    assert_eq!(memory.calls.replace(0), 6); // the root and five components
    resolver.resolve(Path::new("/home/me/repo/src/Main.rs"), None).unwrap();
    assert!(memory.calls.get() <= 6 + 5, "{}", memory.calls.get());
}

/// A directory in which the only file is replaced before every look.
struct Restless {
    files: Cell<u64>,
}

impl FileSystem for Restless {
    fn lstat(&self, path: &Path) -> io::Result<Stat> {
        let depth = path.components().count();
        let kind = if depth > 1 { FileKind::Regular } else { FileKind::Directory };
        self.files.set(self.files.get() + 1);
        Ok(Stat { kind, id: Some(FileId { dev: 1, ino: self.files.get() }), links: 1 })
    }

    fn readlink(&self, _: &Path) -> io::Result<PathBuf> {
        Err(io::ErrorKind::InvalidInput.into())
    }

    fn read_dir(&self, _: &Path, _: usize) -> io::Result<Vec<OsString>> {
        Ok(vec!["README".into()])
    }
}

// Goal: a file replaced between two looks is no proof that case is told apart.
#[test]
fn a_replaced_file_tells_nothing() {
    let resolver = Resolver::new(Restless { files: Cell::new(0) }, None);
    assert_eq!(key(&resolver, "/README"), "/readme");
}

fn tree(names: Names) -> Memory {
    Memory::new(names)
        .file("/Repo/Src/a.txt")
        .symlink("/Repo/up", "../Repo/Src")
        .symlink("/Repo/abs", "/data/New")
        .symlink("/Repo/Src/loop", "loop")
        .symlink("/link", "Repo/./Src/")
        .mount("/data", Names::Folded)
        .dir("/data/New")
}

proptest! {
    // Goal: a canonical path resolves to itself, and case of letters is all a folded key loses.
    #[test]
    fn resolving_is_idempotent(
        names in prop::collection::vec(prop::sample::select(vec![
            "Repo", "repo", "Src", "SRC", "up", "abs", "link", "data", "New", "a.txt", "..", ".",
            "", "none", "caf\u{e9}", "cafe\u{301}", "loop",
        ]), 0..7),
        folded in any::<bool>(),
    ) {
        let resolver = tree(if folded { Names::Folded } else { Names::Exact }).resolver();
        let asked = format!("/{}", names.join("/"));
        if let Ok(found) = resolver.resolve(Path::new(&asked), None) {
            let target = found.last().unwrap();
            let again = resolver.resolve(&target.path, None).unwrap();
            prop_assert_eq!(again.len(), 1);
            prop_assert_eq!(&again[0], target);
            let row = resolver.key_of_spelling(target.path.to_str().unwrap(), None);
            prop_assert_eq!(row, (target.key.clone(), target.path.clone(), target.dev));
        }
    }
}
