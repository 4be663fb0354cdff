//! The commands of the interpreter that write files.

use super::commands::{operands, renamed};
use super::follow::{Reader, unquote};
use crate::intent::shell::disk::Kind;
use crate::intent::shell::field::Field;
use crate::intent::shell::powershell::paths::{self, Source};

/// The switches of a command, in small letters, and its operands without quotes.
fn sorted(rest: &str) -> (Vec<String>, Vec<String>) {
    let (switches, names): (Vec<String>, Vec<String>) =
        operands(rest).into_iter().partition(|word| word.starts_with('/'));
    let lower = switches.iter().map(|one| one.to_ascii_lowercase()).collect();
    (lower, names.iter().map(|name| unquote(name)).collect())
}

impl Reader<'_> {
    /// The paths of a name, which may have wildcards.
    fn all(&mut self, name: &str) -> Vec<String> {
        if name.contains(['*', '?']) {
            return self.matches(name).unwrap_or_default();
        }
        self.path(name).into_iter().collect()
    }

    /// Whether a name leads to a directory, or says that it does.
    fn leads_into(&mut self, name: &str, path: &str) -> bool {
        name.ends_with(['\\', '/', ':'])
            || name.ends_with('.') && paths::leaf(name).trim_matches('.').is_empty()
            || self.kind_of(path) == Kind::Directory
    }

    /// The files that a source of `copy` stands for: a directory stands for all in it.
    fn copied(&mut self, name: &str) -> Vec<String> {
        let mut found = Vec::new();
        for path in self.all(name) {
            let wild = name.contains(['*', '?']);
            match self.kind_of(&path) {
                Kind::Directory if !wild => {
                    let inner = self.matches(&format!("{path}\\*")).unwrap_or_default();
                    let files = inner.into_iter();
                    found.extend(files.filter(|one| self.kind_of(one) != Kind::Directory));
                }
                Kind::Directory => {}
                _ => found.push(path),
            }
        }
        found
    }

    /// Follows `copy`.
    pub(super) fn copy(&mut self, rest: &str) {
        let rest = rest.replace('+', " + ");
        let (_, names) = sorted(&rest);
        let joins = names.iter().any(|name| name == "+");
        let mut sources: Vec<String> = Vec::new();
        let mut goal = None;
        let mut plus = true;
        for name in names {
            if name == "+" {
                plus = true;
            } else if plus {
                sources.push(name);
                plus = false;
            } else {
                goal = Some(name);
                break;
            }
        }
        let Some(first) = sources.first().cloned() else { return };
        let goal = goal.unwrap_or(if joins { first } else { ".".to_owned() });
        self.transport(&sources, &goal, "copy", joins);
    }

    /// Copies files to a file, into a directory, or to names that a pattern makes.
    fn transport(&mut self, sources: &[String], goal: &str, rule: &'static str, joins: bool) {
        if goal.contains(['*', '?']) {
            for source in sources {
                for path in self.copied(source) {
                    let new = renamed(paths::leaf(goal), paths::leaf(&path));
                    let base = paths::parent(goal).unwrap_or(".").to_owned();
                    if let (Some(new), Some(base)) = (new, self.path(&base)) {
                        self.file(paths::within(&base, &new, self.place.style()), rule);
                    }
                }
            }
            return;
        }
        let Some(path) = self.path(goal) else { return };
        if !self.leads_into(goal, &path) {
            self.file(path, rule);
            return;
        }
        let sources = if joins { &sources[..1] } else { sources };
        for source in sources {
            for found in self.copied(source) {
                self.file(paths::within(&path, paths::leaf(&found), self.place.style()), rule);
            }
        }
    }

    /// Follows `xcopy`.
    pub(super) fn xcopy(&mut self, rest: &str) {
        let (switches, names) = sorted(rest);
        if switches.iter().any(|one| one == "/l") {
            return;
        }
        let Some(source) = names.first().cloned() else { return };
        let goal = names.get(1).cloned().unwrap_or_else(|| ".".to_owned());
        let Some(path) = self.path(&goal) else { return };
        let one = !source.contains(['*', '?', Field::HOLE]);
        let from = if one { self.path(&source) } else { None };
        match from.filter(|from| self.kind_of(from) == Kind::File) {
            Some(from) => {
                let into = switches.iter().any(|one| one == "/i") || self.leads_into(&goal, &path);
                let target = paths::within(&path, paths::leaf(&from), self.place.style());
                self.file(if into { target } else { path }, "xcopy");
            }
            None => self.tree(path, "xcopy"),
        }
    }

    /// Follows `robocopy`.
    pub(super) fn robocopy(&mut self, rest: &str) {
        let (switches, names) = sorted(rest);
        for switch in &switches {
            let log = ["/log:", "/log+:", "/unilog:", "/unilog+:"];
            if let Some(name) = log.iter().find_map(|one| switch.strip_prefix(one))
                && let Some(path) = self.path(&unquote(name))
            {
                self.file(path, "robocopy");
            }
        }
        if switches.iter().any(|one| one == "/l") {
            return;
        }
        if let Some(path) = names.get(1).and_then(|name| self.path(name)) {
            self.tree(path, "robocopy");
        }
        let moves = switches.iter().any(|one| one == "/mov" || one == "/move");
        if let Some(path) = names.first().filter(|_| moves).and_then(|name| self.path(name)) {
            self.tree(path, "robocopy");
        }
    }

    /// Follows `move`.
    pub(super) fn moves(&mut self, rest: &str) {
        let (_, names) = sorted(rest);
        let Some(source) = names.first().cloned() else { return };
        let goal = names.get(1).cloned().unwrap_or_else(|| ".".to_owned());
        let found = self.all(&source);
        let to = self.path(&goal);
        if found.is_empty()
            && source.contains(Field::HOLE)
            && let Some(to) = &to
            && !self.leads_into(&goal, to)
        {
            self.file(to.clone(), "move");
        }
        for from in found {
            let tree = self.kind_of(&from) == Kind::Directory;
            self.either(from.clone(), tree, "move");
            if let Some(to) = &to {
                let into = self.leads_into(&goal, to);
                let target = paths::within(to, paths::leaf(&from), self.place.style());
                self.either(if into { target } else { to.clone() }, tree, "move");
            }
        }
    }

    /// A file, or all of a directory.
    fn either(&mut self, path: String, tree: bool, rule: &'static str) {
        if tree {
            self.tree(path, rule);
        } else {
            self.file(path, rule);
        }
    }

    /// Follows `ren`. The new name stands beside the old one.
    pub(super) fn rename(&mut self, rest: &str) {
        let (_, names) = sorted(rest);
        let [old, new] = names.as_slice() else { return };
        for path in self.all(old) {
            let tree = self.kind_of(&path) == Kind::Directory;
            self.either(path.clone(), tree, "ren");
            let name = renamed(new, paths::leaf(&path)).filter(|name| !name.contains(Field::HOLE));
            match (name, paths::parent(&path)) {
                (Some(name), Some(parent)) => {
                    let target = paths::within(parent, &name, self.place.style());
                    self.either(target, tree, "ren");
                }
                _ => self.note("Only the interpreter knows the new name of a file."),
            }
        }
    }

    /// Follows `del`.
    pub(super) fn delete(&mut self, rest: &str) {
        let (switches, names) = sorted(rest);
        let below = switches.iter().any(|one| one == "/s");
        for name in names {
            if below {
                let path = self.path(&name);
                let directory = path.as_ref().is_some_and(|path| {
                    !name.contains(['*', '?']) && self.kind_of(path) == Kind::Directory
                });
                let root = match path {
                    Some(path) if directory => Some(path),
                    Some(path) => paths::parent(&path).map(str::to_owned),
                    None => None,
                };
                if let Some(root) = root {
                    self.tree(root, "del");
                }
                continue;
            }
            for path in self.copied(&name) {
                self.file(path, "del");
            }
        }
    }

    /// Follows `rd`.
    pub(super) fn remove_directory(&mut self, rest: &str) {
        let (switches, names) = sorted(rest);
        let below = switches.iter().any(|one| one == "/s");
        for name in names {
            if let Some(path) = self.path(&name) {
                self.either(path, below, "rd");
            }
        }
    }

    /// Follows `mkdir`, which takes nothing, but says what is a directory from now on.
    pub(super) fn make(&mut self, rest: &str) {
        for name in sorted(rest).1 {
            if let Some(path) = self.path(&name) {
                self.made.insert(path);
            }
        }
    }

    /// Follows `mklink`.
    pub(super) fn link(&mut self, rest: &str) {
        let (_, names) = sorted(rest);
        if let Some(path) = names.first().and_then(|name| self.path(name)) {
            self.file(path, "mklink");
        }
    }

    /// Follows `fsutil file createnew`.
    pub(super) fn create_new(&mut self, rest: &str) {
        let (_, names) = sorted(rest);
        let is = |index: usize, word: &str| {
            names.get(index).is_some_and(|name| name.eq_ignore_ascii_case(word))
        };
        if is(0, "file") && is(1, "createnew") {
            if let Some(path) = names.get(2).and_then(|name| self.path(name)) {
                self.file(path, "fsutil");
            }
        } else if is(0, "hardlink")
            && is(1, "create")
            && let Some(path) = names.get(2).and_then(|name| self.path(name))
        {
            self.file(path, "fsutil");
        }
    }
}
