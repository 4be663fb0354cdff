//! Commands that this program runs and must not leave behind.
//!
//! Each has a process group of its own: cargo starts compilers and tests, and whoever ends a
//! command must end those too. A terminal sends its Ctrl-C to the group of this program only, so it
//! is passed on from here.

use std::io::{self, Read as _, Seek as _};
use std::process::{self, Command, ExitStatus};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::thread;
use std::time::{Duration, Instant};

/// The command that is running. Whoever holds this knows that none begins or ends meanwhile.
static RUNNING: Mutex<Option<u32>> = Mutex::new(None);

/// The code of a program that was ended from outside.
const ENDED_FROM_OUTSIDE: i32 = 130;

/// What a command that ended by itself left.
pub(super) struct Told {
    pub(super) status: ExitStatus,
    /// All that it printed.
    pub(super) text: String,
}

fn running() -> MutexGuard<'static, Option<u32>> {
    RUNNING.lock().unwrap_or_else(PoisonError::into_inner)
}

/// From now on a signal that ends this program ends the command that it runs as well.
pub(super) fn end_with_this_program() -> Result<(), ctrlc::Error> {
    ctrlc::set_handler(|| {
        // Held to the end, so that no other command begins.
        let running = running();
        if let Some(group) = *running {
            end_group(group);
        }
        process::exit(ENDED_FROM_OUTSIDE);
    })
}

/// Runs a command, and ends it and what it started if it takes too long: then it has told nothing.
pub(super) fn run_for(mut command: Command, patience: Duration) -> io::Result<Option<Told>> {
    let mut printed = tempfile::tempfile()?;
    #[cfg(unix)]
    std::os::unix::process::CommandExt::process_group(&mut command, 0);
    command.stdout(printed.try_clone()?).stderr(printed.try_clone()?);
    let mut child = {
        let mut running = running();
        let child = command.spawn()?;
        *running = Some(child.id());
        child
    };
    let started = Instant::now();
    let status = loop {
        {
            let mut running = running();
            let late = started.elapsed() >= patience;
            if late {
                end_group(child.id());
                child.kill()?;
            }
            let ended = if late { Some(child.wait()?) } else { child.try_wait()? };
            if let Some(status) = ended {
                *running = None;
                break (!late).then_some(status);
            }
        }
        thread::sleep(Duration::from_millis(20));
    };
    let Some(status) = status else { return Ok(None) };
    printed.rewind()?;
    let mut text = Vec::new();
    printed.read_to_end(&mut text)?;
    Ok(Some(Told { status, text: String::from_utf8_lossy(&text).into_owned() }))
}

/// Ends a command with all that it started.
fn end_group(group: u32) {
    // Where there is no such program, there are no groups either.
    let _ = Command::new("kill").args(["-KILL", "--", &format!("-{group}")]).status();
}
