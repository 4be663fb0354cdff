//! Goal: the collected session cases (`tests/cases/session.jsonl`), each by its id, through the
//! real hook.
//!
//! Method: the steps of a case are Claude Code's events. A case names turns only where they matter:
//! elsewhere each prompt begins another. T08's `sed` is a patch in a here-document, which leases
//! the same two files.

use std::fs;

use leasehold_tests::call::race;
use leasehold_tests::case;
use leasehold_tests::claude::Thread;
use leasehold_tests::payload::Payload;
use leasehold_tests::sandbox::Sandbox;
use serde_json::json;

#[test]
fn every_case_has_its_test() {
    assert_eq!(case::ids("session"), ["T02", "T03", "T05", "T08", "T09"]);
}

#[test]
fn t02_an_interrupted_turn_keeps_others_out_until_the_next_prompt_or_the_ttl() {
    let sandbox = Sandbox::new();
    let (a, b) = (Thread::new(&sandbox, "A", "1"), Thread::new(&sandbox, "B", "1"));
    let a = a.ttl_sec("900");
    a.write("f").is_silent();
    let until = sandbox.lease("f").expect("a lease").as_refusal();
    assert!(b.write("f").is_denied().contains(&until), "it says when it ends at the latest");
    a.turn("2").prompt().is_silent();
    assert!(sandbox.leases().is_empty());
    b.write("f").is_silent();
}

#[test]
fn t03_one_sibling_at_a_time_and_the_parent_is_never_locked_out() {
    let sandbox = Sandbox::new();
    let a = Thread::new(&sandbox, "A", "1");
    let (first, second) = (a.agent("a1"), a.agent("a2"));
    first.write("f").is_silent();
    second.write("f").is_denied();
    first.stop().is_silent();
    second.write("f").is_silent();
    second.stop().is_silent();
    a.write("f").is_silent();
    Thread::new(&sandbox, "B", "1").write("f").is_denied();
}

#[test]
fn t05_a_late_stop_releases_nothing_of_the_new_turn() {
    let sandbox = Sandbox::new();
    let (t1, b) = (Thread::new(&sandbox, "A", "t1"), Thread::new(&sandbox, "B", "u"));
    let t2 = t1.turn("t2");
    t1.prompt().is_silent();
    t1.write("f").is_silent();
    t2.prompt().is_silent();
    assert!(sandbox.leases().is_empty());
    t2.write("g").is_silent();
    t1.stop().is_silent();
    b.write("g").is_denied();
    t2.stop().is_silent();
    b.write("g").is_silent();
}

#[test]
fn t08_parallel_calls_of_one_owner_do_not_exclude_each_other() {
    let sandbox = Sandbox::new();
    let a = Thread::new(&sandbox, "A", "1");
    let edit = |call: &str| {
        let input = json!({ "file_path": sandbox.file("f"), "old_string": "a", "new_string": "b" });
        json!({ "tool_name": "Edit", "tool_input": input, "tool_use_id": call })
    };
    let patch = "*** Begin Patch\n*** Add File: f\n+x\n*** Add File: g\n+x\n*** End Patch";
    let script = json!({
        "tool_name": "Bash", "tool_use_id": "u3",
        "tool_input": { "command": format!("true; apply_patch <<'EOF'\n{patch}\nEOF\n") },
    });
    let calls = [edit("u1"), edit("u2"), script.clone()];
    for outcome in race(calls.map(|fields| a.call("PreToolUse", fields)).into()) {
        outcome.is_silent();
    }
    assert_eq!(sandbox.leased(), ["f", "g"]);
    a.call("PostToolUse", edit("u1")).run().is_silent();
    Thread::new(&sandbox, "B", "1").write("f").is_denied();
    // The turn ends, and nothing has told of the end of u3.
    a.stop().is_silent();
    assert_eq!(sandbox.leased(), ["f", "g"], "u3 is open");
    a.call("PostToolUse", script).run().is_silent();
    assert!(sandbox.leases().is_empty(), "and now it is not");
}

#[test]
fn t09_two_sessions_exclude_each_other_in_one_worktree_and_not_over_two() {
    let sandbox = Sandbox::new();
    let worktree = sandbox.root().join("repo-wt");
    fs::create_dir(&worktree).expect("a worktree");
    let repo = sandbox.repo();
    let write = |session: &str, file: std::path::PathBuf, cwd: &std::path::Path| {
        let payload = Payload::new(json!({
            "session_id": session, "hook_event_name": "PreToolUse", "cwd": cwd, "prompt_id": "1",
            "tool_name": "Write", "tool_input": { "file_path": file, "content": "x" },
        }));
        sandbox.send(&payload).run()
    };
    write("A", repo.join("MEMORY.md"), &repo).is_silent();
    let refused = write("B", repo.join("MEMORY.md"), &repo);
    assert!(refused.is_denied().contains("(session A)"), "{refused:?}");
    write("C", worktree.join("MEMORY.md"), &worktree).is_silent();
    write("D", worktree.join("src/x"), &repo).is_silent();
    write("E", worktree.join("src/x"), &worktree).is_denied();
}
