//! From a path in a payload to what is leased.

use std::path::{Path, PathBuf};

use super::error::{Kind, ResolveError};
use super::fs::{Disk, FileId, FileKind, FileSystem};
use super::walk::{Arrival, Walk, walk};
use super::{Key, Resource, path_of_spelling, raw};

/// Finds the resources of paths: which file system to ask, and which home nobody may lease.
#[derive(Clone, Debug)]
pub struct Resolver<F = Disk> {
    fs: F,
    home: Option<PathBuf>,
}

impl Resolver {
    /// The file system of this machine and the home directory of this user.
    pub fn from_env() -> Self {
        Self::new(Disk, std::env::home_dir())
    }
}

impl<F: FileSystem> Resolver<F> {
    /// A resolver over `fs`. A `home` that is not absolute counts as none.
    pub fn new(fs: F, home: Option<PathBuf>) -> Self {
        Self { fs, home: home.filter(|home| home.is_absolute()) }
    }

    /// The resources that a write to `path` concerns.
    ///
    /// One: the canonical path of the file that the kernel would open. Two if `path` ends with a
    /// symlink: first the link, then what it leads to, there or not. (On a volume of which nothing
    /// tells whether it folds case, a name with capitals counts twice, as written and folded.)
    /// `cwd` is needed by a relative path and ignored by an absolute one.
    ///
    /// # Errors
    /// If the path is empty, has a NUL byte, is relative without an absolute `cwd`, passes more
    /// than 40 symlinks, cannot be followed, or leads to a filesystem root or the home directory.
    pub fn resolve(&self, path: &Path, cwd: Option<&Path>) -> Result<Vec<Resource>, ResolveError> {
        let fail = |kind| ResolveError::new(path, kind);
        let arrival = self.arrive(path, cwd).map_err(fail)?;
        self.permit(&arrival.target).map_err(fail)?;
        let mut resources = arrival.link;
        resources.append(&mut arrival.target.resources());
        Ok(resources)
    }

    /// The resources of all `paths`, each once, in the order of their keys.
    ///
    /// # Errors
    /// As [`Self::resolve`], for the first path that has none.
    pub fn resolve_all<P: AsRef<Path>>(
        &self,
        paths: impl IntoIterator<Item = P>,
        cwd: Option<&Path>,
    ) -> Result<Vec<Resource>, ResolveError> {
        let mut all = Vec::new();
        for path in paths {
            all.append(&mut self.resolve(path.as_ref(), cwd)?);
        }
        all.sort_by(|one, other| one.key.cmp(&other.key));
        all.dedup_by(|one, other| one.key == other.key);
        Ok(all)
    }

    /// The key, path and device of a row that an engine without keys wrote.
    ///
    /// Never fails: a path that cannot be resolved is placed below `cwd`, or the root, as text.
    /// Roots and homes have keys here, since such a row can exist. Of a symlink it is the target:
    /// whoever writes through the link asks for that too.
    pub fn key_of_spelling(
        &self,
        spelling: &str,
        cwd: Option<&Path>,
    ) -> (Key, PathBuf, Option<u64>) {
        let path = path_of_spelling(spelling);
        let resolved = self.arrive(&path, cwd).ok();
        if let Some(resource) = resolved.and_then(|arrival| arrival.target.resources().pop()) {
            return (resource.key, resource.path, resource.dev);
        }
        let key = lexical_key(&path, cwd);
        let path = raw::path_of(key.as_bytes()).into_owned();
        (key, path, None)
    }

    /// The identity of the regular file at `path`, symlinks not followed; `None` if there is none.
    pub fn file_id(&self, path: &Path) -> Option<FileId> {
        self.fs.lstat(path).ok()?.regular_id()
    }

    fn arrive(&self, path: &Path, cwd: Option<&Path>) -> Result<Arrival<'_, F>, Kind> {
        walk(&self.fs, raw::place(path, cwd)?)
    }

    /// Refuses a root and the home directory.
    fn permit(&self, target: &Walk<'_, F>) -> Result<(), Kind> {
        if raw::is_root(target.path()) {
            return Err(Kind::Root);
        }
        let Some(home) = &self.home else { return Ok(()) };
        let missing_home = target.stat().is_none() && *home == raw::path_of(target.path());
        let directory = target.stat().is_some_and(|stat| stat.kind == FileKind::Directory);
        // Nearly every target is a file, and then the home directory need not be looked at.
        if missing_home || (directory && self.is_home(home, target)) {
            return Err(Kind::Home);
        }
        Ok(())
    }

    fn is_home(&self, home: &Path, target: &Walk<'_, F>) -> bool {
        let Ok(arrival) = self.arrive(home, None) else { return false };
        let home = arrival.target;
        let same_file = home.stat().and_then(|stat| stat.id).is_some()
            && home.stat().and_then(|stat| stat.id) == target.stat().and_then(|stat| stat.id);
        same_file || home.path() == target.path()
    }
}

/// The components of a path that no walk can follow, `.` and `..` taken as text.
fn lexical_key(path: &Path, cwd: Option<&Path>) -> Key {
    let bytes = raw::bytes_of(path);
    let cwd = cwd.filter(|_| !bytes.starts_with(b"/")).map(raw::bytes_of);
    let mut names: Vec<&[u8]> = Vec::new();
    let cwd_names = cwd.iter().flat_map(|cwd| cwd.split(|&byte| byte == b'/'));
    for name in cwd_names.chain(bytes.split(|&byte| byte == b'/')) {
        match name {
            b"" | b"." => {}
            b".." => names.truncate(names.len().saturating_sub(2)),
            _ => names.extend([b"/".as_slice(), name]),
        }
    }
    Key::from_walk(names.concat())
}

/// [`Resolver::resolve`] on this machine.
///
/// # Errors
/// As there.
pub fn resolve(path: &Path, cwd: Option<&Path>) -> Result<Vec<Resource>, ResolveError> {
    Resolver::from_env().resolve(path, cwd)
}

/// [`Resolver::resolve_all`] on this machine.
///
/// # Errors
/// As there.
pub fn resolve_all<P: AsRef<Path>>(
    paths: impl IntoIterator<Item = P>,
    cwd: Option<&Path>,
) -> Result<Vec<Resource>, ResolveError> {
    Resolver::from_env().resolve_all(paths, cwd)
}

/// [`Resolver::key_of_spelling`] on this machine.
pub fn key_of_spelling(spelling: &str, cwd: Option<&Path>) -> (Key, PathBuf, Option<u64>) {
    Resolver::from_env().key_of_spelling(spelling, cwd)
}

/// [`file_id`] of a file that has more than one name.
pub fn linked_file_id(path: &Path) -> Option<FileId> {
    Disk.lstat(path).ok().filter(|stat| stat.links > 1)?.regular_id()
}

/// The identity of the regular file at `path`, symlinks not followed; `None` if there is none.
pub fn file_id(path: &Path) -> Option<FileId> {
    Disk.lstat(path).ok()?.regular_id()
}
