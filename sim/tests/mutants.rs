//! Goal: the hunt for mutants tells what it has seen, and leaves nothing behind.
//!
//! Method: a script stands in the place of cargo, and builds a simulator that says what each test
//! needs.

#![cfg(unix)]

use std::fs::{self, Permissions};
use std::os::unix::fs::PermissionsExt as _;
use std::path::Path;
use std::process::{Command, Output};
use std::time::{Duration, Instant};
use std::{env, thread};

use tempfile::TempDir;

/// A hunt for one mutant, in which this script is cargo.
fn hunt(folder: &TempDir, cargo: &str) -> Command {
    let place = folder.path();
    fs::write(place.join("cargo"), format!("#!/bin/sh\n{cargo}\n")).expect("a script");
    fs::set_permissions(place.join("cargo"), Permissions::from_mode(0o755)).expect("a program");
    let path = format!("{}:{}", place.display(), env::var("PATH").expect("a PATH"));
    let mut command = Command::new(env!("CARGO_BIN_EXE_leasehold-sim"));
    command.args(["mutants", "--simulator", "M5", "--folder"]).arg(place.join("mutants"));
    command.env("PATH", path).env("HEART", place.join("heart"));
    command
}

/// The same, where cargo builds a simulator that says this. Its third argument is how often it is
/// to try: once without a mutant.
fn hunt_by(simulator: &str) -> Output {
    let folder = tempfile::tempdir().expect("a folder");
    let cargo = format!(
        "mkdir -p \"$CARGO_TARGET_DIR/debug\"
        cat > \"$CARGO_TARGET_DIR/debug/leasehold-sim\" <<'END'\n#!/bin/sh\n{simulator}\nEND
        chmod +x \"$CARGO_TARGET_DIR/debug/leasehold-sim\""
    );
    hunt(&folder, &cargo).output().expect("the program starts")
}

#[track_caller]
fn comes_to(simulator: &str, code: i32, says: &str) {
    let Output { status, stdout, stderr } = hunt_by(simulator);
    let said = [stdout, stderr].concat();
    let said = String::from_utf8_lossy(&said);
    assert_eq!(status.code(), Some(code), "{said}");
    assert!(said.contains(says), "{said}");
}

/// What finds something in the tree as it is finds it with every mutant.
#[test]
fn a_tree_without_a_mutant_comes_first() {
    comes_to("echo found=1", 2, "without any mutant the simulator says Found");
    comes_to("exit 1", 2, "without any mutant the simulator says Broken");
    let right = "[ $3 = 1 ] && echo found=0 && exit 1; echo found=9 by=rows";
    comes_to(right, 0, "found: found=9 by=rows");
}

#[test]
fn a_crash_counts_only_where_it_says_so() {
    let after_the_first = |rest: &str| format!("[ $3 = 1 ] && echo found=0 && exit 1\n{rest}");
    let silent = after_the_first("exit 1");
    comes_to(&silent, 1, "BROKEN: the simulator ends with exit status: 1 and does not say why");
    let panic = after_the_first("echo \"thread 'main' panicked at x.rs\"; exit 101");
    comes_to(&panic, 0, "found: a crash: thread 'main' panicked at x.rs");
    comes_to(&after_the_first("kill -ABRT $$"), 0, "found: a crash: signal: 6");
}

/// Somebody who ends the hunt ends what it has started, too.
#[test]
fn nothing_runs_on_after_a_signal() {
    // It ends by itself in the end, for the case that this fails.
    let cargo = "(for i in $(seq 600); do echo on > \"$HEART\"; sleep 0.1; done) & wait";
    for signal in ["-INT", "-TERM"] {
        let folder = tempfile::tempdir().expect("a folder");
        let heart = folder.path().join("heart");
        let mut hunt = hunt(&folder, cargo).spawn().expect("the program starts");
        assert!(comes(&heart, Duration::from_mins(1)), "nothing is built");
        let killed = Command::new("kill").args([signal, &hunt.id().to_string()]).status();
        assert!(killed.expect("kill runs").success());
        assert_eq!(hunt.wait().expect("it ends").code(), Some(130), "{signal}");
        fs::remove_file(&heart).expect("it was there");
        assert!(!comes(&heart, Duration::from_secs(1)), "{signal}: it goes on");
    }
}

/// Whether there is such a file within this time.
fn comes(file: &Path, within: Duration) -> bool {
    let started = Instant::now();
    while !file.exists() {
        if started.elapsed() > within {
            return false;
        }
        thread::sleep(Duration::from_millis(20));
    }
    true
}
