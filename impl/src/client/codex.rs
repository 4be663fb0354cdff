//! Codex CLI: what its payloads and answers look like. Measured with 0.171.0.

use serde::Serialize;

use super::{Kind, Reply};
use crate::payload::{Json, Payload};

/// The id of the turn.
pub(super) const TURN_FIELD: &str = "turn_id";

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
    match payload.text("transcript_path") {
        Some(path) => path.contains("/rollout-") || path.contains("\\rollout-"),
        None => {
            let null = payload.get("transcript_path").is_some_and(Json::is_null);
            null && kind == Kind::SessionStart && payload.has("model")
        }
    }
}

/// Exit code 0 with exactly this object. Codex runs the call when the object has one key more,
/// and when exit code 2 comes with an empty stderr.
pub(super) fn deny(reason: &str) -> Reply {
    let output = Output {
        hook_specific_output: Decision {
            hook_event_name: "PreToolUse",
            permission_decision: "deny",
            permission_decision_reason: reason,
        },
    };
    match serde_json::to_string(&output) {
        Ok(json) => Reply { exit: 0, stdout: json + "\n", stderr: String::new() },
        // Texts always serialise. Should they not, this form blocks as well.
        Err(_) => Reply { exit: 2, stdout: String::new(), stderr: format!("{reason}\n") },
    }
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Output<'a> {
    hook_specific_output: Decision<'a>,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Decision<'a> {
    hook_event_name: &'a str,
    permission_decision: &'a str,
    permission_decision_reason: &'a str,
}
