//! What the commands of the shell do.

use super::bind::Bound;
use super::find::Found;
use super::paths;
use super::state::{Reader, Value};
use super::table::{Action, Cmdlet, Form};
use crate::intent::shell::disk::Kind;

impl Reader<'_> {
    /// Follows a command of the shell, and yields what it yields.
    pub(super) fn cmdlet(
        &mut self,
        cmdlet: &'static Cmdlet,
        mut bound: Bound,
        input: Option<Vec<Value>>,
    ) -> Vec<Value> {
        let rule = cmdlet.names[0];
        let writes = matches!(
            cmdlet.action,
            Action::Writes(_)
                | Action::Copy
                | Action::Move
                | Action::Remove
                | Action::Rename
                | Action::Make
                | Action::Unpack
                | Action::Pack
                | Action::Transfer
        );
        if writes && bound.on("WhatIf") {
            return Vec::new();
        }
        if writes && (!bound.fits || !bound.rest.is_empty()) {
            let note = format!("The shell refuses the arguments of this: {}", self.words);
            self.note(&note);
            return Vec::new();
        }
        if let Some(values) = &input
            && !cmdlet.piped.is_empty()
            && bound.get("LiteralPath").is_none()
            && bound.get(cmdlet.piped).is_none()
            && self.spend(values.len())
        {
            bound.fill(cmdlet.piped, Value::List(values.clone().into()));
        }
        match cmdlet.action {
            Action::Writes(rows) => {
                for (name, form) in rows {
                    self.write(&bound, name, *form, rule);
                }
                // `tee` hands on what it gets.
                if rule == "Tee-Object" { input.unwrap_or_default() } else { Vec::new() }
            }
            Action::Copy => self.transport(&bound, false, rule),
            Action::Move => self.transport(&bound, true, rule),
            Action::Remove => self.remove(&bound, rule),
            Action::Rename => self.rename(&bound, rule),
            Action::Make => self.make(&bound, rule),
            Action::Unpack => self.unpack(&bound, rule),
            Action::Pack => self.pack(&bound, rule),
            Action::Transfer => self.transfer(&bound, rule),
            _ => self.other(cmdlet, &bound, input),
        }
    }

    /// Writes what a parameter names.
    fn write(&mut self, bound: &Bound, name: &str, form: Form, rule: &'static str) {
        let Some(value) = bound.get(name).cloned() else { return };
        for found in self.names_of(&value, form) {
            match found {
                Found::File(path) if form == Form::Tree => self.tree(path, rule),
                Found::File(path) => {
                    // Writing into a directory fails.
                    if self.kind(&path) != Kind::Directory {
                        self.file(path, rule);
                    }
                }
                Found::Tree(path) => self.tree(path, rule),
                Found::Unknown => {}
            }
        }
    }

    /// Writes the file that a redirection names.
    pub(super) fn redirect(&mut self, target: &Value) {
        if let Value::List(_) = target {
            return;
        }
        for found in self.names_of(target, Form::Name) {
            if let Found::File(path) = found {
                self.file(path, "redirection");
            }
        }
    }

    /// What `-Path` and `-LiteralPath` name.
    fn sources(&mut self, bound: &Bound) -> Vec<Found> {
        let mut found = Vec::new();
        if let Some(value) = bound.get("Path").cloned() {
            found.extend(self.names_of(&value, Form::Pattern));
        }
        if let Some(value) = bound.get("LiteralPath").cloned() {
            found.extend(self.names_of(&value, Form::Name));
        }
        found
    }

    /// Copies or moves.
    fn transport(&mut self, bound: &Bound, moves: bool, rule: &'static str) -> Vec<Value> {
        let recurse = bound.on("Recurse");
        if bound.get("ToSession").is_some() {
            return Vec::new();
        }
        let sources = self.sources(bound);
        let here = Value::text(".");
        let given = bound.get("Destination").cloned();
        let goal = self.one_path(given.as_ref().unwrap_or(&here));
        let mut yields = Vec::new();
        let into = goal
            .as_ref()
            .is_some_and(|(path, directory)| *directory || self.kind(path) == Kind::Directory);
        for source in sources {
            match &source {
                Found::File(path) => {
                    let kind = self.kind(path);
                    let tree = kind == Kind::Directory || (kind == Kind::Absent && recurse);
                    if moves {
                        self.either(path.clone(), kind == Kind::Directory, rule);
                    }
                    let Some((goal, _)) = &goal else { continue };
                    let style = self.place.style();
                    let target = if into {
                        paths::within(goal, paths::leaf(path), style)
                    } else {
                        goal.clone()
                    };
                    // A directory without all that is in it is copied empty.
                    if !tree || moves || recurse {
                        self.either(target.clone(), tree, rule);
                    }
                    yields.push(Value::Item(target.into()));
                }
                Found::Tree(path) => {
                    if moves {
                        self.tree(path.clone(), rule);
                    }
                    if let Some((goal, _)) = &goal {
                        self.tree(goal.clone(), rule);
                    }
                }
                Found::Unknown => match &goal {
                    Some((goal, _)) if !into => self.either(goal.clone(), recurse, rule),
                    _ => {}
                },
            }
        }
        if bound.on("PassThru") { yields } else { Vec::new() }
    }

    /// A file, or all of a directory.
    fn either(&mut self, path: String, tree: bool, rule: &'static str) {
        if tree {
            self.tree(path, rule);
        } else {
            self.file(path, rule);
        }
    }

    /// Removes.
    fn remove(&mut self, bound: &Bound, rule: &'static str) -> Vec<Value> {
        let recurse = bound.on("Recurse");
        let filtered =
            ["Filter", "Include", "Exclude"].iter().any(|name| bound.get(name).is_some());
        let found = if filtered {
            let values = self.find(bound);
            self.names_of(&Value::List(values.into()), Form::Name)
        } else {
            self.sources(bound)
        };
        for one in found {
            match one {
                Found::File(path) => {
                    let tree = recurse && self.kind(&path) != Kind::File;
                    self.either(path, tree, rule);
                }
                Found::Tree(path) => self.tree(path, rule),
                Found::Unknown => {}
            }
        }
        Vec::new()
    }

    /// Renames. The new name stands beside the old one.
    fn rename(&mut self, bound: &Bound, rule: &'static str) -> Vec<Value> {
        let literal = bound.get("LiteralPath").or(bound.get("Path")).cloned();
        let Some(values) = literal else { return Vec::new() };
        let name = bound.get("NewName").cloned().unwrap_or(Value::Unknown);
        for value in values.spread() {
            for found in self.names_of(&value, Form::Name) {
                let path = match found {
                    Found::File(path) => path,
                    Found::Tree(path) => {
                        self.tree(path, rule);
                        continue;
                    }
                    Found::Unknown => continue,
                };
                let tree = self.kind(&path) == Kind::Directory;
                let new = self.new_name(&path, &name);
                self.either(path.clone(), tree, rule);
                match new {
                    Some(new) => self.either(new, tree, rule),
                    None => self.note("Only the shell knows the new name of a file."),
                }
            }
        }
        Vec::new()
    }

    /// The path of a new name.
    fn new_name(&mut self, path: &str, name: &Value) -> Option<String> {
        let name = match name {
            Value::Block(block) => {
                let mut out = Vec::new();
                self.scope(|reader| {
                    reader.set(&"_".into(), Value::Item(path.into()));
                    reader.block(block, &mut out);
                });
                Value::collect(out)
            }
            other => other.clone(),
        };
        let name = match name {
            Value::Text(text) | Value::Item(text) => text,
            Value::Number(number) => number.to_string().into(),
            _ => return None,
        };
        if name.contains(['\\', '/']) {
            return self.one_path(&Value::Text(name)).map(|found| found.0);
        }
        paths::parent(path).map(|parent| paths::within(parent, &name, self.place.style()))
    }

    /// Makes a file or a link.
    fn make(&mut self, bound: &Bound, rule: &'static str) -> Vec<Value> {
        let kind =
            bound.get("ItemType").map(|kind| kind.known().unwrap_or_default().to_lowercase());
        let directory = match kind.as_deref() {
            _ if rule == "mkdir" => true,
            Some("") | None => false,
            Some(kind) => "directory".starts_with(kind) || kind == "dir" || kind == "container",
        };
        let paths = bound.get("Path").cloned().unwrap_or_else(|| Value::text("."));
        let name = bound.get("Name").cloned();
        if bound.get("Path").is_none() && name.is_none() {
            return Vec::new();
        }
        let mut made = Vec::new();
        for path in paths.spread() {
            let whole = match &name {
                Some(name) => self.join(&[path, name.clone()], self.separator()),
                None => path,
            };
            for found in self.names_of(&whole, Form::Name) {
                if let Found::File(path) = found {
                    made.push(Value::Item(path.as_str().into()));
                    if directory {
                        self.made.insert(path);
                    } else {
                        self.file(path, rule);
                    }
                }
            }
        }
        made
    }

    /// What stands between the parts of a path.
    pub(super) fn separator(&self) -> &'static str {
        if self.windows() { "\\" } else { "/" }
    }

    /// Unpacks an archive, beside nothing else if no directory is named.
    fn unpack(&mut self, bound: &Bound, rule: &'static str) -> Vec<Value> {
        let goal = if let Some(value) = bound.get("DestinationPath").cloned() {
            self.one_path(&value).map(|found| found.0)
        } else {
            let sources = self.sources(bound);
            match (sources.as_slice(), self.place.directory()) {
                ([Found::File(path)], Some(here)) => {
                    Some(paths::within(here, paths::stem(paths::leaf(path)), self.place.style()))
                }
                _ => None,
            }
        };
        if let Some(goal) = goal {
            self.tree(goal, rule);
        }
        Vec::new()
    }

    /// Packs an archive. A name without an extension gets one.
    fn pack(&mut self, bound: &Bound, rule: &'static str) -> Vec<Value> {
        if let Some(value) = bound.get("DestinationPath").cloned()
            && let Some((mut path, _)) = self.one_path(&value)
        {
            if !paths::leaf(&path).contains('.') {
                path.push_str(".zip");
            }
            self.file(path, rule);
        }
        Vec::new()
    }

    /// Fetches files.
    fn transfer(&mut self, bound: &Bound, rule: &'static str) -> Vec<Value> {
        let here = Value::text(".");
        let goals = bound.get("Destination").cloned().unwrap_or(here).spread();
        let sources = bound.get("Source").cloned().unwrap_or(Value::Unknown).spread();
        for (index, goal) in goals.iter().enumerate() {
            let Some((path, directory)) = self.one_path(goal) else { continue };
            if !directory && self.kind(&path) != Kind::Directory {
                self.file(path, rule);
                continue;
            }
            let few = if goals.len() == 1 { 0..sources.len() } else { index..index + 1 };
            for source in sources.get(few).unwrap_or_default() {
                let Some(source) = source.known() else { continue };
                let name = paths::leaf(source.split(['?', '#']).next().unwrap_or_default());
                if !name.is_empty() && !paths::is_pattern(name) {
                    let target = paths::within(&path, name, self.place.style());
                    self.file(target, rule);
                }
            }
        }
        Vec::new()
    }
}
