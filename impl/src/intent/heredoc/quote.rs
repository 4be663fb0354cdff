//! Words and their quotes.

use super::lexer::Lexer;
use super::word::Word;

/// What ends a word outside quotes.
const WORD_ENDS: &[char] = &[' ', '\t', '\r', '\n', ';', '&', '|', '(', ')', '<', '>'];

/// What stands for other text outside quotes.
const PATTERNS: &[char] = &['*', '?', '[', '{'];

impl Lexer<'_> {
    /// Reads one word, which may be empty.
    pub(super) fn word(&mut self) -> Word {
        let mut word = Word { plain: true, tilde: self.rest.starts_with('~'), ..Word::default() };
        if self.rest.starts_with("<(") || self.rest.starts_with(">(") {
            self.skip(1);
            self.substitute(1, &mut word);
        }
        while let Some(letter) = self.rest.chars().next() {
            match letter {
                _ if WORD_ENDS.contains(&letter) => break,
                '\\' => self.escape(&mut word),
                '\'' => {
                    self.skip(1);
                    self.single_quotes(&mut word);
                }
                '"' => {
                    self.skip(1);
                    self.double_quotes(&mut word);
                }
                '$' | '`' => self.expansion(&mut word),
                _ => {
                    word.plain &= !PATTERNS.contains(&letter);
                    word.text.push(letter);
                    self.skip(letter.len_utf8());
                }
            }
        }
        // Another user's home.
        word.plain &= !word.tilde || word.text == "~" || word.text.starts_with("~/");
        word
    }

    /// A backslash outside quotes.
    fn escape(&mut self, word: &mut Word) {
        self.skip(1);
        let Some(letter) = self.rest.chars().next() else { return };
        self.skip(letter.len_utf8());
        if letter != '\n' {
            word.quoted = true;
            word.text.push(letter);
        }
    }

    fn single_quotes(&mut self, word: &mut Word) {
        let end = self.rest.find('\'');
        word.quoted = true;
        word.text.push_str(&self.rest[..end.unwrap_or(self.rest.len())]);
        self.skip(end.map_or(self.rest.len(), |end| end + 1));
    }

    fn double_quotes(&mut self, word: &mut Word) {
        word.quoted = true;
        while let Some(letter) = self.rest.chars().next() {
            match letter {
                '"' => return self.skip(1),
                '\\' => {
                    self.skip(1);
                    let next = self.rest.chars().next();
                    if next != Some('\n') && !next.is_some_and(|next| "$`\"\\".contains(next)) {
                        word.text.push('\\');
                        continue;
                    }
                    self.skip(1);
                    word.text.extend(next.filter(|next| *next != '\n'));
                }
                '$' | '`' => self.expansion(word),
                _ => {
                    word.text.push(letter);
                    self.skip(letter.len_utf8());
                }
            }
        }
    }

    /// What starts with a dollar sign or a backtick, inside double quotes or outside.
    fn expansion(&mut self, word: &mut Word) {
        word.plain = false;
        if self.rest.starts_with("$((") {
            self.skip(1);
            self.skip_arithmetic();
        } else if self.rest.starts_with("$(") {
            self.substitute(2, word);
        } else if self.rest.starts_with("${") {
            self.skip(self.rest.find('}').map_or(self.rest.len(), |end| end + 1));
        } else if self.rest.starts_with('`') {
            self.skip(1);
            self.skip(self.rest.find('`').map_or(self.rest.len(), |end| end + 1));
        } else {
            self.skip(1);
            word.text.push('$');
        }
    }

    /// A substitution, whose opening is so many bytes long.
    fn substitute(&mut self, opening: usize, word: &mut Word) {
        word.plain = false;
        self.skip(opening);
        word.scripts.extend(self.substitution());
    }
}
