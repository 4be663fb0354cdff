//! Goal: what a dead agent held is free at once, and what a living one holds never is (R13).
//!
//! Method: real agents, each a process that runs the hook as its child, are killed with -9 or live
//! on while another session asks for their file. `LEASEHOLD_ROUNDS` asks for more rounds.

#![cfg(target_os = "linux")]

use std::env;
use std::thread;
use std::time::Duration;

use leasehold_tests::agent::{Agent, How};
use leasehold_tests::claude::Thread;
use leasehold_tests::sandbox::Sandbox;
use rusqlite::Connection;
use serde_json::json;

/// How many agents are killed, and how often a living one is asked.
const ROUNDS: usize = 150;

fn rounds() -> usize {
    env::var("LEASEHOLD_ROUNDS").ok().and_then(|text| text.parse().ok()).unwrap_or(ROUNDS)
}

/// Claude Code's payload before a write of a session, in a call of its own.
fn write(
    sandbox: &Sandbox,
    session: &str,
    file: &str,
    call: &str,
) -> leasehold_tests::payload::Payload {
    sandbox.write(session, file).with("tool_use_id", call)
}

/// Puts another process into the row of a file: what `change` makes of boot, namespace, pid and
/// start time.
fn spoil(sandbox: &Sandbox, change: impl Fn(&mut Vec<String>)) {
    let database = Connection::open(sandbox.database()).expect("the database");
    let text: String =
        database.query_row("SELECT process FROM leases", [], |row| row.get(0)).expect("a process");
    let mut words: Vec<String> = text.split(' ').map(str::to_owned).collect();
    assert_eq!(words.len(), 4, "{text}");
    change(&mut words);
    database.execute("UPDATE leases SET process = ?1", [words.join(" ")]).expect("an update");
}

#[test]
fn what_a_killed_agent_held_is_free_at_once() {
    let sandbox = Sandbox::new();
    for round in 0..rounds() {
        let (file, dead) = (format!("f{round}"), format!("dead-{round}"));
        let mut agent = Agent::start(&sandbox, How::Named);
        agent.call(&write(&sandbox, &dead, &file, "c1")).is_silent();
        // Nobody waits for its end yet: half of the contenders find a zombie.
        agent.kill();
        if round % 2 == 0 {
            drop(agent);
        }
        let got = sandbox.send(&write(&sandbox, "next", &file, "c1")).run();
        let told = got.passes();
        assert!(told.contains("was reclaimed from claude"), "round {round}: {told}");
        assert_eq!(sandbox.lease(&file).expect("a lease").owner().0, "next", "round {round}");
    }
}

#[test]
fn what_a_living_agent_holds_is_never_free() {
    let sandbox = Sandbox::new();
    let mut agent = Agent::start(&sandbox, How::Named);
    agent.call(&write(&sandbox, "alive", "f", "c1")).is_silent();
    for round in 0..rounds() {
        let refused = sandbox.send(&write(&sandbox, &format!("next-{round}"), "f", "c1")).run();
        assert!(refused.is_denied().contains("is leased by claude"), "round {round}");
    }
    agent.call(&write(&sandbox, "alive", "f", "c2")).is_silent();
}

#[test]
fn an_agent_that_does_not_name_itself_is_believed_after_two_calls() {
    let sandbox = Sandbox::new();
    let ask = |call: &str| sandbox.send(&write(&sandbox, "next", "f", call)).run();
    let mut agent = Agent::start(&sandbox, How::Unnamed);
    agent.call(&write(&sandbox, "A", "f", "c1")).is_silent();
    agent.call(&write(&sandbox, "A", "f", "c2")).is_silent();
    assert!(sandbox.leases()[0].text("process").is_empty(), "too soon after the first call");
    thread::sleep(Duration::from_millis(1050));
    agent.call(&write(&sandbox, "A", "f", "c1")).is_silent();
    assert!(sandbox.leases()[0].text("process").is_empty(), "the same call again");
    agent.call(&write(&sandbox, "A", "f", "c3")).is_silent();
    let pid = agent.pid().to_string();
    assert_eq!(sandbox.leases()[0].text("process").split(' ').nth(2), Some(pid.as_str()));
    ask("c1").is_denied();
    agent.kill();
    assert!(ask("c2").passes().contains("was reclaimed"));
}

#[test]
fn a_helper_that_lives_as_long_as_a_call_is_never_believed() {
    let sandbox = Sandbox::new();
    let mut agent = Agent::start(&sandbox, How::Helped);
    agent.call(&write(&sandbox, "A", "f", "c1")).is_silent();
    thread::sleep(Duration::from_millis(1050));
    agent.call(&write(&sandbox, "A", "f", "c2")).is_silent();
    agent.call(&write(&sandbox, "A", "f", "c3")).is_silent();
    sandbox.send(&write(&sandbox, "next", "f", "c1")).run().is_denied();
}

#[test]
fn a_pid_that_another_process_has_now_proves_the_death() {
    let sandbox = Sandbox::new();
    let mut agent = Agent::start(&sandbox, How::Named);
    agent.call(&write(&sandbox, "A", "f", "c1")).is_silent();
    // The agent that held it had the same number, and started at another time.
    spoil(&sandbox, |words| words[3] = "7".to_owned());
    assert!(sandbox.send(&write(&sandbox, "next", "f", "c1")).run().passes().contains("reclaimed"));
}

#[test]
fn a_process_of_another_namespace_or_boot_proves_nothing() {
    for place in [0, 1] {
        let sandbox = Sandbox::new();
        let mut agent = Agent::start(&sandbox, How::Named);
        agent.call(&write(&sandbox, "A", "f", "c1")).is_silent();
        agent.kill();
        drop(agent);
        spoil(&sandbox, |words| words[place] = "elsewhere".to_owned());
        sandbox.send(&write(&sandbox, "next", "f", "c1")).run().is_denied();
    }
}

#[test]
fn the_shell_call_of_a_dead_agent_may_live_on() {
    let sandbox = Sandbox::new();
    let mut agent = Agent::start(&sandbox, How::Named);
    let patch = "*** Begin Patch\n*** Add File: log\n+x\n*** End Patch";
    let shell = json!({
        "session_id": "A", "hook_event_name": "PreToolUse", "cwd": sandbox.repo(),
        "prompt_id": "turn", "tool_name": "Bash", "tool_use_id": "c1",
        "tool_input": { "command": format!("make; apply_patch <<'EOF'\n{patch}\nEOF\n") },
    });
    agent.call(&leasehold_tests::payload::Payload::new(shell)).is_silent();
    agent.call(&write(&sandbox, "A", "f", "c2")).is_silent();
    agent.kill();
    drop(agent);
    sandbox.send(&write(&sandbox, "next", "log", "c1")).run().is_denied();
    assert!(sandbox.send(&write(&sandbox, "next", "f", "c1")).run().passes().contains("reclaimed"));
}

#[test]
fn a_second_living_process_of_a_session_keeps_what_it_holds() {
    let sandbox = Sandbox::new();
    let (mut one, mut two) =
        (Agent::start(&sandbox, How::Named), Agent::start(&sandbox, How::Named));
    let of = |turn| Thread::new(&sandbox, "A", turn);
    let payload = |turn, event: &str| of(turn).payload(event, json!({}));
    let edit = |turn, file: &str| {
        let input = json!({ "file_path": sandbox.file(file), "content": "x" });
        of(turn).payload("PreToolUse", json!({ "tool_name": "Write", "tool_input": input }))
    };
    // Two terminals have resumed one session.
    one.call(&payload("t1", "UserPromptSubmit")).is_silent();
    one.call(&edit("t1", "f")).is_silent();
    two.call(&payload("u1", "UserPromptSubmit")).is_silent();
    assert_eq!(sandbox.leased(), ["f"], "a begin of the other does not touch it");
    two.call(&edit("u1", "g")).is_silent();
    two.call(&edit("u1", "f")).is_denied();
    one.call(&edit("t1", "f")).is_silent();
    two.call(&payload("u1", "SessionEnd")).is_silent();
    assert_eq!(sandbox.leased(), ["f"], "nor does the end of the session there");
    // A dead one is no second living process.
    one.kill();
    drop(one);
    two.call(&payload("u2", "SessionEnd")).is_silent();
    assert!(sandbox.leases().is_empty());
}

#[test]
fn a_second_process_of_which_nothing_is_proven_is_superseded() {
    let sandbox = Sandbox::new();
    let (mut one, mut two) =
        (Agent::start(&sandbox, How::Named), Agent::start(&sandbox, How::Named));
    let prompt = |turn| Thread::new(&sandbox, "A", turn).payload("UserPromptSubmit", json!({}));
    one.call(&prompt("turn")).is_silent();
    one.call(&write(&sandbox, "A", "f", "c1")).is_silent();
    // The first terminal was in another container.
    let database = Connection::open(sandbox.database()).expect("the database");
    for table in ["leases", "turns", "sightings"] {
        let moved = database.execute(
            &format!(
                "UPDATE {table} SET process = 'elsewhere' || substr(process, instr(process, ' '))"
            ),
            [],
        );
        assert_eq!(moved, Ok(1), "{table}");
    }
    two.call(&prompt("u1")).is_silent();
    assert!(sandbox.leases().is_empty());
}

#[test]
fn a_stop_ends_no_background_call_of_a_second_living_process() {
    let sandbox = Sandbox::new();
    let (mut one, mut two) =
        (Agent::start(&sandbox, How::Named), Agent::start(&sandbox, How::Named));
    let of = |turn, event: &str, fields| Thread::new(&sandbox, "A", turn).payload(event, fields);
    let stop = |turn, running| of(turn, "Stop", json!({ "background_tasks": running }));
    let patch = "*** Begin Patch\n*** Add File: log\n+x\n*** End Patch";
    let script = format!("make; apply_patch <<'EOF'\n{patch}\nEOF\n");
    let input = json!({ "command": script, "run_in_background": true });
    let shell = json!({ "tool_name": "Bash", "tool_use_id": "c1", "tool_input": input });
    one.call(&of("t1", "UserPromptSubmit", json!({}))).is_silent();
    one.call(&of("t1", "PreToolUse", shell)).is_silent();
    let task = json!([{ "id": "task-1", "type": "shell", "status": "running" }]);
    one.call(&stop("t1", task)).is_silent();
    two.call(&of("u1", "UserPromptSubmit", json!({}))).is_silent();
    // The list is of the tasks in the other terminal.
    two.call(&stop("u1", json!([]))).is_silent();
    assert_eq!(sandbox.leased(), ["log"]);
    one.call(&stop("t1", json!([]))).is_silent();
    assert!(sandbox.leases().is_empty());
}

#[test]
fn two_terminals_of_a_client_without_turn_ids_are_two_owners() {
    let sandbox = Sandbox::new();
    let event = |name: &str, file: Option<&str>| {
        let mut payload = json!({
            "session_id": "G", "transcript_path": "", "cwd": sandbox.repo(),
            "hook_event_name": name, "timestamp": "2026-11-30T09:00:00.000Z",
        });
        if let Some(file) = file {
            payload["tool_name"] = "write_file".into();
            payload["tool_input"] = json!({ "file_path": file, "content": "x" });
        }
        leasehold_tests::payload::Payload::new(payload)
    };
    let (mut one, mut two) =
        (Agent::start(&sandbox, How::Unnamed), Agent::start(&sandbox, How::Unnamed));
    one.call(&event("BeforeAgent", None)).is_silent();
    one.call(&event("BeforeTool", Some("a"))).is_silent();
    thread::sleep(Duration::from_millis(1050));
    one.call(&event("BeforeTool", Some("a"))).is_silent();
    two.call(&event("BeforeAgent", None)).is_silent();
    one.call(&event("BeforeTool", Some("f"))).is_silent();
    let refused = two.call(&event("BeforeTool", Some("f")));
    assert!(refused.stdout.contains("\"deny\""), "{refused:?}");
    two.call(&event("AfterAgent", None)).is_silent();
    assert_eq!(sandbox.leased(), ["a", "f"], "the other's end ends its own turn");
}

#[test]
fn what_a_living_process_renews_is_its_own_though_a_dead_one_took_it() {
    let sandbox = Sandbox::new();
    let mut dead = Agent::start(&sandbox, How::Named);
    dead.call(&write(&sandbox, "A", "f", "c1")).is_silent();
    dead.call(&write(&sandbox, "A", "g", "c2")).is_silent();
    dead.kill();
    // The session is resumed, and goes on with the same turn.
    let mut alive = Agent::start(&sandbox, How::Named);
    alive.call(&write(&sandbox, "A", "f", "c3")).is_silent();
    sandbox.send(&write(&sandbox, "next", "g", "c1")).run().is_denied();
}

#[test]
fn a_directory_goes_though_a_dead_agent_held_something_in_it() {
    let sandbox = Sandbox::new();
    std::fs::create_dir(sandbox.repo().join("d")).expect("a directory");
    let delete = sandbox
        .write("next", "unused")
        .with("tool_name", "mcp__fs__delete_directory")
        .with("tool_input", json!({ "path": sandbox.file("d") }));
    let mut agent = Agent::start(&sandbox, How::Named);
    agent.call(&write(&sandbox, "dead", "d/x", "c1")).is_silent();
    let refused = sandbox.send(&delete).run();
    assert!(refused.is_denied().contains("d/x, which lies in"), "{refused:?}");
    agent.kill();
    assert!(sandbox.send(&delete).run().passes().contains("was reclaimed from claude"));
    assert!(sandbox.leases().is_empty(), "a directory that goes is not leased");
}
