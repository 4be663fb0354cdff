//! An in-memory file system whose directories fold case and Unicode form, or do not.
#![allow(dead_code, reason = "every test crate uses a part of it")]

use std::cell::Cell;
use std::ffi::OsString;
use std::io;
use std::os::unix::ffi::{OsStrExt, OsStringExt};
use std::path::{Component, Path, PathBuf};

use leasehold::resource::{FileId, FileKind, FileSystem, Resolver, Stat};
use unicode_normalization::UnicodeNormalization;

/// How a volume compares names.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Names {
    /// By bytes, as ext4 does.
    Exact,
    /// Ignoring case and Unicode form, as APFS does.
    Folded,
}

/// A tree of entries. It answers as a kernel would, and panics where a walk should not ask.
#[derive(Debug)]
pub(crate) struct Memory {
    nodes: Vec<Node>,
    devices: u64,
    /// How many questions it was asked.
    pub(crate) calls: Cell<usize>,
}

#[derive(Debug)]
struct Node {
    kind: FileKind,
    dev: u64,
    names: Names,
    links: u64,
    locked: bool,
    target: PathBuf,
    entries: Vec<(Vec<u8>, usize)>,
}

impl Memory {
    pub(crate) fn new(names: Names) -> Self {
        let root = Node::new(FileKind::Directory, 1, names);
        Self { nodes: vec![root], devices: 1, calls: Cell::new(0) }
    }

    /// Makes a directory and those above it.
    pub(crate) fn dir(self, path: &str) -> Self {
        self.place(path, FileKind::Directory).0
    }

    /// Makes a directory on the device of its parent that compares names in its own way.
    pub(crate) fn dir_of(self, path: &str, names: Names) -> Self {
        let (mut memory, node) = self.place(path, FileKind::Directory);
        memory.nodes[node].names = names;
        memory
    }

    /// Makes the root of another volume.
    pub(crate) fn mount(self, path: &str, names: Names) -> Self {
        let (mut memory, node) = self.dir_of(path, names).place(path, FileKind::Directory);
        memory.devices += 1;
        memory.nodes[node].dev = memory.devices;
        memory
    }

    pub(crate) fn file(self, path: &str) -> Self {
        self.place(path, FileKind::Regular).0
    }

    pub(crate) fn symlink(self, path: &str, target: &str) -> Self {
        let (mut memory, node) = self.place(path, FileKind::Symlink);
        memory.nodes[node].target = target.into();
        memory
    }

    pub(crate) fn hard_link(self, path: &str, existing: &str) -> Self {
        let file = self.find(Path::new(existing)).expect("the file to link");
        let (parent, name) = path.rsplit_once('/').expect("an absolute path");
        let (mut memory, parent) = self.place(parent, FileKind::Directory);
        memory.nodes[parent].entries.push((name.into(), file));
        memory.nodes[file].links += 1;
        memory
    }

    /// Denies every look at what is in a directory.
    pub(crate) fn locked(self, path: &str) -> Self {
        let (mut memory, node) = self.place(path, FileKind::Directory);
        memory.nodes[node].locked = true;
        memory
    }

    /// A resolver for a user whose home is `/home/me`.
    pub(crate) fn resolver(self) -> Resolver<Self> {
        Resolver::new(self, Some("/home/me".into()))
    }

    fn place(mut self, path: &str, kind: FileKind) -> (Self, usize) {
        let mut at = 0;
        let names: Vec<&str> = path.split('/').filter(|name| !name.is_empty()).collect();
        for (index, name) in names.iter().enumerate() {
            at = self.nodes[at].entry(name.as_bytes()).unwrap_or_else(|| {
                let last = index + 1 == names.len();
                let kind = if last { kind } else { FileKind::Directory };
                let new = self.nodes.len();
                self.nodes.push(Node::new(kind, self.nodes[at].dev, self.nodes[at].names));
                self.nodes[at].entries.push(((*name).into(), new));
                new
            });
        }
        (self, at)
    }

    fn find(&self, path: &Path) -> io::Result<usize> {
        assert!(path.is_absolute(), "{}", path.display());
        let mut at = 0;
        for component in path.components() {
            let Component::Normal(name) = component else { continue };
            let node = &self.nodes[at];
            assert!(node.kind != FileKind::Symlink, "a symlink inside {}", path.display());
            if node.kind != FileKind::Directory {
                return Err(io::ErrorKind::NotADirectory.into());
            }
            if node.locked {
                return Err(io::ErrorKind::PermissionDenied.into());
            }
            at = node.entry(name.as_bytes()).ok_or(io::ErrorKind::NotFound)?;
        }
        Ok(at)
    }
}

impl Node {
    fn new(kind: FileKind, dev: u64, names: Names) -> Self {
        Self {
            kind,
            dev,
            names,
            links: 1,
            locked: false,
            target: PathBuf::new(),
            entries: Vec::new(),
        }
    }

    fn entry(&self, name: &[u8]) -> Option<usize> {
        let same = |(known, _): &&(Vec<u8>, usize)| match self.names {
            Names::Exact => known == name,
            Names::Folded => form(known) == form(name),
        };
        self.entries.iter().find(same).map(|(_, node)| *node)
    }
}

/// What names on a folding volume are compared by.
fn form(name: &[u8]) -> String {
    String::from_utf8_lossy(name).nfd().collect::<String>().to_lowercase()
}

impl FileSystem for Memory {
    fn lstat(&self, path: &Path) -> io::Result<Stat> {
        self.calls.set(self.calls.get() + 1);
        let ino = self.find(path)?;
        let Node { kind, dev, links, .. } = self.nodes[ino];
        Ok(Stat { kind, id: Some(FileId { dev, ino: ino as u64 }), links })
    }

    fn readlink(&self, path: &Path) -> io::Result<PathBuf> {
        self.calls.set(self.calls.get() + 1);
        Ok(self.nodes[self.find(path)?].target.clone())
    }

    fn read_dir(&self, path: &Path, entries_max: usize) -> io::Result<Vec<OsString>> {
        self.calls.set(self.calls.get() + 1);
        let node = &self.nodes[self.find(path)?];
        if node.locked {
            return Err(io::ErrorKind::PermissionDenied.into());
        }
        let names = node.entries.iter().map(|(name, _)| OsString::from_vec(name.clone()));
        Ok(names.take(entries_max).collect())
    }
}

/// The only or last resource of `path`, its key as text.
pub(crate) fn key<F: FileSystem>(resolver: &Resolver<F>, path: &str) -> String {
    let resources = resolver.resolve(Path::new(path), None);
    let resources = resources.unwrap_or_else(|error| panic!("{path}: {error}"));
    let last = resources.last().expect("a resource");
    String::from_utf8(last.key.as_bytes().to_vec()).expect("a key that is text")
}
