//! Gemini CLI: what its payloads and answers look like. Measured with 0.61.0.
//!
//! No event has a turn id, a call id or a sub-agent's id.

use serde::Serialize;

use super::Reply;
use crate::payload::Payload;

/// Events that no other client has.
const OWN_EVENTS: &[&str] = &[
    "BeforeTool",
    "AfterTool",
    "BeforeAgent",
    "AfterAgent",
    "BeforeModel",
    "AfterModel",
    "BeforeToolSelection",
    "PreCompress",
];

/// Events whose names other clients have too.
const SHARED_EVENTS: &[&str] = &["SessionStart", "SessionEnd", "Notification"];

/// Where it keeps its transcripts, below a home directory.
const FOLDER: &str = ".gemini";

/// Events at which it hands a text on to the model.
pub(super) const INFORMED_EVENTS: &[&str] = &["AfterTool", "BeforeAgent"];

/// Whether the payload shows by itself that Gemini sent it.
pub(super) fn sent(payload: &Payload) -> bool {
    event_is_in(payload, OWN_EVENTS) || (sent_shared(payload) && has_own_transcript(payload))
}

/// Whether Gemini may have sent it: the event is one that others have too, in its form.
pub(super) fn sent_shared(payload: &Payload) -> bool {
    event_is_in(payload, SHARED_EVENTS)
        && payload.has_iso_timestamp()
        && !payload.has("permission_mode")
}

fn event_is_in(payload: &Payload, names: &[&str]) -> bool {
    payload.text("hook_event_name").is_some_and(|name| names.contains(&name))
}

fn has_own_transcript(payload: &Payload) -> bool {
    let path = payload.text("transcript_path").unwrap_or_default();
    path.split(['/', '\\']).any(|part| part == FOLDER)
}

/// Exit code 0 with this object; the model sees the reason.
pub(super) fn deny(reason: &str) -> Reply {
    Reply::json(&Refusal { decision: "deny", reason }, reason)
}

#[derive(Serialize)]
struct Refusal<'a> {
    decision: &'a str,
    reason: &'a str,
}
