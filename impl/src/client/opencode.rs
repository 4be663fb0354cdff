//! OpenCode: it runs plugins and no hooks, so its payloads are made by our own plugin,
//! `impl/plugins/opencode.js`. Measured with 1.18.33.

use super::Reply;
use crate::payload::Payload;

/// The id of the user message that the turn answers.
pub(super) const TURN_FIELD: &str = "turn_id";

/// Whether the plugin sent this payload.
pub(super) fn sent(payload: &Payload) -> bool {
    payload.text("client") == Some("opencode")
}

/// Plain text: the plugin appends it to what the tool printed.
pub(super) fn inform(text: &str) -> Reply {
    Reply { exit: 0, stdout: format!("{text}\n"), stderr: String::new() }
}
