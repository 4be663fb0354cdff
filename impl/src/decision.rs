//! What is to happen to a tool call.

/// Whether a call may go ahead.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Decision {
    /// It may. Clients take silence for that.
    Allow,
    /// It may, and a person should know something.
    AllowWith {
        /// What to know, one sentence.
        warning: String,
    },
    /// It may not.
    Deny {
        /// Why, and what to do, for the model that reads it. Never empty.
        reason: String,
    },
}
