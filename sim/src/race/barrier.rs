//! Processes that start together: every hook blocks on its payload, and all get theirs at once.

use std::io::{self, Write as _};
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::thread;
use std::time::Duration;

use rand_chacha::ChaCha8Rng;
use rand_chacha::rand_core::Rng as _;

/// Longer than any round: a race is not about deadlines.
const DEADLINE_MS: &str = "60000";
/// Time for the processes to reach their first read.
const START_UP: Duration = Duration::from_millis(4);

/// How a racer ended.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Answer {
    /// It may write.
    Granted,
    /// It may not, in these words.
    Refused(String),
    /// It was killed before it could answer.
    Killed,
    /// Anything else, which no racer may do.
    Failed(String),
}

/// Runs one hook process for each payload, all together, and kills some of them if told to.
pub(super) fn run(
    binary: &Path,
    ring: &Path,
    payloads: &[String],
    kill: Option<&mut ChaCha8Rng>,
) -> io::Result<Vec<Answer>> {
    let mut racers =
        payloads.iter().map(|_| start(binary, ring)).collect::<io::Result<Vec<_>>>()?;
    thread::sleep(START_UP);
    for (racer, payload) in racers.iter_mut().zip(payloads) {
        let mut stdin = racer.stdin.take().ok_or(io::ErrorKind::BrokenPipe)?;
        // Whoever is gone already does not read it; its answer will tell.
        let _ = stdin.write_all(payload.as_bytes());
    }
    if let Some(random) = kill {
        for racer in &mut racers {
            if random.next_u32().is_multiple_of(3) {
                thread::sleep(Duration::from_micros(u64::from(random.next_u32() % 1500)));
                racer.kill()?;
            }
        }
    }
    racers.into_iter().map(answer).collect()
}

fn start(binary: &Path, ring: &Path) -> io::Result<Child> {
    Command::new(binary)
        .args(["hook", "PreToolUse"])
        .env_clear()
        .env("HOME", ring.join("home"))
        .env("LEASEHOLD_DB", ring.join("leases.db"))
        .env("LEASEHOLD_COUNTER", ring.join("usage.jsonl"))
        .env("LEASEHOLD_DEADLINE_MS", DEADLINE_MS)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
}

fn answer(racer: Child) -> io::Result<Answer> {
    let output = racer.wait_with_output()?;
    let stdout = String::from_utf8_lossy(&output.stdout).into_owned();
    let stderr = String::from_utf8_lossy(&output.stderr).into_owned();
    Ok(match output.status.code() {
        Some(0) if stdout.is_empty() && stderr.is_empty() => Answer::Granted,
        // Codex is refused on standard output.
        Some(0) if is_refusal(&stdout) => Answer::Refused(stdout),
        Some(2) if is_refusal(&stderr) => Answer::Refused(stderr),
        None => Answer::Killed,
        code => Answer::Failed(format!("exit {code:?}: {stdout}{stderr}")),
    })
}

/// A refusal that names a holder, and not one for want of judgement.
fn is_refusal(text: &str) -> bool {
    text.contains(" is leased by ")
}
