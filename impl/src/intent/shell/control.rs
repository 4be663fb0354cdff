//! Conditions and loops: each branch counts as run, and a loop over known words goes over each.

use std::rc::Rc;

use super::bash;
use super::bash::tree::{Kind, Script, Word};
use super::field::Field;
use super::invocation::Input;
use super::scope::{Scope, Value};
use super::walk::Walk;

/// So many times are bodies of loops gone through in all.
const ROUNDS_MAX: usize = 4096;

/// So many words does a loop go over, each by itself.
const WORDS_MAX: usize = 256;

impl Walk<'_> {
    pub(super) fn compound(&mut self, kind: &Kind, scope: &mut Scope, input: &Input) -> Input {
        match kind {
            Kind::Subshell(script) => self.script(script, &mut scope.clone(), input),
            Kind::Group(script) => self.script(script, scope, input),
            Kind::If(arms, otherwise) => {
                let mut bodies = Vec::new();
                let mut goes_on = true;
                for (condition, body) in arms {
                    self.script(condition, scope, input);
                    let verdict = constant(condition);
                    if goes_on && verdict != Some(false) {
                        bodies.push(body);
                    }
                    goes_on &= verdict != Some(true);
                }
                bodies.extend(otherwise.iter().filter(|_| goes_on));
                self.branches(bodies.into_iter(), scope, input)
            }
            Kind::Case(word, arms) => {
                self.field(word, scope);
                for word in arms.iter().flat_map(|(patterns, _)| patterns) {
                    self.field(word, scope);
                }
                self.branches(arms.iter().map(|(_, body)| body), scope, input)
            }
            Kind::While(condition, body) => {
                self.repeated(condition, body, scope, input);
                Input::Unknown
            }
            Kind::Count(word, body) => {
                self.field(word, scope);
                self.round(body, scope, input);
                Input::Unknown
            }
            Kind::For(name, words, body) => {
                self.for_each(name, words.as_deref(), body, scope, input)
            }
            Kind::Function(name, body) => {
                scope.functions.insert(name.clone(), Rc::new((**body).clone()));
                Input::Text(String::new())
            }
            Kind::Test(words) => {
                for word in words {
                    self.field(word, scope);
                }
                Input::Text(String::new())
            }
            Kind::Simple { .. } => Input::Unknown,
        }
    }

    /// Each of these may be run, or not.
    fn branches<'s>(
        &mut self,
        bodies: impl Iterator<Item = &'s Script>,
        scope: &mut Scope,
        input: &Input,
    ) -> Input {
        let before = scope.clone();
        for body in bodies {
            let mut branch = before.clone();
            self.script(body, &mut branch, input);
            let moved = branch.place != before.place;
            let place = scope.place.clone();
            scope.merge(&branch);
            if !moved {
                scope.place = place;
            }
        }
        Input::Unknown
    }

    /// The body of a loop, once.
    fn round(&mut self, body: &Script, scope: &mut Scope, input: &Input) {
        self.rounds += 1;
        if self.rounds > ROUNDS_MAX {
            self.note("loops go round too often: the rest of them is not judged");
            return;
        }
        self.script(body, scope, input);
        scope.ended = false;
    }

    fn for_each(
        &mut self,
        name: &str,
        words: Option<&[Word]>,
        body: &Script,
        scope: &mut Scope,
        input: &Input,
    ) -> Input {
        let values: Vec<Field> = match words {
            Some(words) => words.iter().flat_map(|word| self.fields(word, scope)).collect(),
            None => scope.arguments.clone().unwrap_or_else(|| vec![Field::unknown()]),
        };
        self.over(name, values, body, scope, input);
        Input::Unknown
    }

    /// A body with a variable that goes over these.
    fn over(
        &mut self,
        name: &str,
        mut values: Vec<Field>,
        body: &Script,
        scope: &mut Scope,
        input: &Input,
    ) {
        if values.len() > WORDS_MAX {
            self.note(format!(
                "a loop goes over more than {WORDS_MAX} words: the rest is not judged"
            ));
            values.truncate(WORDS_MAX);
        }
        for value in values {
            scope.variables.insert(name.to_owned(), Value::Text(value));
            self.round(body, scope, input);
        }
    }

    /// `while`: `while read name` goes over the lines that are known.
    fn repeated(&mut self, condition: &Script, body: &Script, scope: &mut Scope, input: &Input) {
        if let Some(name) = read_variable(condition)
            && let Some(lines) = lines(input)
        {
            let values =
                lines.into_iter().map(|text| Field { exact: !text.contains(Field::HOLE), text });
            self.over(&name, values.collect(), body, scope, &Input::Unknown);
            return;
        }
        self.script(condition, scope, input);
        if let Some(name) = read_variable(condition) {
            scope.variables.insert(name, Value::unknown());
        }
        self.round(body, scope, input);
    }
}

/// What a condition comes to that is nothing but `true` or `false`.
fn constant(condition: &Script) -> Option<bool> {
    match only_words(condition)?.as_slice() {
        [word] if word == "true" || word == ":" => Some(true),
        [word] if word == "false" => Some(false),
        _ => None,
    }
}

/// The last variable of a condition that is `read name …`.
fn read_variable(condition: &Script) -> Option<String> {
    let mut words = only_words(condition)?.into_iter();
    (words.next()? == "read").then(|| words.rfind(|word| !word.starts_with('-')))?
}

/// The words of a script that is one program.
fn only_words(script: &Script) -> Option<Vec<String>> {
    let [list] = script.lists.as_slice() else { return None };
    let [(_, pipeline)] = list.pipelines.as_slice() else { return None };
    let [command] = pipeline.commands.as_slice() else { return None };
    let Kind::Simple { words, .. } = &command.kind else { return None };
    if pipeline.negated {
        return None;
    }
    let text = |word: &Word| word.parts.iter().map(bash::text_of).collect();
    Some(words.iter().map(text).collect())
}

/// The lines of an input.
fn lines(input: &Input) -> Option<Vec<String>> {
    match input {
        Input::Unknown => None,
        Input::Text(text) => Some(text.lines().map(str::to_owned).collect()),
        Input::Names(names) => Some(names.clone()),
    }
}
