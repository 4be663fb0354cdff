//! The agents of the demonstration: what their clients send, and how they read an answer.

use std::io;
use std::process::Output;

/// So much of a session's id is shown, here and in a refusal.
const SESSION_CHARS_SHOWN: usize = 8;

/// One agent in one turn.
pub(super) struct Agent {
    pub(super) session: String,
    pub(super) turn: String,
    pub(super) is_codex: bool,
}

impl Agent {
    pub(super) fn claude(session: &str, turn: &str) -> Self {
        Self { session: session.to_owned(), turn: turn.to_owned(), is_codex: false }
    }

    pub(super) fn codex(session: &str, turn: &str) -> Self {
        Self { is_codex: true, ..Self::claude(session, turn) }
    }

    /// How a person tells it from others: `claude 5b0e3c9a`.
    pub(super) fn label(&self) -> String {
        format!("{} {}", self.client(), self.short_session())
    }

    /// How a refusal names it.
    pub(super) fn as_holder(&self) -> String {
        format!("{} (session {})", self.client(), self.short_session())
    }

    fn client(&self) -> &'static str {
        if self.is_codex { "codex" } else { "claude" }
    }

    fn short_session(&self) -> &str {
        self.session.get(..SESSION_CHARS_SHOWN).unwrap_or(&self.session)
    }

    /// The payload that the client sends for an event. `tool` is empty, or begins with a comma.
    pub(super) fn payload(&self, event: &str, cwd: &str, tool: &str) -> String {
        let Self { session, turn, .. } = self;
        let turn = if self.is_codex {
            format!(r#""turn_id":"{turn}","model":"m""#)
        } else {
            format!(r#""prompt_id":"{turn}""#)
        };
        format!(
            r#"{{"session_id":"{session}",{turn},"cwd":"{cwd}","hook_event_name":"{event}"{tool}}}"#
        )
    }

    /// The payload before a write of a file, with the tool that the client uses for it.
    pub(super) fn write_payload(&self, cwd: &str, file: &str) -> String {
        let tool = if self.is_codex {
            let patch = format!(
                "*** Begin Patch\\n*** Update File: {file}\\n@@\\n-a\\n+b\\n*** End Patch\\n"
            );
            format!(r#","tool_name":"apply_patch","tool_input":{{"command":"{patch}"}}"#)
        } else {
            let input = format!(r#"{{"file_path":"{cwd}/{file}","content":"x"}}"#);
            format!(r#","tool_name":"Write","tool_input":{input}"#)
        };
        self.payload("PreToolUse", cwd, &tool)
    }

    /// What the hook answered, read as the client reads it. Anything but silence with 0 and a
    /// refusal in the client's own form is an error.
    pub(super) fn read(&self, output: &Output) -> io::Result<Answer> {
        let refused = match output.status.code() {
            Some(0) if output.stdout.is_empty() && output.stderr.is_empty() => {
                return Ok(Answer::Allowed);
            }
            Some(0) if self.is_codex => reason(&output.stdout),
            Some(2) if !self.is_codex => String::from_utf8(output.stderr.clone()).ok(),
            _ => None,
        };
        refused.map(Answer::Refused).ok_or_else(|| unexpected(output))
    }
}

/// The reason of a refusal in Codex's form.
fn reason(stdout: &[u8]) -> Option<String> {
    let told: serde_json::Value = serde_json::from_slice(stdout).ok()?;
    let output = &told["hookSpecificOutput"];
    let denied = output["permissionDecision"] == "deny";
    output["permissionDecisionReason"].as_str().filter(|_| denied).map(str::to_owned)
}

/// What the hook said to a write.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Answer {
    /// Nothing, which means yes.
    Allowed,
    /// No, in these words.
    Refused(String),
}

impl Answer {
    /// Whether it is a refusal that names this holder.
    pub(super) fn refused_by(&self, holder: &str) -> bool {
        match self {
            Self::Allowed => false,
            Self::Refused(words) => words.contains(&format!(" is leased by {holder} since ")),
        }
    }
}

/// The error for a process that ended in a way that no step expects.
pub(super) fn unexpected(output: &Output) -> io::Error {
    let words = [&output.stdout[..], &output.stderr].concat();
    let words = String::from_utf8_lossy(&words);
    io::Error::other(format!("the program ended with {}: {}", output.status, words.trim_end()))
}

#[cfg(all(test, unix))]
mod tests {
    use std::os::unix::process::ExitStatusExt as _;
    use std::process::ExitStatus;

    use super::*;

    const DENIAL: &str = r#"{"hookSpecificOutput":{"permissionDecision":"deny",
        "permissionDecisionReason":"no"}}"#;

    fn read(agent: &Agent, code: i32, stdout: &str, stderr: &str) -> Option<Answer> {
        let status = ExitStatus::from_raw(code << 8);
        agent.read(&Output { status, stdout: stdout.into(), stderr: stderr.into() }).ok()
    }

    /// Goal: a refusal counts only in the form that the client obeys.
    #[test]
    fn answers_are_read_as_the_client_reads_them() {
        let (claude, codex) = (Agent::claude("s", "t"), Agent::codex("s", "t"));
        let refused = Some(Answer::Refused("no".to_owned()));
        assert_eq!(read(&claude, 2, "", "no"), refused);
        assert_eq!(read(&codex, 0, DENIAL, ""), refused);
        for agent in [&claude, &codex] {
            assert_eq!(read(agent, 0, "", ""), Some(Answer::Allowed));
            assert_eq!(read(agent, 1, "", ""), None);
            assert_eq!(read(agent, 0, "", "no"), None);
        }
        assert_eq!(read(&claude, 0, DENIAL, ""), None);
        assert_eq!(read(&codex, 2, "", "no"), None);
        assert_eq!(read(&codex, 0, &DENIAL.replace("deny", "ask"), ""), None);
    }

    /// Goal: a refusal that names somebody else is not the expected one.
    #[test]
    fn a_refusal_names_the_holder() {
        let words = "leasehold: /a is leased by codex (session 01a22e52) since 9, until 10";
        let answer = Answer::Refused(words.to_owned());
        assert!(answer.refused_by(&Agent::codex("01a22e52-demo", "t").as_holder()));
        assert!(!answer.refused_by(&Agent::claude("01a22e52-demo", "t").as_holder()));
        assert!(!answer.refused_by(&Agent::codex("01a22e5", "t").as_holder()));
        assert!(!Answer::Allowed.refused_by("codex"));
    }
}
