//! Here-documents.

use std::cell::OnceCell;
use std::rc::Rc;

use super::Reader;
use super::tree::{Part, Word};

/// One whose text has not come yet.
pub(super) struct Pending {
    /// The line that ends it.
    pub(super) delimiter: String,
    /// Whether leading tabs are taken off.
    pub(super) tabs: bool,
    /// Whether the shell expands nothing in it.
    pub(super) quoted: bool,
    /// Where the text goes.
    pub(super) text: Rc<OnceCell<Word>>,
}

impl Reader<'_> {
    /// Goes behind the end of a line, and behind the texts that begin there.
    pub(super) fn line_end(&mut self) {
        self.cursor.skip(1);
        for pending in std::mem::take(&mut self.pending) {
            let mut text = String::new();
            // A text that nothing ends goes on to the end: bash only warns.
            while let Some(line) = self.cursor.line() {
                let line = if pending.tabs { line.trim_start_matches('\t') } else { line };
                if line == pending.delimiter {
                    break;
                }
                text.push_str(line);
                text.push('\n');
            }
            let word = if pending.quoted {
                Word { parts: vec![Part::Text { text, quoted: true }] }
            } else {
                self.expanded(&text)
            };
            let _ = pending.text.set(word);
        }
    }

    /// A text in which the shell expands what it does in double quotes.
    fn expanded(&mut self, text: &str) -> Word {
        let mut inner = Reader::new(text, self.depth);
        let word = inner.deeper(|inner| {
            let mut parts = Vec::new();
            inner.quoted_parts(&mut parts, None);
            Word { parts }
        });
        for note in inner.notes {
            self.note(note);
        }
        word
    }
}
