//! Finds files on the disk, as the commands that list them do.

use super::bind::Bound;
use super::paths::{self, Source, Spot};
use super::state::{Reader, Value};
use super::table::Form;
use crate::intent::shell::disk::{Entry, Kind};
use std::path::Path;

/// How many files are listed one by one.
const LISTED: usize = 4096;

/// What a name stands for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Found {
    /// A file or directory.
    File(String),
    /// Anything in a directory.
    Tree(String),
    /// Nobody knows.
    Unknown,
}

/// Which of the files that are found count.
struct Filter {
    names: Vec<String>,
    include: Vec<String>,
    exclude: Vec<String>,
    files: bool,
    directories: bool,
    exact: bool,
}

impl Source for Reader<'_> {
    fn kind_of(&self, path: &str) -> Kind {
        self.kind(path)
    }

    fn names(&self, path: &str) -> Option<Vec<Entry>> {
        if !self.ask(1) {
            return None;
        }
        let found = self.site.disk.list(Path::new(path));
        self.ask(found.len() / 8).then_some(found)
    }
}

impl Reader<'_> {
    /// What a name leads to from where the script is.
    pub(super) fn locate(&self, name: &str) -> Spot {
        let mut name = name;
        if let Some((provider, rest)) = name.split_once("::") {
            if !provider.to_ascii_lowercase().ends_with("filesystem") {
                return Spot::Nowhere;
            }
            name = rest;
        }
        if let Some(rest) = name.strip_prefix('~')
            && (rest.is_empty() || rest.starts_with(['/', '\\']))
        {
            let Some(home) = self.site.home else { return Spot::Unknown };
            return self.locate(&format!("{home}{rest}"));
        }
        let drive = name.find(':').map(|end| &name[..end]);
        let is_drive = |drive: &str| {
            !drive.is_empty() && drive.chars().all(|one| one.is_alphanumeric() || one == '_')
        };
        if self.windows() {
            match drive {
                Some(drive) if drive.len() > 1 && is_drive(drive) => {
                    let temporary = drive.eq_ignore_ascii_case("temp");
                    if temporary { Spot::Unknown } else { Spot::Nowhere }
                }
                _ => paths::on_windows(name, &self.place),
            }
        } else {
            let name = name.replace('\\', "/");
            let devices = ["/dev/null", "/dev/stdout", "/dev/stderr", "/dev/tty"];
            if drive.is_some_and(is_drive) || devices.contains(&name.as_str()) {
                return Spot::Nowhere;
            }
            self.place.join(&name).map_or(Spot::Unknown, Spot::Path)
        }
    }

    /// What the values of a parameter name.
    pub(super) fn names_of(&mut self, value: &Value, form: Form) -> Vec<Found> {
        let mut found = Vec::new();
        for value in value.clone().spread() {
            match &value {
                Value::Item(path) => found.push(Found::File(path.to_string())),
                Value::Under(path) => found.push(Found::Tree(path.to_string())),
                Value::Text(name) => self.names_of_text(name, form, &mut found),
                Value::Number(number) => {
                    self.names_of_text(&number.to_string(), form, &mut found);
                }
                Value::List(_) => found.extend(self.names_of(&value, form)),
                Value::Unknown | Value::Partial(_) => self.unknown(&mut found),
                _ => {}
            }
        }
        found
    }

    /// Says that a name is unknown.
    fn unknown(&mut self, found: &mut Vec<Found>) {
        let note = format!("Only the shell knows what this names: {}", self.words);
        self.note(&note);
        found.push(Found::Unknown);
    }

    /// What a text names.
    fn names_of_text(&mut self, name: &str, form: Form, found: &mut Vec<Found>) {
        if name.is_empty() {
            return;
        }
        if !self.spend(name.len() + 2 * self.place.directory().map_or(0, str::len)) {
            self.unknown(found);
            return;
        }
        let pattern = form == Form::Pattern;
        let wild = pattern && paths::is_pattern(name);
        let name = if pattern && !wild { &paths::plain(name) } else { name };
        match self.locate(name) {
            Spot::Nowhere => {}
            Spot::Unknown => self.unknown(found),
            Spot::Path(path) if wild => {
                let Some(paths) = paths::expand(&path, self.place.style(), self) else {
                    self.unknown(found);
                    return;
                };
                // A directory that is not there yet may be made and filled before this runs.
                let start = path.find(['*', '?', '[']).unwrap_or(0);
                let base = paths::parent(&path[..start]).unwrap_or(&path[..0]);
                if paths.is_empty() && !base.is_empty() && self.kind(base) == Kind::Absent {
                    found.push(Found::Tree(paths::plain(base)));
                }
                found.extend(paths.into_iter().map(Found::File));
            }
            Spot::Path(path) => found.push(Found::File(path)),
        }
    }

    /// The one path that a value names, and whether the name says that it is a directory.
    pub(super) fn one_path(&mut self, value: &Value) -> Option<(String, bool)> {
        let directory =
            value.known().is_some_and(|text| text.ends_with(['/', '\\']) || &*text == ".");
        match self.names_of(value, Form::Name).as_slice() {
            [Found::File(path)] => Some((path.clone(), directory)),
            _ => None,
        }
    }

    /// The names that fit a pattern on Unix, written as the pattern is.
    pub(super) fn relative_matches(&self, pattern: &str) -> Option<Vec<String>> {
        let whole = self.place.join(pattern)?;
        let found = paths::expand(&whole, self.place.style(), self)?;
        if found.is_empty() {
            return None;
        }
        let base = if pattern.starts_with('/') { String::new() } else { self.place.join(".")? };
        let base = if base.is_empty() { base } else { format!("{base}/") };
        let strip = |path: String| path.strip_prefix(&base).unwrap_or(&path).to_owned();
        Some(found.into_iter().map(strip).collect())
    }

    /// What `Get-ChildItem`, and `Remove-Item -Include`, find.
    pub(super) fn find(&mut self, bound: &Bound) -> Vec<Value> {
        let filter = Filter::of(bound);
        let recurse = bound.on("Recurse") || bound.get("Depth").is_some();
        let here = Value::text(".");
        let (value, form) = match (bound.get("LiteralPath"), bound.get("Path")) {
            (Some(value), _) => (value, Form::Name),
            (None, Some(value)) => (value, Form::Pattern),
            (None, None) => (&here, Form::Name),
        };
        let mut out = Vec::new();
        for value in value.clone().spread() {
            if let Value::Under(_) = value {
                out.push(value);
                continue;
            }
            let text = value.known();
            let wild =
                form == Form::Pattern && text.as_ref().is_some_and(|text| paths::is_pattern(text));
            if recurse
                && wild
                && let Some(text) = &text
            {
                self.find_leaf(text, &filter, &mut out);
                continue;
            }
            if !recurse && !wild && !filter.include.is_empty() {
                // `-Include` finds nothing unless the path has a wildcard or all below is listed.
                continue;
            }
            for found in self.names_of(&value, form) {
                match found {
                    Found::File(path) => self.list(&path, recurse, wild, &filter, &mut out),
                    Found::Tree(path) => out.push(Value::Under(path.into())),
                    Found::Unknown => out.push(Value::Unknown),
                }
            }
        }
        out
    }

    /// Finds what fits the last part of a pattern anywhere below.
    fn find_leaf(&mut self, text: &str, filter: &Filter, out: &mut Vec<Value>) {
        let leaf = paths::leaf(text);
        let directory = paths::parent(text).unwrap_or(".");
        let include = if leaf == "*" || !filter.include.is_empty() {
            filter.include.clone()
        } else {
            vec![leaf.to_owned()]
        };
        let narrow = Filter {
            names: filter.names.clone(),
            include,
            exclude: filter.exclude.clone(),
            ..*filter
        };
        for found in self.names_of(&Value::text(directory), Form::Pattern) {
            match found {
                Found::File(path) => self.list(&path, true, false, &narrow, out),
                Found::Tree(path) => out.push(Value::Under(path.into())),
                Found::Unknown => out.push(Value::Unknown),
            }
        }
    }

    /// Lists a file, or what is in a directory.
    fn list(
        &mut self,
        path: &str,
        recurse: bool,
        wild: bool,
        filter: &Filter,
        out: &mut Vec<Value>,
    ) {
        match self.kind(path) {
            Kind::File => {
                if filter.takes(paths::leaf(path), false) {
                    out.push(Value::text_item(path));
                }
                return;
            }
            // The script may make it before it lists it.
            Kind::Absent => {
                out.push(Value::Under(path.into()));
                return;
            }
            Kind::Directory if wild && filter.takes(paths::leaf(path), true) => {
                out.push(Value::text_item(path));
            }
            Kind::Directory => {}
        }
        let mut found = Vec::new();
        let mut open = vec![path.to_owned()];
        while let Some(directory) = open.pop() {
            let names = if filter.exact { self.names(&directory) } else { None };
            let Some(mut names) = names.filter(|names| names.len() + found.len() <= LISTED) else {
                out.push(Value::Under(path.into()));
                return;
            };
            names.sort_by(|one, two| one.name.cmp(&two.name));
            for entry in names {
                let whole = paths::within(&directory, &entry.name, self.place.style());
                let inner = entry.kind == Kind::Directory;
                if filter.takes(&entry.name, inner) {
                    found.push(Value::text_item(&whole));
                }
                if inner && recurse {
                    open.push(whole);
                }
            }
        }
        out.extend(found);
    }
}

impl Filter {
    /// Which files a command asks for.
    fn of(bound: &Bound) -> Self {
        let mut exact = true;
        let mut texts = |name: &str| -> Vec<String> {
            let values = bound.get(name).cloned().unwrap_or(Value::Nothing).spread();
            let all = values.len();
            let found: Vec<String> =
                values.iter().filter_map(Value::known).map(|text| text.to_string()).collect();
            exact &= found.len() == all;
            found
        };
        let names = texts("Filter");
        let include = texts("Include");
        let exclude = texts("Exclude");
        Self {
            names,
            include,
            exclude,
            files: bound.on("File"),
            directories: bound.on("Directory"),
            exact,
        }
    }

    /// Whether a name counts.
    fn takes(&self, name: &str, directory: bool) -> bool {
        let any = |patterns: &[String]| {
            // Only the last part of a pattern is compared with a name.
            patterns.iter().any(|one| paths::matches(paths::leaf(one), name))
        };
        (self.names.is_empty() || any(&self.names))
            && (self.include.is_empty() || any(&self.include))
            && !any(&self.exclude)
            && !(self.files && directory)
            && (!self.directories || directory)
    }
}

impl Value {
    /// A file that the disk has.
    fn text_item(path: &str) -> Self {
        Self::Item(path.into())
    }
}
