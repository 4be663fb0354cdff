//! Resolving on the real file system: links, `..`, what is missing, what is refused.
#![cfg(unix)]

use std::ffi::OsStr;
use std::fs;
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::symlink;
use std::path::{Path, PathBuf};

use leasehold::resource::{
    Disk, Key, ResolveError, Resolver, Resource, file_id, key_of_spelling, resolve, resolve_all,
    spelling,
};
use proptest::prelude::*;

/// A directory of its own, by its canonical path, so that expected paths can be written down.
struct Place {
    root: PathBuf,
    _guard: tempfile::TempDir,
}

impl Place {
    fn new() -> Self {
        let guard = tempfile::tempdir().unwrap();
        Self { root: guard.path().canonicalize().unwrap(), _guard: guard }
    }

    fn path(&self, below: &str) -> PathBuf {
        self.root.join(below)
    }

    fn dir(self, below: &str) -> Self {
        fs::create_dir_all(self.path(below)).unwrap();
        self
    }

    fn file(self, below: &str) -> Self {
        let parent = Path::new(below).parent().unwrap().to_str().unwrap().to_string();
        let place = self.dir(&parent);
        fs::write(place.path(below), "").unwrap();
        place
    }

    fn link(self, below: &str, target: impl AsRef<Path>) -> Self {
        symlink(target, self.path(below)).unwrap();
        self
    }

    /// The paths that `below` resolves to, relative to this place.
    fn resolved(&self, below: &str) -> Vec<String> {
        let resources = resolve(&self.path(below), None).unwrap();
        let relative = |one: Resource| {
            let below = one.path.strip_prefix(&self.root).unwrap();
            below.to_str().unwrap().to_string()
        };
        resources.into_iter().map(relative).collect()
    }

    fn refused(&self, below: &str) -> ResolveError {
        resolve(&self.path(below), None).expect_err(below)
    }
}

// Goal: dots and slashes that change nothing vanish.
#[test]
fn empty_steps_vanish() {
    let place = Place::new().file("src/a.txt");
    for path in ["src/a.txt", "./src//a.txt", "src/./a.txt", "src/../src/a.txt", "src/a.txt/"] {
        assert_eq!(place.resolved(path), ["src/a.txt"], "{path}");
    }
    assert_eq!(place.resolved("src/b.txt"), ["src/b.txt"]);
}

// Goal: a symlink on the way is followed, at the end it is a resource of its own.
#[test]
fn symlinks_lead_to_the_file() {
    let place = Place::new().file("real/a").link("abs", "/").dir("x").link("x/rel", "../real");
    let place = place.link("chain", "x/rel/../real/a").link("twice", "chain");
    assert_eq!(place.resolved("x/rel/a"), ["real/a"]);
    assert_eq!(place.resolved("x/rel"), ["x/rel", "real"]);
    assert_eq!(place.resolved("x/rel/."), ["x/rel", "real"]);
    assert_eq!(place.resolved("chain"), ["chain", "real/a"]);
    assert_eq!(place.resolved("twice"), ["twice", "real/a"]);
    let through_root = format!("abs{}/real/a", place.root.display());
    assert_eq!(place.resolved(&through_root), ["real/a"]);
}

// Goal: `..` after a link leaves the directory that the link leads to.
#[test]
fn dots_after_a_link_are_physical() {
    let place = Place::new().dir("data/shared").dir("repo").link("repo/link", "../data/shared");
    assert_eq!(place.resolved("repo/link/../new"), ["data/new"]);
    assert_eq!(place.resolved("repo/none/../new"), ["repo/new"]);
    // Back among what exists, links count again.
    assert_eq!(place.resolved("none/../repo/link/new"), ["data/shared/new"]);
}

// Goal: a dangling link is leased, and so is the file that a write would create.
#[test]
fn a_dangling_link_has_a_target() {
    let place = Place::new().dir("repo").link("repo/link", "later/x");
    assert_eq!(place.resolved("repo/link"), ["repo/link", "repo/later/x"]);
}

// Goal: what lies below a file cannot exist, and still has one key.
#[test]
fn below_a_file_nothing_exists() {
    let place = Place::new().file("repo/a");
    assert_eq!(place.resolved("repo/a/b/../c"), ["repo/a/c"]);
}

// Goal: a loop ends, and exactly as many links as the kernel follows are followed.
#[test]
fn links_are_bounded() {
    let mut place = Place::new().file("l0").link("loop", "pool").link("pool", "loop");
    for number in 1..=41 {
        place = place.link(&format!("l{number}"), format!("l{}", number - 1));
    }
    assert!(place.refused("loop").is_loop());
    assert!(place.refused("loop/x").is_loop());
    assert_eq!(place.resolved("l40"), ["l40", "l0"]);
    assert!(fs::metadata(place.path("l40")).is_ok());
    assert!(place.refused("l41").is_loop());
    assert!(fs::metadata(place.path("l41")).is_err());
}

// Goal: a relative path belongs to the call's directory, never to the one of this process.
#[test]
fn relative_paths_need_their_directory() {
    let place = Place::new().file("repo/a").link("link", "repo");
    let cwd = place.path("link");
    let resources = resolve(Path::new("../repo/./a"), Some(&cwd)).unwrap();
    assert_eq!(resources[0].path, place.path("repo/a"));
    let elsewhere = Some(Path::new("/elsewhere"));
    assert_eq!(resolve(&place.path("repo/a"), elsewhere).unwrap(), resources);

    let error = resolve(Path::new("Cargo.toml"), None).unwrap_err();
    assert!(error.is_relative() && !error.is_forbidden());
    assert!(resolve(Path::new("a"), Some(Path::new("repo"))).unwrap_err().is_relative());
}

// Goal: what is no path is refused, and the text names it without its control characters.
#[test]
fn malformed_paths_are_refused() {
    assert!(resolve(Path::new(""), Some(Path::new("/"))).unwrap_err().is_malformed());
    let error = resolve(Path::new("/a\0\nb"), None).unwrap_err();
    assert!(error.is_malformed());
    assert_eq!(error.path(), Path::new("/a\0\nb"));
    let text = error.to_string();
    assert!(text.contains(r"/a\u{0}\nb") && !text.contains('\n'), "{text}");
    let long = format!("/{}", "n".repeat(300));
    assert!(resolve(Path::new(&long), None).unwrap_err().is_io());
}

// Goal: roots and the home directory are refused in every spelling, what is in them is not.
#[test]
fn roots_and_homes_are_refused() {
    let place = Place::new().dir("home/me").link("to-home", "home/me").link("to-root", "/");
    let resolver = Resolver::new(Disk, Some(place.path("to-home")));
    for path in ["/", "/..", "//.//", "/usr/../.."] {
        assert!(resolve(Path::new(path), None).unwrap_err().is_forbidden(), "{path}");
    }
    let forbidden = |below: &str| {
        resolver.resolve(&place.path(below), None).is_err_and(|error| error.is_forbidden())
    };
    for below in ["home/me", "home/me/", "to-home", "home/me/x/..", "to-root", "to-root/."] {
        assert!(forbidden(below), "{below}");
    }
    for below in ["home/me/x", "to-home/x", "home"] {
        assert!(!forbidden(below), "{below}");
    }
    let missing = Resolver::new(Disk, Some(place.path("gone/me")));
    assert!(missing.resolve(&place.path("gone/me"), None).unwrap_err().is_forbidden());
    assert!(missing.resolve(&place.path("gone/me/x"), None).is_ok());
}

// Goal: two names of one file share an identity; other files, directories and links have none.
#[test]
fn hard_links_are_told() {
    let place = Place::new().file("a").file("b").dir("d").link("l", "a");
    fs::hard_link(place.path("a"), place.path("c")).unwrap();
    let one = |below: &str| resolve(&place.path(below), None).unwrap().pop().unwrap();
    assert!(one("a").hard_linked.is_some());
    assert_eq!(one("a").hard_linked, one("c").hard_linked);
    assert_eq!(one("l").hard_linked, one("c").hard_linked);
    for below in ["b", "d", "new"] {
        assert_eq!(one(below).hard_linked, None, "{below}");
    }
    assert_eq!(file_id(&place.path("a")), one("a").hard_linked);
    assert!(file_id(&place.path("b")).is_some());
    for below in ["l", "d", "new"] {
        assert_eq!(file_id(&place.path(below)), None, "{below}");
    }
    assert_eq!(one("a").dev, one("x/y/z").dev);
    assert_eq!(one("a").dev, file_id(&place.path("b")).map(|id| id.dev));
}

// Goal: names that are no text stay distinct, and their spelling leads back to their key.
#[test]
fn names_that_are_no_text_stay_distinct() {
    let place = Place::new();
    let one = |name: &[u8]| {
        resolve(&place.root.join(OsStr::from_bytes(name)), None).unwrap().pop().unwrap()
    };
    assert_ne!(one(b"\xff").key, one(b"\xfe").key);
    assert!(one(b"\xff").key.as_bytes().ends_with(b"/\xff"));
    let (key, path, _) = key_of_spelling(&spelling(&one(b"\xff").path), None);
    assert_eq!((key, path), (one(b"\xff").key, one(b"\xff").path));
}

// Goal: many paths give every resource once, in the order of the keys; one bad path fails all.
#[test]
fn many_paths_are_sorted_and_unique() {
    let place = Place::new().file("b").file("a").link("z", "a");
    let paths = ["z", "b", "./b", "a"].map(|below| place.path(below));
    let all = resolve_all(&paths, None).unwrap();
    let names: Vec<_> = all.iter().map(|one| one.path.clone()).collect();
    assert_eq!(names, ["a", "b", "z"].map(|below| place.path(below)));
    assert!(resolve_all([Path::new("/a"), Path::new("")], None).is_err());
}

// Goal: a row of an old engine always gets a key, also where a new lease would be refused.
#[test]
fn old_rows_always_have_a_key() {
    let place = Place::new().file("a").link("l", "a").link("loop", "loop");
    let text = |below: &str| place.path(below).to_str().unwrap().to_string();
    let key = |spelling: &str, cwd: Option<&Path>| key_of_spelling(spelling, cwd).0;
    assert_eq!(key(&text("l"), None), key(&text("a"), None));
    assert_eq!(key("a", Some(&place.root)), key(&text("a"), None));
    assert_eq!(key("/", None).as_bytes(), b"/");
    assert_eq!(key("", None).as_bytes(), b"/");
    assert_eq!(key("x/./y/../../z", None).as_bytes(), b"/z");
    assert_eq!(key("y", Some(Path::new("x"))).as_bytes(), b"/x/y");
    let (key, path, dev) = key_of_spelling(&text("loop"), None);
    assert_eq!((key.as_bytes(), path), (text("loop").as_bytes(), place.path("loop")));
    assert_eq!(dev, None);
}

proptest! {
    // Goal: whatever exists, the walk ends where the kernel ends.
    #[test]
    fn the_kernel_agrees(names in prop::collection::vec(prop::sample::select(vec![
        "d", "e", "f", "up", "abs", "..", ".", "", "none", "chain",
    ]), 0..8)) {
        let place = Place::new().dir("d/e").file("f").link("up", "d/e").link("d/abs", "/");
        let place = place.link("d/e/up", "../..").link("d/e/chain", "up/up/../d/");
        let asked = place.path(&names.join("/"));
        let Ok(kernel) = asked.canonicalize() else { return Ok(()) };
        match resolve(&asked, None) {
            Ok(found) => prop_assert_eq!(&found.last().unwrap().path, &kernel),
            Err(error) => prop_assert!(error.is_forbidden() && kernel == Path::new("/")),
        }
    }

    // Goal: every key that resolving makes is a well-formed one.
    #[test]
    fn keys_are_well_formed(bytes in prop::collection::vec(1_u8.., 1..20)) {
        let path = Path::new("/none").join(OsStr::from_bytes(&bytes));
        if let Ok(found) = resolve(&path, None) {
            for resource in found {
                let bytes = resource.key.as_bytes().to_vec();
                prop_assert_eq!(Key::from_bytes(bytes), Some(resource.key));
            }
        }
    }
}
