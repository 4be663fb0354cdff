//! Goal: a hook that waits for its client answers before the client stops waiting (R15).
//!
//! Method: stdin is held open while the process runs. Clients let a call go ahead after their own
//! time-out, so before a call the answer is no, with a text; a life-cycle event just ends.

use std::time::Duration;

use leasehold_tests::call::Call;
use leasehold_tests::sandbox::Sandbox;

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
