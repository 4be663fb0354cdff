//! What a hook knows of its caller, and the command line does not.

use crate::process::Sighting;

/// The circumstances of an event.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Context {
    /// R8: the client has no turn ids: an empty epoch means the session's current turn.
    pub minted: bool,
    /// R8: the client marks its sub-agents, so a main thread's write from an epoch that nobody has
    /// seen may begin it.
    pub begins: bool,
    /// R13: the process that was found as the agent.
    pub sighting: Option<Sighting>,
}

/// R10: the shell call that asks.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ShellCall {
    /// The client's id of it.
    pub id: String,
    /// It is started to outlive its turn.
    pub background: bool,
}

/// R10: how a shell call stands after the event that follows it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum CallState {
    /// It has ended.
    Ended,
    /// It goes on, as the task of this id where the client tells one.
    GoesOn(Option<String>),
}

/// How an owner ends.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum End {
    /// A Stop, or a sub-agent's: with the list of what still runs, where the client gives one.
    Stop(Option<Running>),
    /// The user interrupted it.
    Interrupt,
}

/// R9, R10: the background tasks that a Stop names as running.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Running {
    /// The ids of sub-agents.
    pub subagents: Vec<String>,
    /// The ids of the tasks that shell calls have become.
    pub shells: Vec<String>,
}
