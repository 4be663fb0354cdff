//! Paths are bytes here already.

use std::borrow::Cow;
use std::ffi::OsStr;
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};

use super::super::error::Kind;

/// The absolute path of `path`, its components not yet resolved.
pub(in crate::resource) fn place(path: &Path, cwd: Option<&Path>) -> Result<Vec<u8>, Kind> {
    let bytes = path.as_os_str().as_bytes();
    if bytes.is_empty() {
        return Err(Kind::Empty);
    }
    if bytes.contains(&0) {
        return Err(Kind::Nul);
    }
    if path.is_absolute() {
        return Ok(bytes.to_vec());
    }
    let cwd = cwd.ok_or(Kind::NoCwd)?;
    if !cwd.is_absolute() {
        return Err(Kind::RelativeCwd(cwd.to_path_buf()));
    }
    let cwd = cwd.as_os_str().as_bytes();
    if cwd.contains(&0) {
        return Err(Kind::Nul);
    }
    Ok([cwd, b"/", bytes].concat())
}

/// The bytes to walk along: absolute if the path is.
pub(in crate::resource) fn bytes_of(path: &Path) -> Cow<'_, [u8]> {
    Cow::Borrowed(path.as_os_str().as_bytes())
}

/// The path to ask the file system about; no bytes are the root.
pub(in crate::resource) fn path_of(bytes: &[u8]) -> Cow<'_, Path> {
    let bytes = if bytes.is_empty() { b"/" } else { bytes };
    Cow::Borrowed(Path::new(OsStr::from_bytes(bytes)))
}

/// Whether the bytes of a finished walk are those of a whole file system.
pub(in crate::resource) fn is_root(walked: &[u8]) -> bool {
    walked.is_empty()
}

/// The bytes of a path of any form, that [`path_of_own_bytes`] takes back.
pub(in crate::resource) fn own_bytes_of(path: &Path) -> Cow<'_, [u8]> {
    bytes_of(path)
}

/// The path that has these bytes.
pub(in crate::resource) fn path_of_own_bytes(bytes: &[u8]) -> PathBuf {
    PathBuf::from(OsStr::from_bytes(bytes))
}
