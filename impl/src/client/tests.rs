//! Clients: how they are told apart, and that each is answered in the form that it obeys.

use super::*;

fn detect_in(text: &str, in_copilot: bool) -> Client {
    Client::detect(&Payload::parse(text.as_bytes()).unwrap(), || in_copilot)
}

/// Goal: each client is told by its payload, whatever environment it inherited.
#[test]
fn detects_by_payload() {
    for (client, texts) in [
        (Client::Codex, CODEX),
        (Client::Gemini, GEMINI),
        (Client::Copilot, COPILOT),
        (Client::Qwen, QWEN),
        (Client::OpenCode, OPENCODE),
        (Client::Claude, CLAUDE),
    ] {
        for (text, in_copilot) in texts.iter().flat_map(|text| [(text, false), (text, true)]) {
            assert_eq!(detect_in(text, in_copilot), client, "{text} {in_copilot}");
        }
    }
}

const CODEX: &[&str] = &[
    r#"{"hook_event_name":"PreToolUse","turn_id":"t","model":"m"}"#,
    r#"{"hook_event_name":"SessionEnd","transcript_path":"/h/sessions/rollout-1.jsonl"}"#,
    r#"{"hook_event_name":"SessionEnd","transcript_path":"C:\\h\\rollout-1.jsonl"}"#,
    r#"{"hook_event_name":"SessionStart","transcript_path":null,"model":"m"}"#,
];

const GEMINI: &[&str] = &[
    r#"{"hook_event_name":"BeforeTool","timestamp":"2026-11-30T09:00:00.000Z"}"#,
    r#"{"hook_event_name":"AfterAgent"}"#,
    r#"{"hook_event_name":"PreCompress"}"#,
    r#"{"hook_event_name":"SessionEnd","timestamp":"2026-11-30T09:00:00.000Z",
        "transcript_path":"/home/ana/.gemini/tmp/x/chats/s.json"}"#,
    r#"{"hook_event_name":"SessionEnd","timestamp":"2026-11-30T09:00:00.000Z",
        "transcript_path":"C:\\Users\\ana\\.gemini\\tmp\\s.json"}"#,
];

const COPILOT: &[&str] = &[
    r#"{"sessionId":"s","timestamp":1796074798476,"toolName":"edit","toolArgs":{}}"#,
    r#"{"sessionId":"s","timestamp":1796074798476,"prompt":"p"}"#,
    r#"{"toolName":"edit","timestamp":1.5}"#,
];

const QWEN: &[&str] = &[
    r#"{"hook_event_name":"PreToolUse","timestamp":"t","permission_mode":"yolo"}"#,
    r#"{"hook_event_name":"SessionStart","timestamp":"2026-11-30T09:00:00.000Z",
        "permission_mode":"default"}"#,
];

const OPENCODE: &[&str] = &[
    r#"{"client":"opencode","hook_event_name":"PreToolUse","turn_id":"t","model":"m"}"#,
    r#"{"client":"opencode"}"#,
];

const CLAUDE: &[&str] = &[
    "{}",
    r#"{"hook_event_name":"PreToolUse","prompt_id":"p","permission_mode":"default"}"#,
    r#"{"hook_event_name":"PreToolUse","turn_id":"t"}"#,
    r#"{"hook_event_name":"MessageDisplay","turn_id":"t","model":"m","message_id":"i"}"#,
    r#"{"hook_event_name":"SessionStart","transcript_path":"/h/s.jsonl","model":"m"}"#,
    r#"{"hook_event_name":"SessionEnd","transcript_path":null}"#,
    r#"{"hook_event_name":"Stop","transcript_path":"/h/rollout-1.jsonl"}"#,
    // VS Code's own harness is answered as Claude Code is.
    r#"{"hookEventName":"PreToolUse","sessionId":"s","timestamp":"2026-11-30T09:00:00.000Z"}"#,
    // Hosts that run other clients' hooks, with a field that one of those has as well.
    r#"{"hook_event_name":"preToolUse","conversation_id":"c","model":"m","turn_id":"t"}"#,
    r#"{"agent_action_name":"pre_write_code","timestamp":"2026-11-30T09:00:00Z"}"#,
    r#"{"clineVersion":"4","hookName":"PreToolUse","timestamp":1,"toolName":"x"}"#,
    r#"{"client":7,"hook_event_name":"Stop"}"#,
];

/// Goal: the environment decides only where the payload leaves Copilot as an answer.
#[test]
fn the_environment_tells_copilot_in_claudes_form() {
    let timestamp = r#""timestamp":"2026-11-30T09:00:00.000Z""#;
    let pre = format!(r#"{{"hook_event_name":"PreToolUse",{timestamp}}}"#);
    assert_eq!(detect_in(&pre, true), Client::Copilot);
    assert_eq!(detect_in(&pre, false), Client::Claude);
    let end = format!(r#"{{"hook_event_name":"SessionEnd",{timestamp}}}"#);
    assert_eq!(detect_in(&end, true), Client::Copilot);
    assert_eq!(detect_in(&end, false), Client::Gemini);
}

/// Goal: an event that nobody names is told by the fields that only it has.
#[test]
fn guesses_copilots_events() {
    for (fields, name) in [
        (r#""toolName":"edit","toolArgs":{}"#, Some("preToolUse")),
        (r#""toolArgs":"x""#, Some("preToolUse")),
        (r#""toolName":"edit","reason":"r","prompt":"p""#, Some("preToolUse")),
        (r#""toolName":"edit","toolArgs":{},"toolResult":{}"#, Some("postToolUse")),
        (r#""toolName":"edit","toolArgs":{},"error":"e""#, Some("postToolUseFailure")),
        (r#""prompt":"p""#, Some("userPromptSubmitted")),
        (r#""stopReason":"end_turn""#, Some("agentStop")),
        (r#""agentName":"g","agentId":"a""#, Some("subagentStart")),
        (r#""agentName":"g","agentId":"a","stopReason":"r""#, Some("subagentStop")),
        (r#""errorContext":"model_call","error":{}"#, Some("errorOccurred")),
        (r#""reason":"complete""#, Some("sessionEnd")),
        (r#""source":"new","initialPrompt":"p""#, Some("sessionStart")),
        (r#""cwd":"/""#, None),
    ] {
        let payload = Payload::parse(format!("{{{fields}}}").as_bytes()).unwrap();
        assert_eq!(Client::Copilot.guessed_event(&payload), name, "{fields}");
        assert_eq!(Client::Claude.guessed_event(&payload), None);
    }
}

/// Goal: the refusal has the one form that each client was measured to obey.
#[test]
fn denies_in_the_clients_form() {
    for client in [Client::Claude, Client::Qwen, Client::OpenCode] {
        let reply = client.deny("PreToolUse", "a \"b\"");
        assert_eq!(parts(&reply), (2, "", "a \"b\"\n"));
    }
    for (client, event, json) in [
        (
            Client::Codex,
            "PreToolUse",
            concat!(
                r#"{"hookSpecificOutput":{"hookEventName":"PreToolUse","#,
                r#""permissionDecision":"deny","permissionDecisionReason":"a \"b\"\n"}}"#,
            ),
        ),
        (Client::Gemini, "BeforeTool", r#"{"decision":"deny","reason":"a \"b\"\n"}"#),
        (Client::Copilot, "preToolUse", COPILOT_REFUSAL),
        (Client::Copilot, "PreToolUse", COPILOT_REFUSAL),
    ] {
        let reply = client.deny(event, "a \"b\"\n");
        assert_eq!(parts(&reply), (0, &*format!("{json}\n"), ""), "{client}");
    }
}

const COPILOT_REFUSAL: &str =
    r#"{"permissionDecision":"deny","permissionDecisionReason":"a \"b\"\n"}"#;

/// Goal: a refusal never goes out without a reason (mutant M41).
#[test]
fn a_refusal_has_a_reason() {
    for client in Client::ALL {
        let reply = client.deny("PreToolUse", " \n");
        let told = if reply.exit == 2 { &reply.stderr } else { &reply.stdout };
        assert!(told.contains(REASON_WHEN_NONE), "{client}");
    }
}

/// Goal: no life-cycle event ends with 2 (mutant M41), but an unknown event may be a call.
#[test]
fn life_cycle_events_are_only_warned() {
    for client in Client::ALL {
        for name in LIFE_CYCLE {
            assert_eq!(parts(&client.deny(name, "r")), (0, "", "r\n"), "{client} {name}");
            assert_eq!(client.inform(name, "r").exit, 0, "{client} {name}");
        }
        assert_ne!(parts(&client.deny("", "r")), (0, "", "r\n"), "{client}");
        assert_eq!(parts(&client.allow()), (0, "", ""));
    }
}

const LIFE_CYCLE: &[&str] = &[
    "Stop",
    "UserPromptSubmit",
    "SessionEnd",
    "PostToolUse",
    "Interrupt",
    "AfterTool",
    "BeforeAgent",
    "AfterAgent",
    "postToolUse",
    "postToolUseFailure",
    "userPromptSubmitted",
    "agentStop",
    "subagentStart",
    "subagentStop",
    "sessionStart",
    "sessionEnd",
    "errorOccurred",
];

/// Goal: a text reaches the model where the client hands one on, in exactly these keys, and people
/// everywhere else.
#[test]
fn informs_the_model_where_it_can() {
    for (client, event) in [
        (Client::Claude, "PostToolUse"),
        (Client::Claude, "PostToolUseFailure"),
        (Client::Claude, "UserPromptSubmit"),
        (Client::Qwen, "PostToolUseFailure"),
        (Client::Codex, "PostToolUse"),
        (Client::Codex, "UserPromptSubmit"),
        (Client::Gemini, "AfterTool"),
        (Client::Gemini, "BeforeAgent"),
    ] {
        let json = format!(
            r#"{{"hookSpecificOutput":{{"hookEventName":"{event}","additionalContext":"t\n\""}}}}"#
        );
        let reply = client.inform(event, "t\n\"");
        assert_eq!(parts(&reply), (0, &*format!("{json}\n"), ""), "{client} {event}");
    }
    let plain = Client::OpenCode.inform("PostToolUse", "t");
    assert_eq!(parts(&plain), (0, "t\n", ""));
    for (client, event) in [
        (Client::Claude, "Stop"),
        (Client::Claude, "PreToolUse"),
        (Client::Codex, "Interrupt"),
        (Client::Codex, "PostToolUseFailure"),
        (Client::Gemini, "AfterAgent"),
        (Client::Copilot, "postToolUse"),
        (Client::Copilot, "PostToolUse"),
        (Client::OpenCode, "UserPromptSubmit"),
    ] {
        assert_eq!(parts(&client.inform(event, "t")), (0, "", "t\n"), "{client} {event}");
    }
    assert_eq!(parts(&Client::Claude.inform("PostToolUse", " ")), (0, "", ""));
}

fn parts(reply: &Reply) -> (u8, &str, &str) {
    (reply.exit, &reply.stdout, &reply.stderr)
}

/// Goal: who names turns and sub-agents is fixed, as rules R8 and R9 build on it.
#[test]
fn knows_who_names_what() {
    let named: Vec<_> = Client::ALL.into_iter().filter(|one| one.has_turn_ids()).collect();
    assert_eq!(named, [Client::Claude, Client::Codex, Client::Qwen, Client::OpenCode]);
    let marked: Vec<_> = Client::ALL.into_iter().filter(|one| one.marks_subagents()).collect();
    assert_eq!(marked, named);
}
