//! Goal: the end of a turn, of a sub-agent and of a session gives back exactly its own (R6).
//!
//! Method: one crowd of owners holds a file each: the turn, its sub-agent, another turn of the same
//! session, the session without a turn, and a stranger. After each event the files that are still
//! leased are counted. Every event ends in silence with 0.

use leasehold_tests::payload::Payload;
use leasehold_tests::sandbox::Sandbox;

const ALL: &[&str] = &["of-another-turn", "of-no-turn", "of-stranger", "of-subagent", "of-turn"];

/// A client's captured payloads, and what the crowd is made of.
struct Crowd {
    sandbox: Sandbox,
    client: &'static str,
}

impl Crowd {
    fn of_claude() -> Self {
        Self::gather("claude", "07-PreToolUse-Write")
    }

    fn of_codex() -> Self {
        Self::gather("codex", "03-PreToolUse-apply_patch")
    }

    fn gather(client: &'static str, write: &str) -> Self {
        let crowd = Self { sandbox: Sandbox::new(), client };
        let turn = crowd.payload(write);
        let session = turn.text("session_id").to_owned();
        crowd.write(&turn, "of-turn");
        crowd.write(&turn.clone().with("agent_id", "ae31e60d437631632"), "of-subagent");
        crowd.write(&turn.clone().with("session_id", "a stranger"), "of-stranger");
        let by_hand = ["acquire", "of-no-turn", "--session", &session];
        // A write of the hook would begin the turn: the command line only leases.
        let another = ["acquire", "of-another-turn", "--epoch", "another", "--session", &session];
        for args in [&by_hand[..], &another] {
            let outcome = crowd.sandbox.cli(args).run();
            assert_eq!(outcome.code, Some(0), "{outcome:?}");
        }
        assert_eq!(crowd.sandbox.leased(), ALL);
        crowd
    }

    fn write(&self, of: &Payload, file: &str) {
        let payload = of.clone().with("tool_name", "Write").with(
            "tool_input",
            serde_json::json!({ "file_path": self.sandbox.file(file), "content": "x" }),
        );
        self.sandbox.send(&payload).run().is_silent();
    }

    fn payload(&self, name: &str) -> Payload {
        self.sandbox.payload(self.client, name)
    }

    /// Sends an event, and compares what is gone afterwards.
    #[track_caller]
    fn after(&self, event: &Payload, gone: &[&str]) {
        self.sandbox.send(event).run().is_silent();
        let left: Vec<&str> = ALL.iter().copied().filter(|file| !gone.contains(file)).collect();
        assert_eq!(self.sandbox.leased(), left, "{event:?}");
    }
}

#[test]
fn a_stop_gives_back_its_own_turn() {
    let claude = Crowd::of_claude();
    claude.after(&claude.payload("21-Stop"), &["of-turn"]);
    let codex = Crowd::of_codex();
    codex.after(&codex.payload("07-Stop"), &["of-turn"]);
}

#[test]
fn a_failed_stop_gives_back_its_own_turn() {
    let crowd = Crowd::of_claude();
    let failed = crowd.payload("21-Stop").with("hook_event_name", "StopFailure");
    crowd.after(&failed, &["of-turn"]);
}

#[test]
fn an_interrupt_gives_back_its_own_turn() {
    let crowd = Crowd::of_codex();
    let interrupt = crowd.payload("07-Stop").with("hook_event_name", "Interrupt");
    crowd.after(&interrupt, &["of-turn"]);
}

#[test]
fn a_late_stop_of_an_older_turn_gives_back_nothing() {
    let claude = Crowd::of_claude();
    claude.after(&claude.payload("21-Stop").with("prompt_id", "long over"), &[]);
    let codex = Crowd::of_codex();
    codex.after(&codex.payload("07-Stop").with("turn_id", "long over"), &[]);
}

#[test]
fn a_stop_of_a_foreign_session_gives_back_nothing() {
    let crowd = Crowd::of_claude();
    crowd.after(&crowd.payload("21-Stop").with("session_id", "nobody"), &[]);
}

#[test]
fn a_stop_without_a_turn_gives_back_only_what_has_none() {
    let crowd = Crowd::of_claude();
    crowd.after(&crowd.payload("21-Stop").without("prompt_id"), &["of-no-turn"]);
}

#[test]
fn the_end_of_a_subagent_gives_back_its_own() {
    let crowd = Crowd::of_claude();
    crowd.after(&crowd.payload("19-SubagentStop-subagent"), &["of-subagent"]);
}

#[test]
fn the_end_of_another_subagent_gives_back_nothing() {
    let crowd = Crowd::of_claude();
    let sibling = crowd.payload("19-SubagentStop-subagent").with("agent_id", "sibling");
    crowd.after(&sibling, &[]);
    let nameless = crowd.payload("19-SubagentStop-subagent").without("agent_id");
    crowd.after(&nameless, &[]);
}

#[test]
fn the_end_of_a_session_gives_back_all_of_it_and_nothing_else() {
    let of_session = ["of-another-turn", "of-no-turn", "of-subagent", "of-turn"];
    let claude = Crowd::of_claude();
    claude.after(&claude.payload("22-SessionEnd"), &of_session);
    let codex = Crowd::of_codex();
    codex.after(&codex.payload("08-SessionEnd"), &of_session);
}

#[test]
fn the_end_of_another_session_gives_back_nothing() {
    let crowd = Crowd::of_claude();
    // Names are data: neither a pattern nor a prefix of a name stands for it.
    for name in ["%", "37b4dc23", "37B4DC23-6A68-40C7-B67F-98B28D947F08", "a strange_"] {
        crowd.after(&crowd.payload("22-SessionEnd").with("session_id", name), &[]);
    }
}

#[test]
fn a_prompt_into_the_running_turn_gives_back_nothing() {
    // What a prompt of a new turn ends is rule R8; the same id again changes nothing.
    let claude = Crowd::of_claude();
    claude.sandbox.send(&claude.payload("02-UserPromptSubmit")).run().is_silent();
    let codex = Crowd::of_codex();
    codex.sandbox.send(&codex.payload("02-UserPromptSubmit")).run().is_silent();
    for crowd in [claude, codex] {
        let left = crowd.sandbox.leased();
        for file in ["of-no-turn", "of-stranger", "of-subagent", "of-turn"] {
            assert!(left.iter().any(|name| name == file), "{file}: {left:?}");
        }
    }
}

#[test]
fn events_that_end_nothing_give_back_nothing() {
    let crowd = Crowd::of_claude();
    for name in [
        "01-SessionStart",
        "03-PreToolUse-Read",
        "06-PostToolUse-Edit",
        "16-SubagentStart-subagent",
        "18-PostToolUse-Write-subagent",
        "20-PostToolUse-Agent",
    ] {
        crowd.after(&crowd.payload(name), &[]);
    }
}
