//! `leasehold demo`.

use crate::cli::Exit;
use std::io;
pub(crate) fn run() -> io::Result<Exit> {
    Ok(Exit::Done)
}
