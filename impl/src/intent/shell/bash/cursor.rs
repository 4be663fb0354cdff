//! A place in a script's text.

/// Where the reader stands. It goes over bytes; all that it stops at is ASCII, so that every place
/// is one between two characters.
pub(super) struct Cursor<'t> {
    text: &'t str,
    at: usize,
}

impl<'t> Cursor<'t> {
    pub(super) fn new(text: &'t str) -> Self {
        Self { text, at: 0 }
    }

    pub(super) fn at(&self) -> usize {
        self.at
    }

    /// The byte that comes so many further; 0 at the end.
    pub(super) fn peek(&self, further: usize) -> u8 {
        self.text.as_bytes().get(self.at + further).copied().unwrap_or(0)
    }

    pub(super) fn is_end(&self) -> bool {
        self.at >= self.text.len()
    }

    pub(super) fn rest(&self) -> &'t str {
        &self.text[self.at..]
    }

    pub(super) fn starts_with(&self, text: &str) -> bool {
        self.text.as_bytes()[self.at..].starts_with(text.as_bytes())
    }

    /// Goes on by so many bytes, which must be whole characters.
    pub(super) fn skip(&mut self, bytes: usize) {
        self.at = self.at.saturating_add(bytes).min(self.text.len());
    }

    /// Goes on behind this text if it comes next.
    pub(super) fn takes(&mut self, text: &str) -> bool {
        let comes = self.starts_with(text);
        if comes {
            self.at += text.len();
        }
        comes
    }

    /// Goes on to the first byte for which this holds, and gives what was passed. It must hold for
    /// ASCII only.
    pub(super) fn until(&mut self, stops: impl Fn(u8) -> bool) -> &'t str {
        let rest = self.rest();
        let length = rest.bytes().position(stops).unwrap_or(rest.len());
        self.at += length;
        &rest[..length]
    }

    /// The next character, and goes on behind it.
    pub(super) fn next(&mut self) -> Option<char> {
        let next = self.rest().chars().next()?;
        self.at += next.len_utf8();
        Some(next)
    }

    /// Goes over blanks, and over line ends that a backslash hides.
    pub(super) fn blanks(&mut self) {
        loop {
            match self.peek(0) {
                b' ' | b'\t' => self.at += 1,
                b'\\' if self.peek(1) == b'\n' => self.at += 2,
                _ => return,
            }
        }
    }

    /// The next line without its end, and goes on behind that. None at the end of the text.
    pub(super) fn line(&mut self) -> Option<&'t str> {
        if self.is_end() {
            return None;
        }
        let line = self.until(|byte| byte == b'\n');
        self.skip(1);
        Some(line)
    }
}
