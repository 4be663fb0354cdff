//! R15: the hook's own deadline. A client that waits too long for its hook lets the write go ahead,
//! so a hook that hangs must refuse before that.

use std::process;
use std::sync::atomic::{AtomicI32, Ordering};
use std::thread;
use std::time::Duration;

use crate::client::Reply;

/// Nobody has answered yet.
const OPEN: i32 = -1;

/// The exit code of the answer that was given, or [`OPEN`]. There is one answer in a process, and
/// whoever sets this first gives it.
static ANSWERED: AtomicI32 = AtomicI32::new(OPEN);

/// Takes the right to answer, with this exit code. False when somebody else has it.
pub(super) fn claim(exit: u8) -> bool {
    let answer = i32::from(exit);
    ANSWERED.compare_exchange(OPEN, answer, Ordering::SeqCst, Ordering::SeqCst).is_ok()
}

/// Ends the process with this reply once the deadline has passed, whatever else it is doing. What
/// it held open is left as by a crash, which the store outlives.
pub(super) fn start(deadline: Duration, late: Reply) {
    // Without the thread the hook still works: only a hang would not be cut short.
    let _ =
        thread::Builder::new().name("watchdog".to_owned()).stack_size(64 * 1024).spawn(move || {
            thread::sleep(deadline);
            if claim(late.exit) {
                process::exit(i32::from(late.write()));
            }
            // If the answer is out and only the log hangs, the answer stands.
            process::exit(ANSWERED.load(Ordering::SeqCst));
        });
}
