//! A session of Claude Code as its hook sees it: one call of the real hook for each event.

use serde_json::{Value, json};

use crate::call::Call;
use crate::outcome::Outcome;
use crate::payload::Payload;
use crate::sandbox::Sandbox;

/// One thread of a session: its main thread in one turn, or a sub-agent.
#[derive(Clone, Copy, Debug)]
pub struct Thread<'s> {
    sandbox: &'s Sandbox,
    session: &'s str,
    turn: &'s str,
    agent: Option<&'s str>,
    ttl_sec: &'s str,
}

impl<'s> Thread<'s> {
    /// The main thread of a session in a turn.
    pub fn new(sandbox: &'s Sandbox, session: &'s str, turn: &'s str) -> Self {
        Self { sandbox, session, turn, agent: None, ttl_sec: "1800" }
    }

    /// The main thread in another turn.
    #[must_use]
    pub fn turn(self, turn: &'s str) -> Self {
        Self { turn, ..self }
    }

    /// A sub-agent of it. Its events carry the turn of the main thread.
    #[must_use]
    pub fn agent(self, id: &'s str) -> Self {
        Self { agent: Some(id), ..self }
    }

    /// With leases of so many seconds.
    #[must_use]
    pub fn ttl_sec(self, ttl_sec: &'s str) -> Self {
        Self { ttl_sec, ..self }
    }

    /// An event with these fields besides, as a payload.
    pub fn payload(&self, event: &str, fields: Value) -> Payload {
        let mut payload = json!({
            "session_id": self.session,
            "hook_event_name": event,
            "cwd": self.sandbox.repo(),
            "prompt_id": self.turn,
        });
        let all = payload.as_object_mut().expect("an object");
        if let Some(agent) = self.agent {
            all.insert("agent_id".to_owned(), agent.into());
        }
        if let Value::Object(fields) = fields {
            all.extend(fields);
        }
        Payload::new(payload)
    }

    /// The call of the hook for it.
    pub fn call(&self, event: &str, fields: Value) -> Call {
        let call = self.sandbox.send(&self.payload(event, fields));
        call.env("LEASEHOLD_TTL_SEC", self.ttl_sec)
    }

    fn run(&self, event: &str, fields: Value) -> Outcome {
        self.call(event, fields).run()
    }

    /// The prompt of the turn.
    pub fn prompt(&self) -> Outcome {
        self.run("UserPromptSubmit", json!({ "prompt": "go on" }))
    }

    /// Before a write.
    pub fn write(&self, file: &str) -> Outcome {
        self.run("PreToolUse", self.edit(file))
    }

    /// After it.
    pub fn wrote(&self, file: &str) -> Outcome {
        self.run("PostToolUse", self.edit(file))
    }

    fn edit(&self, file: &str) -> Value {
        let input = json!({ "file_path": self.sandbox.file(file), "old_string": "a",
                            "new_string": "b" });
        json!({ "tool_name": "Edit", "tool_input": input, "tool_use_id": format!("edit-{file}") })
    }

    /// Before a shell call that writes a file.
    pub fn shell(&self, call: &str, file: &str, in_background: bool) -> Outcome {
        self.run("PreToolUse", Self::script(call, file, in_background))
    }

    /// After it; `task` is what it has become in the background.
    pub fn shell_ran(
        &self,
        call: &str,
        file: &str,
        in_background: bool,
        task: Option<&str>,
    ) -> Outcome {
        let mut fields = Self::script(call, file, in_background);
        fields["tool_response"] = match task {
            Some(task) => json!({ "stdout": "", "backgroundTaskId": task }),
            None => json!({ "stdout": "" }),
        };
        self.run("PostToolUse", fields)
    }

    /// A script that writes a file after something else.
    fn script(call: &str, file: &str, in_background: bool) -> Value {
        let patch = format!("*** Begin Patch\n*** Add File: {file}\n+x\n*** End Patch");
        let script = format!("sleep 60; apply_patch <<'EOF'\n{patch}\nEOF\n");
        json!({
            "tool_name": "Bash",
            "tool_use_id": call,
            "tool_input": { "command": script, "run_in_background": in_background },
        })
    }

    /// The end of the turn, or of the sub-agent, without a list of what still runs.
    pub fn stop(&self) -> Outcome {
        let event = if self.agent.is_some() { "SubagentStop" } else { "Stop" };
        self.run(event, json!({ "stop_hook_active": false }))
    }

    /// The end with such a list.
    pub fn stop_while(&self, subagents: &[&str], shells: &[&str]) -> Outcome {
        let event = if self.agent.is_some() { "SubagentStop" } else { "Stop" };
        let entry = |kind: &str, id: &str| json!({ "id": id, "type": kind, "status": "running" });
        let running: Vec<Value> = subagents
            .iter()
            .map(|id| entry("subagent", id))
            .chain(shells.iter().map(|id| entry("shell", id)))
            .collect();
        self.run(event, json!({ "stop_hook_active": false, "background_tasks": running }))
    }

    /// The start of the sub-agent.
    pub fn start(&self) -> Outcome {
        self.run("SubagentStart", json!({ "agent_type": "general-purpose" }))
    }

    /// The end of the session.
    pub fn end_session(&self) -> Outcome {
        self.run("SessionEnd", json!({ "reason": "other" }))
    }
}
