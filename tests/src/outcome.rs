//! How a process ended, and the forms that an answer to a client may have.

use std::time::Duration;

use serde_json::Value;

/// The end of one process.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Outcome {
    /// The exit code; none where a signal ended it.
    pub code: Option<i32>,
    /// All of stdout.
    pub stdout: String,
    /// All of stderr.
    pub stderr: String,
    /// From the start of the process to its end.
    pub took: Duration,
}

impl Outcome {
    /// The exit code and both texts.
    pub fn parts(&self) -> (Option<i32>, &str, &str) {
        (self.code, &self.stdout, &self.stderr)
    }

    /// The call goes ahead, and nobody hears anything.
    #[track_caller]
    pub fn is_silent(&self) {
        assert_eq!(self.parts(), (Some(0), "", ""));
    }

    /// The event passes: people may get a line on stderr, the client gets nothing.
    #[track_caller]
    pub fn passes(&self) -> &str {
        assert_eq!((self.code, self.stdout.as_str()), (Some(0), ""), "{self:?}");
        if self.stderr.is_empty() { "" } else { one_line(&self.stderr) }
    }

    /// The call is denied in Claude Code's form. Returns the reason.
    #[track_caller]
    pub fn is_denied(&self) -> &str {
        assert_eq!((self.code, self.stdout.as_str()), (Some(2), ""), "{self:?}");
        one_line(&self.stderr)
    }

    /// The call is denied in Codex's form. Returns the reason.
    #[track_caller]
    pub fn is_denied_for_codex(&self) -> String {
        assert_eq!((self.code, self.stderr.as_str()), (Some(0), ""), "{self:?}");
        let reply: Value = serde_json::from_str(one_line(&self.stdout)).expect("one JSON object");
        let reason = reply["hookSpecificOutput"]["permissionDecisionReason"].as_str();
        let reason = reason.expect("a reason").to_owned();
        assert_eq!(self.stdout, codex_refusal(&reason));
        reason
    }

    /// Stdout as JSON.
    #[track_caller]
    pub fn json(&self) -> Value {
        serde_json::from_str(&self.stdout).unwrap_or_else(|error| panic!("{error}: {self:?}"))
    }

    /// The first line of stdout.
    pub fn first_line(&self) -> &str {
        self.stdout.lines().next().unwrap_or_default()
    }
}

/// The bytes with which Codex is refused.
pub fn codex_refusal(reason: &str) -> String {
    let reason = Value::from(reason);
    format!(
        "{{\"hookSpecificOutput\":{{\"hookEventName\":\"PreToolUse\",\
         \"permissionDecision\":\"deny\",\"permissionDecisionReason\":{reason}}}}}\n"
    )
}

/// How a client is refused: the exit code, and the bytes of stdout and of stderr.
pub fn refusal(client: &str, reason: &str) -> (Option<i32>, String, String) {
    let json = Value::from(reason);
    let stdout = match client {
        "codex" => codex_refusal(reason),
        "gemini" => format!("{{\"decision\":\"deny\",\"reason\":{json}}}\n"),
        "copilot" => {
            format!("{{\"permissionDecision\":\"deny\",\"permissionDecisionReason\":{json}}}\n")
        }
        _ => return (Some(2), String::new(), format!("{reason}\n")),
    };
    (Some(0), stdout, String::new())
}

/// The text without its line end, once it is sure that it is one visible line (R17).
#[track_caller]
fn one_line(text: &str) -> &str {
    let line = text.strip_suffix('\n').unwrap_or_else(|| panic!("no whole line: {text:?}"));
    assert!(!line.trim().is_empty(), "the client needs a reason: {text:?}");
    assert!(!line.chars().any(char::is_control), "no raw control characters: {text:?}");
    line
}
