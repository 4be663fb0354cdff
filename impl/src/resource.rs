//! Which file a path means: the part `Paths` of the design.
//!
//! Two spellings of one file must be one [`Resource`], or two sessions write it at once; two files
//! must be two, or they block each other for nothing. So a path is walked as the kernel walks it
//! ([`Resolver`]), letter case and Unicode form are folded where the volume does it, and what comes
//! out is a [`Key`]: bytes that are equal, contain each other, or have nothing in common.
//!
//! Known limit: two directories that show one tree without a symlink (bind mounts, firmlinks of
//! macOS) have two keys. Files of more than one name are told by [`Resource::hard_linked`].

mod error;
mod fs;
mod key;
mod raw;
mod resolve;
mod spelling;
mod volume;
mod walk;
pub mod windows;

pub use error::ResolveError;
pub use fs::{Disk, FileId, FileKind, FileSystem, Stat};
pub use key::Key;
pub use resolve::{Resolver, file_id, key_of_spelling, linked_file_id, resolve, resolve_all};
pub use spelling::{path_of_spelling, spelling};

use std::path::PathBuf;

/// One file or directory that can be leased, whether it exists yet or not.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Resource {
    /// What leases are compared by.
    pub key: Key,
    /// The canonical path, in the letter case that was asked for.
    pub path: PathBuf,
    /// The device of the file or of its deepest existing ancestor; `None` where the platform does
    /// not tell.
    pub dev: Option<u64>,
    /// The identity of an existing regular file that has more than one name, else `None`.
    pub hard_linked: Option<FileId>,
}
