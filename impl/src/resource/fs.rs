//! The three questions that resolving asks a file system, and the real one.

use std::ffi::OsString;
use std::io;
use std::path::{Path, PathBuf};

/// The identity of an existing file: two names with one identity are one file.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct FileId {
    /// The device.
    pub dev: u64,
    /// The inode on that device. It may return after the file is gone.
    pub ino: u64,
}

/// What kind of thing a directory entry is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FileKind {
    /// A directory.
    Directory,
    /// A regular file.
    Regular,
    /// A symbolic link.
    Symlink,
    /// A device, socket or pipe.
    Other,
}

/// What an entry is, without following it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Stat {
    /// Its kind.
    pub kind: FileKind,
    /// Its identity; `None` where the platform does not tell.
    pub id: Option<FileId>,
    /// How many names it has.
    pub links: u64,
}

impl Stat {
    /// The device, where the platform tells it.
    pub fn dev(&self) -> Option<u64> {
        self.id.map(|id| id.dev)
    }

    /// The identity of a regular file.
    pub(super) fn regular_id(&self) -> Option<FileId> {
        self.id.filter(|_| self.kind == FileKind::Regular)
    }
}

/// A file system that can be asked and is never changed. The paths it gets are absolute.
pub trait FileSystem {
    /// The entry at `path`, symlinks not followed.
    ///
    /// # Errors
    /// As `lstat`: kinds `NotFound`, `NotADirectory` and `PermissionDenied` have a meaning here.
    fn lstat(&self, path: &Path) -> io::Result<Stat>;

    /// What the symlink at `path` says.
    ///
    /// # Errors
    /// As `readlink`.
    fn readlink(&self, path: &Path) -> io::Result<PathBuf>;

    /// The first entries of a directory, at most `entries_max`, in no order.
    ///
    /// # Errors
    /// As `opendir`.
    fn read_dir(&self, path: &Path, entries_max: usize) -> io::Result<Vec<OsString>>;
}

impl<F: FileSystem> FileSystem for &F {
    fn lstat(&self, path: &Path) -> io::Result<Stat> {
        (**self).lstat(path)
    }

    fn readlink(&self, path: &Path) -> io::Result<PathBuf> {
        (**self).readlink(path)
    }

    fn read_dir(&self, path: &Path, entries_max: usize) -> io::Result<Vec<OsString>> {
        (**self).read_dir(path, entries_max)
    }
}

/// The file system of this machine.
#[derive(Clone, Copy, Debug, Default)]
pub struct Disk;

impl FileSystem for Disk {
    fn lstat(&self, path: &Path) -> io::Result<Stat> {
        std::fs::symlink_metadata(path).map(|metadata| stat_of(&metadata))
    }

    fn readlink(&self, path: &Path) -> io::Result<PathBuf> {
        std::fs::read_link(path)
    }

    fn read_dir(&self, path: &Path, entries_max: usize) -> io::Result<Vec<OsString>> {
        let entries = std::fs::read_dir(path)?.take(entries_max);
        Ok(entries.filter_map(|entry| entry.ok().map(|entry| entry.file_name())).collect())
    }
}

fn stat_of(metadata: &std::fs::Metadata) -> Stat {
    let kind = match metadata.file_type() {
        kind if kind.is_dir() => FileKind::Directory,
        kind if kind.is_symlink() => FileKind::Symlink,
        kind if kind.is_file() => FileKind::Regular,
        _ => FileKind::Other,
    };
    #[cfg(unix)]
    {
        use std::os::unix::fs::MetadataExt;
        let id = FileId { dev: metadata.dev(), ino: metadata.ino() };
        Stat { kind, id: Some(id), links: metadata.nlink() }
    }
    #[cfg(not(unix))]
    Stat { kind, id: None, links: 1 }
}
