//! Goal: what a shell call still writes outlives its turn, and no longer (R10).
//!
//! Method: events of one session, each a call of the real hook, and a look at what is leased.

use leasehold_tests::claude::Thread;
use leasehold_tests::outcome::Outcome;
use leasehold_tests::payload::Payload;
use leasehold_tests::sandbox::Sandbox;
use serde_json::json;

/// The main thread of session A in its turn t1, which has begun.
fn begun(sandbox: &Sandbox) -> Thread<'_> {
    let main = Thread::new(sandbox, "A", "t1");
    main.prompt().is_silent();
    main
}

#[test]
fn a_call_in_the_background_keeps_its_lease_over_stop_and_begin() {
    let sandbox = Sandbox::new();
    let main = begun(&sandbox);
    main.write("by-hand").is_silent();
    main.shell("c1", "log", true).is_silent();
    // Its post event comes at once and ends nothing.
    main.shell_ran("c1", "log", true, Some("task-1")).is_silent();
    main.stop_while(&[], &["task-1"]).is_silent();
    assert_eq!(sandbox.leased(), ["log"]);
    let next = main.turn("t2");
    next.prompt().is_silent();
    let refused = next.write("log");
    assert!(refused.is_denied().contains("by a task in the background of this same session"));
    Thread::new(&sandbox, "B", "u").write("log").is_denied();
    next.stop_while(&[], &["task-1", "task-2"]).is_silent();
    assert_eq!(sandbox.leased(), ["log"]);
    // The list no longer holds the task.
    next.stop_while(&[], &["task-2"]).is_silent();
    assert!(sandbox.leases().is_empty());
}

#[test]
fn a_begin_keeps_the_background_and_ends_the_foreground() {
    let sandbox = Sandbox::new();
    let main = begun(&sandbox);
    main.shell("c1", "log", true).is_silent();
    main.shell("c2", "out", false).is_silent();
    // Interrupted: no Stop comes, and the call in the foreground is dead.
    main.turn("t2").prompt().is_silent();
    assert_eq!(sandbox.leased(), ["log"]);
}

#[test]
fn a_task_whose_id_was_never_told_ends_with_the_last_one() {
    let sandbox = Sandbox::new();
    let main = begun(&sandbox);
    main.shell("c1", "log", true).is_silent();
    main.stop_while(&[], &["other"]).is_silent();
    assert_eq!(sandbox.leased(), ["log"]);
    main.stop_while(&[], &[]).is_silent();
    assert!(sandbox.leases().is_empty());
}

#[test]
fn a_call_that_went_to_the_background_on_the_way_is_kept() {
    let sandbox = Sandbox::new();
    let main = begun(&sandbox);
    main.shell("c1", "log", false).is_silent();
    main.shell_ran("c1", "log", false, Some("task-1")).is_silent();
    main.stop_while(&[], &["task-1"]).is_silent();
    assert_eq!(sandbox.leased(), ["log"]);
}

#[test]
fn a_call_that_has_ended_is_not_kept() {
    let sandbox = Sandbox::new();
    let main = begun(&sandbox);
    main.shell("c1", "log", false).is_silent();
    main.shell_ran("c1", "log", false, None).is_silent();
    assert_eq!(sandbox.leased(), ["log"], "the turn holds it like everything else");
    main.stop_while(&[], &["task-1"]).is_silent();
    assert!(sandbox.leases().is_empty());
}

#[test]
fn a_sub_agents_call_in_the_background_outlives_it() {
    let sandbox = Sandbox::new();
    let sub = begun(&sandbox).agent("a1");
    sub.shell("c1", "log", true).is_silent();
    sub.write("f").is_silent();
    sub.stop_while(&[], &["task-1"]).is_silent();
    assert_eq!(sandbox.leased(), ["log"]);
}

#[test]
fn the_end_of_the_session_ends_the_background_too() {
    let sandbox = Sandbox::new();
    let main = begun(&sandbox);
    main.shell("c1", "log", true).is_silent();
    main.stop_while(&[], &["task-1"]).is_silent();
    main.end_session().is_silent();
    assert!(sandbox.leases().is_empty());
}

/// An event of Codex CLI's session C, with a script that writes `log` where it is one of a call.
fn codex(sandbox: &Sandbox, event: &str, turn: &str, call: Option<(&str, &str)>) -> Outcome {
    let mut payload = json!({
        "session_id": "C", "turn_id": turn, "model": "m", "cwd": sandbox.repo(),
        "hook_event_name": event,
    });
    if let Some((id, before)) = call {
        let patch = "*** Begin Patch\n*** Add File: log\n+x\n*** End Patch";
        payload["tool_name"] = "Bash".into();
        payload["tool_use_id"] = id.into();
        payload["tool_input"] =
            json!({ "command": format!("{before}apply_patch <<'EOF'\n{patch}\nEOF\n") });
    }
    sandbox.send(&Payload::new(payload)).run()
}

#[test]
fn codex_keeps_what_an_exec_still_writes_until_its_post() {
    let sandbox = Sandbox::new();
    let call = Some(("exec-1", "make; "));
    codex(&sandbox, "UserPromptSubmit", "t1", None).is_silent();
    codex(&sandbox, "PreToolUse", "t1", call).is_silent();
    // The turn ends while the process still runs: no list tells of it.
    codex(&sandbox, "Stop", "t1", None).is_silent();
    codex(&sandbox, "UserPromptSubmit", "t2", None).is_silent();
    assert_eq!(sandbox.leased(), ["log"]);
    Thread::new(&sandbox, "A", "t").write("log").is_denied();
    // Its post event carries the later turn.
    let other = codex(&sandbox, "PostToolUse", "t2", Some(("exec-0", "make; ")));
    assert!(other.stdout.contains("is leased by codex"), "{other:?}");
    assert_eq!(sandbox.leased(), ["log"], "that was another call");
    codex(&sandbox, "PostToolUse", "t2", call).is_silent();
    assert!(sandbox.leases().is_empty());
}

#[test]
fn codex_ends_the_foreground_with_an_interrupt() {
    let sandbox = Sandbox::new();
    codex(&sandbox, "UserPromptSubmit", "t1", None).is_silent();
    codex(&sandbox, "PreToolUse", "t1", Some(("exec-1", "make; "))).is_silent();
    codex(&sandbox, "Interrupt", "t1", None).is_silent();
    assert!(sandbox.leases().is_empty());
}

#[test]
fn codex_tells_no_end_of_a_patch_that_it_applies_itself() {
    let sandbox = Sandbox::new();
    codex(&sandbox, "UserPromptSubmit", "t1", None).is_silent();
    codex(&sandbox, "PreToolUse", "t1", Some(("exec-1", ""))).is_silent();
    codex(&sandbox, "Stop", "t1", None).is_silent();
    assert!(sandbox.leases().is_empty(), "nothing waits for a post event that never comes");
}
