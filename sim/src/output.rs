//! What is printed on standard output.
//!
//! The standard library's macros panic where nobody reads any more (`| head`) or the disk is full.
//! These, which stand in their place in this whole crate, go on: what a check says by its exit code
//! counts even if its text is lost. Only a reader that has gone is no fault.

use std::fmt::Arguments;
use std::io::{self, ErrorKind, Write as _};
use std::sync::{Mutex, PoisonError};

/// The first text that was lost, and why.
static LOST: Mutex<Option<io::Error>> = Mutex::new(None);

macro_rules! print {
    ($($words:tt)*) => { $crate::output::text(format_args!($($words)*)) };
}

macro_rules! println {
    () => { $crate::output::line(format_args!("")) };
    ($($words:tt)*) => { $crate::output::line(format_args!($($words)*)) };
}

/// Prints a text.
pub(crate) fn text(text: Arguments<'_>) {
    let mut out = io::stdout().lock();
    keep(out.write_fmt(text));
}

/// Prints a line.
pub fn line(text: Arguments<'_>) {
    let mut out = io::stdout().lock();
    keep(writeln!(out, "{text}"));
}

fn keep(written: io::Result<()>) {
    if let Err(error) = written
        && error.kind() != ErrorKind::BrokenPipe
    {
        LOST.lock().unwrap_or_else(PoisonError::into_inner).get_or_insert(error);
    }
}

/// Writes what is not yet written.
///
/// # Errors
/// Why some of the output was lost, unless nobody wanted to read it.
pub fn end() -> io::Result<()> {
    keep(io::stdout().lock().flush());
    LOST.lock().unwrap_or_else(PoisonError::into_inner).take().map_or(Ok(()), Err)
}
