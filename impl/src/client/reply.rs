//! What the hook leaves for its client.

use std::io::{self, Write as _};

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
