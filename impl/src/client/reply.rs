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
    /// Writes both texts. A client that has closed its end hears nothing, and obeys the exit code.
    pub(crate) fn write(&self) {
        let _ = io::stderr().write_all(self.stderr.as_bytes());
        let mut out = io::stdout();
        let _ = out.write_all(self.stdout.as_bytes()).and_then(|()| out.flush());
    }
}
