//! Qwen Code: what its payloads look like. Measured with 0.24.4. It is answered as Claude Code is.

use crate::payload::Payload;

/// The id of the prompt that the turn answers: the session's id and a number.
pub(super) const TURN_FIELD: &str = "prompt_id";

/// What its `permission_mode` may say.
const PERMISSION_MODES: &[&str] = &["default", "plan", "auto_edit", "auto", "yolo"];

/// Whether Qwen Code sent this payload: Claude Code has the same fields, but no timestamp.
pub(super) fn sent(payload: &Payload) -> bool {
    payload.has("hook_event_name")
        && payload.has("timestamp")
        && payload.text("permission_mode").is_some_and(|mode| PERMISSION_MODES.contains(&mode))
}
