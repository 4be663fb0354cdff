//! What the hook leaves for its client.

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
