//! Codex CLI: what its payloads and answers look like. Measured with 0.171.0.

use serde::Serialize;

use super::{Kind, Reply};
use crate::payload::{Json, Payload};

/// The id of the turn.
pub(super) const TURN_FIELD: &str = "turn_id";

/// Events at which it hands a text on to the model.
pub(super) const INFORMED_EVENTS: &[&str] = &["PostToolUse", "UserPromptSubmit"];

/// Whether Codex sent this payload.
pub(super) fn sent(payload: &Payload) -> bool {
    if payload.has("turn_id") {
        // Claude Code's MessageDisplay has a turn id too, with a message id beside it.
        return payload.has("model") && !payload.has("message_id");
    }
    let kind = payload.text("hook_event_name").map_or(Kind::Other, Kind::of);
    if !matches!(kind, Kind::SessionStart | Kind::SessionEnd) {
        return false;
    }
    let path = payload.get("transcript_path");
    match path.and_then(Json::as_text) {
        Some(path) => path.contains("/rollout-") || path.contains("\\rollout-"),
        None if kind == Kind::SessionStart && payload.has("model") => {
            path.is_some_and(Json::is_null)
        }
        None => false,
    }
}

/// Exit code 0 with exactly this object. Codex runs the call when the object has one key more,
/// and when exit code 2 comes with an empty stderr.
pub(super) fn deny(reason: &str) -> Reply {
    let output = Output { refusal: Refusal { event: "PreToolUse", decision: "deny", reason } };
    Reply::json(&output, reason)
}

#[derive(Serialize)]
struct Output<'a> {
    #[serde(rename = "hookSpecificOutput")]
    refusal: Refusal<'a>,
}

#[derive(Serialize)]
struct Refusal<'a> {
    #[serde(rename = "hookEventName")]
    event: &'a str,
    #[serde(rename = "permissionDecision")]
    decision: &'a str,
    #[serde(rename = "permissionDecisionReason")]
    reason: &'a str,
}
