//! GitHub Copilot CLI: what its payloads and answers look like. Measured with 1.0.102.
//!
//! The case of the event's name in its settings decides the form: `preToolUse` has `toolName` and
//! no event name, `PreToolUse` has Claude Code's fields. No event has a turn id or a call id. A
//! sub-agent's tool events have the sub-agent's own id as session id.

use serde::Serialize;

use super::Reply;
use crate::payload::{Json, Payload};

/// The variable that it sets to `1` for its hooks.
const VARIABLE: &str = "COPILOT_CLI";

/// Whether Copilot's own variable is in this process's environment.
pub(super) fn is_around() -> bool {
    std::env::var_os(VARIABLE).is_some_and(|value| value == "1")
}

/// Whether Copilot sent this payload, in its own form.
pub(super) fn sent(payload: &Payload) -> bool {
    let named = payload.has("toolName") || payload.has("sessionId");
    named && matches!(payload.get("timestamp"), Some(Json::Number(_)))
}

/// Whether Copilot may have sent it in Claude Code's form.
pub(super) fn sent_as_claude(payload: &Payload) -> bool {
    payload.has("hook_event_name") && payload.has_iso_timestamp() && !payload.has("permission_mode")
}

/// The event of a payload in its own form, told by the fields that only this event has. A call
/// that nobody names must not slip through (R15).
pub(super) fn guessed_event(payload: &Payload) -> Option<&'static str> {
    let has = |field| payload.has(field);
    let name = if has("toolName") || has("toolArgs") {
        match () {
            () if has("toolResult") => "postToolUse",
            () if has("error") => "postToolUseFailure",
            () => "preToolUse",
        }
    } else if has("errorContext") {
        "errorOccurred"
    } else if has("agentName") {
        if has("stopReason") { "subagentStop" } else { "subagentStart" }
    } else if has("stopReason") {
        "agentStop"
    } else if has("prompt") {
        "userPromptSubmitted"
    } else if has("reason") {
        "sessionEnd"
    } else if has("source") {
        "sessionStart"
    } else {
        return None;
    };
    Some(name)
}

/// Exit code 0 with exactly this object, in both forms. Claude Code's object is not heeded in
/// Copilot's own form, and exit code 2 keeps the reason from the model.
pub(super) fn deny(reason: &str) -> Reply {
    Reply::json(&Refusal { decision: "deny", reason }, reason)
}

#[derive(Serialize)]
struct Refusal<'a> {
    #[serde(rename = "permissionDecision")]
    decision: &'a str,
    #[serde(rename = "permissionDecisionReason")]
    reason: &'a str,
}
