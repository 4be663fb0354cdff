//! Events: every client's payload in the same words.

use super::*;

fn event(text: &str, named: Option<&str>) -> Event {
    Event::of(&Payload::parse(text.as_bytes()).unwrap(), named, None)
}

fn cwd_of(text: &str) -> Option<PathBuf> {
    event(text, None).tool.unwrap().cwd
}

/// Goal: the turn names the epoch of the main thread, in each client's own field.
#[test]
fn the_turn_is_the_epoch() {
    let claude = event(r#"{"hook_event_name":"Stop","session_id":"s","prompt_id":"p"}"#, None);
    assert_eq!((claude.client, claude.epoch.as_str()), (Client::Claude, "p"));
    assert_eq!((claude.kind, claude.session.as_deref()), (Kind::End, Some("s")));
    let codex = event(r#"{"turn_id":"t","model":"m","prompt_id":"p"}"#, Some("Stop"));
    assert_eq!((codex.client, codex.epoch.as_str()), (Client::Codex, "t"));
    assert_eq!(event("{}", None).epoch, "");
}

/// Goal: a sub-agent is its own owner, and an empty id is no sub-agent.
#[test]
fn a_sub_agent_is_the_epoch() {
    let sub = event(r#"{"prompt_id":"p","agent_id":"a1","agent_type":"x"}"#, None);
    assert_eq!((sub.epoch.as_str(), sub.agent_id.as_deref()), ("agent:a1", Some("a1")));
    let main = event(r#"{"prompt_id":"p","agent_id":"","agent_type":"x"}"#, None);
    assert_eq!((main.epoch.as_str(), main.agent_id), ("p", None));
}

/// Goal: the payload's event name rules; argv fills in for it; both cases are told.
#[test]
fn the_payload_names_the_event() {
    let both = event(r#"{"hook_event_name":"Stop"}"#, Some("PreToolUse"));
    assert_eq!((both.kind, both.notes.len()), (Kind::End, 1));
    let same = event(r#"{"hook_event_name":"Stop"}"#, Some("Stop"));
    assert_eq!((same.kind, same.notes.len()), (Kind::End, 0));
    let argv = event("{}", Some("SessionEnd"));
    assert_eq!((argv.kind, argv.notes.len()), (Kind::SessionEnd, 1));
    assert_eq!(event(r#"{"tool_name":"Write"}"#, None).kind, Kind::PreTool);
    assert_eq!(event(r#"{"tool_name":"W","tool_response":1}"#, None).kind, Kind::Other);
    let mistyped = |payload| event(payload, Some("pretooluse")).kind;
    assert_eq!(mistyped(r#"{"tool_name":"Write"}"#), Kind::PreTool);
    assert_eq!(mistyped(r#"{"tool_name":"W","tool_response":1}"#), Kind::Other);
    assert_eq!(mistyped("{}"), Kind::Other);
    assert_eq!(event("{}", Some("")).kind, Kind::Other);
}

/// Goal: the call's own directory comes first, then the payload's, and never the process's.
#[test]
fn the_call_has_its_own_directory() {
    let own = r#"{"tool_name":"Bash","cwd":"/home","tool_input":{"workdir":"/repo"}}"#;
    assert_eq!(cwd_of(own), Some(PathBuf::from("/repo")));
    let relative = r#"{"tool_name":"Bash","cwd":"/home","tool_input":{"cwd":"r"}}"#;
    assert_eq!(cwd_of(relative), Some(PathBuf::from("/home/r")));
    let both = r#"{"tool_name":"B","tool_input":{"cwd":"/c","workdir":"/w"}}"#;
    assert_eq!(cwd_of(both), Some(PathBuf::from("/w")));
    let payload = r#"{"tool_name":"Bash","cwd":"/home","tool_input":{"workdir":"","cwd":7}}"#;
    assert_eq!(cwd_of(payload), Some(PathBuf::from("/home")));
    for none in [
        r#"{"tool_name":"Bash","tool_input":{"workdir":"r"}}"#,
        r#"{"tool_name":"Bash","cwd":"r"}"#,
    ] {
        assert_eq!(cwd_of(none), None, "{none}");
    }
}

/// Goal: a tool without a name is no tool call, and missing arguments are null.
#[test]
fn a_tool_call_has_a_name() {
    assert_eq!(event(r#"{"tool_name":"","tool_input":{}}"#, None).tool, None);
    assert_eq!(event(r#"{"tool_name":7}"#, None).tool, None);
    let bare = event(r#"{"tool_name":"Write","tool_use_id":"u"}"#, None);
    assert_eq!((bare.tool.unwrap().input, bare.call.as_deref()), (Json::Null, Some("u")));
}

/// The event of a Copilot payload in its own form.
fn copilot(fields: &str, named: Option<&str>) -> Event {
    let text = format!(r#"{{"sessionId":"s","timestamp":1796074798476,"cwd":"/repo",{fields}}}"#);
    event(&text, named)
}

/// Goal: clients without turn ids get an empty epoch that is to be minted, all others a name.
#[test]
fn turns_are_named_or_minted() {
    let gemini = event(r#"{"hook_event_name":"BeforeAgent","prompt_id":"p","turn_id":"t"}"#, None);
    assert_eq!((gemini.client, gemini.kind), (Client::Gemini, Kind::Begin));
    assert_eq!((gemini.turn, gemini.epoch.as_str()), (Turn::Minted, ""));
    let own = copilot(r#""prompt":"p""#, None);
    assert_eq!((own.kind, own.turn, own.epoch.as_str()), (Kind::Begin, Turn::Minted, ""));
    let opencode = r#"{"client":"opencode","turn_id":"msg_1","call_id":"c1"}"#;
    let opencode = event(opencode, Some("PreToolUse"));
    assert_eq!((opencode.turn, opencode.epoch.as_str()), (Turn::Named, "msg_1"));
    assert_eq!(opencode.call.as_deref(), Some("c1"));
    assert_eq!(event("{}", None).turn, Turn::Named);
}

/// Goal: Copilot's own form says the same as the others, argv or not.
#[test]
fn reads_copilots_own_form() {
    let edit = r#""toolName":"edit","toolArgs":{"path":"a"}"#;
    for named in [None, Some("preToolUse"), Some("PreToolUse"), Some("preTool")] {
        let event = copilot(edit, named);
        assert_eq!((event.kind, event.session.as_deref()), (Kind::PreTool, Some("s")), "{named:?}");
        assert_eq!(event.tool.unwrap().name, "edit");
    }
    assert_eq!(copilot(edit, Some("preToolUse")).notes, [""; 0]);
    assert_eq!(copilot(r#""toolArgs":{}"#, None).kind, Kind::PreTool);
    let post = copilot(&format!(r#"{edit},"toolResult":{{"resultType":"success"}}"#), None);
    assert_eq!(post.kind, Kind::PostTool);
    assert_eq!(copilot(&format!(r#"{edit},"error":"e""#), None).kind, Kind::PostTool);
}

/// Goal: arguments may be an object, an object as a text, or a patch; other texts stay what they
/// are, and other clients' texts too.
#[test]
fn unpacks_copilots_arguments() {
    let input = |args: &str| {
        let fields = format!(r#""toolName":"apply_patch","toolArgs":{args}"#);
        copilot(&fields, None).tool.unwrap().input
    };
    let path = |input: &Json| input.get("path").and_then(Json::as_text).map(str::to_owned);
    assert_eq!(path(&input(r#"{"path":"a"}"#)).as_deref(), Some("a"));
    assert_eq!(path(&input(r#""{\"path\":\"a\"}""#)).as_deref(), Some("a"));
    for text in ["*** Begin Patch", "7", "[1]", "{"] {
        assert_eq!(input(&format!("\"{text}\"")).as_text(), Some(text));
    }
    let claude = event(r#"{"tool_name":"Write","tool_input":"{\"path\":\"a\"}"}"#, None);
    assert!(claude.tool.unwrap().input.as_text().is_some());
}

/// Goal: a Copilot sub-agent that has a session id of its own names its parent; its start and end
/// come in the parent's session.
#[test]
fn a_sub_agent_may_have_a_session() {
    let parts = |event: Event| (event.session, event.agent_id, event.parent, event.epoch);
    let some = |text: &str| Some(text.to_owned());
    let own = copilot(r#""toolName":"x","agentId":"s","parentAgentId":"p""#, None);
    assert_eq!(own.turn, Turn::Minted);
    assert_eq!(parts(own), (some("s"), some("s"), some("p"), "agent:s".to_owned()));
    let start = copilot(r#""agentName":"g","agentId":"a","parentAgentId":"s""#, None);
    assert_eq!(start.kind, Kind::SubagentStart);
    assert_eq!(parts(start), (some("s"), some("a"), None, "agent:a".to_owned()));
    for orphan in [r#""agentId":"s""#, r#""agentId":"s","parentAgentId":"s""#] {
        assert_eq!(
            parts(copilot(orphan, Some("preToolUse"))),
            (some("s"), None, None, String::new())
        );
    }
    let claude = event(r#"{"session_id":"s","agent_id":"s","parentAgentId":"p"}"#, None);
    assert_eq!(parts(claude), (some("s"), some("s"), None, "agent:s".to_owned()));
}

/// Goal: VS Code's mixture of spellings is read.
#[test]
fn reads_vs_codes_form() {
    let text = r#"{"timestamp":"2026-11-30T09:00:00.000Z","cwd":"/repo","sessionId":"s-1",
        "hookEventName":"PreToolUse","tool_name":"create_file","tool_use_id":"u"}"#;
    let event = event(text, None);
    assert_eq!((event.client, event.kind), (Client::Claude, Kind::PreTool));
    assert_eq!((event.session.as_deref(), event.call.as_deref()), (Some("s-1"), Some("u")));
}

/// Goal: a list of background work is told from none, and bounded.
#[test]
fn reads_the_background_work() {
    let running = |tasks: &str| event(&format!(r#"{{"background_tasks":{tasks}}}"#), None).running;
    assert_eq!(event("{}", None).running, None);
    assert_eq!(running("null"), None);
    assert_eq!(running("[]"), Some(Running::default()));
    let long = "x".repeat(1025);
    let tasks = format!(
        r#"[{{"id":"a","type":"subagent","status":"running"}},{{"id":"b","type":"shell"}},
            {{"id":"c","type":"shell","status":"completed"}},{{"id":"","type":"shell"}},
            {{"id":"d","type":"subagent","status":"killed"}},{{"id":"e","type":"other"}},7,
            {{"id":"{long}","type":"shell"}},{{"type":"shell"}}]"#
    );
    let expected = Running { subagents: vec!["a".to_owned()], shells: vec!["b".to_owned()] };
    assert_eq!(running(&tasks), Some(expected));
    let many = |count| format!("[{}7]", r#"{"id":"a","type":"shell"},"#.repeat(count));
    assert_eq!(running(&many(256)).unwrap().shells.len(), 256);
    assert_eq!(running(&many(257)), None, "a list that is cut does not tell what is not on it");
}

/// Goal: a shell call that became a task names it.
#[test]
fn reads_the_task() {
    let task = |answer: &str| event(&format!(r#"{{"tool_response":{answer}}}"#), None).task;
    let answer = r#"{"stdout":"","backgroundTaskId":"b1"}"#;
    assert_eq!(task(answer).as_deref(), Some("b1"));
    for none in ["{}", "null", r#""b1""#, r#"{"backgroundTaskId":""}"#] {
        assert_eq!(task(none), None, "{none}");
    }
}

/// Goal: a call in the background is known by the words of its own client only.
#[test]
fn tells_background_calls() {
    let background = |client, input: &str| {
        let text = format!(r#"{{"tool_name":"t","tool_input":{input}}}"#);
        let payload = Payload::parse(text.as_bytes()).unwrap();
        Event::of(&payload, Some("PreToolUse"), Some(client)).tool.unwrap().background
    };
    let forms = [
        (r#"{"run_in_background":true}"#, &[Client::Claude][..]),
        (r#"{"is_background":true}"#, &[Client::Gemini, Client::Qwen]),
        (r#"{"detach":true}"#, &[Client::Copilot]),
        (r#"{"mode":"async"}"#, &[Client::Copilot]),
        (r#"{"run_in_background":"true","is_background":1,"mode":"sync"}"#, &[]),
    ];
    for (input, clients) in forms {
        for client in Client::ALL {
            assert_eq!(background(client, input), clients.contains(&client), "{client} {input}");
        }
    }
}

/// Goal: Gemini's and Qwen's shell has a directory of its own, which other tools do not have.
#[test]
fn a_shells_directory_has_many_names() {
    for (tool, field, directory) in [
        ("run_shell_command", "dir_path", "/repo/d"),
        ("run_shell_command", "directory", "/repo/d"),
        ("write_file", "directory", "/repo"),
        ("bash", "workdir", "/repo/d"),
    ] {
        let input = format!(r#"{{"{field}":"d"}}"#);
        let text = format!(r#"{{"cwd":"/repo","tool_name":"{tool}","tool_input":{input}}}"#);
        assert_eq!(cwd_of(&text), Some(PathBuf::from(directory)), "{tool} {field}");
    }
}

/// Goal: an MCP tool of Gemini is named by the parts that stand beside its joined name.
#[test]
fn takes_geminis_tool_names_apart() {
    let context = r#""mcp_context":{"server_name":"my_get","tool_name":"edit"}"#;
    let name = |tool: &str| {
        let text = format!(r#"{{"tool_name":"{tool}",{context}}}"#);
        event(&text, Some("BeforeTool")).tool.unwrap().name
    };
    assert_eq!(name("mcp_my_get_edit"), "mcp__my_get__edit");
    assert_eq!(name("write_file"), "write_file");
    let bare = event(r#"{"tool_name":"mcp_fs_edit"}"#, Some("BeforeTool"));
    assert_eq!(bare.tool.unwrap().name, "mcp_fs_edit");
}
