//! Whole processes, timed in turn: A B A B, so that a machine that slows down slows both.

use std::error::Error;
use std::io::Write as _;
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use super::Times;

/// Calls before the first that is counted.
const WARM_UP: usize = 20;

/// The times of both programs.
pub(super) struct Pair {
    pub(super) hook: Times,
    pub(super) empty: Times,
}

impl Pair {
    /// Times the hook with a write of a new file at each call, and the empty program with the same
    /// input.
    pub(super) fn time(
        binaries: &Path,
        folder: &Path,
        database: &Path,
        calls: usize,
    ) -> Result<Self, Box<dyn Error>> {
        let mut hook_times = Vec::new();
        let mut empty_times = Vec::new();
        for number in 0..calls + WARM_UP {
            let payload = payload(folder, number);
            let mut hook = Command::new(binaries.join("leasehold"));
            hook.args(["hook", "PreToolUse"])
                .env("LEASEHOLD_DB", database)
                .env("LEASEHOLD_COUNTER", folder.join("usage.jsonl"));
            let hook_time = time(&mut hook, &payload)?;
            let empty_time = time(&mut Command::new(binaries.join("empty")), &payload)?;
            if number >= WARM_UP {
                hook_times.push(hook_time);
                empty_times.push(empty_time);
            }
        }
        Ok(Self { hook: Times::of(hook_times), empty: Times::of(empty_times) })
    }
}

fn payload(folder: &Path, number: usize) -> String {
    let folder = folder.display();
    format!(
        r#"{{"session_id":"bench-session","cwd":"{folder}","prompt_id":"p1",
            "hook_event_name":"PreToolUse","tool_name":"Write",
            "tool_input":{{"file_path":"{folder}/new-{number}.rs","content":"x"}},
            "tool_use_id":"toolu_1"}}"#
    )
}

fn time(command: &mut Command, payload: &str) -> Result<Duration, Box<dyn Error>> {
    command.stdin(Stdio::piped()).stdout(Stdio::null()).stderr(Stdio::null());
    let started = Instant::now();
    let mut child = command.spawn()?;
    let mut stdin = child.stdin.take().ok_or("no standard input")?;
    // The empty program may be gone before it is written to.
    let _ = stdin.write_all(payload.as_bytes());
    drop(stdin);
    let status = child.wait()?;
    let took = started.elapsed();
    if status.success() { Ok(took) } else { Err(format!("a call ended with {status}").into()) }
}
