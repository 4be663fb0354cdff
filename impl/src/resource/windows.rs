//! The spellings of one file on Windows, as pure functions of text.
//!
//! They ask no file system, so they are tested on every platform. What only the volume knows, the
//! long form of an 8.3 name, is asked of the caller ([`expand_short_names`]).

use std::{error, fmt};

use crate::text::printable;

/// The longest path that an error prints, in characters.
const PATH_CHARS_MAX: usize = 200;

/// A path that names no file of a drive or a share. Its text says why, and what to do.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct WindowsPathError {
    path: String,
    kind: Kind,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Kind {
    Empty,
    Nul,
    Relative,
    OtherDrive,
    Device,
    NoShare,
    Dots,
}

impl WindowsPathError {
    /// The path needs a working directory (on its own drive) that is not known.
    pub fn is_relative(&self) -> bool {
        matches!(self.kind, Kind::Relative | Kind::OtherDrive)
    }
}

impl fmt::Display for WindowsPathError {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let path = printable(&self.path, PATH_CHARS_MAX);
        let why = match self.kind {
            Kind::Empty => return formatter.write_str("the path is empty; name a file"),
            Kind::Nul => "has a NUL byte, which no file name can have",
            Kind::Relative => {
                "is relative and its working directory is not known; give an absolute path"
            }
            Kind::OtherDrive => {
                "is relative to the current directory of another drive; give an absolute path"
            }
            Kind::Device => "names a device or a volume; write it with its drive letter",
            Kind::NoShare => "names a server without a share; give `\\\\server\\share\\…`",
            Kind::Dots => "has a component of dots and blanks alone; name the directory itself",
        };
        write!(formatter, "the path `{path}` {why}")
    }
}

impl error::Error for WindowsPathError {}

/// The one spelling of an absolute path: `C:/repo/a.txt`, `//server/share/a.txt`, a root `C:/`.
///
/// Takes back slashes and forward slashes, `\\?\` and `\\.\` forms, `/c/…` as Git Bash writes it,
/// paths relative to `cwd` (`a`, `\a`, `C:a`), `.` and `..`; drops what Windows drops when it opens
/// a file: dots and blanks at the end of a name, and the stream (`a.txt:note`, `a.txt::$DATA`),
/// whose file is the one that is written. The letter case stays, except that of the drive. A `cwd`
/// is ignored by an absolute path.
///
/// # Errors
/// If the path is empty, has a NUL, is relative without an absolute `cwd` (on its drive), or names
/// a device, a server without a share, or a component like `...`.
pub fn normalize(path: &str, cwd: Option<&str>) -> Result<String, WindowsPathError> {
    place(path, cwd).map_err(|kind| WindowsPathError { path: path.to_string(), kind })
}

/// What two spellings of [`normalize`] share if and only if they differ in letter case alone.
pub fn fold_case(normalized: &str) -> String {
    // Lower, upper, lower: letters with two lower forms meet in the upper one.
    let folded = normalized.chars().flat_map(char::to_lowercase).flat_map(char::to_uppercase);
    folded.flat_map(char::to_lowercase).collect()
}

/// A normalized path with its 8.3 names (`RUNNER~1`) replaced by the long ones.
///
/// `long_name` is given the path up to and with such a name, and knows the name in full if it
/// exists. So a new file in a directory with two names has one spelling.
pub fn expand_short_names(normalized: &str, long_name: impl Fn(&str) -> Option<String>) -> String {
    let mut expanded = String::with_capacity(normalized.len());
    for (index, name) in normalized.split('/').enumerate() {
        if index > 0 {
            expanded.push('/');
        }
        let start = expanded.len();
        expanded.push_str(name);
        if !is_short_name(name) {
            continue;
        }
        if let Some(long) = long_name(&expanded) {
            expanded.truncate(start);
            expanded.push_str(&long);
        }
    }
    expanded
}

/// Whether a name has the form of an 8.3 alias: at most eight characters, `~` and a digit in them,
/// and at most three after one dot.
fn is_short_name(name: &str) -> bool {
    let (base, extension) = name.split_once('.').unwrap_or((name, ""));
    let counted = base.rsplit_once('~').is_some_and(|(_, number)| {
        !number.is_empty() && number.bytes().all(|byte| byte.is_ascii_digit())
    });
    counted && base.len() <= 8 && extension.len() <= 3 && !extension.contains('.')
}

fn place(path: &str, cwd: Option<&str>) -> Result<String, Kind> {
    if path.is_empty() {
        return Err(Kind::Empty);
    }
    if path.contains('\0') {
        return Err(Kind::Nul);
    }
    let slashed = path.replace('\\', "/");
    let below = strip_device(&slashed)?;
    if let Some(share) = below.strip_prefix("//") {
        return place_on_share(share);
    }
    if let Some((drive, rest)) = split_drive(&below) {
        let root = format!("{drive}:/");
        if rest.starts_with('/') {
            return append(root, rest);
        }
        return match cwd {
            None => Err(Kind::Relative),
            Some(cwd) => {
                let cwd = place(cwd, None)?;
                if cwd.starts_with(&root) { append(cwd, rest) } else { Err(Kind::OtherDrive) }
            }
        };
    }
    // Git Bash writes drives so, always with forward slashes: `\c\x` is a directory.
    if let Some((drive, rest)) = path.strip_prefix('/').and_then(split_bash_drive) {
        return append(format!("{drive}:/"), &rest.replace('\\', "/"));
    }
    let cwd = place(cwd.ok_or(Kind::Relative)?, None)?;
    if below.starts_with('/') {
        let root_length = root_length(&cwd);
        return append(cwd[..root_length].to_string(), &below);
    }
    append(cwd, &below)
}

/// The path without the prefix that sends it past the usual parsing: `//?/`, `//./`, `/??/`.
fn strip_device(slashed: &str) -> Result<String, Kind> {
    let prefixes = ["//?/", "//./", "/??/"];
    let Some(below) = prefixes.iter().find_map(|prefix| slashed.strip_prefix(prefix)) else {
        return Ok(slashed.to_string());
    };
    if let Some((kind, share)) = below.split_once('/')
        && kind.eq_ignore_ascii_case("UNC")
    {
        return Ok(format!("//{share}"));
    }
    match split_drive(below) {
        Some((_, rest)) if rest.starts_with('/') => Ok(below.to_string()),
        Some((_, "")) => Ok(format!("{below}/")),
        _ => Err(Kind::Device),
    }
}

fn place_on_share(path: &str) -> Result<String, Kind> {
    let mut names = path.trim_start_matches('/').splitn(3, '/');
    let server = names.next().filter(|name| !name.is_empty()).ok_or(Kind::NoShare)?;
    let share = names.next().filter(|name| !name.is_empty()).ok_or(Kind::NoShare)?;
    append(format!("//{server}/{share}"), names.next().unwrap_or(""))
}

/// The drive letter in upper case, and what follows `C:`.
fn split_drive(path: &str) -> Option<(char, &str)> {
    let (drive, rest) = path.split_once(':')?;
    Some((drive_letter(drive)?, rest))
}

/// The drive letter in upper case, and what follows `c` in `/c/…`.
fn split_bash_drive(path: &str) -> Option<(char, &str)> {
    let end = path.find(['/', '\\']).unwrap_or(path.len());
    Some((drive_letter(&path[..end])?, &path[end..]))
}

fn drive_letter(text: &str) -> Option<char> {
    let mut letters = text.chars();
    let letter = letters.next().filter(char::is_ascii_alphabetic)?;
    letters.next().is_none().then(|| letter.to_ascii_uppercase())
}

/// The length of `C:/` or `//server/share`, above which `..` does not go.
fn root_length(normalized: &str) -> usize {
    let Some(share) = normalized.strip_prefix("//") else { return "C:/".len() };
    let mut slashes = share.match_indices('/').map(|(at, _)| at + "//".len());
    slashes.next(); // between server and share
    slashes.next().unwrap_or(normalized.len())
}

/// Appends the components of `rest` to a normalized path.
fn append(mut path: String, rest: &str) -> Result<String, Kind> {
    let root_length = root_length(&path);
    for name in rest.split('/') {
        match name {
            "" | "." => {}
            ".." => {
                let end = path.rfind('/').unwrap_or(root_length);
                path.truncate(end.max(root_length));
            }
            _ => {
                let file = name.split(':').next().unwrap_or_default();
                let kept = file.trim_end_matches(['.', ' ']);
                if kept.is_empty() && !file.is_empty() {
                    return Err(Kind::Dots);
                }
                if !kept.is_empty() && !path.ends_with('/') {
                    path.push('/');
                }
                path.push_str(kept);
            }
        }
    }
    Ok(path)
}

#[cfg(test)]
mod tests;
