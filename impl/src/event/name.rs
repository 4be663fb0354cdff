//! The event's name, from the payload or the command line.

use super::Kind;
use crate::client::Client;
use crate::payload::Payload;

/// The spellings of the field that names the event.
const NAME_FIELDS: &[&str] = &["hook_event_name", "hookEventName"];

/// Fields that only the events around a tool call have.
const CALL_FIELDS: &[&str] = &["tool_name", "toolName", "toolArgs"];

/// The event's name, with a note where it had to be chosen.
pub(super) fn of(
    payload: &Payload,
    client: Client,
    named: Option<&str>,
    notes: &mut Vec<String>,
) -> String {
    let named = named.filter(|name| !name.is_empty());
    match (payload.first_filled_text(NAME_FIELDS), named) {
        // A spelling that nobody knows must not hide the call that the command stands before (R15).
        (Some(name), Some(known))
            if Kind::of(name) == Kind::Other && Kind::of(known) != Kind::Other =>
        {
            notes.push(format!(
                "the payload names an event that is not known, {name:?}: {known:?} from the \
                 command line counts"
            ));
            known.to_owned()
        }
        (Some(name), Some(other)) if name != other => {
            notes.push(format!(
                "the command line names the event {other:?} and the payload {name:?}: the \
                 payload counts"
            ));
            name.to_owned()
        }
        (Some(name), _) => name.to_owned(),
        // A mistyped name must not let it slip through either (R15).
        (None, Some(name)) if Kind::of(name) == Kind::Other && stands_before_a_call(payload) => {
            notes.push(format!(
                "{name:?} from the command line is no event that is known: taken for PreToolUse, \
                 as the payload names a tool"
            ));
            "PreToolUse".to_owned()
        }
        (None, Some(name)) => {
            // The forms of some clients never name it: there is nothing to tell.
            if client != Client::Copilot {
                notes.push(format!(
                    "the payload names no event: {name:?} from the command line counts"
                ));
            }
            name.to_owned()
        }
        // A call that nobody names is the one kind of event that must not slip through.
        (None, None) if stands_before_a_call(payload) => {
            notes.push("nobody names the event: taken for PreToolUse, as it names a tool".into());
            "PreToolUse".to_owned()
        }
        (None, None) => match client.guessed_event(payload) {
            Some(name) => {
                notes.push(format!("nobody names the event: taken for {name}, by its fields"));
                name.to_owned()
            }
            None => String::new(),
        },
    }
}

/// Whether a payload without an event's name can be the one before a tool call.
fn stands_before_a_call(payload: &Payload) -> bool {
    let over = ["tool_response", "toolResult"].iter().any(|field| payload.get(field).is_some());
    let failed = payload.has("toolArgs") && payload.has("error");
    payload.first(CALL_FIELDS).is_some() && !over && !failed
}
