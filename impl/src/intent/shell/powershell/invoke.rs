//! Follows commands: functions and blocks of the script, commands of the shell, programs.

use super::bind::{Given, bind};
use super::names::{self, SHADOWING, WINDOWS_ONLY};
use super::state::{Reader, Value};
use super::syntax::{Argument, Block, Command, Expression};
use super::table;
use crate::intent::shell::field::Field;
use crate::intent::shell::invocation::{Input, Run};
use std::rc::Rc;

/// What the program that is called like the alias of `Set-Content` does.
const SERVICE_VERBS: [&str; 22] = [
    "query",
    "queryex",
    "start",
    "stop",
    "pause",
    "continue",
    "create",
    "delete",
    "config",
    "qc",
    "control",
    "failure",
    "qfailure",
    "description",
    "qdescription",
    "sdshow",
    "sdset",
    "showsid",
    "triggerinfo",
    "interrogate",
    "enumdepend",
    "privs",
];

impl Reader<'_> {
    /// Follows a command, and yields what it yields.
    pub(super) fn command(&mut self, command: &Command, input: Option<Vec<Value>>) -> Vec<Value> {
        let name = self.value(&command.name);
        let mut given = Vec::new();
        for argument in &command.arguments {
            self.expand(argument, &mut given);
        }
        match name {
            Value::Block(block) => {
                let mut out = Vec::new();
                self.call_block(&block, given, input, command.dotted, &mut out);
                out
            }
            Value::Text(text) | Value::Item(text) => {
                self.named(&text, given, input, command.dotted)
            }
            Value::Partial(text) => {
                let name = Field { text: text.to_string(), exact: false };
                self.program(name, &given, input);
                vec![Value::Unknown]
            }
            _ => {
                if !matches!(command.name, Expression::Unknown) {
                    self.note("A command is run whose name only the shell knows.");
                }
                vec![Value::Unknown]
            }
        }
    }

    /// Expands one argument.
    fn expand(&mut self, argument: &Argument, given: &mut Vec<Given>) {
        match argument {
            Argument::Value(expression) => {
                let bare = matches!(
                    expression,
                    Expression::Bare(_) | Expression::Joined(_, true) | Expression::List(_)
                );
                let value = self.value(expression);
                given.push(Given::Value(value, bare));
            }
            Argument::Parameter { name, value, apart } => {
                let value = value.as_ref().map(|value| self.value(value));
                given.push(Given::Parameter { name: name.clone(), value, apart: *apart });
            }
            Argument::Splat(name) => match self.lookup(name) {
                Value::Table(rows) if self.spend(rows.len()) => {
                    given.extend(rows.iter().map(|(name, value)| Given::Parameter {
                        name: name.clone(),
                        value: Some(value.clone()),
                        apart: true,
                    }));
                }
                Value::List(values) if self.spend(values.len()) => {
                    given.extend(values.iter().map(|value| Given::Value(value.clone(), false)));
                }
                _ => {
                    self.note("A command gets arguments that only the shell knows.");
                    given.push(Given::Anything);
                }
            },
            Argument::Verbatim(text) => {
                given.extend(split(text).into_iter().map(|word| Given::Value(word, false)));
            }
        }
    }

    /// Follows a command with a known name.
    fn named(
        &mut self,
        name: &str,
        mut given: Vec<Given>,
        input: Option<Vec<Value>>,
        dotted: bool,
    ) -> Vec<Value> {
        if name.is_empty() {
            return Vec::new();
        }
        let mut lower = name.to_lowercase();
        if let Some(alias) = self.aliases.get(lower.as_str()) {
            lower = alias.to_lowercase();
        }
        if let Some(block) = self.functions.get(lower.as_str()).cloned() {
            let mut out = Vec::new();
            self.call_block(&block, given, input, dotted, &mut out);
            return out;
        }
        if let Some((module, rest)) = lower.split_once('\\')
            && module.starts_with("microsoft.powershell.")
        {
            lower = rest.to_owned();
        }
        let windows = self.windows();
        let hidden = !windows && WINDOWS_ONLY.contains(&lower.as_str());
        if let Some(known) = table::find(&lower).filter(|_| !hidden) {
            let shadows = SHADOWING.contains(&lower.as_str());
            let kept = if shadows { given.clone() } else { Vec::new() };
            let bound = bind(known, given);
            let program = shadows
                && (!bound.fits
                    || (!bound.rest.is_empty() && !matches!(lower.as_str(), "echo" | "write"))
                    || (matches!(lower.as_str(), "curl" | "wget") && !bound.named)
                    || (lower == "sc" && is_service(&kept)));
            if !program {
                return self.cmdlet(known.cmdlet, bound, input);
            }
            given = kept;
        } else if names::is_reader(&lower, windows) {
            return vec![Value::Unknown];
        }
        self.program(Field::known(name), &given, input);
        vec![Value::Unknown]
    }

    /// Follows a block with arguments.
    fn call_block(
        &mut self,
        block: &Rc<Block>,
        given: Vec<Given>,
        input: Option<Vec<Value>>,
        dotted: bool,
        out: &mut Vec<Value>,
    ) {
        if dotted {
            self.block(block, out);
            return;
        }
        self.scope(|reader| {
            if let Some(values) = input {
                reader.set(&"input".into(), Value::List(values.clone().into()));
                let it = if values.len() == 1 { values[0].clone() } else { Value::Unknown };
                reader.set(&"_".into(), it);
            }
            reader.fill_parameters(block, given);
            reader.block(block, out);
        });
    }

    /// Gives arguments to the parameters of a block.
    fn fill_parameters(&mut self, block: &Block, given: Vec<Given>) {
        let mut loose = Vec::new();
        let mut named: Vec<(Rc<str>, Value)> = Vec::new();
        let mut waiting: Option<Rc<str>> = None;
        let mut unclear = false;
        for one in given {
            match one {
                Given::Value(value, _) => match waiting.take() {
                    Some(name) => named.push((name, value)),
                    None => loose.push(value),
                },
                Given::Parameter { name, value, .. } => {
                    named.extend(waiting.take().map(|name| (name, Value::Flag(true))));
                    let name: Rc<str> = name.to_lowercase().into();
                    let full = block.parameters.iter().map(|row| &row.0);
                    let full = full
                        .clone()
                        .find(|one| **one == name)
                        .or_else(|| full.clone().find(|one| one.starts_with(&*name)));
                    let name = full.cloned().unwrap_or(name);
                    match value {
                        Some(value) => named.push((name, value)),
                        None => waiting = Some(name),
                    }
                }
                Given::Anything => unclear = true,
            }
        }
        named.extend(waiting.take().map(|name| (name, Value::Flag(true))));
        let mut loose = loose.into_iter();
        for (name, usual) in &block.parameters {
            let found = named.iter().find(|row| row.0 == *name).map(|row| row.1.clone());
            let value = match found.or_else(|| loose.next()) {
                Some(value) => value,
                None if unclear => Value::Unknown,
                None => usual.as_ref().map_or(Value::Unknown, |usual| self.value(usual)),
            };
            self.set(name, value);
        }
        self.set(&"args".into(), Value::List(loose.collect()));
    }

    /// Hands a program on to whoever knows programs.
    pub(super) fn program(&mut self, name: Field, given: &[Given], input: Option<Vec<Value>>) {
        let shell = super::paths::leaf(&name.text).to_lowercase();
        let shell = shell.strip_suffix(".exe").unwrap_or(&shell);
        let shell = shell == "powershell" || shell == "pwsh";
        let mut words = vec![name];
        for one in given {
            match one {
                // Another shell follows a block as this one would.
                Given::Value(Value::Block(block), _) if shell => {
                    let place = self.place.clone();
                    self.scope(|reader| reader.block(block, &mut Vec::new()));
                    self.place = place;
                    return;
                }
                Given::Value(value, bare) => self.fields(value, *bare, &mut words),
                Given::Parameter { name, value: None, .. } => {
                    words.push(Field::known(format!("-{name}")));
                }
                Given::Parameter { name, value: Some(value), apart } => {
                    let field = value.field();
                    if *apart {
                        words.push(Field::known(format!("-{name}:")));
                        words.push(field);
                    } else {
                        let text = format!("-{name}:{}", field.text);
                        words.push(Field { text, exact: field.exact });
                    }
                }
                Given::Anything => words.push(Field::unknown()),
            }
        }
        let cost: usize = words.iter().map(|word| word.text.len() + 8).sum();
        if !self.spend(cost) {
            self.note("The script is so long that not all of its programs were followed.");
            return;
        }
        let input = input.map_or(Input::Unknown, |values| input_of(&values));
        self.outcome.runs.push(Run { words, input, place: Some(self.place.clone()) });
    }

    /// An argument as a program gets it.
    fn fields(&mut self, value: &Value, bare: bool, words: &mut Vec<Field>) {
        if let Value::List(values) = value {
            for value in values.iter() {
                self.fields(value, bare, words);
            }
            return;
        }
        let field = value.field();
        // On Unix the shell expands wildcards and `~` for programs too.
        if bare && !self.windows() && field.exact {
            if super::paths::is_pattern(&field.text)
                && let Some(found) = self.relative_matches(&field.text)
            {
                words.extend(found.into_iter().map(Field::known));
                return;
            }
            if let (Some(home), Some(rest)) = (self.site.home, field.text.strip_prefix('~'))
                && (rest.is_empty() || rest.starts_with('/'))
            {
                words.push(Field::known(format!("{home}{rest}")));
                return;
            }
        }
        words.push(field);
    }
}

/// Whether the arguments are those of the program that controls services.
fn is_service(given: &[Given]) -> bool {
    let Some(Given::Value(value, _)) = given.first() else { return false };
    let word = value.known().map(|word| word.to_lowercase());
    word.is_some_and(|word| SERVICE_VERBS.contains(&word.as_str()) || word.starts_with("\\\\"))
}

/// What a program reads that stands behind values.
fn input_of(values: &[Value]) -> Input {
    let mut names = Vec::new();
    let mut text = String::new();
    for value in values {
        let Some(known) = value.known() else { return Input::Unknown };
        if matches!(value, Value::Item(_)) {
            names.push(known.to_string());
        }
        text.push_str(&known);
        text.push('\n');
    }
    if !values.is_empty() && names.len() == values.len() {
        Input::Names(names)
    } else {
        Input::Text(text)
    }
}

/// The words of a command line of Windows.
pub(super) fn split(text: &str) -> Vec<Value> {
    let mut words = Vec::new();
    let mut word = String::new();
    let mut quoted = false;
    let mut begun = false;
    let mut close = |word: &mut String| {
        let word = std::mem::take(word);
        words.push(match word.matches('%').count() {
            0 | 1 => Value::text(word),
            _ => Value::Partial(Field::HOLE.to_string().into()),
        });
    };
    for letter in text.chars() {
        if letter == '"' {
            quoted = !quoted;
            begun = true;
        } else if letter.is_whitespace() && !quoted {
            if begun {
                close(&mut word);
            }
            begun = false;
        } else {
            begun = true;
            word.push(letter);
        }
    }
    if begun {
        close(&mut word);
    }
    words
}
