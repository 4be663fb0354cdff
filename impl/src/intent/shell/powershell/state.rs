//! What is known while a script is followed.

use super::syntax::Block;
use crate::intent::shell::disk::Kind;
use crate::intent::shell::field::Field;
use crate::intent::shell::findings::Target;
use crate::intent::shell::place::{Place, Style};
use crate::intent::shell::site::{Outcome, Site};
use std::cell::Cell;
use std::collections::{HashMap, HashSet};
use std::path::Path;
use std::rc::Rc;

/// How long a text may grow that is put together from others.
const LONGEST: usize = 1 << 16;
/// How many questions the disk is asked for one script.
const QUESTIONS: u32 = 20_000;
/// How deeply blocks, brackets and calls may nest while they are followed.
const DEEPEST: u32 = 48;

/// What an expression yields.
#[derive(Clone, Debug)]
pub(super) enum Value {
    /// Only the shell knows.
    Unknown,
    /// `$null`.
    Nothing,
    /// A truth value.
    Flag(bool),
    /// A whole number.
    Number(i64),
    /// A text.
    Text(Rc<str>),
    /// A text with holes.
    Partial(Rc<str>),
    /// A file or directory that the disk has.
    Item(Rc<str>),
    /// Any number of files under a directory.
    Under(Rc<str>),
    /// Values.
    List(Rc<[Value]>),
    /// Names with values.
    Table(Rc<[(Rc<str>, Value)]>),
    /// A script block.
    Block(Rc<Block>),
}

impl Value {
    /// A text.
    pub(super) fn text(text: impl Into<Rc<str>>) -> Self {
        Self::Text(text.into())
    }

    /// What a list of values amounts to.
    pub(super) fn collect(mut values: Vec<Self>) -> Self {
        match values.len() {
            0 => Self::Nothing,
            1 => values.remove(0),
            _ => Self::List(values.into()),
        }
    }

    /// The values that come out of it one by one.
    pub(super) fn spread(self) -> Vec<Self> {
        match self {
            Self::List(values) => values.to_vec(),
            Self::Nothing => Vec::new(),
            other => vec![other],
        }
    }

    /// Its text, where all of it is known.
    pub(super) fn known(&self) -> Option<Rc<str>> {
        match self {
            Self::Text(text) | Self::Item(text) => Some(text.clone()),
            Self::Number(number) => Some(number.to_string().into()),
            Self::Flag(flag) => Some(if *flag { "True" } else { "False" }.into()),
            Self::Nothing => Some("".into()),
            _ => None,
        }
    }

    /// It as an argument.
    pub(super) fn field(&self) -> Field {
        match (self.known(), self) {
            (Some(text), _) => Field::known(&*text),
            (None, Self::Partial(text)) => Field { text: text.to_string(), exact: false },
            _ => Field::unknown(),
        }
    }

    /// Whether two values are surely the same.
    fn same(&self, other: &Self) -> bool {
        match (self, other) {
            (Self::Nothing, Self::Nothing) => true,
            (Self::Flag(one), Self::Flag(two)) => one == two,
            (Self::Number(one), Self::Number(two)) => one == two,
            (Self::Text(one), Self::Text(two)) | (Self::Item(one), Self::Item(two)) => {
                Rc::ptr_eq(one, two) || (one.len() < 4096 && one == two)
            }
            (Self::List(one), Self::List(two)) => Rc::ptr_eq(one, two),
            (Self::Table(one), Self::Table(two)) => Rc::ptr_eq(one, two),
            (Self::Block(one), Self::Block(two)) => Rc::ptr_eq(one, two),
            _ => false,
        }
    }
}

/// What a branch leaves behind.
pub(super) struct End {
    changes: HashMap<Rc<str>, Option<Value>>,
    place: Place,
    left: bool,
}

/// Follows a script.
pub(super) struct Reader<'a> {
    /// What surrounds the script.
    pub site: Site<'a>,
    /// Where it is now.
    pub place: Place,
    /// Where `popd` goes back to.
    pub stack: Vec<Place>,
    /// What its variables hold.
    pub variables: HashMap<Rc<str>, Value>,
    /// What they held before, while a branch is followed.
    journal: Vec<(Rc<str>, Option<Value>)>,
    recording: u32,
    /// Its functions.
    pub functions: HashMap<Rc<str>, Rc<Block>>,
    /// Its aliases.
    pub aliases: HashMap<Rc<str>, Rc<str>>,
    /// Directories that it makes.
    pub made: HashSet<String>,
    /// What was found.
    pub outcome: Outcome,
    /// The words of the pipeline that is followed.
    pub words: Rc<str>,
    /// How much work is left.
    pub fuel: Cell<usize>,
    questions: Cell<u32>,
    depth: u32,
}

impl<'a> Reader<'a> {
    /// Starts to follow a script that is so long.
    pub(super) fn new(site: Site<'a>, length: usize) -> Self {
        Self {
            site,
            place: site.place.clone(),
            stack: Vec::new(),
            variables: HashMap::new(),
            journal: Vec::new(),
            recording: 0,
            functions: HashMap::new(),
            aliases: HashMap::new(),
            made: HashSet::new(),
            outcome: Outcome::default(),
            words: "".into(),
            fuel: Cell::new(length * 16 + (1 << 20)),
            questions: Cell::new(QUESTIONS),
            depth: 0,
        }
    }

    /// Whether paths are written as on Windows.
    pub(super) fn windows(&self) -> bool {
        self.place.style() == Style::Windows
    }

    /// Takes work, unless none is left.
    pub(super) fn spend(&self, work: usize) -> bool {
        let left = self.fuel.get();
        self.fuel.set(left.saturating_sub(work));
        left > work
    }

    /// Takes questions to the disk, unless none are left.
    pub(super) fn ask(&self, questions: usize) -> bool {
        let left = self.questions.get();
        let questions = u32::try_from(questions).unwrap_or(u32::MAX);
        self.questions.set(left.saturating_sub(questions));
        left > questions
    }

    /// What is there; a file where the disk was asked too often.
    pub(super) fn kind(&self, path: &str) -> Kind {
        if self.made.contains(path) {
            return Kind::Directory;
        }
        if self.ask(1) { self.site.disk.kind(Path::new(path)) } else { Kind::File }
    }

    /// Follows something that is nested, unless it nests too deeply.
    pub(super) fn deeper<T>(&mut self, follow: impl FnOnce(&mut Self) -> T) -> Option<T> {
        if self.depth >= DEEPEST || !self.spend(16) {
            self.note("The script nests or loops so much that not all of it was followed.");
            return None;
        }
        self.depth += 1;
        let found = follow(self);
        self.depth -= 1;
        Some(found)
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
        self.spend(path.len() + self.words.len());
        let words = self.words.to_string();
        self.outcome.findings.files.push(Target { path, words, rule });
    }

    /// Anything in a directory may be written.
    pub(super) fn tree(&mut self, path: String, rule: &'static str) {
        self.spend(path.len() + self.words.len());
        let words = self.words.to_string();
        self.outcome.findings.trees.push(Target { path, words, rule });
    }

    /// Sets a variable.
    pub(super) fn set(&mut self, name: &Rc<str>, value: Value) {
        if name.is_empty() {
            return;
        }
        let before = self.variables.insert(name.clone(), value);
        if self.recording > 0 {
            self.journal.push((name.clone(), before));
        }
    }

    /// Puts texts together, with holes where they are unknown.
    pub(super) fn join(&self, values: &[Value], between: &str) -> Value {
        let mut text = String::new();
        let mut exact = true;
        for (index, value) in values.iter().enumerate() {
            if index > 0 {
                text.push_str(between);
            }
            let part = match value {
                Value::List(parts) => self.join(parts, " ").field(),
                _ => value.field(),
            };
            exact &= part.exact;
            text.push_str(&part.text);
            if text.len() > LONGEST {
                return Value::Unknown;
            }
        }
        if !self.spend(text.len()) {
            Value::Unknown
        } else if exact {
            Value::text(text)
        } else {
            Value::Partial(text.into())
        }
    }

    /// Follows something that may not happen, and takes back what it changed.
    pub(super) fn branch(&mut self, follow: impl FnOnce(&mut Self) -> bool) -> End {
        let place = self.place.clone();
        let stack = self.stack.len();
        let mark = self.journal.len();
        self.recording += 1;
        let left = follow(self);
        self.recording -= 1;
        let changes = self.take_back(mark);
        self.stack.truncate(stack);
        End { changes, place: std::mem::replace(&mut self.place, place), left }
    }

    /// Follows something that has variables of its own.
    pub(super) fn scope<T>(&mut self, follow: impl FnOnce(&mut Self) -> T) -> T {
        let mark = self.journal.len();
        self.recording += 1;
        let found = follow(self);
        self.recording -= 1;
        self.take_back(mark);
        found
    }

    /// Takes back what was set since, and tells what that was.
    fn take_back(&mut self, mark: usize) -> HashMap<Rc<str>, Option<Value>> {
        let mut changes = HashMap::new();
        for (name, before) in self.journal.split_off(mark).into_iter().rev() {
            let now = match before {
                Some(before) => self.variables.insert(name.clone(), before),
                None => self.variables.remove(&name),
            };
            changes.entry(name).or_insert(now);
        }
        changes
    }

    /// Goes on after branches of which one was taken, or none if `none` says so. Tells whether
    /// nothing goes on.
    pub(super) fn merge(&mut self, ends: Vec<End>, none: bool) -> bool {
        let ends: Vec<End> = ends.into_iter().filter(|end| !end.left).collect();
        let mut place = none.then(|| self.place.clone());
        let mut found: HashMap<Rc<str>, (Option<Value>, usize, bool)> = HashMap::new();
        let count = ends.len();
        if count == 0 {
            return !none;
        }
        for end in ends {
            place = match place {
                Some(place) if place != end.place => Some(place.lost()),
                _ => Some(end.place),
            };
            for (name, value) in end.changes {
                let row = found.entry(name).or_insert_with(|| (value.clone(), 0, true));
                row.1 += 1;
                row.2 &= alike(row.0.as_ref(), value.as_ref());
            }
        }
        if let Some(place) = place {
            self.place = place;
        }
        for (name, (value, times, same)) in found {
            let whole = times == count && !none;
            let same = same && (whole || alike(value.as_ref(), self.variables.get(&name)));
            let value = value.filter(|_| same).unwrap_or(Value::Unknown);
            self.set(&name, value);
        }
        false
    }
}

/// Whether two variables surely hold the same.
fn alike(one: Option<&Value>, two: Option<&Value>) -> bool {
    matches!((one, two), (Some(one), Some(two)) if one.same(two))
}
