//! The collected path cases (`tests/cases/path.jsonl`), each by its id: whether the targets of two
//! steps are one resource, as the case expects a refusal or not.
//!
//! The setup is built below a temporary directory, and the paths of the case moved there.
#![cfg(unix)]

mod memory;

use std::fs;
use std::path::{Path, PathBuf};

use leasehold::resource::{FileSystem, Resolver, Resource, resolve, windows};
use memory::{Memory, Names};
use serde_json::Value;

const CASES: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../tests/cases/path.jsonl");

fn case(id: &str) -> Value {
    let text = fs::read_to_string(CASES).expect("the cases");
    let mut cases = text.lines().map(|line| serde_json::from_str::<Value>(line).expect("a case"));
    cases.find(|case| case["id"] == id).expect("the case of this id")
}

fn text(value: &Value) -> &str {
    value.as_str().expect("a text")
}

/// The path that a step writes: of a file tool, or behind the `>` of a shell command.
fn target(step: &Value) -> &str {
    let input = &step["tool_input"];
    match input["command"].as_str() {
        Some(command) => command.rsplit_once("> ").expect("a redirection").1,
        None => text(&input["file_path"]),
    }
}

fn steps(case: &Value) -> &[Value] {
    case["input"]["steps"].as_array().expect("steps")
}

/// Whether each step of the case is allowed.
fn allowed(expected: &Value) -> Vec<bool> {
    let expected = expected.as_array().expect("expected steps");
    expected.iter().map(|step| text(step).starts_with("allow")).collect()
}

/// The setup of a case below a directory of its own.
struct Stage {
    root: PathBuf,
    _guard: tempfile::TempDir,
}

impl Stage {
    fn of(case: &Value) -> Self {
        let guard = tempfile::tempdir().unwrap();
        let stage = Self { root: guard.path().canonicalize().unwrap(), _guard: guard };
        let setup = &case["input"]["setup"];
        fs::create_dir(stage.path("/repo")).unwrap();
        for dir in setup["dirs"].as_array().into_iter().flatten() {
            fs::create_dir_all(stage.path(text(dir))).unwrap();
        }
        for (path, content) in setup["files"].as_object().into_iter().flatten() {
            let path = stage.path(path);
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            fs::write(path, text(content)).unwrap();
        }
        for (path, source) in setup["symlinks"].as_object().into_iter().flatten() {
            std::os::unix::fs::symlink(stage.path(text(source)), stage.path(path)).unwrap();
        }
        for (path, source) in setup["hardlinks"].as_object().into_iter().flatten() {
            fs::hard_link(stage.path(text(source)), stage.path(path)).unwrap();
        }
        stage
    }

    /// A path of the case, moved below the stage. A relative one stays as it is.
    fn path(&self, path: &str) -> PathBuf {
        path.strip_prefix('/').map_or_else(|| path.into(), |below| self.root.join(below))
    }

    fn resources(&self, step: &Value) -> Vec<Resource> {
        let cwd = self.path(text(&step["cwd"]));
        resolve(&self.path(target(step)), Some(&cwd)).unwrap()
    }
}

/// Whether two steps meet: by key, or by the identity of a file of several names.
fn meet(one: &[Resource], other: &[Resource]) -> bool {
    one.iter().any(|one| {
        other.iter().any(|other| {
            let same_file = one.hard_linked.is_some() && one.hard_linked == other.hard_linked;
            one.key.overlaps(&other.key) || same_file
        })
    })
}

/// Checks that a later step of another session meets the first one exactly if it is denied.
fn check(steps: &[Value], allowed: &[bool], meets_first: impl Fn(&Value) -> bool) {
    assert_eq!(steps.len(), allowed.len());
    assert!(allowed[0]);
    for (step, allowed) in steps.iter().zip(allowed).skip(1) {
        if step["session"] != steps[0]["session"] {
            assert_eq!(meets_first(step), !allowed, "{}", target(step));
        }
    }
}

// Goal: a project reached through a symlink is the same project.
#[test]
fn n01_symlinked_root() {
    let case = case("N01");
    let stage = Stage::of(&case);
    let first = stage.resources(&steps(&case)[0]);
    assert_eq!(first[0].path, stage.path("/real/repo/src/a.txt"));
    let allowed = allowed(&case["expect"]["steps"]);
    check(steps(&case), &allowed, |step| meet(&first, &stage.resources(step)));
}

// Goal: composed and decomposed accents are one name where the volume says so, and only there.
#[test]
fn n03_unicode_form() {
    fn check_on<F: FileSystem>(resolver: &Resolver<F>, base: &Path, case: &Value, expected: &str) {
        let resources = |step: &Value| {
            let path = base.join(target(step).trim_start_matches('/'));
            resolver.resolve(&path, None).unwrap()
        };
        let first = resources(&steps(case)[0]);
        let allowed = allowed(&case["expect"][expected]);
        check(steps(case), &allowed, |step| meet(&first, &resources(step)));
    }
    let case = case("N03");
    let apfs = Memory::new(Names::Folded).dir("/repo").resolver();
    check_on(&apfs, Path::new("/"), &case, "apfs");
    let ext4 = Memory::new(Names::Exact).dir("/repo").resolver();
    check_on(&ext4, Path::new("/"), &case, "ext4");

    let stage = Stage::of(&case);
    fs::write(stage.path("/probe"), "").unwrap();
    let exact = !stage.path("/PROBE").exists();
    check_on(&Resolver::from_env(), &stage.root, &case, if exact { "ext4" } else { "apfs" });
}

/// The key of a step's target on Windows, in a volume with one 8.3 alias.
fn windows_key(step: &Value) -> String {
    let path = windows::normalize(target(step), Some(text(&step["cwd"]))).unwrap();
    let alias = "C:/Users/RUNNER~1";
    let long = windows::expand_short_names(&path, |short| {
        short.eq_ignore_ascii_case(alias).then(|| "runneradmin".to_string())
    });
    windows::fold_case(&long)
}

fn check_windows(case: &Value) {
    let first = windows_key(&steps(case)[0]);
    let allowed = allowed(&case["expect"]["steps"]);
    check(steps(case), &allowed, |step| windows_key(step) == first);
}

// Goal: a new file below a directory with an 8.3 alias has one key.
#[test]
fn n04_short_names() {
    check_windows(&case("N04"));
}

// Goal: streams, dots and blanks at the end of a name reach the same file.
#[test]
fn n06_streams_dots_and_blanks() {
    check_windows(&case("N06"));
}

// Goal: two names of one file meet by identity, though their keys do not.
#[test]
fn n07_hard_links() {
    let case = case("N07");
    let stage = Stage::of(&case);
    let first = stage.resources(&steps(&case)[0]);
    let second = stage.resources(&steps(&case)[1]);
    assert!(!first[0].key.overlaps(&second[0].key));
    let allowed = allowed(&case["expect"]["steps"]);
    check(steps(&case), &allowed, |step| meet(&first, &stage.resources(step)));
}

// Goal: a new file below a symlinked directory is placed where the kernel will create it.
#[test]
fn n09_new_file_below_a_link() {
    let case = case("N09");
    let stage = Stage::of(&case);
    let first = stage.resources(&steps(&case)[0]);
    assert_eq!(first[0].path, stage.path("/data/shared/new.txt"));
    let third = stage.resources(&steps(&case)[2]);
    assert_eq!(third[0].path, stage.path("/data/new2.txt"));
    let allowed = allowed(&case["expect"]["steps"]);
    check(steps(&case), &allowed, |step| meet(&first, &stage.resources(step)));
}
