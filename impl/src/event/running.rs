//! Background work, as Claude Code and Qwen Code list it at the end of a turn.

use crate::payload::{Json, Payload};

/// The most ids of one kind that are read.
const IDS_MAX: usize = 256;

/// What a task's state is called when it has ended.
const ENDED: &[&str] =
    &["completed", "failed", "killed", "cancelled", "canceled", "stopped", "error", "done"];

/// The longest id that is read, in bytes.
const ID_BYTES_MAX: usize = 1024;

/// The background work of a session that still runs.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Running {
    /// The ids of sub-agents.
    pub subagents: Vec<String>,
    /// The ids of shell calls' tasks.
    pub shells: Vec<String>,
}

impl Running {
    /// What a payload lists; none where it has no list, which is not the same as an empty one.
    pub(super) fn of(payload: &Payload) -> Option<Self> {
        let tasks = payload.get("background_tasks").and_then(Json::as_list)?;
        Some(Self { subagents: ids(tasks, "subagent")?, shells: ids(tasks, "shell")? })
    }
}

/// The ids of the running tasks of one type; none where there are too many to tell which are not
/// among them. Whose state is not known to be an end runs.
fn ids(tasks: &[Json], kind: &str) -> Option<Vec<String>> {
    let text = |task: &Json, field| task.get(field).and_then(Json::as_text).map(str::to_owned);
    let running = tasks.iter().filter(|task| {
        let status = task.get("status").and_then(Json::as_text);
        !status.is_some_and(|status| ENDED.contains(&status))
    });
    let ids: Vec<String> = running
        .filter(|task| task.get("type").and_then(Json::as_text) == Some(kind))
        .filter_map(|task| text(task, "id"))
        .filter(|id| !id.is_empty() && id.len() <= ID_BYTES_MAX)
        .take(IDS_MAX + 1)
        .collect();
    (ids.len() <= IDS_MAX).then_some(ids)
}

/// The id of the task that a shell call has become.
pub(super) fn task(payload: &Payload) -> Option<String> {
    let id = payload.get("tool_response")?.get("backgroundTaskId")?.as_text()?;
    (!id.is_empty()).then(|| id.to_owned())
}
