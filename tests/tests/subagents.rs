//! Goal: sub-agents are owners of their own, and take over from their main thread only what it has
//! left (R9).
//!
//! Method: events of one session, each a call of the real hook, and a look at who holds what.

use leasehold_tests::claude::Thread;
use leasehold_tests::sandbox::Sandbox;

/// Who holds a file, as `session@epoch`; nothing for nobody.
fn holder(sandbox: &Sandbox, file: &str) -> String {
    let row = sandbox.lease(file);
    row.map_or_else(String::new, |row| format!("{}@{}", row.owner().0, row.owner().1))
}

/// The main thread of session A in its turn t1, which has begun.
fn begun(sandbox: &Sandbox) -> Thread<'_> {
    let main = Thread::new(sandbox, "A", "t1");
    main.prompt().is_silent();
    main
}

#[test]
fn siblings_exclude_each_other_and_are_told_so() {
    let sandbox = Sandbox::new();
    let main = begun(&sandbox);
    let (first, second) = (main.agent("a1"), main.agent("a2"));
    first.start().is_silent();
    second.start().is_silent();
    first.write("f").is_silent();
    let refused = second.write("f");
    assert!(refused.is_denied().contains("by a sibling sub-agent of this same session"));
    let refused = main.write("f");
    assert!(refused.is_denied().contains("by a sub-agent of this same session"), "{refused:?}");
    main.turn("t2").prompt().is_silent();
    assert_eq!(holder(&sandbox, "f"), "A@agent:a1", "a new prompt frees no sub-agent's lease");
    second.write("f").is_denied();
    first.stop().is_silent();
    second.write("f").is_silent();
}

#[test]
fn the_end_of_one_sub_agent_frees_no_sibling() {
    let sandbox = Sandbox::new();
    let main = begun(&sandbox);
    main.agent("a1").write("f").is_silent();
    main.agent("a2").write("g").is_silent();
    main.agent("a2").stop().is_silent();
    main.agent("unknown").stop().is_silent();
    assert_eq!(sandbox.leased(), ["f"]);
}

#[test]
fn a_sub_agent_takes_over_what_its_main_thread_left_before_its_start() {
    let sandbox = Sandbox::new();
    let main = begun(&sandbox);
    main.write("f").is_silent();
    let fence = sandbox.lease("f").expect("a lease").fence();
    let sub = main.agent("a1");
    sub.start().is_silent();
    sub.write("f").is_silent();
    assert_eq!(holder(&sandbox, "f"), "A@agent:a1");
    assert!(sandbox.lease("f").expect("a lease").fence() > fence, "a new fence");
    assert!(main.write("f").is_denied().contains("by a sub-agent"), "not taken back");
    main.stop().is_silent();
    assert_eq!(holder(&sandbox, "f"), "A@agent:a1", "the main thread's end leaves it");
    sub.stop().is_silent();
    assert!(sandbox.leases().is_empty());
}

#[test]
fn a_sub_agent_takes_over_nothing_that_its_main_thread_used_since() {
    let sandbox = Sandbox::new();
    let main = begun(&sandbox);
    main.write("f").is_silent();
    let sub = main.agent("a1");
    sub.start().is_silent();
    main.write("f").is_silent();
    let refused = sub.write("f");
    assert!(refused.is_denied().contains("by the main thread of this same session"));
    // It starts again, after the last use.
    sub.start().is_silent();
    sub.write("f").is_silent();
}

#[test]
fn nothing_is_handed_down_from_a_sibling_or_another_session() {
    let sandbox = Sandbox::new();
    let main = begun(&sandbox);
    main.agent("a1").write("f").is_silent();
    Thread::new(&sandbox, "B", "u").write("g").is_silent();
    let sub = main.agent("a2");
    sub.start().is_silent();
    sub.write("f").is_denied();
    sub.write("g").is_denied();
    assert_eq!(holder(&sandbox, "f"), "A@agent:a1");
}

#[test]
fn a_directory_of_the_main_thread_is_handed_down_whole() {
    let sandbox = Sandbox::new();
    let main = begun(&sandbox);
    let acquired = sandbox.cli(&["acquire", ".", "--session", "A", "--epoch", "t1"]).run();
    assert_eq!(acquired.code, Some(0), "{acquired:?}");
    let sub = main.agent("a1");
    sub.start().is_silent();
    sub.write("f").is_silent();
    let owners: Vec<_> = sandbox.leases().iter().map(|row| row.owner().1.to_owned()).collect();
    assert_eq!(owners, ["agent:a1", "agent:a1"], "no overlap of two owners");
}

#[test]
fn a_stop_that_no_longer_lists_a_sub_agent_ends_it() {
    let sandbox = Sandbox::new();
    let main = begun(&sandbox);
    let (first, second) = (main.agent("a1"), main.agent("a2"));
    first.write("f").is_silent();
    second.write("g").is_silent();
    main.stop_while(&["a1"], &[]).is_silent();
    assert_eq!(sandbox.leased(), ["f", "g"], "a2 was never listed");
    let next = main.turn("t2");
    next.prompt().is_silent();
    next.stop_while(&[], &[]).is_silent();
    assert_eq!(sandbox.leased(), ["g"], "a1 was listed and is not any more");
}

#[test]
fn a_stop_without_a_list_or_of_another_turn_ends_no_sub_agent() {
    let sandbox = Sandbox::new();
    let main = begun(&sandbox);
    main.agent("a1").write("f").is_silent();
    main.stop_while(&["a1"], &[]).is_silent();
    let next = main.turn("t2");
    next.prompt().is_silent();
    main.stop_while(&[], &[]).is_silent();
    next.stop().is_silent();
    assert_eq!(sandbox.leased(), ["f"]);
    next.stop_while(&[], &[]).is_silent();
    assert!(sandbox.leases().is_empty());
}

#[test]
fn a_sub_agent_that_an_interrupt_killed_silently_yields_to_its_main_thread() {
    let sandbox = Sandbox::new();
    let main = begun(&sandbox);
    main.agent("a1").start().is_silent();
    main.agent("a1").write("f").is_silent();
    main.write("f").is_denied();
    // The user's interrupt fires nothing, for the sub-agent neither.
    let next = main.turn("t2");
    next.prompt().is_silent();
    Thread::new(&sandbox, "B", "u").write("f").is_denied();
    next.agent("a2").write("f").is_denied();
    next.write("f").is_silent();
    assert_eq!(holder(&sandbox, "f"), "A@t2");
}

#[test]
fn a_sub_agent_in_the_background_outlives_an_interrupt() {
    let sandbox = Sandbox::new();
    let main = begun(&sandbox);
    main.agent("a1").write("f").is_silent();
    main.stop_while(&["a1"], &[]).is_silent();
    main.turn("t2").prompt().is_silent();
    // Interrupted: no Stop of t2 comes.
    let last = main.turn("t3");
    last.prompt().is_silent();
    last.write("f").is_denied();
    assert_eq!(holder(&sandbox, "f"), "A@agent:a1");
}

#[test]
fn an_event_ends_the_doubt() {
    let sandbox = Sandbox::new();
    let main = begun(&sandbox);
    let sub = main.agent("a1");
    sub.write("f").is_silent();
    let next = main.turn("t2");
    next.prompt().is_silent();
    sub.turn("t2").wrote("f").is_silent();
    assert!(next.write("f").is_denied().contains("by a sub-agent of this same session"));
}

#[test]
fn after_a_stop_no_sub_agent_is_in_doubt() {
    let sandbox = Sandbox::new();
    let main = begun(&sandbox);
    main.agent("a1").write("f").is_silent();
    main.stop().is_silent();
    let next = main.turn("t2");
    next.prompt().is_silent();
    next.write("f").is_denied();
}

#[test]
fn shared_sub_agents_act_as_their_main_thread() {
    let sandbox = Sandbox::new();
    let main = begun(&sandbox);
    main.write("f").is_silent();
    let shared = |call: leasehold_tests::call::Call| call.env("LEASEHOLD_SUBAGENTS", "shared");
    let edit = |thread: Thread<'_>, file: &str| {
        let input = serde_json::json!({ "file_path": sandbox.file(file), "content": "x" });
        let fields = serde_json::json!({ "tool_name": "Write", "tool_input": input });
        shared(thread.call("PreToolUse", fields)).run()
    };
    edit(main.agent("a1"), "f").is_silent();
    edit(main.agent("a2"), "g").is_silent();
    edit(main, "g").is_silent();
    assert_eq!((holder(&sandbox, "f"), holder(&sandbox, "g")), ("A@t1".into(), "A@t1".into()));
    shared(main.agent("a1").call("SubagentStop", serde_json::json!({}))).run().is_silent();
    assert_eq!(sandbox.leased(), ["f", "g"]);
    main.stop().is_silent();
    assert!(sandbox.leases().is_empty());
}

#[test]
fn nothing_is_handed_down_to_a_sub_agent_whose_start_was_not_told() {
    let sandbox = Sandbox::new();
    let main = begun(&sandbox);
    let sub = main.agent("a1");
    sub.start().is_silent();
    sub.stop().is_silent();
    main.write("f").is_silent();
    // A task that follows up wakes it without a start: it may have been there all the time.
    sub.write("f").is_denied();
    assert_eq!(holder(&sandbox, "f"), "A@t1");
}

#[test]
fn a_list_that_cannot_be_read_to_its_end_ends_no_sub_agent() {
    let sandbox = Sandbox::new();
    let main = begun(&sandbox);
    main.agent("a1").write("f").is_silent();
    main.stop_while(&["a1"], &[]).is_silent();
    let ids: Vec<String> = (0..256).map(|number| format!("b{number}")).collect();
    let mut many: Vec<&str> = ids.iter().map(String::as_str).collect();
    many.push("a1");
    main.stop_while(&many, &[]).is_silent();
    assert_eq!(sandbox.leased(), ["f"]);
    let waits = serde_json::json!([{ "id": "a1", "type": "subagent", "status": "pending" }]);
    let fields = serde_json::json!({ "background_tasks": waits });
    main.call("Stop", fields).run().is_silent();
    assert_eq!(sandbox.leased(), ["f"], "a state that is no end is none");
    let over = serde_json::json!([{ "id": "a1", "type": "subagent", "status": "completed" }]);
    let fields = serde_json::json!({ "background_tasks": over });
    main.call("Stop", fields).run().is_silent();
    assert!(sandbox.leases().is_empty());
}

/// An event of Copilot CLI, which names no event in its payload.
fn copilot(sandbox: &Sandbox, event: &str, fields: serde_json::Value) {
    let mut payload = fields;
    payload["timestamp"] = 1_796_074_798_476_i64.into();
    payload["cwd"] = sandbox.repo().to_str().expect("a path in UTF-8").into();
    let call = sandbox.hook(payload.to_string()).event(event);
    call.arg("--client").arg("copilot").run().is_silent();
}

#[test]
fn the_end_of_a_sub_agents_own_session_is_not_that_of_the_root() {
    use serde_json::json;
    let sandbox = Sandbox::new();
    let create = |file: &str| json!({ "path": sandbox.file(file), "file_text": "x" });
    let main = json!({ "sessionId": "R", "toolName": "create", "toolArgs": create("f") });
    copilot(&sandbox, "preToolUse", main);
    copilot(&sandbox, "subagentStart", json!({ "sessionId": "R", "agentId": "S" }));
    let own = json!({
        "sessionId": "S", "agentId": "S", "parentAgentId": "R",
        "toolName": "create", "toolArgs": create("g"),
    });
    copilot(&sandbox, "preToolUse", own);
    assert_eq!(holder(&sandbox, "g"), "R@agent:S");
    copilot(&sandbox, "sessionEnd", json!({ "sessionId": "S", "reason": "complete" }));
    assert_eq!(sandbox.leased(), ["f"]);
    copilot(&sandbox, "sessionEnd", json!({ "sessionId": "R", "reason": "complete" }));
    assert!(sandbox.leases().is_empty());
}

#[test]
fn a_refused_sub_agent_takes_over_nothing() {
    let sandbox = Sandbox::new();
    let main = begun(&sandbox);
    main.write("f").is_silent();
    Thread::new(&sandbox, "B", "u").write("g").is_silent();
    let sub = main.agent("a1");
    sub.start().is_silent();
    let patch = "*** Begin Patch\n*** Add File: f\n+x\n*** Add File: g\n+x\n*** End Patch";
    let script = serde_json::json!({
        "tool_name": "Bash", "tool_use_id": "c1",
        "tool_input": { "command": format!("true; apply_patch <<'EOF'\n{patch}\nEOF\n") },
    });
    assert!(sub.call("PreToolUse", script).run().is_denied().contains("(session B)"));
    assert_eq!(holder(&sandbox, "f"), "A@t1", "all or nothing (R2)");
}

#[test]
fn a_sub_agent_in_doubt_yields_to_no_sibling() {
    let sandbox = Sandbox::new();
    let main = begun(&sandbox);
    main.agent("a1").write("f").is_silent();
    main.turn("t2").prompt().is_silent();
    main.turn("t2").agent("a2").write("f").is_denied();
}

#[test]
fn what_a_shell_call_still_writes_is_not_handed_down() {
    let sandbox = Sandbox::new();
    let main = begun(&sandbox);
    main.shell("c1", "log", false).is_silent();
    let sub = main.agent("a1");
    sub.start().is_silent();
    sub.write("log").is_denied();
    main.shell_ran("c1", "log", false, None).is_silent();
    sub.write("log").is_silent();
}

#[test]
fn a_turn_that_is_called_like_a_sub_agent_is_not_taken_for_it() {
    let sandbox = Sandbox::new();
    begun(&sandbox).agent("a1").write("f").is_silent();
    let posing = Thread::new(&sandbox, "A", "agent:a1");
    assert!(posing.write("f").is_denied().contains("as a sub-agent is named"));
    posing.stop().passes();
    assert_eq!(sandbox.leased(), ["f"]);
}
