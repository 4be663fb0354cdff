//! The questions that reading a script asks the disk.

use std::path::Path;

/// What a path leads to, links followed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// Nothing.
    Absent,
    /// A directory.
    Directory,
    /// Anything else.
    File,
}

/// A name in a directory.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Entry {
    /// The name.
    pub name: String,
    /// What it is. A link to a directory is a [`Kind::File`] here: nobody descends into it.
    pub kind: Kind,
}

/// A disk, or one made up for a test.
pub trait Disk {
    /// What is there.
    fn kind(&self, path: &Path) -> Kind;
    /// The names in a directory, in no order; none where there is none. Names that are no Unicode
    /// are left out.
    fn list(&self, path: &Path) -> Vec<Entry>;
    /// The text of a small file; none where it is no text, or longer than so many bytes.
    fn read(&self, path: &Path, at_most: usize) -> Option<String>;
}
