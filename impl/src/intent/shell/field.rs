//! A word as the program gets it, once the shell has expanded it.

/// One argument.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Field {
    /// Its text. Where only the shell knows a part of it, [`Field::HOLE`] stands for that part.
    pub text: String,
    /// Whether all of the text is known.
    pub exact: bool,
}

impl Field {
    /// Stands for what only the shell knows.
    pub const HOLE: char = '\u{FFFC}';

    /// An argument that is known.
    pub fn known(text: impl Into<String>) -> Self {
        Self { text: text.into(), exact: true }
    }

    /// An argument of which nothing is known.
    pub fn unknown() -> Self {
        Self { text: Self::HOLE.to_string(), exact: false }
    }

    /// The text, if all of it is known.
    pub fn exactly(&self) -> Option<&str> {
        self.exact.then_some(self.text.as_str())
    }

    /// The argument from a byte of its text on.
    #[must_use]
    pub fn from(&self, start: usize) -> Self {
        let text = self.text[start..].to_owned();
        let exact = self.exact || !text.contains(Self::HOLE);
        Self { text, exact }
    }
}
