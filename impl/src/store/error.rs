//! What can be wrong with a store, by class, with the remedy.

use std::fmt;
use std::fs::File;
use std::io;
use std::path::{Path, PathBuf};

use rusqlite::ErrorCode;

use super::schema::VERSION;
use crate::text;

/// The database cannot be used. The text names the file, what is wrong with it and what to do.
#[derive(Debug)]
pub struct StoreError {
    class: Class,
    path: PathBuf,
    detail: String,
}

/// What is wrong.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Class {
    Busy,
    Unwritable,
    Unopenable,
    Damaged,
    Full,
    Newer,
    Foreign,
    Io,
    Other,
}

impl StoreError {
    pub(super) fn of_sqlite(error: &rusqlite::Error, path: &Path) -> Self {
        let class = match error.sqlite_error_code() {
            Some(
                ErrorCode::DatabaseBusy
                | ErrorCode::DatabaseLocked
                // Another process stands still in the midst of recovering the log.
                | ErrorCode::FileLockingProtocolFailed,
            ) => Class::Busy,
            Some(ErrorCode::ReadOnly | ErrorCode::PermissionDenied) => Class::Unwritable,
            Some(ErrorCode::CannotOpen) => Class::Unopenable,
            Some(ErrorCode::NotADatabase | ErrorCode::DatabaseCorrupt) => Class::Damaged,
            Some(ErrorCode::DiskFull) => Class::Full,
            Some(ErrorCode::SystemIoFailure) => Class::Io,
            _ => Class::Other,
        };
        Self { class, path: path.to_owned(), detail: error.to_string() }
    }

    pub(super) fn newer(path: &Path, version: i64) -> Self {
        let detail = format!("its form is {version}, this program knows {VERSION}");
        Self { class: Class::Newer, path: path.to_owned(), detail }
    }

    pub(super) fn foreign(path: &Path) -> Self {
        let detail = "it has tables, but not those of leases".to_owned();
        Self { class: Class::Foreign, path: path.to_owned(), detail }
    }

    pub(super) fn damaged(path: &Path, verdict: &str) -> Self {
        Self { class: Class::Damaged, path: path.to_owned(), detail: verdict.to_owned() }
    }

    pub(super) fn directory(path: &Path, error: &io::Error) -> Self {
        Self { class: Class::Unopenable, path: path.to_owned(), detail: error.to_string() }
    }

    /// Another process held the database for longer than the caller would wait.
    pub fn is_busy(&self) -> bool {
        self.class == Class::Busy
    }

    /// The file is no database, or a broken one.
    pub fn is_damaged(&self) -> bool {
        self.class == Class::Damaged
    }

    /// The file is worth a second look once nobody is replacing it: it is damaged, or who has it
    /// open finds it changed, or empty, while another process begins a new one in it.
    pub(super) fn may_be_replaced(&self) -> bool {
        matches!(self.class, Class::Damaged | Class::Io | Class::Other)
    }

    /// This user may not write the file, or one beside it.
    pub fn is_unwritable(&self) -> bool {
        self.class == Class::Unwritable
    }

    /// A newer version of this program has changed the database's form.
    pub fn is_newer(&self) -> bool {
        self.class == Class::Newer
    }

    /// The disk is full.
    pub fn is_full(&self) -> bool {
        self.class == Class::Full
    }

    /// The class in one word, for logs.
    pub fn class(&self) -> &'static str {
        match self.class {
            Class::Busy => "busy",
            Class::Unwritable => "unwritable",
            Class::Unopenable => "unopenable",
            Class::Damaged => "damaged",
            Class::Full => "full",
            Class::Newer => "newer",
            Class::Foreign => "foreign",
            Class::Io => "io",
            Class::Other => "other",
        }
    }

    /// What a person does about it.
    fn remedy(&self) -> String {
        match self.class {
            Class::Busy => "another process is writing: try again".to_owned(),
            Class::Unwritable | Class::Unopenable => self.permission_remedy(),
            Class::Damaged => "move it away, and a new one is made".to_owned(),
            Class::Full => "free space on its disk, or set LEASEHOLD_DB to another".to_owned(),
            Class::Newer => "use the newer leasehold, or set LEASEHOLD_DB to another".to_owned(),
            Class::Foreign => "set LEASEHOLD_DB to a file of its own".to_owned(),
            Class::Io => "look at its disk, or set LEASEHOLD_DB to another".to_owned(),
            Class::Other => "report this with the text above".to_owned(),
        }
    }

    /// Names the file that this user may not write, and whose it is: after a run as another user
    /// that is often not the database but a file beside it.
    fn permission_remedy(&self) -> String {
        for suffix in ["", "-wal", "-shm"] {
            let mut name = self.path.clone().into_os_string();
            name.push(suffix);
            let denied = File::options().append(true).open(&name).is_err_and(|error| {
                matches!(
                    error.kind(),
                    io::ErrorKind::PermissionDenied | io::ErrorKind::ReadOnlyFilesystem
                )
            });
            if denied {
                let name = PathBuf::from(name);
                let shown = text::printable(&name.to_string_lossy(), PATH_CHARS_MAX);
                let owner = owner_of(&name);
                return format!("make {shown}{owner} writable for this user, or set LEASEHOLD_DB");
            }
        }
        "make it a writable file in a writable directory, or set LEASEHOLD_DB".to_owned()
    }
}

/// A path in a message is cut to this many characters.
const PATH_CHARS_MAX: usize = 300;

#[cfg(unix)]
fn owner_of(path: &Path) -> String {
    use std::os::unix::fs::MetadataExt;
    path.metadata().map_or_else(|_| String::new(), |file| format!(" (owned by uid {})", file.uid()))
}

#[cfg(not(unix))]
fn owner_of(_path: &Path) -> String {
    String::new()
}

impl fmt::Display for StoreError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let what = match self.class {
            Class::Busy => "is in use",
            Class::Unwritable => "cannot be written",
            Class::Unopenable => "cannot be opened",
            Class::Damaged => "is damaged or no database",
            Class::Full => "cannot grow: the disk is full",
            Class::Newer => "is of a newer version",
            Class::Foreign => "belongs to another program",
            Class::Io => "cannot be read or written",
            Class::Other => "gave an unexpected answer",
        };
        let path = text::printable(&self.path.to_string_lossy(), PATH_CHARS_MAX);
        let detail = text::printable(&self.detail, PATH_CHARS_MAX);
        write!(f, "the lease database {path} {what} ({detail}): {}", self.remedy())
    }
}

impl std::error::Error for StoreError {}
