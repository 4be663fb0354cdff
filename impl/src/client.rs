//! Which agent runs the hook, and how it wants to be answered.
//!
//! A client's quirks live in its own file below. A host that is not known is answered in Claude
//! Code's form: exit code 2 with a text on stderr blocks a call nearly everywhere.

mod claude;
mod codex;
mod kind;
mod reply;

use std::fmt;
use std::str::FromStr;

pub use kind::Kind;
pub use reply::Reply;

use crate::payload::Payload;

/// What a refusal says when its maker had nothing to say: clients run a call that is refused
/// without a reason (R15).
const REASON_WHEN_NONE: &str = "leasehold refuses this call but has no reason for it, which is a \
    fault of leasehold: try the call again, and report it if it stays so";

/// An agent whose hook protocol is known.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Client {
    /// Claude Code, and every host that runs Claude Code's hooks.
    #[default]
    Claude,
    /// Codex CLI.
    Codex,
}

impl Client {
    /// Tells the client from the payload alone: an agent that another agent started inherits its
    /// environment, so variables prove nothing.
    pub fn detect(payload: &Payload) -> Self {
        if codex::sent(payload) { Self::Codex } else { Self::Claude }
    }

    /// The agent label that a lease carries.
    pub fn label(self) -> &'static str {
        match self {
            Self::Claude => "claude",
            Self::Codex => "codex",
        }
    }

    /// The payload field that names the main thread's turn.
    pub fn turn_field(self) -> &'static str {
        match self {
            Self::Claude => claude::TURN_FIELD,
            Self::Codex => codex::TURN_FIELD,
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
            Self::Claude => claude::deny(reason),
            Self::Codex => codex::deny(reason),
        }
    }

    /// The answer that lets the event pass and leaves a line on stderr, for people to read.
    pub fn warn(self, text: &str) -> Reply {
        Reply { stderr: format!("{text}\n"), ..self.allow() }
    }
}

impl fmt::Display for Client {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.label())
    }
}

impl FromStr for Client {
    type Err = UnknownClient;

    fn from_str(name: &str) -> Result<Self, UnknownClient> {
        match name.to_ascii_lowercase().as_str() {
            "claude" | "claude-code" | "claude_code" | "claudecode" => Ok(Self::Claude),
            "codex" | "codex-cli" | "codex_cli" => Ok(Self::Codex),
            _ => Err(UnknownClient(name.to_owned())),
        }
    }
}

/// A client name that is none of ours.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct UnknownClient(String);

impl fmt::Display for UnknownClient {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "unknown client {:?}: use claude or codex, or leave --client out", self.0)
    }
}

impl std::error::Error for UnknownClient {}

#[cfg(test)]
mod tests {
    use super::*;

    fn detect(text: &str) -> Client {
        Client::detect(&Payload::parse(text.as_bytes()).unwrap())
    }

    /// Goal: each client is told by its payload, in both directions.
    #[test]
    fn detects_by_payload() {
        for text in [
            r#"{"hook_event_name":"PreToolUse","turn_id":"t","model":"m"}"#,
            r#"{"hook_event_name":"SessionEnd","transcript_path":"/h/sessions/rollout-1.jsonl"}"#,
            r#"{"hook_event_name":"SessionEnd","transcript_path":"C:\\h\\rollout-1.jsonl"}"#,
            r#"{"hook_event_name":"SessionStart","transcript_path":null,"model":"m"}"#,
        ] {
            assert_eq!(detect(text), Client::Codex, "{text}");
        }
        for text in [
            "{}",
            r#"{"hook_event_name":"PreToolUse","prompt_id":"p"}"#,
            r#"{"hook_event_name":"PreToolUse","turn_id":"t"}"#,
            r#"{"hook_event_name":"MessageDisplay","turn_id":"t","model":"m","message_id":"i"}"#,
            r#"{"hook_event_name":"SessionStart","transcript_path":"/h/s.jsonl","model":"m"}"#,
            r#"{"hook_event_name":"SessionEnd","transcript_path":null}"#,
            r#"{"hook_event_name":"Stop","transcript_path":"/h/rollout-1.jsonl"}"#,
        ] {
            assert_eq!(detect(text), Client::Claude, "{text}");
        }
    }

    /// Goal: the refusal has the one form that each client was measured to obey.
    #[test]
    fn denies_in_the_clients_form() {
        let reply = Client::Claude.deny("PreToolUse", "a \"b\"");
        assert_eq!((reply.exit, reply.stdout.as_str()), (2, ""));
        assert_eq!(reply.stderr, "a \"b\"\n");
        let reply = Client::Codex.deny("PreToolUse", "a \"b\"\n");
        let expected = concat!(
            r#"{"hookSpecificOutput":{"hookEventName":"PreToolUse","permissionDecision":"deny","#,
            r#""permissionDecisionReason":"a \"b\"\n"}}"#,
            "\n"
        );
        assert_eq!((reply.exit, reply.stderr.as_str()), (0, ""));
        assert_eq!(reply.stdout, expected);
    }

    /// Goal: a refusal never goes out without a reason (mutant M41).
    #[test]
    fn a_refusal_has_a_reason() {
        assert_eq!(Client::Claude.deny("PreToolUse", " \n").stderr.trim(), REASON_WHEN_NONE);
        assert!(Client::Codex.deny("PreToolUse", "").stdout.contains("has no reason"));
    }

    /// Goal: no life-cycle event ends with 2 (mutant M41), but an unknown event may be a call.
    #[test]
    fn life_cycle_events_are_only_warned() {
        for client in [Client::Claude, Client::Codex] {
            for name in ["Stop", "UserPromptSubmit", "SessionEnd", "PostToolUse", "Interrupt"] {
                let reply = client.deny(name, "r");
                let seen = (reply.exit, reply.stdout.as_str(), reply.stderr.as_str());
                assert_eq!(seen, (0, "", "r\n"), "{name}");
            }
        }
        assert_eq!(Client::Claude.deny("", "r").exit, 2);
        let silent = Client::Codex.allow();
        assert_eq!((silent.exit, silent.stdout.as_str(), silent.stderr.as_str()), (0, "", ""));
    }

    /// Goal: the names of `--client` are read, and an unknown one says what to use.
    #[test]
    fn reads_names() {
        assert_eq!("Claude-Code".parse(), Ok(Client::Claude));
        assert_eq!("codex".parse(), Ok(Client::Codex));
        let error = "vim".parse::<Client>().unwrap_err().to_string();
        assert!(error.contains("\"vim\"") && error.contains("claude or codex"));
    }
}
