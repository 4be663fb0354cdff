//! Words and quotes.

use super::Reader;
use super::commands::{is_name, is_name_byte};
use super::tree::{Part, Word};

/// So long may the subscript of an array's element be.
const SUBSCRIPT_MAX: usize = 200;

/// Whether a byte ends a word.
pub(super) fn ends_word(byte: u8) -> bool {
    matches!(byte, b' ' | b'\t' | b'\n' | b';' | b'&' | b'|' | b'(' | b')' | b'<' | b'>')
}

/// Whether a byte means something inside of a word.
fn is_special(byte: u8) -> bool {
    ends_word(byte) || matches!(byte, b'\\' | b'\'' | b'"' | b'$' | b'`')
}

/// Joins a text to the last piece, if that is of the same kind.
pub(super) fn add_text(parts: &mut Vec<Part>, more: &str, is_quoted: bool) {
    match parts.last_mut() {
        Some(Part::Text { text, quoted }) if *quoted == is_quoted => text.push_str(more),
        _ => parts.push(Part::Text { text: more.to_owned(), quoted: is_quoted }),
    }
}

impl Reader<'_> {
    /// A word, if one begins here.
    pub(super) fn word(&mut self) -> Option<Word> {
        let mut parts = Vec::new();
        let start = self.cursor.at();
        self.subscript(&mut parts);
        self.parts(&mut parts);
        (self.cursor.at() > start).then_some(Word { parts })
    }

    /// `name[…]=`: what stands in the brackets is arithmetic, whatever it holds.
    fn subscript(&mut self, parts: &mut Vec<Part>) {
        let rest = self.cursor.rest();
        let name = rest.bytes().take_while(|byte| is_name_byte(*byte)).count();
        if !rest[name..].starts_with('[') || !is_name(&rest[..name]) {
            return;
        }
        let inside = rest[name..].bytes().take(SUBSCRIPT_MAX).position(|byte| byte == b']');
        let Some(end) = inside.map(|inside| name + inside + 1) else { return };
        let assigns = rest[end..].starts_with('=') || rest[end..].starts_with("+=");
        if assigns && !rest[..end].contains('\n') {
            add_text(parts, &rest[..end], false);
            self.cursor.skip(end);
        }
    }

    /// The pieces of a word up to where it ends.
    fn parts(&mut self, parts: &mut Vec<Part>) {
        loop {
            let plain = self.cursor.until(is_special);
            if !plain.is_empty() {
                add_text(parts, plain, false);
            }
            if self.cursor.is_end() {
                return;
            }
            match self.cursor.peek(0) {
                b'(' if Self::is_array(parts) => self.array(parts),
                b'(' if is_extended_pattern(parts) => self.extended_pattern(parts),
                b'<' | b'>' if self.cursor.peek(1) == b'(' => self.process(parts),
                byte if ends_word(byte) => return,
                _ => self.special(parts),
            }
        }
    }

    /// A backslash, a quote, or what `$` or a backtick begins, outside of double quotes.
    pub(super) fn special(&mut self, parts: &mut Vec<Part>) {
        match self.cursor.peek(0) {
            b'\\' => {
                self.cursor.skip(1);
                match self.cursor.next() {
                    Some('\n') => {}
                    Some(next) => add_text(parts, next.encode_utf8(&mut [0; 4]), true),
                    None => add_text(parts, "\\", true),
                }
            }
            b'\'' => self.single_quotes(parts),
            b'"' => {
                self.cursor.skip(1);
                add_text(parts, "", true);
                self.quoted_parts(parts, Some(b'"'));
            }
            b'$' => self.dollar(parts, false),
            b'`' => self.backticks(parts, false),
            _ => {
                if let Some(next) = self.cursor.next() {
                    add_text(parts, next.encode_utf8(&mut [0; 4]), false);
                }
            }
        }
    }

    fn single_quotes(&mut self, parts: &mut Vec<Part>) {
        self.cursor.skip(1);
        let text = self.cursor.until(|byte| byte == b'\'');
        add_text(parts, text, true);
        if self.cursor.is_end() {
            self.unclosed();
        }
        self.cursor.skip(1);
    }

    /// What stands in double quotes up to the closing one, or, in a here-document, to the end of
    /// the text.
    pub(super) fn quoted_parts(&mut self, parts: &mut Vec<Part>, close: Option<u8>) {
        loop {
            let stops = |byte| matches!(byte, b'\\' | b'$' | b'`') || Some(byte) == close;
            let plain = self.cursor.until(stops);
            if !plain.is_empty() {
                add_text(parts, plain, true);
            }
            if self.cursor.is_end() {
                if close.is_some() {
                    self.unclosed();
                }
                return;
            }
            match self.cursor.peek(0) {
                b'\\' => {
                    self.cursor.skip(1);
                    let next = self.cursor.next();
                    let escapes = |next| {
                        matches!(next, '$' | '`' | '\\')
                            || close.is_some_and(|close| next == char::from(close))
                    };
                    match next {
                        Some('\n') => {}
                        Some(next) if escapes(next) => {
                            add_text(parts, next.encode_utf8(&mut [0; 4]), true);
                        }
                        Some(next) => {
                            add_text(parts, "\\", true);
                            add_text(parts, next.encode_utf8(&mut [0; 4]), true);
                        }
                        None => add_text(parts, "\\", true),
                    }
                }
                b'$' => self.dollar(parts, true),
                b'`' => self.backticks(parts, true),
                _ => {
                    self.cursor.skip(1);
                    return;
                }
            }
        }
    }

    /// Whether an array begins behind what was read of a word: `name=(`.
    fn is_array(parts: &[Part]) -> bool {
        let [Part::Text { text, quoted: false }] = parts else {
            return false;
        };
        text.strip_suffix('=').is_some_and(|name| {
            let name = name.strip_suffix('+').unwrap_or(name);
            is_name(name)
        })
    }

    fn array(&mut self, parts: &mut Vec<Part>) {
        self.cursor.skip(1);
        let words = self.deeper(|reader| {
            let mut words = Vec::new();
            loop {
                reader.gap();
                if reader.cursor.is_end() {
                    reader.unclosed();
                    return words;
                }
                if reader.cursor.takes(")") {
                    return words;
                }
                match reader.word() {
                    Some(word) => words.push(word),
                    None => reader.cursor.skip(1),
                }
            }
        });
        parts.push(Part::Array(words));
    }

    /// `@(…)` and the like: a pattern, if bash is told to know them.
    fn extended_pattern(&mut self, parts: &mut Vec<Part>) {
        self.cursor.skip(1);
        add_text(parts, "(", false);
        self.deeper(|reader| {
            let mut open = 1;
            while open > 0 && !reader.cursor.is_end() {
                let plain = reader.cursor.until(is_special);
                add_text(parts, plain, false);
                match reader.cursor.peek(0) {
                    b'\n' => return,
                    b'(' => open += 1,
                    b')' => open -= 1,
                    _ if reader.cursor.is_end() => return,
                    _ => {}
                }
                reader.special(parts);
            }
        });
    }

    fn process(&mut self, parts: &mut Vec<Part>) {
        let output = self.cursor.peek(0) == b'>';
        self.cursor.skip(2);
        let script = self.closed_script();
        parts.push(Part::Process { script, output });
    }
}

/// Whether `(` goes on with a pattern behind what was read of a word.
fn is_extended_pattern(parts: &[Part]) -> bool {
    match parts {
        [.., Part::Text { text, quoted: false }] => text.ends_with(['?', '*', '+', '@', '!']),
        _ => false,
    }
}
