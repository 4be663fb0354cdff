//! Goal: a hook that waits answers before its client stops waiting (R15).
//!
//! Method: stdin is held open while the process runs, or another connection holds the database's
//! lock. Clients let a call go ahead after their own time-out, so before a call the answer is no,
//! with a text; a life-cycle event just ends.

use std::time::Duration;

use leasehold_tests::call::Call;
use leasehold_tests::sandbox::Sandbox;
use rusqlite::Connection;

/// Room for the start of a process on a busy machine.
const SLACK: Duration = Duration::from_millis(1500);

fn hanging(sandbox: &Sandbox, event: &str) -> Call {
    sandbox.hook(&br#"{"session_id":"s1","tool_name":"Wri"#[..]).event(event).holding_stdin()
}

#[test]
fn a_call_whose_payload_does_not_end_is_denied_in_time() {
    let sandbox = Sandbox::new();
    let outcome = hanging(&sandbox, "PreToolUse").env("LEASEHOLD_DEADLINE_MS", "300").run();
    let reason = outcome.is_denied();
    assert!(reason.contains("no answer within the deadline"), "{reason}");
    let at_least = Duration::from_millis(300);
    assert!((at_least..at_least + SLACK).contains(&outcome.took), "{:?}", outcome.took);
}

#[test]
fn a_hook_that_nobody_names_may_stand_before_a_write() {
    let sandbox = Sandbox::new();
    let hook = sandbox.hook("").holding_stdin().env("LEASEHOLD_DEADLINE_MS", "300");
    hook.run().is_denied();
}

#[test]
fn a_late_answer_can_be_a_warning() {
    let sandbox = Sandbox::new();
    let lenient = hanging(&sandbox, "PreToolUse").env("LEASEHOLD_ON_ERROR", "allow");
    let outcome = lenient.env("LEASEHOLD_DEADLINE_MS", "300").run();
    assert!(outcome.passes().contains("goes ahead unguarded"), "{outcome:?}");
}

#[test]
fn a_stop_that_hangs_ends_with_0() {
    let sandbox = Sandbox::new();
    let outcome = hanging(&sandbox, "Stop").env("LEASEHOLD_DEADLINE_MS", "300").run();
    assert!(outcome.passes().contains("no answer within the deadline"), "{outcome:?}");
}

#[test]
fn an_interrupt_ends_before_codex_kills_it() {
    let outcome = hanging(&Sandbox::new(), "Interrupt").run();
    outcome.passes();
    assert!(outcome.took < Duration::from_secs(1), "{:?}", outcome.took);
}

#[test]
fn the_end_of_a_session_ends_before_claude_code_kills_it() {
    let outcome = hanging(&Sandbox::new(), "SessionEnd").run();
    outcome.passes();
    assert!(outcome.took < Duration::from_millis(1500), "{:?}", outcome.took);
}

/// A sandbox with a lease in it, and a connection that holds the lock of its database.
fn locked() -> (Sandbox, Connection) {
    let sandbox = Sandbox::new();
    sandbox.send(&sandbox.write("s1", "a.txt")).run().is_silent();
    let connection = Connection::open(sandbox.database()).expect("a database");
    connection.execute_batch("BEGIN IMMEDIATE").expect("nobody else has it");
    (sandbox, connection)
}

#[test]
fn a_call_that_meets_a_locked_database_is_denied_in_time() {
    let (sandbox, lock) = locked();
    let ask = || sandbox.send(&sandbox.write("s1", "b.txt")).env("LEASEHOLD_DEADLINE_MS", "800");
    let outcome = ask().run();
    let reason = outcome.is_denied();
    assert!(reason.contains("is in use") && reason.contains("try again"), "{reason}");
    assert!(outcome.took < Duration::from_millis(800) + SLACK, "{:?}", outcome.took);
    drop(lock);
    ask().run().is_silent();
}

#[test]
fn an_ending_that_meets_a_locked_database_ends_with_0_in_time() {
    let (sandbox, _lock) = locked();
    for (event, limit_ms) in [("Interrupt", 1000), ("SessionEnd", 1500)] {
        let payload = sandbox.write("s1", "a.txt").with("hook_event_name", event);
        let outcome = sandbox.send(&payload).run();
        assert_ne!(outcome.passes(), "", "people hear of it");
        assert!(outcome.took < Duration::from_millis(limit_ms), "{:?}", outcome.took);
    }
}

#[test]
fn a_reader_does_not_wait_for_a_locked_database() {
    let (sandbox, _lock) = locked();
    sandbox.send(&sandbox.payload("claude", "03-PreToolUse-Read")).run().is_silent();
}
