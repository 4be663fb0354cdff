//! Paths as bytes and back, and where a relative one starts.
//!
//! While it is resolved, an absolute path is bytes that begin with `/`. On Unix those are the
//! path's own bytes. Elsewhere they are its text in the form of [`super::windows`] behind one more
//! slash: `/C:/repo`. Text is enough there until the port keeps file identities.

#[cfg(not(unix))]
mod text;
#[cfg(unix)]
mod unix;

#[cfg(not(unix))]
pub(super) use text::{bytes_of, is_root, own_bytes_of, path_of, path_of_own_bytes, place};
#[cfg(unix)]
pub(super) use unix::{bytes_of, is_root, own_bytes_of, path_of, path_of_own_bytes, place};
