//! Goal: the event that the installed command names decides how the hook may end (R15): before a
//! call with 0 or 2, in the life of a turn or a session with 0, whatever else is wrong.
//!
//! Method: the command line or the environment of the installed hook is spoilt, each in one way.

use leasehold_tests::call::Call;
use leasehold_tests::sandbox::Sandbox;

const LIFE_CYCLE: [&str; 9] = [
    "SessionStart",
    "UserPromptSubmit",
    "PostToolUse",
    "SubagentStop",
    "Stop",
    "SessionEnd",
    "AfterAgent",
    "agentStop",
    "errorOccurred",
];

/// Arguments behind the event that no version of the hook takes.
const SPOILT: [&[&str]; 4] =
    [&["--client", "emacs"], &["--client"], &["--unknown"], &["another event"]];

#[test]
fn before_a_call_a_spoilt_command_line_denies() {
    let sandbox = Sandbox::new();
    for args in SPOILT {
        let hook = sandbox.hook(sandbox.write("s", "a.txt")).event("PreToolUse");
        let outcome = args.iter().fold(hook, Call::arg).run();
        assert_eq!((outcome.code, &*outcome.stdout), (Some(2), ""), "{args:?}");
        assert!(!outcome.stderr.trim().is_empty(), "{args:?}");
    }
}

#[test]
fn a_life_cycle_event_with_a_spoilt_command_line_ends_with_0() {
    let sandbox = Sandbox::new();
    for event in LIFE_CYCLE {
        for args in SPOILT {
            let payload = sandbox.write("s", "a.txt").with("hook_event_name", event);
            let hook = sandbox.hook(payload).event(event);
            let outcome = args.iter().fold(hook, Call::arg).run();
            assert_eq!((outcome.code, &*outcome.stdout), (Some(0), ""), "{event} {args:?}");
            assert!(!outcome.stderr.trim().is_empty(), "{event} {args:?}");
        }
    }
}

#[test]
fn a_life_cycle_event_with_a_spoilt_setting_ends_with_0() {
    let sandbox = Sandbox::new();
    for event in LIFE_CYCLE {
        let payload = sandbox.write("s", "a.txt").with("hook_event_name", event);
        let outcome = sandbox.send(&payload).env("LEASEHOLD_DB", "relative.db").run();
        assert!(outcome.passes().contains("LEASEHOLD_DB"), "{event}: {outcome:?}");
    }
}

#[test]
fn a_spoilt_setting_is_only_a_warning_where_errors_allow() {
    let sandbox = Sandbox::new();
    let hook = sandbox.send(&sandbox.write("s", "a.txt")).env("LEASEHOLD_DB", "relative.db");
    let outcome = hook.env("LEASEHOLD_ON_ERROR", "allow").run();
    assert!(outcome.passes().contains("LEASEHOLD_DB"), "{outcome:?}");
}

#[test]
fn a_write_is_judged_where_only_the_command_knows_the_event() {
    let sandbox = Sandbox::new();
    sandbox.send(&sandbox.write("holder", "a.txt")).run().is_silent();
    // Hosts that run each other's settings spell events in their own way.
    for spelling in ["preToolUse", "pre_tool_use", "before_tool", "beforeShellExecution"] {
        let payload = sandbox.write("other", "a.txt").with("hook_event_name", spelling);
        sandbox.hook(payload).event("PreToolUse").run().is_denied();
    }
}
