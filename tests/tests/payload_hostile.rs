//! Goal: whatever stands on stdin, the hook answers in a form that its client obeys (R15), and no
//! name out of it reaches another model unescaped (R17).
//!
//! Method: broken, hostile and huge payloads go through the real binary. Before a call it must end
//! with 0, or with 2 and one visible line; a life-cycle event always ends with 0.

use leasehold_tests::call::Call;
use leasehold_tests::case;
use leasehold_tests::outcome::refusal;
use leasehold_tests::payload::{Payload, rebased};
use leasehold_tests::sandbox::Sandbox;
use serde_json::{Value, json};

const CLIENTS: [&str; 6] = ["claude", "codex", "gemini", "copilot", "qwen", "opencode"];

const LIFE_CYCLE: [&str; 20] = [
    "SessionStart",
    "UserPromptSubmit",
    "PostToolUse",
    "SubagentStart",
    "SubagentStop",
    "Stop",
    "StopFailure",
    "Interrupt",
    "SessionEnd",
    "AfterTool",
    "BeforeAgent",
    "AfterAgent",
    "postToolUse",
    "userPromptSubmitted",
    "agentStop",
    "subagentStart",
    "subagentStop",
    "sessionStart",
    "sessionEnd",
    "errorOccurred",
];

/// Stdin that is no payload.
fn unreadable() -> Vec<(&'static str, Vec<u8>)> {
    let whole = br#"{"session_id":"s1","tool_name":"Write","tool_input":{"file_path":"/repo/a"}}"#;
    let many = format!("[{}0]", "0,".repeat(1 << 20));
    vec![
        ("empty", Vec::new()),
        ("blank", b" \n".to_vec()),
        ("truncated", whole[..whole.len() / 2].to_vec()),
        ("two at once", [&whole[..], &whole[..]].concat()),
        ("a list", b"[1]".to_vec()),
        ("a text", b"\"x\"".to_vec()),
        ("null", b"null".to_vec()),
        ("only a byte order mark", "\u{feff}".into()),
        ("only zeros", vec![0; 64]),
        ("zeros inside", b"{\"session_id\":\0\"s\0\"}".to_vec()),
        ("zeros behind", [&whole[..], b"\0\0"].concat()),
        ("UTF-16", whole.iter().flat_map(|byte| [*byte, 0]).collect()),
        ("nothing but depth", b"[".repeat(100_000)),
        ("a million values", many.into_bytes()),
        ("control characters", b"\x1b[2J\x07\r\n{".to_vec()),
    ]
}

/// Payloads that write but lack what a lease needs.
fn unjudgeable(sandbox: &Sandbox) -> Vec<(&'static str, Payload)> {
    let write = || sandbox.write("s1", "a.txt");
    let no_place = json!({ "file_path": "a.txt" });
    vec![
        ("no session", write().without("session_id")),
        ("session null", write().with("session_id", json!(null))),
        ("session a number", write().with("session_id", 7)),
        ("session a list", write().with("session_id", json!(["s1"]))),
        ("session empty", write().with("session_id", "")),
        ("session only an alias", write().with("session_id", "agent/AGENT/")),
        ("session too long", write().with("session_id", "s".repeat(5000))),
        ("turn too long", write().with("prompt_id", "p".repeat(5000))),
        ("turn reserved", write().with("prompt_id", leasehold::owner::RESERVED_EPOCH)),
        ("no tool", write().without("tool_name")),
        ("tool a number", write().with("tool_name", 7)),
        ("tool an object", write().with("tool_name", json!({}))),
        ("no input", write().without("tool_input")),
        ("input a text", write().with("tool_input", "a.txt")),
        ("input a list", write().with("tool_input", json!(["a.txt"]))),
        ("file a number", write().with("tool_input", json!({ "file_path": 7 }))),
        ("file empty", write().with("tool_input", json!({ "file_path": "" }))),
        ("file with a zero", write().with("tool_input", json!({ "file_path": "/a\u{0}b" }))),
        ("file the root", write().with("tool_input", json!({ "file_path": "/" }))),
        ("file the home", write().with("tool_input", json!({ "file_path": "~" }))),
        ("no directory", write().without("cwd").with("tool_input", no_place.clone())),
        ("directory a number", write().with("cwd", 7).with("tool_input", no_place.clone())),
        ("directory relative", write().with("cwd", "sub").with("tool_input", no_place)),
    ]
}

#[test]
fn what_cannot_be_read_is_denied_with_one_line() {
    let sandbox = Sandbox::new();
    for (what, stdin) in unreadable() {
        let outcome = sandbox.hook(stdin).event("PreToolUse").run();
        let reason = outcome.is_denied();
        assert!(reason.starts_with("leasehold: this call was stopped: the hook's "), "{what}");
    }
    assert!(!sandbox.database().exists());
}

#[test]
fn what_cannot_be_judged_is_denied_with_one_line() {
    let sandbox = Sandbox::new();
    for (what, payload) in unjudgeable(&sandbox) {
        let outcome = sandbox.hook(payload).event("PreToolUse").run();
        let reason = outcome.is_denied();
        assert!(reason.starts_with("leasehold: this call was stopped: "), "{what}: {reason}");
        assert!(reason.chars().count() < 600, "{what}: {reason}");
    }
    assert_eq!(sandbox.leased(), [""; 0]);
}

#[test]
fn a_life_cycle_event_ends_with_0_whatever_it_holds() {
    let sandbox = Sandbox::new();
    for event in LIFE_CYCLE {
        for (_, stdin) in unreadable() {
            sandbox.hook(stdin).event(event).run().passes();
        }
        for (_, payload) in unjudgeable(&sandbox) {
            sandbox.hook(payload.with("hook_event_name", event)).event(event).run().passes();
        }
    }
}

#[test]
fn every_client_is_refused_in_its_own_form() {
    let sandbox = Sandbox::new();
    for client in CLIENTS {
        let ask = |stdin: &[u8], event: &str| {
            sandbox.hook(stdin).event(event).arg("--client").arg(client).run()
        };
        for event in ["PreToolUse", "BeforeTool", "preToolUse"] {
            let outcome = ask(b"{", event);
            let told = format!("{}{}", outcome.stdout, outcome.stderr);
            assert!(told.contains("leasehold: this call was stopped: the hook's "), "{outcome:?}");
            let reason = reason_in(&told);
            let answer = (outcome.code, outcome.stdout, outcome.stderr);
            assert_eq!(answer, refusal(client, &reason), "{client} {event}");
        }
        for event in LIFE_CYCLE {
            ask(b"{", event).passes();
        }
    }
}

/// The reason in an answer of any form.
fn reason_in(told: &str) -> String {
    let Ok(json) = serde_json::from_str::<Value>(told) else { return told.trim_end().to_owned() };
    let fields = ["/reason", "/permissionDecisionReason"].into_iter();
    let found = fields.chain(["/hookSpecificOutput/permissionDecisionReason"]);
    let mut reasons = found.filter_map(|field| json.pointer(field).and_then(Value::as_str));
    reasons.next().expect("a reason").to_owned()
}

#[test]
fn a_call_of_copilot_that_nobody_names_is_judged() {
    let sandbox = Sandbox::new();
    sandbox.send(&sandbox.write("holder", "a.txt")).run().is_silent();
    let payload = Vec::from(sandbox.payload("copilot", "03-preToolUse-edit"));
    let asked = [
        sandbox.hook(payload.clone()),
        sandbox.hook(payload.clone()).event("beforeTool"),
        sandbox.hook(payload).event("PreToolUse"),
    ];
    for outcome in asked.map(Call::run) {
        assert_eq!(outcome.code, Some(0));
        assert!(outcome.json()["permissionDecisionReason"].is_string(), "{outcome:?}");
    }
}

#[test]
fn a_refusal_can_be_switched_to_a_warning() {
    let sandbox = Sandbox::new();
    let lenient = |stdin: Vec<u8>| {
        sandbox.hook(stdin).event("PreToolUse").env("LEASEHOLD_ON_ERROR", "allow").run()
    };
    for (what, stdin) in unreadable() {
        let outcome = lenient(stdin);
        assert!(outcome.passes().contains("goes ahead unguarded"), "{what}: {outcome:?}");
    }
    for (what, payload) in unjudgeable(&sandbox) {
        let outcome = lenient(payload.into());
        assert!(outcome.passes().contains("goes ahead unguarded"), "{what}: {outcome:?}");
    }
    // A file that is held is no error.
    sandbox.send(&sandbox.write("holder", "a.txt")).run().is_silent();
    lenient(sandbox.write("other", "a.txt").into()).is_denied();
}

/// Sends the stdin of a case and tells what is leased afterwards.
fn leased_by(sandbox: &Sandbox, stdin: Vec<u8>) -> Vec<String> {
    sandbox.hook(stdin).event("PreToolUse").run().is_silent();
    sandbox.leased()
}

/// The text of a case's stdin, with its files in the sandbox.
fn stdin_of(id: &str, sandbox: &Sandbox) -> String {
    let case = case::load("payload", id);
    rebased(case["input"]["stdin_raw"].as_str().expect("a text"), &sandbox.repo())
}

#[test]
fn j01_a_byte_order_mark_hides_nothing() {
    let sandbox = Sandbox::new();
    let stdin = stdin_of("J01", &sandbox);
    assert!(stdin.starts_with('\u{feff}'));
    assert_eq!(leased_by(&sandbox, stdin.into_bytes()), ["a.txt"]);
}

#[test]
fn j06_a_content_cut_inside_an_emoji_hides_nothing() {
    let sandbox = Sandbox::new();
    let stdin = stdin_of("J06", &sandbox);
    assert_eq!(leased_by(&sandbox, stdin.into_bytes()), ["a.txt"]);
}

#[test]
fn j06_bytes_that_are_no_text_hide_nothing() {
    let sandbox = Sandbox::new();
    let case = case::load("payload", "J06");
    let hex = case["input"]["stdin_hex_variant"].as_str().expect("a text");
    let digits = hex.as_bytes().chunks(2);
    let bytes: Vec<u8> = digits
        .map(|pair| std::str::from_utf8(pair).expect("ASCII"))
        .map(|pair| u8::from_str_radix(pair, 16).expect("a byte"))
        .collect();
    // One byte, 0xff, is no text: the rest is rebased around it.
    let parts = bytes.split(|byte| *byte == 0xff).map(|part| {
        rebased(std::str::from_utf8(part).expect("the rest is text"), &sandbox.repo()).into_bytes()
    });
    let stdin = parts.collect::<Vec<_>>().join(&0xff);
    assert_eq!(leased_by(&sandbox, stdin), ["a.txt"]);
}

#[test]
fn j07_of_two_equal_keys_the_last_one_counts() {
    let sandbox = Sandbox::new();
    let leased = leased_by(&sandbox, stdin_of("J07", &sandbox).into_bytes());
    assert!(leased.iter().any(|file| file == "b.txt"), "{leased:?}");
    assert!(leased.iter().all(|file| file == "b.txt" || file == "a.txt"), "{leased:?}");
}

#[test]
fn depth_beside_the_path_hides_nothing() {
    let sandbox = Sandbox::new();
    let deep = format!("{}{}", "[".repeat(100_000), "]".repeat(100_000));
    let stdin = format!(
        r#"{{"session_id":"s1","tool_name":"Write","deep":{deep},
            "tool_input":{{"deep":{deep},"file_path":"{}"}}}}"#,
        sandbox.file("a.txt")
    );
    assert_eq!(leased_by(&sandbox, stdin.into_bytes()), ["a.txt"]);
}

#[test]
fn a_content_of_5_mib_is_judged() {
    let sandbox = Sandbox::new();
    let content = "x".repeat(5 << 20);
    let input = json!({ "file_path": sandbox.file("a.txt"), "content": content });
    let payload = sandbox.write("s1", "a.txt").with("tool_input", input);
    assert_eq!(leased_by(&sandbox, payload.into()), ["a.txt"]);
}
