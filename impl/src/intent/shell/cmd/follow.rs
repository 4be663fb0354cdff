//! Follows the commands of a script.

use super::parse::{Body, Joint, Line, Node, Piece};
use crate::intent::shell::disk::{Disk, Entry, Kind};
use crate::intent::shell::field::Field;
use crate::intent::shell::findings::Target;
use crate::intent::shell::place::Place;
use crate::intent::shell::powershell::paths::{self, Source, Spot};
use crate::intent::shell::site::{Outcome, Site};
use std::cell::Cell;
use std::collections::{HashMap, HashSet};
use std::path::Path;

/// How many words of a list a loop goes through one by one.
const ROUNDS: usize = 64;

/// Follows a script.
pub(super) struct Reader<'a> {
    pub disk: &'a dyn Disk,
    home: Option<&'a str>,
    /// Where the script is.
    pub place: Place,
    /// Where `popd` goes back to.
    pub stack: Vec<Place>,
    /// What its variables hold; none where only the interpreter knows.
    variables: HashMap<String, Option<String>>,
    /// What was set since the line began.
    fresh: HashMap<String, Option<String>>,
    loops: Vec<(char, Option<String>)>,
    /// How many conditions the present command depends on.
    perhaps: u32,
    /// Directories that it makes.
    pub made: HashSet<String>,
    /// What was found.
    pub outcome: Outcome,
    /// The words of the command that is followed.
    pub words: String,
    fuel: Cell<usize>,
    questions: Cell<usize>,
    /// How many commands in loops are still followed.
    rounds: Cell<usize>,
}

impl Source for Reader<'_> {
    fn kind_of(&self, path: &str) -> Kind {
        if self.made.contains(path) {
            return Kind::Directory;
        }
        if self.ask(1) { self.disk.kind(Path::new(path)) } else { Kind::File }
    }

    fn names(&self, path: &str) -> Option<Vec<Entry>> {
        if !self.ask(1) {
            return None;
        }
        let found = self.disk.list(Path::new(path));
        self.ask(found.len() / 8).then_some(found)
    }
}

impl<'a> Reader<'a> {
    /// Starts to follow a script that is so long.
    pub(super) fn new(site: &Site<'a>, length: usize) -> Self {
        Self {
            disk: site.disk,
            home: site.home,
            place: site.place.clone(),
            stack: Vec::new(),
            variables: HashMap::new(),
            fresh: HashMap::new(),
            loops: Vec::new(),
            perhaps: 0,
            made: HashSet::new(),
            outcome: Outcome::default(),
            words: String::new(),
            fuel: Cell::new(length * 16 + (1 << 20)),
            questions: Cell::new(20_000),
            rounds: Cell::new(20_000),
        }
    }

    fn ask(&self, questions: usize) -> bool {
        let left = self.questions.get();
        self.questions.set(left.saturating_sub(questions));
        left > questions
    }

    /// Takes work, unless none is left.
    pub(super) fn spend(&self, work: usize) -> bool {
        let left = self.fuel.get();
        self.fuel.set(left.saturating_sub(work));
        left > work
    }

    /// Tells a person something, once.
    pub(super) fn note(&mut self, note: &str) {
        let notes = &mut self.outcome.findings.notes;
        if notes.len() < 32 && notes.iter().all(|one| one != note) {
            notes.push(note.to_owned());
        }
    }

    /// A file is written.
    pub(super) fn file(&mut self, path: String, rule: &'static str) {
        let words = self.words.clone();
        self.spend(path.len() + words.len());
        self.outcome.findings.files.push(Target { path, words, rule });
    }

    /// Anything in a directory may be written.
    pub(super) fn tree(&mut self, path: String, rule: &'static str) {
        let words = self.words.clone();
        self.spend(path.len() + words.len());
        self.outcome.findings.trees.push(Target { path, words, rule });
    }

    /// Follows all lines.
    pub(super) fn lines(&mut self, lines: &[Vec<Node>]) {
        for line in lines {
            let left = self.nodes(line);
            let fresh = std::mem::take(&mut self.fresh);
            self.variables.extend(fresh);
            if left {
                return;
            }
        }
    }

    /// Follows commands, and tells whether they leave the script.
    fn nodes(&mut self, nodes: &[Node]) -> bool {
        for node in nodes {
            let otherwise = node.joint == Joint::Otherwise;
            let place = self.place.clone();
            self.perhaps += u32::from(otherwise);
            let left = self.node(node);
            self.perhaps -= u32::from(otherwise);
            if otherwise {
                self.place = if left { place } else { either(place, &self.place) };
            } else if left {
                return true;
            }
        }
        false
    }

    /// Follows one command, and tells whether it leaves the script.
    fn node(&mut self, node: &Node) -> bool {
        let loops = usize::from(!self.loops.is_empty());
        self.rounds.set(self.rounds.get().saturating_sub(loops));
        if !self.spend(16) || self.rounds.get() == 0 {
            self.note("The script loops so much that not all of it was followed.");
            return true;
        }
        self.words.clone_from(&node.words);
        for redirection in &node.redirections {
            let target = self.render(redirection);
            if let Some(path) = self.path(&unquote(&target)) {
                self.file(path, "redirection");
            }
        }
        match &node.body {
            Body::Command(line) => {
                let line = self.render(line);
                self.command(&line)
            }
            Body::Group(nodes) => self.nodes(nodes),
            Body::If(then, otherwise) => {
                let start = self.place.clone();
                self.perhaps += 1;
                let left = self.nodes(then);
                let one = std::mem::replace(&mut self.place, start);
                let leaves = self.nodes(otherwise);
                self.perhaps -= 1;
                if leaves {
                    self.place = one;
                } else if !left {
                    self.place = either(one, &self.place);
                }
                left && leaves && !otherwise.is_empty()
            }
            Body::For { switch, path, variable, list, body } => {
                let path = self.render(path);
                let list = self.render(list);
                self.each(*switch, &path, *variable, &list, body);
                false
            }
        }
    }

    /// Follows the rounds of a loop.
    fn each(&mut self, switch: char, path: &str, variable: char, list: &str, body: &[Node]) {
        let values = match switch {
            ' ' | 'd' => self.values(list, switch == 'd'),
            'l' => numbers(list),
            _ => None,
        };
        if let Some(values) = values.filter(|values| values.len() <= ROUNDS) {
            for value in values {
                self.loops.push((variable, Some(value)));
                self.nodes(body);
                self.loops.pop();
            }
            return;
        }
        let _ = path;
        let place = self.place.clone();
        self.perhaps += 1;
        self.loops.push((variable, None));
        self.nodes(body);
        self.loops.pop();
        self.perhaps -= 1;
        self.place = either(place, &self.place);
    }

    /// The words of a list; wildcards stand for the files that are there.
    fn values(&mut self, list: &str, directories: bool) -> Option<Vec<String>> {
        let mut found = Vec::new();
        for word in super::commands::operands(list.replace(['\n', '\r'], " ").as_str()) {
            if word.contains(Field::HOLE) {
                return None;
            }
            let name = unquote(&word);
            if !name.contains(['*', '?']) {
                found.push(word);
                continue;
            }
            let base = paths::parent(&name).map(str::to_owned);
            for path in self.matches(&name)? {
                if (self.kind_of(&path) == Kind::Directory) == directories {
                    let leaf = paths::leaf(&path);
                    found.push(match &base {
                        Some(base) => format!("{base}\\{leaf}"),
                        None => leaf.to_owned(),
                    });
                }
            }
        }
        Some(found)
    }

    /// The text of a line, with holes where it is unknown.
    pub(super) fn render(&mut self, line: &Line) -> String {
        let mut found = String::new();
        for piece in line {
            match piece {
                Piece::Text(text) => found.push_str(text),
                Piece::Variable(name) => match self.variable(name) {
                    Some(value) => found.push_str(&value),
                    None => found.push(Field::HOLE),
                },
                Piece::Loop(variable, asked) => {
                    let row = self.loops.iter().rev().find(|row| row.0 == *variable);
                    match row.and_then(|row| row.1.as_deref()).and_then(|v| self.asked(v, asked)) {
                        Some(value) => found.push_str(&value),
                        None => found.push(Field::HOLE),
                    }
                }
                Piece::Unknown => found.push(Field::HOLE),
            }
            if found.len() > 1 << 16 && line.len() > 1 {
                break;
            }
        }
        self.spend(found.len());
        found
    }

    /// What a variable held when the line began.
    fn variable(&self, name: &str) -> Option<String> {
        if let Some(value) = self.variables.get(name) {
            return value.clone();
        }
        match name {
            "CD" => self.place.directory().map(str::to_owned),
            "USERPROFILE" => self.home.map(str::to_owned),
            "HOMEDRIVE" => self.home?.get(..2).map(str::to_owned),
            "HOMEPATH" => self.home?.get(2..).map(str::to_owned),
            _ => None,
        }
    }

    /// What is asked of the variable of a loop, such as its name without the directory.
    fn asked(&self, value: &str, asked: &str) -> Option<String> {
        let Some(asked) = asked.strip_prefix('~') else { return Some(value.to_owned()) };
        let value = unquote(value);
        let leaf = paths::leaf(&value);
        let stem = paths::stem(leaf);
        match asked.to_ascii_lowercase().as_str() {
            "" => Some(value),
            "n" => Some(stem.to_owned()),
            "x" => Some(leaf[stem.len()..].to_owned()),
            "nx" => Some(leaf.to_owned()),
            "f" | "dpnx" => self.place.join(&value),
            "dpn" => self.place.join(&value[..value.len() - (leaf.len() - stem.len())]),
            _ => None,
        }
    }

    /// Sets a variable, from the next line on.
    pub(super) fn set(&mut self, name: &str, value: Option<String>) {
        let value = value.filter(|value| {
            self.perhaps == 0 && !value.contains(Field::HOLE) && value.len() <= 8192
        });
        self.fresh.insert(name.to_uppercase(), value);
    }

    /// The path that a name leads to.
    pub(super) fn path(&mut self, name: &str) -> Option<String> {
        if name.is_empty() {
            return None;
        }
        let work = name.len() + 2 * self.place.directory().map_or(0, str::len);
        if name.contains(Field::HOLE) || !self.spend(work) {
            let note = format!("Only the interpreter knows what this names: {}", self.words);
            self.note(&note);
            return None;
        }
        match paths::on_windows(name, &self.place) {
            Spot::Path(path) => Some(path),
            Spot::Nowhere => None,
            Spot::Unknown => {
                self.note("A name starts in a directory that only the interpreter knows.");
                None
            }
        }
    }

    /// The paths that fit a name with `*` and `?`; none where they are unknown.
    pub(super) fn matches(&mut self, name: &str) -> Option<Vec<String>> {
        let name = name.strip_suffix("*.*").map_or(name.to_owned(), |base| format!("{base}*"));
        let path = self.path(&name.replace('`', "``").replace('[', "`["))?;
        if !self.spend(path.len()) {
            return None;
        }
        paths::expand(&path, self.place.style(), self)
    }
}

/// The place after what may have gone elsewhere.
fn either(one: Place, two: &Place) -> Place {
    if one == *two { one } else { one.lost() }
}

/// A text without quotes.
pub(super) fn unquote(text: &str) -> String {
    text.replace('"', "")
}

/// The numbers of `for /l`.
fn numbers(list: &str) -> Option<Vec<String>> {
    let parts: Option<Vec<i64>> =
        super::commands::operands(list).iter().map(|one| one.parse().ok()).collect();
    let [start, step, end] = parts?[..] else { return None };
    let mut found = Vec::new();
    let mut now = start;
    while step != 0 && found.len() <= ROUNDS && if step > 0 { now <= end } else { now >= end } {
        found.push(now.to_string());
        now = now.checked_add(step)?;
    }
    (step != 0).then_some(found)
}
