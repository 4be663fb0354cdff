//! A walk along one path, component by component, the way the kernel goes.

use std::cell::OnceCell;
use std::io::ErrorKind;

use super::error::Kind;
use super::fs::{FileKind, FileSystem, Stat};
use super::{Key, Resource, raw, volume};

/// How many symlinks one path may pass: the limit of Linux.
pub(super) const LINKS_MAX: usize = 40;

/// Where the walk stands: real directories from the root down, and below them what does not exist.
pub(super) struct Walk<'a, F> {
    fs: &'a F,
    /// The path of the last node; empty at the root.
    path: Vec<u8>,
    /// The root and one node for each component of `path`.
    nodes: Vec<Node>,
}

struct Node {
    /// The length of `path` up to the end of this node's name.
    end: usize,
    /// What it is; `None` if it does not exist.
    stat: Option<Stat>,
    /// Whether names in it fold case, once somebody asked; `None` inside if nothing tells.
    folds: OnceCell<Option<bool>>,
}

/// What a path led to.
pub(super) struct Arrival<'a, F> {
    /// The resources of the final symlink, if the path ended with one.
    pub(super) link: Vec<Resource>,
    /// The end of the walk.
    pub(super) target: Walk<'a, F>,
}

/// Walks along an absolute path to the file that the kernel would open.
///
/// In a part that does not exist `..` takes back the name before it; back among what exists, the
/// walk is physical again.
pub(super) fn walk<F: FileSystem>(fs: &F, path: Vec<u8>) -> Result<Arrival<'_, F>, Kind> {
    let mut walk = Walk::at_root(fs)?;
    let mut link = Vec::new();
    let mut links = 0;
    let mut rest = path;
    let mut at = 0;
    while let Some(name) = next_component(&rest, &mut at) {
        if name == b".." {
            walk.leave();
            continue;
        }
        walk.enter(name)?;
        if !walk.is_symlink() {
            continue;
        }
        links += 1;
        if links > LINKS_MAX {
            return Err(Kind::TooManyLinks);
        }
        let mut tail = at;
        if link.is_empty() && next_component(&rest, &mut tail).is_none() {
            link = walk.resources();
        }
        let said = walk.read_link()?;
        walk.leave();
        if said.starts_with(b"/") {
            walk.return_to_root();
        }
        rest = [&said, b"/".as_slice(), &rest[at..]].concat();
        at = 0;
    }
    Ok(Arrival { link, target: walk })
}

/// The next component from `at` on that is not `.`, and `at` moved behind it.
fn next_component<'a>(path: &'a [u8], at: &mut usize) -> Option<&'a [u8]> {
    while *at < path.len() {
        let rest = &path[*at..];
        let length = rest.iter().position(|&byte| byte == b'/').unwrap_or(rest.len());
        *at += length + usize::from(length < rest.len());
        if !matches!(&rest[..length], b"" | b".") {
            return Some(&rest[..length]);
        }
    }
    None
}

impl<'a, F: FileSystem> Walk<'a, F> {
    fn at_root(fs: &'a F) -> Result<Self, Kind> {
        let mut walk = Self { fs, path: Vec::with_capacity(128), nodes: Vec::with_capacity(16) };
        let stat = walk.look()?;
        walk.nodes.push(Node { end: 0, stat, folds: OnceCell::new() });
        Ok(walk)
    }

    fn enter(&mut self, name: &[u8]) -> Result<(), Kind> {
        let below_missing = self.stat().is_none();
        self.path.push(b'/');
        self.path.extend_from_slice(name);
        let stat = if below_missing { None } else { self.look()? };
        self.nodes.push(Node { end: self.path.len(), stat, folds: OnceCell::new() });
        Ok(())
    }

    /// Goes up. The parent of the root is the root.
    fn leave(&mut self) {
        if self.nodes.len() > 1 {
            self.nodes.pop();
            self.path.truncate(self.last().end);
        }
    }

    fn return_to_root(&mut self) {
        self.nodes.truncate(1);
        self.path.clear();
    }

    fn last(&self) -> &Node {
        self.nodes.last().expect("a walk never leaves its root")
    }

    /// What stands at the end of the walk; `None` if nothing.
    pub(super) fn stat(&self) -> Option<Stat> {
        self.last().stat
    }

    /// The bytes of the path walked; none at the root.
    pub(super) fn path(&self) -> &[u8] {
        &self.path
    }

    fn is_symlink(&self) -> bool {
        self.stat().is_some_and(|stat| stat.kind == FileKind::Symlink)
    }

    fn look(&self) -> Result<Option<Stat>, Kind> {
        match self.fs.lstat(&raw::path_of(&self.path)) {
            Ok(stat) => Ok(Some(stat)),
            Err(error) => match error.kind() {
                ErrorKind::NotFound | ErrorKind::NotADirectory | ErrorKind::PermissionDenied => {
                    Ok(None)
                }
                _ => Err(self.unreadable(error)),
            },
        }
    }

    fn read_link(&self) -> Result<Vec<u8>, Kind> {
        let said = self.fs.readlink(&raw::path_of(&self.path));
        let said = said.map_err(|error| self.unreadable(error))?;
        Ok(raw::bytes_of(&said).into_owned())
    }

    fn unreadable(&self, source: std::io::Error) -> Kind {
        Kind::Unreadable { at: raw::path_of(&self.path).into_owned(), source }
    }

    /// The resource at the end of the walk.
    ///
    /// Two, where nothing told whether a directory folds case and the name is not its own folded
    /// form: the folded name comes last. An unknown volume folds, but as soon as one file is in it,
    /// it may prove not to. The first spelling then still meets the leases taken before.
    pub(super) fn resources(&self) -> Vec<Resource> {
        let (key, plain) = self.keys();
        let stat = self.stat();
        let dev = self.nodes.iter().rev().find_map(|node| node.stat).and_then(|stat| stat.dev());
        let hard_linked = stat.filter(|stat| stat.links > 1).and_then(|stat| stat.regular_id());
        let path = raw::path_of(&self.path).into_owned();
        match plain {
            None => vec![Resource { key, path, dev, hard_linked }],
            Some(plain) => {
                let folded = raw::path_of(key.as_bytes()).into_owned();
                vec![
                    Resource { key: plain, path, dev, hard_linked },
                    Resource { key, path: folded, dev, hard_linked },
                ]
            }
        }
    }

    /// The key, unknown volumes folded; and the key with those left alone, if it is another one.
    fn keys(&self) -> (Key, Option<Key>) {
        let mut key = Vec::with_capacity(self.path.len() + 1);
        let mut plain: Option<Vec<u8>> = None;
        for index in 1..self.nodes.len() {
            let name = self.name(index);
            // Most names are their own folded form: then it does not matter, and costs nothing.
            let folded = volume::fold(name).map(|folded| (folded, self.folds(index - 1)));
            if plain.is_none() && matches!(folded, Some((_, None))) {
                plain = Some(key.clone());
            }
            if let Some(plain) = &mut plain {
                let known = folded.as_ref().filter(|(_, folds)| *folds == Some(true));
                push_component(plain, known.map_or(name, |(folded, _)| folded));
            }
            let chosen = folded.as_ref().filter(|(_, folds)| *folds != Some(false));
            push_component(&mut key, chosen.map_or(name, |(folded, _)| folded));
        }
        (Key::from_walk(key), plain.map(Key::from_walk))
    }

    /// The name of a node in its directory, the node before it.
    fn name(&self, index: usize) -> &[u8] {
        &self.path[self.nodes[index - 1].end + 1..self.nodes[index].end]
    }

    /// Whether names in a directory fold case; `None` if nothing tells.
    fn folds(&self, index: usize) -> Option<bool> {
        *self.nodes[index].folds.get_or_init(|| self.find_out(index))
    }

    /// The nearest evidence wins: the entry that the walk took, any other entry, the parent.
    fn find_out(&self, index: usize) -> Option<bool> {
        let node = &self.nodes[index];
        let parent = index.checked_sub(1);
        let Some(stat) = node.stat else {
            return self.folds(parent?); // a new directory takes after the one it is made in
        };
        let dir = &self.path[..node.end];
        let next = self.nodes.get(index + 1).and_then(|next| next.stat);
        next.and_then(|next| volume::probe(self.fs, dir, self.name(index + 1), &next))
            .or_else(|| volume::probe_entries(self.fs, dir))
            .or_else(|| {
                let same_device = self.nodes[parent?].stat?.dev() == stat.dev();
                if same_device { self.folds(parent?) } else { None }
            })
    }
}

fn push_component(key: &mut Vec<u8>, name: &[u8]) {
    key.push(b'/');
    key.extend_from_slice(name);
}
