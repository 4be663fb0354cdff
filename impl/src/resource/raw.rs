//! Paths as bytes and back, and where a relative one starts.
//!
//! Inside this module's parent an absolute path is bytes that begin with `/`. On Unix those are
//! the path's own bytes. Elsewhere they are its text in the form of [`super::windows`], behind one
//! more slash for a drive: `/C:/repo`. Text is enough there until the port keeps file identities.

use std::borrow::Cow;
use std::path::{Path, PathBuf};

use super::error::Kind;

/// The absolute path of `path`, its components not yet resolved.
#[cfg(unix)]
pub(super) fn place(path: &Path, cwd: Option<&Path>) -> Result<Vec<u8>, Kind> {
    let bytes = bytes_of(path);
    if bytes.is_empty() {
        return Err(Kind::Empty);
    }
    if bytes.contains(&0) {
        return Err(Kind::Nul);
    }
    if path.is_absolute() {
        return Ok(bytes.into_owned());
    }
    let cwd = cwd.ok_or(Kind::NoCwd)?;
    if !cwd.is_absolute() {
        return Err(Kind::RelativeCwd(cwd.to_path_buf()));
    }
    let cwd = bytes_of(cwd);
    if cwd.contains(&0) {
        return Err(Kind::Nul);
    }
    Ok([&cwd, b"/".as_slice(), &bytes].concat())
}

/// The bytes of a path.
#[cfg(unix)]
pub(super) fn bytes_of(path: &Path) -> Cow<'_, [u8]> {
    use std::os::unix::ffi::OsStrExt;
    Cow::Borrowed(path.as_os_str().as_bytes())
}

/// The bytes that [`super::spelling`] encodes, and that [`plain_path_of`] takes back.
#[cfg(unix)]
pub(super) fn plain_bytes_of(path: &Path) -> Cow<'_, [u8]> {
    bytes_of(path)
}

/// The path of bytes of any form.
#[cfg(unix)]
pub(super) fn plain_path_of(bytes: Vec<u8>) -> PathBuf {
    use std::os::unix::ffi::OsStringExt;
    PathBuf::from(std::ffi::OsString::from_vec(bytes))
}

/// The path of such bytes; no bytes are the root.
#[cfg(unix)]
pub(super) fn path_of(bytes: &[u8]) -> Cow<'_, Path> {
    use std::os::unix::ffi::OsStrExt;
    let bytes = if bytes.is_empty() { b"/" } else { bytes };
    Cow::Borrowed(Path::new(std::ffi::OsStr::from_bytes(bytes)))
}

/// Whether the components, in the form of a walk, name a whole filesystem.
#[cfg(unix)]
pub(super) fn is_root(path: &[u8]) -> bool {
    path.is_empty()
}

#[cfg(not(unix))]
pub(super) fn place(path: &Path, cwd: Option<&Path>) -> Result<Vec<u8>, Kind> {
    let text = path.to_string_lossy();
    if text.is_empty() {
        return Err(Kind::Empty);
    }
    if text.contains('\0') {
        return Err(Kind::Nul);
    }
    let cwd = cwd.map(|cwd| cwd.to_string_lossy());
    match super::windows::normalize(&text, cwd.as_deref()) {
        Ok(text) => Ok(format!("/{text}").into_bytes()),
        Err(why) if why.is_relative() && cwd.is_none() => Err(Kind::NoCwd),
        Err(why) => Err(Kind::Unusable(why)),
    }
}

#[cfg(not(unix))]
pub(super) fn bytes_of(path: &Path) -> Cow<'_, [u8]> {
    match place(path, None) {
        Ok(bytes) => Cow::Owned(bytes),
        Err(_) => Cow::Owned(path.to_string_lossy().replace('\\', "/").into_bytes()),
    }
}

#[cfg(not(unix))]
pub(super) fn path_of(bytes: &[u8]) -> Cow<'_, Path> {
    let text = String::from_utf8_lossy(bytes);
    let below = text.strip_prefix('/').unwrap_or(&text);
    let path = match below.as_bytes() {
        [_, b':'] => format!("{below}/"),
        [_, b':', ..] => below.to_string(),
        _ => format!("//{below}"),
    };
    Cow::Owned(path.into())
}

#[cfg(not(unix))]
pub(super) fn is_root(path: &[u8]) -> bool {
    let mut components = path.split(|&byte| byte == b'/').skip(1);
    match (components.next(), components.next(), components.next()) {
        (None, ..) | (Some(_), None, _) => true,
        (Some(drive), Some(_), None) => !drive.ends_with(b":"),
        _ => false,
    }
}

#[cfg(not(unix))]
pub(super) fn plain_bytes_of(path: &Path) -> Cow<'_, [u8]> {
    Cow::Owned(path.to_string_lossy().into_owned().into_bytes())
}

#[cfg(not(unix))]
pub(super) fn plain_path_of(bytes: Vec<u8>) -> PathBuf {
    PathBuf::from(String::from_utf8_lossy(&bytes).into_owned())
}
