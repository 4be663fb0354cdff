//! What the hook leaves for its client.

use std::io::{self, Write as _};

use serde::Serialize;

/// The end of a hook process: an exit code and what it printed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Reply {
    /// The exit code: 0 or 2. Clients run the call after any other one (R15).
    pub exit: u8,
    /// Text for stdout, complete.
    pub stdout: String,
    /// Text for stderr, complete.
    pub stderr: String,
}

impl Reply {
    /// Exit code 0 with a refusal as one line of JSON. Texts always serialise; should they not, the
    /// other form blocks as well.
    pub(super) fn json(refusal: &impl Serialize, reason: &str) -> Self {
        match serde_json::to_string(refusal) {
            Ok(json) => Self { exit: 0, stdout: json + "\n", stderr: String::new() },
            Err(_) => Self { exit: 2, stdout: String::new(), stderr: format!("{reason}\n") },
        }
    }

    /// Exit code 0 with a text for the model, in the form that Claude Code brought up. Codex takes
    /// no key more than these.
    pub(super) fn context(event: &str, text: &str) -> Self {
        let output = Output { context: Context { event, text } };
        let json =
            serde_json::to_string(&output).map_or_else(|_| String::new(), |json| json + "\n");
        Self { exit: 0, stdout: json, stderr: String::new() }
    }

    /// Writes both texts, and returns the exit code. A decision that standard output would not take
    /// is no decision to the client: then it goes to standard error, with the code that blocks.
    pub(crate) fn write(&self) -> u8 {
        let _ = io::stderr().write_all(self.stderr.as_bytes());
        let mut out = io::stdout();
        let told = out.write_all(self.stdout.as_bytes()).and_then(|()| out.flush());
        if told.is_err() && !self.stdout.is_empty() {
            let _ = io::stderr().write_all(self.stdout.as_bytes());
            return 2;
        }
        self.exit
    }
}

#[derive(Serialize)]
struct Output<'a> {
    #[serde(rename = "hookSpecificOutput")]
    context: Context<'a>,
}

#[derive(Serialize)]
struct Context<'a> {
    #[serde(rename = "hookEventName")]
    event: &'a str,
    #[serde(rename = "additionalContext")]
    text: &'a str,
}
