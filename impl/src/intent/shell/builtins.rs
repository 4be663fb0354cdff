//! What bash does by itself: where it goes, which variables it sets, and redirections.

use std::path::Path;

use crate::intent::shell::bash::tree::{Assignment, Operator, Part, Redirection};
use crate::intent::shell::disk::Kind as There;
use crate::intent::shell::field::Field;
use crate::intent::shell::findings::Target;
use crate::intent::shell::invocation::Input;
use crate::intent::shell::place::Place;
use crate::intent::shell::scope::{Scope, Value};
use crate::intent::shell::walk::Walk;

/// So long may a file be that is read because a program gets it as its input.
const INPUT_MAX: usize = 64 * 1024;

impl Walk<'_> {
    /// What a variable gets.
    pub(super) fn assigned(&mut self, one: &Assignment, scope: &mut Scope) -> Value {
        let value = if let [Part::Array(words)] = one.value.parts.as_slice() {
            Value::List(words.iter().flat_map(|word| self.fields(word, scope)).collect())
        } else {
            Value::Text(self.field(&one.value, scope))
        };
        match (one.adds, scope.variables.get(&one.name), value) {
            (false, _, value) => value,
            (true, Some(Value::List(before)), value) => {
                Value::List(before.iter().chain(value.fields()).cloned().collect())
            }
            (true, Some(Value::Text(before)), Value::Text(more)) => Value::Text(Field {
                text: format!("{}{}", before.text, more.text),
                exact: before.exact && more.exact,
            }),
            _ => Value::unknown(),
        }
    }

    /// Redirections: what they write is noted. Gives what standard input is then, and whether
    /// standard output goes elsewhere.
    pub(super) fn redirections(
        &mut self,
        all: &[Redirection],
        scope: &mut Scope,
    ) -> (Option<Input>, bool) {
        let (mut input, mut away) = (None, false);
        for one in all {
            let is_input = one.descriptor.unwrap_or(0) == 0;
            match one.operator {
                Operator::HereDocument | Operator::HereString => {
                    let text = one.text.get().map(|word| self.field(word, scope).text);
                    let end = if one.operator == Operator::HereString { "\n" } else { "" };
                    if is_input {
                        input = text.map(|text| Input::Text(text + end));
                    }
                }
                Operator::Read | Operator::DuplicateIn => {
                    let name = self.field(&one.target, scope);
                    if is_input {
                        input = Some(self.contents(&name, scope));
                    }
                }
                Operator::Write | Operator::ReadWrite | Operator::Both | Operator::DuplicateOut => {
                    away |= one.descriptor.unwrap_or(1) == 1 && one.operator != Operator::ReadWrite;
                    self.written(one, scope);
                }
            }
        }
        (input, away)
    }

    fn contents(&mut self, name: &Field, scope: &Scope) -> Input {
        let path = name.exactly().and_then(|name| scope.place.join(name));
        let text = path.and_then(|path| self.disk().read(Path::new(&path), INPUT_MAX));
        text.map_or(Input::Unknown, Input::Text)
    }

    /// A redirection's file.
    fn written(&mut self, one: &Redirection, scope: &mut Scope) {
        let fields = self.fields(&one.target, scope);
        let [field] = fields.as_slice() else {
            // bash refuses what becomes none or several.
            return;
        };
        let is_descriptor = |text: &str| {
            text == "-" || text.trim_end_matches('-').bytes().all(|byte| byte.is_ascii_digit())
        };
        if one.operator == Operator::DuplicateOut && field.exactly().is_none_or(is_descriptor) {
            return;
        }
        let Some(path) = field.exactly().and_then(|name| scope.place.join(name)) else {
            self.note(format!("only the shell knows the file of > {:?}", shown(field)));
            return;
        };
        let words = format!("> {}", field.text);
        self.write(Target { path, words, rule: "redirection" });
    }

    /// What bash does by itself; none where it is a program's name.
    pub(super) fn builtin(
        &mut self,
        name: &str,
        words: &[Field],
        scope: &mut Scope,
        input: &Input,
    ) -> Option<Input> {
        match name {
            "cd" | "chdir" => self.change_directory(words, scope),
            "pushd" => {
                let before = scope.place.clone();
                self.change_directory(words, scope);
                scope.places.push(before);
            }
            "popd" => scope.place = scope.places.pop().unwrap_or_else(|| scope.place.lost()),
            "exit" | "return" => scope.ended = true,
            "export" | "declare" | "local" | "readonly" | "typeset" => declare(words, scope),
            "unset" => {
                for word in words {
                    scope.variables.insert(word.text.clone(), Value::unknown());
                }
            }
            "read" | "mapfile" | "readarray" => {
                for word in words.iter().filter(|word| !word.text.starts_with('-')) {
                    scope.variables.insert(word.text.clone(), read(input));
                }
            }
            "set" => {
                let operands = words.iter().position(|word| word.text == "--");
                if let Some(at) = operands {
                    scope.arguments = Some(words[at + 1..].to_vec());
                }
            }
            "shift" => {
                if let Some(arguments) = scope.arguments.as_mut().filter(|all| !all.is_empty()) {
                    arguments.remove(0);
                }
            }
            "eval" => {
                let text: Vec<&str> = words.iter().map(|word| word.text.as_str()).collect();
                return Some(self.text(&text.join(" "), scope, input));
            }
            "source" | "." => {
                let Input::Text(text) = self.contents(words.first()?, scope) else { return None };
                return Some(self.text(&text, scope, input));
            }
            ":" | "true" | "false" | "let" | "shopt" | "trap" | "wait" | "jobs" | "alias" => {}
            _ => return None,
        }
        Some(Input::Text(String::new()))
    }

    fn change_directory(&mut self, words: &[Field], scope: &mut Scope) {
        let target = words.iter().find(|word| !matches!(word.text.as_str(), "-P" | "-L" | "--"));
        let home = self.home().map(Field::known);
        scope.place = match target.or(home.as_ref()).and_then(Field::exactly) {
            Some("-") | None => {
                self.note(
                    "only the shell knows where a cd leads: relative names behind it are free",
                );
                scope.place.lost()
            }
            Some(name) => self.entered(&scope.place, name),
        };
    }

    /// A directory that is a file, or nothing, cannot be entered; but what is nothing may be made
    /// before.
    fn entered(&self, place: &Place, name: &str) -> Place {
        let inner = place.enter(name);
        match inner.directory() {
            Some(path) if self.there(path) == There::File => place.clone(),
            _ => inner,
        }
    }
}

/// A field, with what only the shell knows as an ellipsis.
fn shown(field: &Field) -> String {
    if field.exact { field.text.clone() } else { field.text.replace(Field::HOLE, "…") }
}

/// `export NAME=value` and the like.
fn declare(words: &[Field], scope: &mut Scope) {
    for word in words {
        let Some((name, value)) = word.text.split_once('=') else { continue };
        let value = Field { text: value.to_owned(), exact: word.exact };
        scope.variables.insert(name.trim_end_matches('+').to_owned(), Value::Text(value));
    }
}

/// What a variable gets that is read.
fn read(input: &Input) -> Value {
    match input {
        Input::Text(text) if text.lines().count() == 1 => {
            let text = text.trim_end_matches('\n').to_owned();
            Value::Text(Field { exact: !text.contains(Field::HOLE), text })
        }
        _ => Value::unknown(),
    }
}
