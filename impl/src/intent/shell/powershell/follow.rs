//! What the commands of the shell yield, and the scripts and blocks that they run.

use super::bind::{Bound, Given};
use super::find::Found;
use super::invoke::split;
use super::paths;
use super::state::{Reader, Value};
use super::syntax::Operator;
use super::table::{Action, Cmdlet, Form};
use crate::intent::shell::site::Site;
use std::rc::Rc;

/// How long the path of the present directory may be.
const LONGEST: usize = 1024;

impl Reader<'_> {
    /// Follows a command that writes no files by itself.
    pub(super) fn other(
        &mut self,
        cmdlet: &'static Cmdlet,
        bound: &Bound,
        input: Option<Vec<Value>>,
    ) -> Vec<Value> {
        match cmdlet.action {
            Action::Silent => Vec::new(),
            Action::Pass => input.unwrap_or_else(|| vec![Value::Unknown]),
            Action::Enter | Action::Push | Action::Pop => self.go(cmdlet.action, bound),
            Action::Where => vec![self.lookup(&"pwd".into())],
            Action::List => self.find(bound),
            Action::Get | Action::Resolve => self.get(bound),
            Action::ForEach => self.each_of(bound, &input.unwrap_or_default()),
            Action::Filter => self.filtered(bound, input.unwrap_or_default()),
            Action::Select => self.select(bound, input),
            Action::Join => vec![self.joined(bound)],
            Action::Split => vec![split_path(bound)],
            Action::Echo => {
                let mut out = Vec::new();
                out.extend(bound.get("InputObject").cloned().into_iter().flat_map(Value::spread));
                out.extend(bound.rest.iter().cloned().flat_map(Value::spread));
                out
            }
            Action::Start => self.start(bound),
            Action::Evaluate => self.evaluate(bound),
            Action::Block => {
                let mut out = Vec::new();
                let away = ["ComputerName", "Session", "HostName", "VMName", "ContainerId"];
                if away.iter().any(|name| bound.get(name).is_some()) {
                    return vec![Value::Unknown];
                }
                if let Some(Value::Block(block)) = bound.get("ScriptBlock").cloned() {
                    self.scope(|reader| reader.block(&block, &mut out));
                }
                out
            }
            Action::Alias => {
                let name = bound.get("Name").and_then(Value::known);
                let value = bound.get("Value").and_then(Value::known);
                if let (Some(name), Some(value)) = (name, value) {
                    self.aliases.insert(name.to_lowercase().into(), value);
                }
                Vec::new()
            }
            Action::Variable => {
                if let Some(name) = bound.get("Name").and_then(Value::known) {
                    let value = bound.get("Value").cloned().unwrap_or(Value::Nothing);
                    self.set(&name.to_lowercase().into(), value);
                }
                Vec::new()
            }
            Action::Object => {
                if let Some(class) = bound.get("TypeName").and_then(Value::known) {
                    let given = bound.get("ArgumentList").cloned().unwrap_or(Value::Nothing);
                    let class = class.to_lowercase();
                    return vec![self.static_call(&class, "new", &given.spread())];
                }
                vec![Value::Unknown]
            }
            _ => vec![Value::Unknown],
        }
    }

    /// Goes to a directory, or back.
    fn go(&mut self, action: Action, bound: &Bound) -> Vec<Value> {
        if action == Action::Pop {
            self.place = self.stack.pop().unwrap_or_else(|| self.place.lost());
            return Vec::new();
        }
        if action == Action::Push && self.stack.len() < 64 {
            self.stack.push(self.place.clone());
        }
        let (value, form) = match (bound.get("LiteralPath"), bound.get("Path")) {
            (Some(value), _) => (value.clone(), Form::Name),
            (None, Some(value)) => (value.clone(), Form::Pattern),
            (None, None) if action == Action::Push => return Vec::new(),
            // Newer shells go home, older ones stay.
            (None, None) if self.windows() => (Value::Unknown, Form::Name),
            (None, None) => (Value::text("~"), Form::Name),
        };
        let back = value.known().is_some_and(|name| &*name == "-" || &*name == "+");
        let found = if back { Vec::new() } else { self.names_of(&value, form) };
        self.place = match found.as_slice() {
            [Found::File(path)] if path.len() <= LONGEST => self.place.enter(path),
            _ => self.place.lost(),
        };
        Vec::new()
    }

    /// Finds the files that are named.
    fn get(&mut self, bound: &Bound) -> Vec<Value> {
        let (value, form) = match (bound.get("LiteralPath"), bound.get("Path")) {
            (Some(value), _) => (value.clone(), Form::Name),
            (None, Some(value)) => (value.clone(), Form::Pattern),
            (None, None) => return vec![Value::Unknown],
        };
        let found = self.names_of(&value, form).into_iter();
        found
            .map(|found| match found {
                Found::File(path) => Value::Item(path.into()),
                Found::Tree(path) => Value::Under(path.into()),
                Found::Unknown => Value::Unknown,
            })
            .collect()
    }

    /// Follows blocks for each value.
    fn each_of(&mut self, bound: &Bound, input: &[Value]) -> Vec<Value> {
        let mut out = Vec::new();
        if let Some(Value::Block(block)) = bound.get("Begin").cloned() {
            self.block(&block, &mut out);
        }
        let main = bound.get("Parallel").or(bound.get("Process")).cloned();
        let mut blocks: Vec<Value> = main.into_iter().flat_map(Value::spread).collect();
        blocks.extend(bound.rest.iter().cloned());
        let many = blocks.len() > 1 && bound.get("Begin").is_none();
        for (index, block) in blocks.iter().enumerate() {
            match block {
                // Of several blocks the first runs once before, the last once after.
                Value::Block(block) if many && (index == 0 || index > 1) => {
                    self.block(block, &mut out);
                }
                Value::Block(block) => self.for_each(block, input.to_vec(), &mut out),
                _ => {
                    let name = block.known().unwrap_or_default().to_lowercase();
                    for value in input {
                        out.push(match name.as_str() {
                            "delete" => self.call(value.clone(), "delete", &[]),
                            name => self.member(value, name),
                        });
                    }
                    return out;
                }
            }
        }
        if let Some(Value::Block(block)) = bound.get("End").cloned() {
            self.block(&block, &mut out);
        }
        out
    }

    /// Keeps the values that a condition does not surely exclude.
    fn filtered(&mut self, bound: &Bound, input: Vec<Value>) -> Vec<Value> {
        if let Some(Value::Block(block)) = bound.get("FilterScript").cloned() {
            return self.filter(&block, input);
        }
        let property = bound.get("FilterScript").or(bound.get("Property"));
        let Some(property) = property.and_then(Value::known) else { return input };
        let property = property.to_lowercase();
        let operators = [
            ("EQ", Operator::Equal),
            ("NE", Operator::Unequal),
            ("Like", Operator::Like),
            ("NotLike", Operator::Unlike),
        ];
        let Some((name, operator)) = operators.iter().find(|row| bound.get(row.0).is_some()) else {
            return input;
        };
        let wanted = match bound.get(name) {
            Some(Value::Flag(_)) => bound.get("Value"),
            other => other,
        };
        let wanted = wanted.cloned().unwrap_or(Value::Unknown);
        let mut kept = Vec::new();
        for value in input {
            let held = self.member(&value, &property);
            if !matches!(self.apply(*operator, held, wanted.clone()), Value::Flag(false)) {
                kept.push(value);
            }
        }
        kept
    }

    /// Picks what is asked for.
    fn select(&mut self, bound: &Bound, input: Option<Vec<Value>>) -> Vec<Value> {
        let input = input.unwrap_or_else(|| vec![Value::Unknown]);
        if let Some(name) = bound.get("ExpandProperty").and_then(Value::known) {
            let name = name.to_lowercase();
            return input.iter().map(|value| self.member(value, &name)).collect();
        }
        // Which ones are first depends on the order, which is known only where all are.
        input
    }

    /// Puts a path together.
    fn joined(&mut self, bound: &Bound) -> Value {
        let mut parts = Vec::new();
        for name in ["Path", "ChildPath", "AdditionalChildPath"] {
            parts.extend(bound.get(name).cloned().into_iter().flat_map(Value::spread));
        }
        parts.extend(bound.rest.iter().cloned());
        self.join_parts(&parts)
    }

    /// Puts the parts of a path together.
    pub(super) fn join_parts(&mut self, parts: &[Value]) -> Value {
        let separator = self.separator();
        let ends: &[char] = if self.windows() { &['\\', '/'] } else { &['/'] };
        let mut trimmed = Vec::new();
        for (index, part) in parts.iter().enumerate() {
            let Some(text) = part.known() else {
                trimmed.push(part.clone());
                continue;
            };
            let text = if index > 0 { text.trim_start_matches(ends) } else { &text };
            let last = index + 1 == parts.len();
            let kept = if last || text.len() <= 1 { text } else { text.trim_end_matches(ends) };
            trimmed.push(Value::text(kept));
        }
        let found = self.join(&trimmed, separator);
        match found.known() {
            Some(text) if text.starts_with("//") && !self.windows() => Value::text(&text[1..]),
            _ => found,
        }
    }

    /// Starts a program, as `Start-Process` does.
    fn start(&mut self, bound: &Bound) -> Vec<Value> {
        for name in ["RedirectStandardOutput", "RedirectStandardError"] {
            if let Some(target) = bound.get(name).cloned() {
                self.redirect(&target);
            }
        }
        let place = self.place.clone();
        if let Some(directory) = bound.get("WorkingDirectory").cloned() {
            self.place = match self.one_path(&directory) {
                Some((path, _)) => place.enter(&path),
                None => place.lost(),
            };
        }
        let given = bound.get("ArgumentList").cloned().unwrap_or(Value::Nothing);
        let parts = given.spread();
        if let Some(name) = bound.get("FilePath").map(Value::field) {
            let line = self.join(&parts, " ").known();
            let program = paths::leaf(&name.text).to_lowercase();
            match line {
                Some(line) if program == "cmd" || program == "cmd.exe" => {
                    let lower = line.to_ascii_lowercase();
                    if let Some(start) = lower.find("/c").or_else(|| lower.find("/k"))
                        && self.spend(line.len() * 16)
                    {
                        let site = Site { place: &self.place, ..self.site };
                        let found = crate::intent::shell::cmd::read(
                            unquote(line[start + 2..].trim()),
                            &site,
                        );
                        self.outcome.absorb(found);
                    }
                }
                Some(line) => {
                    let words = split(&line).into_iter().map(|word| Given::Value(word, false));
                    self.program(name, &words.collect::<Vec<_>>(), None);
                }
                None => {
                    let words = parts.into_iter().map(|word| Given::Value(word, false));
                    self.program(name, &words.collect::<Vec<_>>(), None);
                }
            }
        }
        self.place = place;
        vec![Value::Unknown]
    }

    /// Follows a text as a script.
    fn evaluate(&mut self, bound: &Bound) -> Vec<Value> {
        let value = bound.get("Command").cloned().unwrap_or(Value::Nothing);
        let Some(text) = self.join(&value.spread(), "\n").known() else {
            self.note("A text is run as a script that only the shell knows.");
            return vec![Value::Unknown];
        };
        let mut out = Vec::new();
        if self.spend(text.len() * 8) {
            self.deeper(|reader| {
                let block = Rc::new(reader.parse(&text));
                reader.block(&block, &mut out)
            });
        }
        out
    }
}

/// A text without the quotes around it.
fn unquote(text: &str) -> &str {
    text.strip_prefix('"').and_then(|rest| rest.strip_suffix('"')).unwrap_or(text)
}

/// Takes a path apart.
fn split_path(bound: &Bound) -> Value {
    let value = bound.get("LiteralPath").or(bound.get("Path"));
    let Some(text) = value.and_then(Value::known) else { return Value::Unknown };
    let text = text.trim_end_matches(['\\', '/']);
    if bound.on("Leaf") {
        return Value::text(paths::leaf(text));
    }
    if bound.on("LeafBase") {
        return Value::text(paths::stem(paths::leaf(text)));
    }
    let other = ["Extension", "Qualifier", "NoQualifier", "IsAbsolute"];
    if other.iter().any(|name| bound.on(name)) {
        return Value::Unknown;
    }
    Value::text(paths::parent(text).unwrap_or(""))
}
