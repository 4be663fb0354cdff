//! Goal: a new turn supersedes the older ones of its lane, and nothing else does (R8).
//!
//! Method: events of one session, each a call of the real hook, and a look at who holds what.

use std::thread;
use std::time::Duration;

use leasehold_tests::agent::{Agent, How};
use leasehold_tests::claude::Thread;
use leasehold_tests::sandbox::Sandbox;
use rusqlite::Connection;
use serde_json::json;

const STALE: &str = "this call belongs to a turn that a later prompt of this session has ended";

/// Who holds a file, as `session@epoch`.
fn holder(sandbox: &Sandbox, file: &str) -> Option<String> {
    let row = sandbox.lease(file)?;
    let (session, epoch) = row.owner();
    Some(format!("{session}@{epoch}"))
}

#[test]
fn an_interrupted_turn_ends_with_the_next_prompt() {
    let sandbox = Sandbox::new();
    let first = Thread::new(&sandbox, "A", "t1");
    let stranger = Thread::new(&sandbox, "B", "u1");
    first.prompt().is_silent();
    first.write("f").is_silent();
    // The user's interrupt fires nothing.
    stranger.write("f").is_denied();
    let second = first.turn("t2");
    second.prompt().is_silent();
    assert_eq!(holder(&sandbox, "f"), None, "free at once");
    second.write("f").is_silent();
    let held = sandbox.lease("f");
    first.stop().is_silent();
    assert_eq!(sandbox.lease("f"), held, "a late Stop of the old turn changes nothing");
    assert!(first.write("g").is_denied().contains(STALE));
    assert!(first.write("f").is_denied().contains(STALE));
    assert_eq!(sandbox.leased(), ["f"]);
    stranger.write("f").is_denied();
}

#[test]
fn the_command_line_tells_a_stale_epoch_by_its_exit_code() {
    let sandbox = Sandbox::new();
    let acquire =
        |epoch: &str| sandbox.cli(&["acquire", "f", "--session", "A", "--epoch", epoch]).run();
    let begin =
        |epoch: &str| sandbox.cli(&["begin-turn", "--session", "A", "--epoch", epoch]).run();
    assert_eq!(begin("t1").code, Some(0));
    assert_eq!(acquire("t1").code, Some(0));
    assert_eq!(acquire("t2").code, Some(7), "only a begin retires");
    let second = begin("t2");
    assert_eq!((second.code, second.first_line()), (Some(0), "BEGUN t2 by A"), "{second:?}");
    assert!(second.stdout.contains("1 lease(s)"), "{second:?}");
    let stale = acquire("t1");
    assert_eq!((stale.code, stale.first_line()), (Some(8), "STALE: epoch t1 of A"), "{stale:?}");
    assert_eq!(sandbox.leases().len(), 0);
    assert_eq!(acquire("t2").code, Some(0));
    assert_eq!(begin("agent:a").code, Some(2));
    assert_eq!(begin("").code, Some(2));
}

#[test]
fn a_message_into_the_running_turn_changes_nothing() {
    let sandbox = Sandbox::new();
    let turn = Thread::new(&sandbox, "A", "t1");
    turn.prompt().is_silent();
    turn.write("f").is_silent();
    turn.prompt().is_silent();
    assert_eq!(holder(&sandbox, "f").as_deref(), Some("A@t1"));
    turn.write("g").is_silent();
}

#[test]
fn a_turn_goes_on_after_a_stop_hook_objected() {
    let sandbox = Sandbox::new();
    let turn = Thread::new(&sandbox, "A", "t1");
    turn.prompt().is_silent();
    turn.write("f").is_silent();
    turn.stop().is_silent();
    // Another Stop hook made the client go on: no prompt comes, and the id is the same.
    turn.write("f").is_silent();
    turn.stop().is_silent();
    assert!(sandbox.leases().is_empty());
}

#[test]
fn an_id_that_is_counted_anew_begins_again() {
    let sandbox = Sandbox::new();
    let turn = Thread::new(&sandbox, "A", "s####0");
    turn.prompt().is_silent();
    turn.turn("s####1").prompt().is_silent();
    turn.write("f").is_denied();
    turn.prompt().is_silent();
    turn.write("f").is_silent();
}

#[test]
fn a_prompt_of_another_session_ends_nothing() {
    let sandbox = Sandbox::new();
    Thread::new(&sandbox, "A", "t1").write("f").is_silent();
    Thread::new(&sandbox, "B", "t2").prompt().is_silent();
    assert_eq!(holder(&sandbox, "f").as_deref(), Some("A@t1"));
}

#[test]
fn a_write_of_an_unseen_turn_begins_it_in_the_process_of_the_current_one() {
    let sandbox = Sandbox::new();
    let first = Thread::new(&sandbox, "A", "t1");
    first.prompt().is_silent();
    first.write("f").is_silent();
    // The prompt's hook was not run: the same process writes in another turn.
    first.turn("t2").write("f").is_silent();
    assert_eq!(holder(&sandbox, "f").as_deref(), Some("A@t2"));
    assert!(first.write("g").is_denied().contains(STALE));
}

#[test]
fn a_write_of_an_unseen_turn_begins_it_where_none_is_known() {
    let sandbox = Sandbox::new();
    let first = Thread::new(&sandbox, "A", "t1");
    first.write("f").is_silent();
    first.turn("t2").prompt().is_silent();
    assert_eq!(holder(&sandbox, "f"), None);
    assert!(first.write("f").is_denied().contains(STALE));
}

/// Gemini CLI names no turns: one is minted for it.
fn gemini(sandbox: &Sandbox, event: &str, file: Option<&str>) -> leasehold_tests::outcome::Outcome {
    let mut payload = json!({
        "session_id": "G", "transcript_path": "", "cwd": sandbox.repo(),
        "hook_event_name": event, "timestamp": "2026-11-30T09:00:00.000Z",
    });
    if let Some(file) = file {
        payload["tool_name"] = "write_file".into();
        payload["tool_input"] = json!({ "file_path": file, "content": "x" });
    }
    sandbox.send(&leasehold_tests::payload::Payload::new(payload)).run()
}

#[test]
fn a_client_without_turn_ids_gets_one_minted() {
    let sandbox = Sandbox::new();
    gemini(&sandbox, "BeforeTool", Some("f")).is_silent();
    let first = holder(&sandbox, "f").expect("a lease");
    assert!(first.starts_with("G@minted:"), "{first}");
    // A begin without an end keeps it.
    gemini(&sandbox, "BeforeAgent", None).is_silent();
    assert_eq!(holder(&sandbox, "f").as_deref(), Some(first.as_str()));
    gemini(&sandbox, "BeforeTool", Some("g")).is_silent();
    assert_eq!(holder(&sandbox, "g").as_deref(), Some(first.as_str()));
    gemini(&sandbox, "AfterAgent", None).is_silent();
    assert!(sandbox.leases().is_empty());
    // A begin after the end is a new turn.
    gemini(&sandbox, "BeforeAgent", None).is_silent();
    gemini(&sandbox, "BeforeTool", Some("f")).is_silent();
    let second = holder(&sandbox, "f").expect("a lease");
    assert!(second.starts_with("G@minted:") && second != first, "{second} after {first}");
}

#[test]
fn a_minted_turn_keeps_others_out() {
    let sandbox = Sandbox::new();
    gemini(&sandbox, "BeforeTool", Some("f")).is_silent();
    Thread::new(&sandbox, "A", "t1").write("f").is_denied();
    gemini(&sandbox, "SessionEnd", None).is_silent();
    Thread::new(&sandbox, "A", "t1").write("f").is_silent();
}

#[test]
fn a_silent_turn_gives_way_to_a_write_of_another() {
    let sandbox = Sandbox::new();
    let codex = |turn: &str| {
        let patch = "*** Begin Patch\n*** Add File: f\n+x\n*** End Patch\n";
        let payload = json!({
            "session_id": "C", "turn_id": turn, "model": "m", "cwd": sandbox.repo(),
            "hook_event_name": "PreToolUse", "tool_name": "apply_patch",
            "tool_input": { "command": patch },
        });
        let call = sandbox.send(&leasehold_tests::payload::Payload::new(payload));
        call.env("LEASEHOLD_TTL_SEC", "1").run()
    };
    codex("t1").is_silent();
    thread::sleep(Duration::from_millis(1100));
    codex("t2").is_silent();
    assert!(codex("t1").is_denied_for_codex().contains(STALE));
}

#[test]
fn a_turn_that_holds_a_lease_is_not_silent() {
    let sandbox = Sandbox::new();
    // Two processes that do not name themselves: which of them is the agent is not known yet.
    let (mut one, mut two) =
        (Agent::start(&sandbox, How::Unnamed), Agent::start(&sandbox, How::Unnamed));
    let write = |turn, file: &str| {
        let input = json!({ "file_path": sandbox.file(file), "content": "x" });
        let fields = json!({ "tool_name": "Write", "tool_input": input, "tool_use_id": "c1" });
        Thread::new(&sandbox, "A", turn).payload("PreToolUse", fields)
    };
    one.call(&write("t1", "f")).is_silent();
    let database = Connection::open(sandbox.database()).expect("the database");
    let long_ago = database.execute("UPDATE turns SET at_ms = at_ms - 3600000", []);
    assert_eq!(long_ago, Ok(1));
    two.call(&write("t2", "g")).is_silent();
    assert_eq!(sandbox.leased(), ["f", "g"]);
    one.call(&write("t1", "f")).is_silent();
}
