//! The simulator's command line, as other programs use it.

use std::fs;
use std::path::Path;
use std::process::{Command, Output, Stdio};

use serde_json::json;

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
    schedule["preemptions"] = json!([{ "at": 3, "kind": "Sync", "to": 0 }]);
    fs::write(&stale, schedule.to_string()).expect("a file");
    let no_schedule = folder.path().join("no.json");
    fs::write(&no_schedule, "{}").expect("a file");
    let last = u64::MAX.to_string();
    for (args, says) in [
        (&["run", "--config", "color=red"][..], "`color` is none of journal, start, sync"),
        (&["run", "--jobs", "0"], "0 is not in 1..=256"),
        (&["run", "--minutes", "1", "--schedules", "5"], "cannot be used with"),
        (&["run", "--schedules", "0"], "0 is not in 1..="),
        (&["run", "--seed", &last, "--schedules", "10"], "is not in 0..=9223372036854775807"),
        (&["run", "--minutes", &last], "is not in 1..=527040"),
        (&["run", "--share", &format!("0/{last}")], "not NUMBER/OF"),
        (&["explore", "--processes", "0"], "0 is not in 1..=16"),
        (&["states", "--depth", "0"], "0 is not in 1..=100"),
        (&["race", "--rounds", "0"], "0 is not in 1..="),
        (&["mutants", "M5", "M0", "M5x"], "no mutant is called M0, M5x: see sim/mutants"),
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

/// Goal: no part of a file is passed over in silence.
#[test]
fn a_list_that_is_not_used_up_is_told() {
    let folder = tempfile::tempdir().expect("a folder");
    let kept = include_str!("../../regressions/simulator/reader-in-two-snapshots.json");
    let mut plain: serde_json::Value = serde_json::from_str(kept).expect("a schedule");
    plain["preemptions"] = json!([]);
    let unused = "what is listed there changes nothing";
    let changed = "The code has changed since it was found: find it anew";
    for (field, value, says) in [
        ("preemptions", json!([{ "at": 99999, "kind": "Read", "to": 1 }]), "the run has only "),
        ("preemptions", json!([{ "at": 1, "kind": "Start", "to": 0 }]), unused),
        ("preemptions", json!([{ "at": 1, "kind": "Read", "to": 1 }]), changed),
        ("faults", json!([{ "at": 99999, "what": "Error" }]), "the run has only "),
        ("faults", json!([{ "at": 1, "what": "Error" }]), unused),
        ("faults", json!([{ "at": 1, "kind": "Read", "what": { "Kill": 1 } }]), changed),
        ("preemptions", json!([{ "at": 0, "kind": "Read", "to": 1 }]), "preemption 0: point 0"),
        ("faults", json!([{ "at": 1, "what": { "Kill": 9 } }]), "there is no process 9"),
        ("colour", json!("red"), "unknown field `colour`"),
    ] {
        let mut schedule = plain.clone();
        schedule[field] = value;
        fs::write(folder.path().join("run.json"), schedule.to_string()).expect("a file");
        let output = simulate(folder.path(), &["replay", "run.json"]);
        let error = text(&output.stderr);
        assert_eq!(output.status.code(), Some(2), "{}: {error}", schedule[field]);
        assert!(error.contains(says), "{}: {error}", schedule[field]);
        // Only other code has other points.
        assert_eq!(error.contains(changed), says == changed, "{error}");
    }
}

/// Goal: ARCHITECTURE.md shows a schedule as it is, and names each of its fields.
#[test]
fn the_schedule_of_the_document_is_replayed() {
    let document = include_str!("../../ARCHITECTURE.md");
    let (_, section) = document.split_once("## Schedule files").expect("the section");
    let (words, rest) = section.split_once("```json\n").expect("an example");
    let (example, _) = rest.split_once("```").expect("its end");
    let folder = tempfile::tempdir().expect("a folder");
    fs::write(folder.path().join("run.json"), example).expect("a file");
    let output = simulate(folder.path(), &["replay", "run.json"]);
    assert!(output.status.success(), "{}{}", text(&output.stdout), text(&output.stderr));
    let schedule: serde_json::Value = serde_json::from_str(example).expect("JSON");
    let fields = [&schedule, &schedule["scenario"], &schedule["preemptions"][0]];
    for field in fields.iter().flat_map(|one| one.as_object().expect("fields").keys()) {
        assert!(words.contains(&format!("`{field}`")), "{field} is not described");
    }
}

/// Goal: a reader that goes, or a full disk, is no crash; only lost text is a fault.
#[cfg(target_os = "linux")]
#[test]
fn output_that_cannot_be_written_is_no_panic() {
    for (output, code, says) in
        [(Stdio::piped(), 0, ""), (full_disk(), 2, "leasehold-sim: standard output: No space")]
    {
        let mut command = Command::new(env!("CARGO_BIN_EXE_leasehold-sim"));
        command.args(["states", "--depth", "1"]).stdout(output).stderr(Stdio::piped());
        let mut child = command.spawn().expect("the program starts");
        drop(child.stdout.take());
        let output = child.wait_with_output().expect("it ends");
        let error = text(&output.stderr);
        assert_eq!(output.status.code(), Some(code), "{error}");
        assert!(error.starts_with(says) && error.lines().count() == usize::from(code != 0));
    }
}

#[cfg(target_os = "linux")]
fn full_disk() -> Stdio {
    fs::File::options().write(true).open("/dev/full").expect("a device").into()
}

/// Goal: of a worker that is gone it is told in which run that was, and how.
#[cfg(unix)]
#[test]
fn a_worker_that_is_gone_names_its_seed() {
    let line = format!(
        "ulimit -t 1; exec '{}' run --minutes 5 --jobs 2 --seed 7000",
        env!("CARGO_BIN_EXE_leasehold-sim")
    );
    let output = Command::new("sh").args(["-c", &line]).output().expect("a shell");
    let error = text(&output.stderr);
    assert_eq!(output.status.code(), Some(2), "{error}");
    assert!(error.contains("ended in the run of seed 7"), "{error}");
    assert!(error.contains(" with signal: "), "{error}");
    assert!(error.contains("repeat it with --seed 7"), "{error}");
}

/// Goal: a kept schedule is drawn, in the terminal and as a page, and ends as its file says.
#[test]
fn a_schedule_is_replayed_and_drawn() {
    let folder = tempfile::tempdir().expect("a folder");
    let file = folder.path().join("run.json");
    let kept = include_str!("../../regressions/simulator/reader-in-two-snapshots.json");
    let mut schedule: serde_json::Value = serde_json::from_str(kept).expect("a schedule");
    schedule["preemptions"] = json!([]);
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
    let other = simulate(folder.path(), &["replay", "run.json"]);
    assert_eq!(other.status.code(), Some(1));
    assert!(text(&other.stdout).contains("the file expects: violated: rows"));
    let nothing = simulate(folder.path(), &["shrink", "run.json"]);
    assert_eq!(nothing.status.code(), Some(1));
    assert!(text(&nothing.stdout).contains("there is nothing to shrink"));
}
