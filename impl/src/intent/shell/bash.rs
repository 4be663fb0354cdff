//! Reads a script as bash does, far enough to tell what it writes.
//!
//! It is written by hand, for what it has to bear: whatever an agent types, a megabyte of it too,
//! within the time that a hook has. Text in which bash would find an error is read as far as that
//! makes sense: bash runs what stands on the lines before.

mod commands;
mod compound;
mod cursor;
mod expansion;
mod heredoc;
mod redirection;
pub mod tree;
mod word;

pub(crate) use redirection::text_of;

use cursor::Cursor;
use heredoc::Pending;
use tree::Script;

/// So deep may a script nest. What is deeper is passed over.
const DEPTH_MAX: usize = 40;

/// A script as it was read.
#[derive(Debug, Default, PartialEq, Eq)]
pub struct Reading {
    /// The commands.
    pub script: Script,
    /// What was not read, and why.
    pub notes: Vec<&'static str>,
}

/// Reads a script.
pub fn read(text: &str) -> Reading {
    let mut reader = Reader::new(text, 0);
    let script = reader.whole();
    Reading { script, notes: reader.notes }
}

/// Reads one text.
struct Reader<'t> {
    cursor: Cursor<'t>,
    /// How deep it is.
    depth: usize,
    /// The here-documents whose texts begin behind this line.
    pending: Vec<Pending>,
    /// Whether something was not closed at the end of the text.
    unclosed: bool,
    notes: Vec<&'static str>,
}

impl<'t> Reader<'t> {
    fn new(text: &'t str, depth: usize) -> Self {
        let (pending, notes) = (Vec::new(), Vec::new());
        Self { cursor: Cursor::new(text), depth, pending, unclosed: false, notes }
    }

    fn note(&mut self, note: &'static str) {
        if !self.notes.contains(&note) {
            self.notes.push(note);
        }
    }

    /// Something is not closed: bash runs nothing of the line that it begins on.
    fn unclosed(&mut self) {
        self.unclosed = true;
        self.note("something is not closed at the end: bash does not run the line that it is on");
    }

    /// Reads one level deeper, or tells that this is too deep.
    fn deeper<T: Default>(&mut self, read: impl FnOnce(&mut Self) -> T) -> T {
        if self.depth >= DEPTH_MAX {
            self.note("it nests too deep: the rest is not judged");
            // Whoever reads on here would go through the same text at every level.
            self.cursor.skip(usize::MAX);
            return T::default();
        }
        self.depth += 1;
        let inner = read(self);
        self.depth -= 1;
        inner
    }
}

#[cfg(test)]
mod tests;
