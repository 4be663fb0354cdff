//! Claude Code: what its payloads and answers look like. Measured with 2.1.332.

use super::Reply;

/// The id of the prompt that the turn answers.
pub(super) const TURN_FIELD: &str = "prompt_id";

/// Events at which it hands a text on to the model, as Qwen Code does.
pub(super) const INFORMED_EVENTS: &[&str] =
    &["PostToolUse", "PostToolUseFailure", "UserPromptSubmit"];

/// Exit code 2 blocks the call whatever stdout holds, and stderr reaches the model.
pub(super) fn deny(reason: &str) -> Reply {
    Reply { exit: 2, stdout: String::new(), stderr: format!("{reason}\n") }
}
