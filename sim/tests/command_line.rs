//! The simulator's command line, as other programs use it.

use std::fs;
use std::path::Path;
use std::process::{Command, Output};

/// Runs the program in this folder.
fn simulate(folder: &Path, args: &[&str]) -> Output {
    let mut command = Command::new(env!("CARGO_BIN_EXE_leasehold-sim"));
    command.args(args).current_dir(folder).output().expect("the program starts")
}

fn text(bytes: &[u8]) -> String {
    String::from_utf8(bytes.to_vec()).expect("text")
}

/// What the last line says of this.
fn value(output: &Output, key: &str) -> String {
    let text = text(&output.stdout);
    let last = text.lines().last().expect("a line");
    let found = last.split(' ').find_map(|word| word.strip_prefix(&format!("{key}=")));
    found.unwrap_or_else(|| panic!("no {key} in {last}")).to_owned()
}

/// Goal: the runs of a seed are the same in every process, and however they are shared out.
#[test]
fn a_seed_gives_the_same_runs_in_every_process() {
    let folder = tempfile::tempdir().expect("a folder");
    let of = |args: &[&str]| {
        let all = [&["run", "--schedules", "40"], args].concat();
        let output = simulate(folder.path(), &all);
        assert!(output.status.success(), "{}", text(&output.stdout));
        assert_eq!(value(&output, "schedules"), "40");
        value(&output, "trace")
    };
    let first = of(&["--seed", "7"]);
    assert_eq!(of(&["--seed", "7"]), first);
    assert_eq!(of(&["--seed", "7", "--jobs", "3"]), first);
    assert_ne!(of(&["--seed", "8"]), first);
    assert_ne!(of(&["--seed", "7", "--config", "journal=rollback,faults=none"]), first);
    assert!(fs::read_dir(folder.path()).expect("the folder").next().is_none(), "nothing is left");
}

/// Goal: a situation that never came is told of, and fails where it was asked for.
#[test]
fn what_never_came_fails_where_it_must_come() {
    let folder = tempfile::tempdir().expect("a folder");
    let args = ["run", "--schedules", "2", "--config", "faults=none"];
    assert!(simulate(folder.path(), &args).status.success());
    let output = simulate(folder.path(), &[&args[..], &["--require-rare"]].concat());
    assert_eq!(output.status.code(), Some(1));
    let last = text(&output.stdout);
    assert!(last.lines().last().is_some_and(|line| line.starts_with("it never came to this: ")));
}

/// Goal: what cannot be done is told with what would be right, and with 2.
#[test]
fn what_is_wrong_is_told() {
    let folder = tempfile::tempdir().expect("a folder");
    let stale = folder.path().join("stale.json");
    let kept = include_str!("../../regressions/simulator/reader-in-two-snapshots.json");
    let mut schedule: serde_json::Value = serde_json::from_str(kept).expect("a schedule");
    schedule["preemptions"] = serde_json::json!([{ "at": 3, "kind": "Sync", "to": 0 }]);
    fs::write(&stale, schedule.to_string()).expect("a file");
    let no_schedule = folder.path().join("no.json");
    fs::write(&no_schedule, "{}").expect("a file");
    for (args, says) in [
        (&["run", "--config", "color=red"][..], "`color` is none of journal, start, sync"),
        (&["run", "--jobs", "0"], "0 is not in 1..=256"),
        (&["run", "--minutes", "1", "--schedules", "5"], "cannot be used with"),
        (&["replay", "nowhere.json"], "nowhere.json: "),
        (&["replay", "no.json"], "no.json is no schedule: missing field"),
        (&["replay", "stale.json"], "stale schedule: at point 3, it says `sync`, and it is `"),
        (&["shrink", "stale.json"], "stale schedule: at point 3"),
    ] {
        let output = simulate(folder.path(), args);
        let error = text(&output.stderr);
        assert_eq!(output.status.code(), Some(2), "{args:?}: {error}");
        assert!(error.contains(says), "{args:?}: {error}");
    }
}

/// Goal: a kept schedule is drawn, in the terminal and as a page, and ends as its file says.
#[test]
fn a_schedule_is_replayed_and_drawn() {
    let folder = tempfile::tempdir().expect("a folder");
    let file = folder.path().join("run.json");
    let kept = include_str!("../../regressions/simulator/reader-in-two-snapshots.json");
    let mut schedule: serde_json::Value = serde_json::from_str(kept).expect("a schedule");
    schedule["preemptions"] = serde_json::json!([]);
    schedule["what"] = "<b>nothing</b>".into();
    fs::write(&file, schedule.to_string()).expect("a file");
    let output = simulate(folder.path(), &["replay", "run.json", "--html", "run.html"]);
    let drawn = text(&output.stdout);
    assert!(output.status.success(), "{drawn}");
    assert!(drawn.contains("process 0") && drawn.contains("[ takes the write lock"), "{drawn}");
    assert!(drawn.contains("no oracle says anything against it"), "{drawn}");
    let page = fs::read_to_string(folder.path().join("run.html")).expect("a page");
    assert!(
        page.contains("<div class=\"points held\"") && page.contains("&lt;b&gt;nothing"),
        "{page}"
    );
    // The same file with another end is not as it says.
    schedule["violates"] = "rows".into();
    fs::write(&file, schedule.to_string()).expect("a file");
    assert_eq!(simulate(folder.path(), &["replay", "run.json"]).status.code(), Some(1));
    let nothing = simulate(folder.path(), &["shrink", "run.json"]);
    assert_eq!(nothing.status.code(), Some(1));
    assert!(text(&nothing.stdout).contains("there is nothing to shrink"));
}
