//! Which agent runs the hook, and how it wants to be answered.
//!
//! A client's quirks live in its own file below. A host that is not known is answered in Claude
//! Code's form: exit code 2 with a text on stderr blocks a call nearly everywhere.

mod claude;
mod codex;
mod copilot;
mod gemini;
mod kind;
mod name;
mod opencode;
mod qwen;
mod reply;

pub use kind::Kind;
pub use name::UnknownClient;
pub use reply::Reply;

use crate::payload::Payload;

/// What a refusal says when its maker had nothing to say: clients run a call that is refused
/// without a reason (R15).
const REASON_WHEN_NONE: &str = "leasehold refuses this call but has no reason for it, which is a \
    fault of leasehold: try the call again, and report it if it stays so";

/// Fields that only hosts have whose protocol is none of these.
const FOREIGN_FIELDS: &[&str] =
    &["agent_action_name", "clineVersion", "conversation_id", "cursor_version"];

/// An agent whose hook protocol is known.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Client {
    /// Claude Code, and every host that runs Claude Code's hooks.
    #[default]
    Claude,
    /// Codex CLI.
    Codex,
    /// Gemini CLI.
    Gemini,
    /// GitHub Copilot CLI.
    Copilot,
    /// Qwen Code.
    Qwen,
    /// OpenCode, through the plugin of this project.
    OpenCode,
}

impl Client {
    /// All of them.
    pub const ALL: [Self; 6] =
        [Self::Claude, Self::Codex, Self::Gemini, Self::Copilot, Self::Qwen, Self::OpenCode];

    /// Tells the client from the payload: an agent that another agent started inherits its
    /// environment, so variables prove little. `in_copilot` says whether Copilot's is there, which
    /// is asked only for payloads that nobody but Copilot is known to send.
    pub fn detect(payload: &Payload, in_copilot: impl FnOnce() -> bool) -> Self {
        if opencode::sent(payload) {
            Self::OpenCode
        } else if FOREIGN_FIELDS.iter().any(|field| payload.has(field)) {
            Self::Claude
        } else if codex::sent(payload) {
            Self::Codex
        } else if copilot::sent(payload) {
            Self::Copilot
        } else if gemini::sent(payload) {
            Self::Gemini
        } else if qwen::sent(payload) {
            Self::Qwen
        } else if copilot::sent_as_claude(payload) && in_copilot() {
            Self::Copilot
        } else if gemini::sent_shared(payload) {
            Self::Gemini
        } else {
            Self::Claude
        }
    }

    /// As [`Client::detect`], in this process's environment.
    pub(crate) fn detect_here(payload: &Payload) -> Self {
        Self::detect(payload, copilot::is_around)
    }

    /// The agent label that a lease carries.
    pub fn label(self) -> &'static str {
        match self {
            Self::Claude => "claude",
            Self::Codex => "codex",
            Self::Gemini => "gemini",
            Self::Copilot => "copilot",
            Self::Qwen => "qwen",
            Self::OpenCode => "opencode",
        }
    }

    /// The payload field that names the main thread's turn; none for clients without turn ids.
    pub fn turn_field(self) -> Option<&'static str> {
        match self {
            Self::Claude => Some(claude::TURN_FIELD),
            Self::Codex => Some(codex::TURN_FIELD),
            Self::Qwen => Some(qwen::TURN_FIELD),
            Self::OpenCode => Some(opencode::TURN_FIELD),
            Self::Gemini | Self::Copilot => None,
        }
    }

    /// Whether its payloads name the turn. Otherwise one is minted (R8).
    pub fn has_turn_ids(self) -> bool {
        self.turn_field().is_some()
    }

    /// Whether a tool event without a sub-agent's id is certainly the main thread's (R8).
    pub fn marks_subagents(self) -> bool {
        match self {
            Self::Claude | Self::Codex | Self::Qwen | Self::OpenCode => true,
            // Gemini marks none. Copilot's marks are in no document of its vendor yet.
            Self::Gemini | Self::Copilot => false,
        }
    }

    /// The event that a payload is for which nobody named, told by its fields.
    pub(crate) fn guessed_event(self, payload: &Payload) -> Option<&'static str> {
        match self {
            Self::Copilot => copilot::guessed_event(payload),
            _ => None,
        }
    }

    /// The answer that lets the call run: silence. (An explicit permission would skip the user's
    /// own prompt in Claude Code, and is an error in Codex.)
    pub fn allow(self) -> Reply {
        Reply { exit: 0, stdout: String::new(), stderr: String::new() }
    }

    /// The answer that blocks the call of event `event_name` and tells the model why.
    ///
    /// Only a call can be blocked: for a life-cycle event the reason becomes a warning (R15). A
    /// reason without text is replaced, because clients ignore a refusal that has none.
    pub fn deny(self, event_name: &str, reason: &str) -> Reply {
        let reason = if reason.trim().is_empty() { REASON_WHEN_NONE } else { reason };
        if Kind::of(event_name).is_life_cycle() {
            return self.warn(reason);
        }
        match self {
            Self::Claude | Self::Qwen | Self::OpenCode => claude::deny(reason),
            Self::Codex => codex::deny(reason),
            Self::Gemini => gemini::deny(reason),
            Self::Copilot => copilot::deny(reason),
        }
    }

    /// The answer that blocks nothing and tells the model something, where the client hands a text
    /// on at event `event_name`; elsewhere a line for people, as [`Client::warn`] leaves it.
    pub fn inform(self, event_name: &str, text: &str) -> Reply {
        let informed = match self {
            Self::Claude | Self::Qwen => claude::INFORMED_EVENTS,
            Self::Codex => codex::INFORMED_EVENTS,
            Self::Gemini => gemini::INFORMED_EVENTS,
            Self::Copilot | Self::OpenCode => &[],
        };
        if text.trim().is_empty() {
            self.allow()
        } else if informed.contains(&event_name) {
            Reply::context(event_name, text)
        } else if self == Self::OpenCode && Kind::of(event_name) == Kind::PostTool {
            opencode::inform(text)
        } else {
            self.warn(text)
        }
    }

    /// The answer that lets the event pass and leaves a line on stderr, for people to read.
    pub fn warn(self, text: &str) -> Reply {
        Reply { stderr: format!("{text}\n"), ..self.allow() }
    }
}

#[cfg(test)]
mod tests;
