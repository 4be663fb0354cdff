//! Goal: the command line keeps its contract with scripts: exit codes, lines, JSON.
//!
//! Method: each test runs the real binary in a sandbox, as a script would.

use leasehold_tests::outcome::Outcome;
use leasehold_tests::sandbox::Sandbox;
use serde_json::{Value, json};

fn acquire(sandbox: &Sandbox, path: &str, session: &str, epoch: &str) -> Outcome {
    sandbox.cli(&["acquire", path, "--session", session, "--epoch", epoch]).run()
}

fn release(sandbox: &Sandbox, session: &str, epoch: &str) -> Outcome {
    sandbox.cli(&["release-session", "--session", session, "--epoch", epoch]).run()
}

/// The exit code and the first line.
fn answer(outcome: &Outcome) -> (i32, &str) {
    (outcome.code.expect("an exit code"), outcome.first_line())
}

/// The names of an object's fields.
fn fields(json: &Value) -> Vec<&str> {
    json.as_object().expect("an object").keys().map(String::as_str).collect()
}

#[test]
fn a_new_epoch_waits_for_the_old_one_and_is_not_ended_by_it() {
    let sandbox = Sandbox::new();
    assert_eq!(acquire(&sandbox, "f", "s", "old").code, Some(0));
    assert_eq!(acquire(&sandbox, "f", "s", "new").code, Some(7));
    assert_eq!(answer(&release(&sandbox, "s", "old")), (0, "RELEASED 1"));
    assert_eq!(acquire(&sandbox, "f", "s", "new").code, Some(0));
    assert_eq!(answer(&release(&sandbox, "s", "old")), (0, "RELEASED 0"));
    let check = sandbox.cli(&["check", "f"]).run();
    assert_eq!(check.code, Some(7));
    assert!(check.stdout.contains(" epoch new "), "{check:?}");
    assert_eq!(answer(&release(&sandbox, "s", "new")), (0, "RELEASED 1"));
    assert_eq!(answer(&sandbox.cli(&["check", "f"]).run()), (0, "FREE"));
}

#[test]
fn a_release_tells_a_wrong_epoch_from_nothing_held() {
    let sandbox = Sandbox::new();
    acquire(&sandbox, "f", "s", "new");
    let mismatch = release(&sandbox, "s", "old");
    assert!(mismatch.stdout.contains("holds leases, but none of this epoch"), "{mismatch:?}");
    let absent = release(&sandbox, "nobody", "old");
    assert!(absent.stdout.contains("holds no lease"), "{absent:?}");
    assert_eq!(answer(&release(&sandbox, "s", "")), (0, "RELEASED 0"));
}

#[test]
fn an_alias_is_the_session_itself_everywhere() {
    let sandbox = Sandbox::new();
    assert_eq!(acquire(&sandbox, "f", "agent/AGENT/s", "e").code, Some(0));
    assert_eq!(sandbox.leases()[0].owner(), ("s", "e"));
    assert_eq!(acquire(&sandbox, "f", "s", "e").code, Some(0));
    assert_eq!(acquire(&sandbox, "f", "agent/s", "e").code, Some(0));
    assert_eq!(answer(&release(&sandbox, "Agent/s", "e")), (0, "RELEASED 1"));
}

#[test]
fn a_call_that_is_wrong_ends_with_2_and_leases_nothing() {
    let sandbox = Sandbox::new();
    let reserved = leasehold::owner::RESERVED_EPOCH;
    let home = sandbox.home().to_str().expect("a path in UTF-8").to_owned();
    for args in [
        &["acquire", "f", "--session", "s", "--epoch", reserved][..],
        &["release-session", "--session", "s", "--epoch", reserved],
        &["acquire", "/", "--session", "s"],
        &["acquire", &home, "--session", "s"],
        &["acquire", "f", &home, "--session", "s"],
        &["acquire", "", "--session", "s"],
        &["acquire", "f", "--session", ""],
        &["acquire", "f", "--session", "agent/"],
        &["acquire", "f", "--session", "s", "--ttl-sec", "0"],
        &["acquire", "f", "--session", "s", "--ttl-sec", "soon"],
        &["acquire", "f"],
        &["acquire", "--session", "s"],
        &["release-session"],
        &["check"],
        &["check", "f", "--fence", "many"],
        &["hook", "PreToolUse", "--client", "emacs"],
        &["unknown"],
        &[],
    ] {
        let outcome = sandbox.cli(args).run();
        assert_eq!((outcome.code, &*outcome.stdout), (Some(2), ""), "{args:?}: {outcome:?}");
        assert!(!outcome.stderr.trim().is_empty(), "{args:?}");
    }
    assert_eq!(sandbox.leased(), [""; 0]);
}

#[test]
fn a_setting_that_is_wrong_is_named() {
    let sandbox = Sandbox::new();
    for (name, value) in [
        ("LEASEHOLD_DB", "relative.db"),
        ("LEASEHOLD_COUNTER", "relative.jsonl"),
        ("LEASEHOLD_TTL_SEC", "-1"),
        ("LEASEHOLD_SYNC", "perhaps"),
        ("LEASEHOLD_ON_ERROR", "ignore"),
        ("LEASEHOLD_DEADLINE_MS", "never"),
    ] {
        let outcome = sandbox.cli(&["status"]).env(name, value).run();
        assert_eq!(outcome.code, Some(2), "{name}: {outcome:?}");
        assert!(outcome.stderr.contains(name), "{name}: {outcome:?}");
        let hook = sandbox.send(&sandbox.write("s", "f")).env(name, value).run();
        assert!(hook.is_denied().contains(name), "{hook:?}");
    }
}

#[test]
fn busy_names_the_resources_and_the_sessions_in_one_line() {
    let sandbox = Sandbox::new();
    acquire(&sandbox, "a", "first", "");
    acquire(&sandbox, "b", "second", "turn");
    let args = ["acquire", "a", "b", "c", "--session", "third"];
    let outcome = sandbox.cli(&args).run();
    let (a, b) = (sandbox.file("a"), sandbox.file("b"));
    let line = format!("BUSY: {a}, {b} held by first, second");
    assert_eq!(answer(&outcome), (7, &*line));
    assert_eq!(sandbox.leased(), ["a", "b"], "all or none");
    let own = acquire(&sandbox, "b", "second", "next turn");
    assert!(own.stdout.contains("(this same session, another epoch)"), "{own:?}");
}

#[test]
fn a_directory_and_what_lies_in_it_are_in_each_others_way() {
    let sandbox = Sandbox::new();
    acquire(&sandbox, "dir/file", "holder", "");
    let above = acquire(&sandbox, "dir", "other", "");
    assert_eq!(above.code, Some(7));
    assert!(above.stdout.contains("(lies in "), "{above:?}");
    release(&sandbox, "holder", "");
    acquire(&sandbox, "dir", "holder", "");
    let below = acquire(&sandbox, "dir/file", "other", "");
    assert_eq!(below.code, Some(7));
    assert!(below.stdout.contains("(contains "), "{below:?}");
    assert_eq!(acquire(&sandbox, "directory", "other", "").code, Some(0), "only the text is alike");
}

#[test]
fn busy_names_at_most_eight_and_counts_the_rest() {
    let sandbox = Sandbox::new();
    for n in 0..11 {
        acquire(&sandbox, &format!("dir/{n:02}"), &format!("holder-{n:02}"), "");
    }
    let outcome = acquire(&sandbox, "dir", "asker", "");
    let lines: Vec<&str> = outcome.stdout.lines().collect();
    assert_eq!((lines.len(), lines[9]), (10, "  and 3 more"), "{outcome:?}");
    assert!(!outcome.stdout.contains("holder-08"), "{outcome:?}");
    let json = sandbox.cli(&["acquire", "dir", "--session", "asker", "--json"]).run().json();
    assert_eq!(json["holders"].as_array().expect("a list").len(), 8);
    assert_eq!(json["more"], 3);
}

#[test]
fn a_fence_stands_until_its_lease_is_gone() {
    let sandbox = Sandbox::new();
    let acquired = sandbox.cli(&["acquire", "dir", "--session", "s", "--json"]).run().json();
    let fence = acquired["leases"][0]["fence"].as_i64().expect("a fence").to_string();
    let check = |path: &str, fence: &str| sandbox.cli(&["check", path, "--fence", fence]).run();
    for path in ["dir", "dir/file"] {
        let stands = check(path, &fence);
        assert_eq!(stands.code, Some(0));
        let line = stands.first_line();
        let left = line.strip_prefix(&format!("HELD: fence {fence} stands, "));
        let seconds = left.and_then(|left| left.strip_suffix(" s left")).expect(line);
        assert!((1700..=1800).contains(&seconds.parse::<u32>().expect("seconds")), "{line}");
    }
    assert_eq!(check("elsewhere", &fence).code, Some(7));
    assert_eq!(check("dir", "1").code, Some(7));
    release(&sandbox, "s", "");
    acquire(&sandbox, "dir", "s", "");
    let stale = check("dir", &fence);
    let line = format!("GONE: no live lease with fence {fence} covers this path");
    assert_eq!(answer(&stale), (7, &*line), "the same owner again is a new grant");
}

#[test]
fn json_has_the_documented_shapes() {
    let sandbox = Sandbox::new();
    let run = |args: &[&str]| sandbox.cli(args).run().json();
    let acquired =
        run(&["acquire", "f", "--session", "s", "--epoch", "e", "--note", "n", "--json"]);
    assert_eq!(fields(&acquired), ["epoch", "leases", "outcome", "reclaimed", "session"]);
    assert_eq!(fields(&acquired["leases"][0]), ["acquired", "expires", "fence", "resource"]);
    let lease = [
        "acquired", "agent", "cwd", "epoch", "expires", "fence", "host", "kept", "live",
        "migrated", "note", "process", "resource", "session", "ttl_sec",
    ];
    let busy = run(&["acquire", "f", "--session", "other", "--json"]);
    assert_eq!(fields(&busy), ["holders", "more", "outcome", "own_session"]);
    assert_eq!(fields(&busy["holders"][0]), lease);
    let check = run(&["check", "f", "--json"]);
    assert_eq!((fields(&check), &check["outcome"]), (vec!["leases", "outcome"], &json!("busy")));
    assert_eq!(run(&["check", "g", "--json"]), json!({ "outcome": "free", "leases": [] }));
    let fence = run(&["check", "f", "--fence", "1", "--json"]);
    assert_eq!(fields(&fence), ["fence", "resource", "seconds_left", "stands"]);
    let status = run(&["status", "--json"]);
    assert_eq!(fields(&status), ["database", "dead", "leases", "live"]);
    assert_eq!((&status["live"], &status["dead"]), (&json!(1), &json!(0)));
    assert_eq!(fields(&status["leases"][0]), lease);
    assert_eq!(status["leases"][0]["note"], "n");
}

#[test]
fn an_expired_lease_is_counted_apart_until_it_is_reaped() {
    let sandbox = Sandbox::new();
    let args = ["acquire", "f", "--session", "s", "--ttl-sec", "1"];
    assert_eq!(sandbox.cli(&args).run().code, Some(0));
    std::thread::sleep(std::time::Duration::from_millis(1050));
    assert_eq!(answer(&sandbox.cli(&["check", "f"]).run()), (0, "FREE"));
    let status = sandbox.cli(&["status"]).run();
    let expected = "LEASES 0\n  and 1 expired; `leasehold reap` removes them\n";
    assert_eq!(status.stdout, expected);
    assert_eq!(answer(&sandbox.cli(&["reap"]).run()), (0, "REAPED 1"));
    assert_eq!(answer(&sandbox.cli(&["status"]).run()), (0, "LEASES 0"));
}

#[test]
fn a_pipe_gets_no_escape_codes() {
    let sandbox = Sandbox::new();
    acquire(&sandbox, "f", "s", "e");
    for args in [
        &["--help"][..],
        &["acquire", "--help"],
        &["hook", "--help"],
        &["status"],
        &["check", "f"],
        &["acquire", "f", "--session", "other"],
        &["acquire", "--unknown"],
    ] {
        let outcome = sandbox.cli(args).env("TERM", "xterm-256color").run();
        let printed = outcome.stdout + &outcome.stderr;
        assert!(!printed.is_empty() && !printed.contains('\u{1b}'), "{args:?}: {printed}");
    }
}

#[test]
fn explain_tells_what_a_payload_would_lease() {
    let sandbox = Sandbox::new();
    let explain = |stdin: Vec<u8>| sandbox.cli(&["explain"]).stdin(stdin).run();
    let patch = sandbox.payload("codex", "03-PreToolUse-apply_patch");
    let json = explain(Vec::from(&patch)).json();
    assert_eq!(json["client"], "codex");
    assert_eq!(json["event"], "PreToolUse");
    assert_eq!(json["session"], patch.text("session_id"));
    assert_eq!(json["epoch"], patch.text("turn_id"));
    assert_eq!(json["writes"], json!([sandbox.file("a.txt"), sandbox.file("sub/new.txt")]));
    assert_eq!(json["reads_only"], false);
    let reader = explain(sandbox.payload("claude", "03-PreToolUse-Read").into()).json();
    assert_eq!((&reader["writes"], &reader["reads_only"]), (&json!([]), &json!(true)));
    let subagent = sandbox.payload("claude", "17-PreToolUse-Write-subagent");
    assert_eq!(explain(subagent.into()).json()["epoch"], "agent:ae31e60d437631632");
    assert_eq!(explain(b"no payload".to_vec()).code, Some(2));
    assert!(!sandbox.database().exists());
}

#[test]
fn explain_tells_where_the_turn_comes_from_and_what_runs() {
    let sandbox = Sandbox::new();
    let explain = |client, name| {
        let call = sandbox.cli(&["explain"]).stdin(sandbox.payload(client, name));
        call.env("COPILOT_CLI", "1").run().json()
    };
    let minted = explain("copilot", "11-preToolUse-create-subagent");
    assert_eq!((&minted["turn"], &minted["background"]), (&json!("minted"), &json!(false)));
    assert_eq!(minted["parent"], "2e755882-5701-42d6-a79c-5bfcfb7816b1");
    assert_eq!(minted["running"], json!(null));
    let background = explain("copilot", "19-PreToolUse-Bash");
    assert_eq!(
        (&background["client"], &background["background"]),
        (&json!("copilot"), &json!(true))
    );
    let stop = explain("qwen", "11-Stop");
    assert_eq!((&stop["client"], &stop["turn"]), (&json!("qwen"), &json!("named")));
    assert_eq!(stop["parent"], json!(null));
    assert_eq!(stop["running"], json!({ "subagents": ["general-purpose-call_1_0"], "shells": [] }));
}
