//! Goal: leasehold writes where it is told to, and nowhere else.
//!
//! Method: a session's calls run in a sandbox; then every file in it is listed.

use std::fs;
use std::path::Path;

use leasehold_tests::call::Call;
use leasehold_tests::sandbox::Sandbox;

/// Every file below a folder, by its path from there.
fn files(root: &Path) -> Vec<String> {
    let mut found = Vec::new();
    let mut folders = vec![root.to_owned()];
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(&folder).expect("a folder") {
            let path = entry.expect("an entry").path();
            if path.is_dir() {
                folders.push(path);
            } else {
                let below = path.strip_prefix(root).expect("it is below");
                found.push(below.to_string_lossy().into_owned());
            }
        }
    }
    found.sort();
    found
}

/// One of each kind of call, changed by `change`.
fn run_a_session(sandbox: &Sandbox, change: impl Fn(Call) -> Call) {
    let send = |client: &str, name: &str| {
        let outcome = change(sandbox.send(&sandbox.payload(client, name))).run();
        assert!(matches!(outcome.code, Some(0 | 2)), "{outcome:?}");
    };
    for name in ["01-SessionStart", "02-UserPromptSubmit", "03-PreToolUse-Read"] {
        send("claude", name);
    }
    send("claude", "05-PreToolUse-Edit");
    send("codex", "03-PreToolUse-apply_patch");
    for name in ["07-Stop", "08-SessionEnd"] {
        send("codex", name);
    }
    for args in [
        &["acquire", "b.txt", "--session", "s"][..],
        &["check", "b.txt"],
        &["status", "--json"],
        &["reap"],
        &["release-session", "--session", "s"],
        &["--help"],
    ] {
        let outcome = change(sandbox.cli(args)).run();
        assert!(matches!(outcome.code, Some(0 | 7)), "{args:?}: {outcome:?}");
    }
    change(sandbox.hook("no payload").event("PreToolUse")).run().is_denied();
    let explained = change(sandbox.cli(&["explain"]).stdin(sandbox.write("s", "b.txt"))).run();
    assert_eq!(explained.code, Some(0), "{explained:?}");
}

/// The files of a store in a folder.
fn store_files(folder: &str) -> Vec<String> {
    let names = ["leases.db", "leases.db-shm", "leases.db-wal", "usage.jsonl"];
    names.iter().map(|name| format!("{folder}/{name}")).collect()
}

#[test]
fn state_goes_where_our_variables_say() {
    let sandbox = Sandbox::new();
    run_a_session(&sandbox, |call| call);
    assert_eq!(files(sandbox.root()), store_files("store"));
}

#[cfg(target_os = "linux")]
#[test]
fn state_goes_to_the_platforms_folder_where_nobody_says() {
    let sandbox = Sandbox::new();
    run_a_session(&sandbox, |call| {
        call.without_env("LEASEHOLD_DB").without_env("LEASEHOLD_COUNTER")
    });
    assert_eq!(files(sandbox.root()), store_files("state/leasehold"));
}

#[cfg(target_os = "linux")]
#[test]
fn state_goes_below_the_home_where_nothing_else_is_known() {
    let sandbox = Sandbox::new();
    run_a_session(&sandbox, |call| {
        let call = call.without_env("LEASEHOLD_DB").without_env("LEASEHOLD_COUNTER");
        call.without_env("XDG_STATE_HOME")
    });
    assert_eq!(files(sandbox.root()), store_files("home/.local/state/leasehold"));
}

#[test]
fn explaining_writes_nothing() {
    let sandbox = Sandbox::new();
    let explain = sandbox.cli(&["explain"]).stdin(sandbox.write("s", "b.txt"));
    assert_eq!(explain.run().code, Some(0));
    assert_eq!(files(sandbox.root()), [""; 0]);
}
