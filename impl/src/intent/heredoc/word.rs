//! One word of a shell script, with its quotes taken off.

use super::lexer::Token;

/// A word.
#[derive(Debug, Default, PartialEq)]
pub(super) struct Word {
    /// The text without quotes; expansions stand in it as they were written, in part.
    pub(super) text: String,
    /// Whether the text is what the shell will use: no expansion, no pattern.
    pub(super) plain: bool,
    /// Whether the shell will expand the `~` that the text starts with.
    pub(super) tilde: bool,
    /// Whether some of the text was quoted.
    pub(super) quoted: bool,
    /// The scripts of the substitutions in the word.
    pub(super) scripts: Vec<Vec<Token>>,
}

impl Word {
    /// A word that is taken as it is.
    pub(super) fn literal(text: &str) -> Self {
        Self { text: text.to_owned(), plain: true, quoted: true, ..Self::default() }
    }

    /// Whether this is a variable's assignment.
    pub(super) fn is_assignment(&self) -> bool {
        self.text.split_once('=').is_some_and(|(name, _)| {
            let name = name.strip_suffix('+').unwrap_or(name);
            name.starts_with(|letter: char| letter.is_ascii_alphabetic() || letter == '_')
                && name.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'_')
        })
    }
}
