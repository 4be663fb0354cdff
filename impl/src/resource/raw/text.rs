//! Paths go through text here, and what is no Unicode is lost.

use std::borrow::Cow;
use std::path::{Path, PathBuf};

use super::super::{error::Kind, windows};

/// The absolute path of `path`, its components not yet resolved.
pub(in crate::resource) fn place(path: &Path, cwd: Option<&Path>) -> Result<Vec<u8>, Kind> {
    let text = path.to_string_lossy();
    if text.is_empty() {
        return Err(Kind::Empty);
    }
    if text.contains('\0') {
        return Err(Kind::Nul);
    }
    let cwd_text = cwd.map(Path::to_string_lossy);
    match windows::normalize(&text, cwd_text.as_deref()) {
        Ok(text) => Ok(format!("/{text}").into_bytes()),
        Err(why) if why.is_relative() => match cwd {
            None => Err(Kind::NoCwd),
            Some(cwd) if !cwd.is_absolute() => Err(Kind::RelativeCwd(cwd.to_path_buf())),
            Some(_) => Err(Kind::Unusable(why)),
        },
        Err(why) => Err(Kind::Unusable(why)),
    }
}

/// The bytes to walk along: absolute if the path is.
pub(in crate::resource) fn bytes_of(path: &Path) -> Cow<'_, [u8]> {
    Cow::Owned(match place(path, None) {
        Ok(bytes) => bytes,
        Err(_) => path.to_string_lossy().replace('\\', "/").into_bytes(),
    })
}

/// The path to ask the file system about; without a drive it is a share.
pub(in crate::resource) fn path_of(bytes: &[u8]) -> Cow<'_, Path> {
    let text = String::from_utf8_lossy(bytes);
    let below = text.trim_start_matches('/');
    Cow::Owned(PathBuf::from(match below.as_bytes() {
        [_, b':'] => format!("{below}/"),
        [_, b':', ..] => below.to_string(),
        _ => format!("//{below}"),
    }))
}

/// Whether the bytes of a finished walk are those of a whole file system: a drive or a share.
pub(in crate::resource) fn is_root(walked: &[u8]) -> bool {
    let mut names = walked.split(|&byte| byte == b'/').skip(1);
    match (names.next(), names.next(), names.next()) {
        (None, ..) | (Some(_), None, _) => true,
        (Some(first), Some(_), None) => !first.ends_with(b":"),
        _ => false,
    }
}

/// The bytes of a path of any form, that [`path_of_own_bytes`] takes back.
pub(in crate::resource) fn own_bytes_of(path: &Path) -> Cow<'_, [u8]> {
    Cow::Owned(path.to_string_lossy().into_owned().into_bytes())
}

/// The path that has these bytes.
pub(in crate::resource) fn path_of_own_bytes(bytes: &[u8]) -> PathBuf {
    PathBuf::from(String::from_utf8_lossy(bytes).into_owned())
}
