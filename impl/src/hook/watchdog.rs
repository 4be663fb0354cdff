//! R15: the hook's own deadline. A client that waits too long for its hook lets the write go ahead,
//! so a hook that hangs must refuse before that.

use std::process;
use std::sync::atomic::{AtomicI32, Ordering};
use std::thread;
use std::time::Duration;

use crate::client::Reply;

/// Nobody has answered yet.
const OPEN: i32 = -1;
/// Somebody is writing the answer.
const WRITING: i32 = -2;
/// Time for an answer that is being written when the deadline passes.
const WRITING_TIME: Duration = Duration::from_millis(100);

/// The exit code of the answer that was given, or [`OPEN`], or [`WRITING`]. There is one answer in
/// a process, and whoever sets this first gives it.
static ANSWERED: AtomicI32 = AtomicI32::new(OPEN);

/// Gives this reply, unless somebody else has answered, and returns the exit code that stands.
pub(super) fn answer(reply: &Reply) -> i32 {
    if ANSWERED.compare_exchange(OPEN, WRITING, Ordering::SeqCst, Ordering::SeqCst).is_ok() {
        ANSWERED.store(i32::from(reply.write()), Ordering::SeqCst);
    }
    match ANSWERED.load(Ordering::SeqCst) {
        // Half an answer is none: what blocks is said again, to where it can be said.
        WRITING => i32::from(reply.write()),
        code => code,
    }
}

/// Ends the process with this reply once the deadline has passed, whatever else it is doing. What
/// it held open is left as by a crash, which the store outlives.
pub(super) fn start(deadline: Duration, late: Reply) {
    // Without the thread the hook still works: only a hang would not be cut short.
    let _ =
        thread::Builder::new().name("watchdog".to_owned()).stack_size(64 * 1024).spawn(move || {
            thread::sleep(deadline);
            if ANSWERED.load(Ordering::SeqCst) == WRITING {
                thread::sleep(WRITING_TIME);
            }
            // If the answer is out and only the log hangs, the answer stands.
            process::exit(answer(&late));
        });
}
