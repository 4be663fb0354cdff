//! Why a call that writes cannot be judged.

use std::fmt;

/// The most letters of a payload's text that a message repeats (R17).
const EXCERPT_CHARS_MAX: usize = 120;

/// A call writes, but what it writes cannot be read from it: the hook refuses it (R15).
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum IntentError {
    /// A writing tool without a readable path: its name, the field, what stood there.
    NoPath {
        /// The tool's name.
        tool: String,
        /// The field that should hold the path.
        field: &'static str,
        /// What the field holds instead.
        found: &'static str,
    },
    /// A relative path, and no directory to start from.
    NoDirectory(String),
    /// A relative path after a `cd` whose target only the shell knows.
    UnknownDirectory(String),
    /// A path below `~`, and no home directory known.
    NoHome(String),
    /// A path that no file can have: it holds a NUL.
    BadPath(String),
    /// A path list, or the path in it, that was not read.
    UnreadField(&'static str),
    /// A patch tool without a patch text.
    NoPatchText,
    /// A patch text without its first line.
    NoPatchBegin,
    /// A patch that names no file.
    NoPatchFile,
    /// A patch header without a file name, at this line of the text, counted from 1.
    EmptyPatchName(usize),
}

impl fmt::Display for IntentError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("cannot be judged: ")?;
        match self {
            Self::NoPath { tool, field, found } => write!(
                f,
                "{} names no file, as its {field} is {found}: give {field} as a text",
                Excerpt(tool)
            ),
            Self::NoDirectory(path) => write!(
                f,
                "the call names a relative path and the payload has no cwd: give {} as an \
                 absolute path",
                Excerpt(path)
            ),
            Self::UnknownDirectory(path) => write!(
                f,
                "the call names {} after a cd to a directory that only the shell can know: use a \
                 literal directory in the cd, or an absolute path",
                Excerpt(path)
            ),
            Self::NoHome(path) => write!(
                f,
                "the home directory is not known: give {} as an absolute path",
                Excerpt(path)
            ),
            Self::BadPath(path) => {
                write!(f, "{} cannot be a path: use a path that a file can have", Excerpt(path))
            }
            Self::UnreadField(field) => {
                write!(f, "{field} is nested too deep or is no text: give plain paths")
            }
            Self::NoPatchText => {
                f.write_str("the call holds no patch text: give it in the field command")
            }
            Self::NoPatchBegin => {
                f.write_str("the patch has no line \"*** Begin Patch\": start it with that line")
            }
            Self::NoPatchFile => f.write_str(
                "the patch names no file: add a header such as \"*** Update File: name\"",
            ),
            Self::EmptyPatchName(line) => write!(
                f,
                "line {line} of the patch has a header without a file name: name the file there"
            ),
        }
    }
}

impl std::error::Error for IntentError {}

/// A payload's text, cut and escaped so that it stays one line of data in a message.
struct Excerpt<'a>(&'a str);

impl fmt::Display for Excerpt<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for letter in self.0.chars().take(EXCERPT_CHARS_MAX) {
            if letter.is_control() || matches!(letter, '\u{2028}' | '\u{2029}') {
                write!(f, "{}", letter.escape_default())?;
            } else {
                write!(f, "{letter}")?;
            }
        }
        if self.0.chars().nth(EXCERPT_CHARS_MAX).is_some() { f.write_str("…") } else { Ok(()) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Goal: a path in a message is one short line, whatever it holds (R17).
    #[test]
    fn excerpts_are_one_short_line() {
        let message = IntentError::BadPath(format!("a\n\u{2028}\0{}", "x".repeat(500))).to_string();
        assert!(message.contains(r"a\n\u{2028}\u{0}xxx"), "{message}");
        assert!(message.contains("x… cannot") && message.chars().count() < 250);
        let short = IntentError::NoDirectory("a b".into()).to_string();
        assert!(short.starts_with("cannot be judged: the call names a relative path"));
        assert!(short.contains("give a b as"));
    }
}
