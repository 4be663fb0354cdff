//! Goes through a script as bash would, as far as that can be known without running it, and notes
//! what it writes.
//!
//! Both sides of a condition count as run, a `cd` as done. A loop over known words goes over each.

use std::path::Path;

use crate::intent::shell::bash;
use crate::intent::shell::bash::tree::{Command, Joint, Kind, List, Pipeline, Script};
use crate::intent::shell::disk::{Disk, Kind as There};
use crate::intent::shell::field::Field;
use crate::intent::shell::findings::{Findings, Target};
use crate::intent::shell::invocation::{Dialect, Effects, Input, Invocation, Nested, Run};
use crate::intent::shell::place::Place;
use crate::intent::shell::scope::{Scope, Value};

/// So deep may scripts, functions and programs run each other.
const DEPTH_MAX: usize = 16;

/// What is known of the world around a script.
pub struct World<'a> {
    /// The disk.
    pub disk: &'a dyn Disk,
    /// What `~` stands for.
    pub home: Option<&'a str>,
    /// The environment's variables.
    pub environment: &'a dyn Fn(&str) -> Option<String>,
    /// What a program does, by its words.
    pub programs: &'a dyn Fn(&Invocation<'_>) -> Effects,
}

/// A walk through scripts.
pub(super) struct Walk<'a> {
    world: &'a World<'a>,
    findings: Findings,
    depth: usize,
    pub(super) rounds: usize,
}

/// What a bash script writes.
pub fn findings(text: &str, place: Place, world: &World<'_>) -> Findings {
    let mut walk = Walk { world, findings: Findings::default(), depth: 0, rounds: 0 };
    walk.text(text, &mut Scope::new(place), &Input::Unknown);
    walk.findings
}

impl<'a> Walk<'a> {
    pub(super) fn home(&self) -> Option<&'a str> {
        self.world.home
    }

    pub(super) fn disk(&self) -> &'a dyn Disk {
        self.world.disk
    }

    pub(super) fn environment(&self, name: &str) -> Option<String> {
        (self.world.environment)(name)
    }

    pub(super) fn note(&mut self, note: impl Into<String>) {
        let note = note.into();
        if self.findings.notes.len() < 20 && !self.findings.notes.contains(&note) {
            self.findings.notes.push(note);
        }
    }

    /// Goes one level deeper, or notes that this is too deep.
    pub(super) fn deeper<T: Default>(&mut self, go: impl FnOnce(&mut Self) -> T) -> T {
        if self.depth >= DEPTH_MAX {
            self.note("scripts run scripts too deep: the innermost are not judged");
            return T::default();
        }
        self.depth += 1;
        let value = go(self);
        self.depth -= 1;
        value
    }

    /// A script's text, in a scope of its own or not.
    pub(super) fn text(&mut self, text: &str, scope: &mut Scope, input: &Input) -> Input {
        let reading = bash::read(text);
        for note in reading.notes {
            self.note(note);
        }
        self.deeper(|walk| walk.script(&reading.script, scope, input))
    }

    /// What `$(…)` comes to.
    pub(super) fn substituted(&mut self, script: &Script, scope: &Scope) -> Field {
        let output = self.deeper(|walk| walk.script(script, &mut scope.clone(), &Input::Unknown));
        let text = match output {
            Input::Unknown => return Field::unknown(),
            Input::Text(text) => text,
            Input::Names(names) => names.join("\n"),
        };
        let text = text.trim_end_matches('\n');
        Field { text: text.to_owned(), exact: !text.contains(Field::HOLE) }
    }

    /// What runs beside a command, in `<(…)` or `>(…)`.
    pub(super) fn process(&mut self, script: &Script, scope: &Scope) {
        self.deeper(|walk| walk.script(script, &mut scope.clone(), &Input::Unknown));
    }

    pub(super) fn script(&mut self, script: &Script, scope: &mut Scope, input: &Input) -> Input {
        let mut outputs = Vec::new();
        for list in &script.lists {
            if scope.ended {
                break;
            }
            outputs.push(self.list(list, scope, input));
        }
        one_after_the_other(outputs)
    }

    fn list(&mut self, list: &List, scope: &mut Scope, input: &Input) -> Input {
        if list.background {
            let mut inner = scope.clone();
            self.pipelines(&list.pipelines, &mut inner, &Input::Unknown);
            return Input::Text(String::new());
        }
        let output = self.pipelines(&list.pipelines, scope, input);
        // What ends the shell under a condition may not.
        scope.ended &= list.pipelines.len() == 1;
        output
    }

    fn pipelines(
        &mut self,
        pipelines: &[(Joint, Pipeline)],
        scope: &mut Scope,
        input: &Input,
    ) -> Input {
        let outputs = pipelines.iter().map(|(_, pipeline)| self.pipeline(pipeline, scope, input));
        one_after_the_other(outputs.collect())
    }

    fn pipeline(&mut self, pipeline: &Pipeline, scope: &mut Scope, input: &Input) -> Input {
        if let [alone] = pipeline.commands.as_slice() {
            return self.command(alone, scope, input);
        }
        let mut handed_on = input.clone();
        for command in &pipeline.commands {
            handed_on = self.command(command, &mut scope.clone(), &handed_on);
        }
        handed_on
    }

    fn command(&mut self, command: &Command, scope: &mut Scope, input: &Input) -> Input {
        if let Kind::Simple { assignments, words } = &command.kind {
            let sets = assignments.iter().map(|one| (one.name.clone(), one)).collect::<Vec<_>>();
            let words = words.iter().flat_map(|word| self.fields(word, scope)).collect::<Vec<_>>();
            let values: Vec<(String, Value)> =
                sets.into_iter().map(|(name, one)| (name, self.assigned(one, scope))).collect();
            let (redirected, away) = self.redirections(&command.redirections, scope);
            let input = redirected.as_ref().unwrap_or(input);
            if words.is_empty() {
                scope.variables.extend(values);
                return Input::Text(String::new());
            }
            let output = self.program(&words, scope, input);
            return if away { Input::Unknown } else { output };
        }
        let (redirected, away) = self.redirections(&command.redirections, scope);
        let input = redirected.as_ref().unwrap_or(input);
        let output = self.deeper(|walk| walk.compound(&command.kind, scope, input));
        if away { Input::Unknown } else { output }
    }

    /// A program, a function, or what the shell does by itself.
    fn program(&mut self, words: &[Field], scope: &mut Scope, input: &Input) -> Input {
        let Some(name) = words[0].exactly() else {
            self.note("only the shell knows which program it runs");
            return Input::Unknown;
        };
        if let Some(body) = scope.functions.get(name).cloned() {
            let before = scope.arguments.replace(words[1..].to_vec());
            let output = self.deeper(|walk| walk.command(&body, scope, input));
            scope.arguments = before;
            scope.ended = false;
            return output;
        }
        if let Some(output) = self.builtin(name, &words[1..], scope, input) {
            return output;
        }
        let run = Run { words: words.to_vec(), input: input.clone(), place: None };
        self.deeper(|walk| walk.run(&run, scope))
    }

    /// A program by the table, and what it runs.
    fn run(&mut self, run: &Run, scope: &Scope) -> Input {
        if run.words.is_empty() {
            return Input::Unknown;
        }
        let place = run.place.as_ref().unwrap_or(&scope.place);
        let effects = (self.world.programs)(&Invocation {
            words: &run.words,
            input: &run.input,
            place,
            home: self.world.home,
            disk: self.world.disk,
        });
        let Effects { files, trees, output, runs, scripts, notes, .. } = effects;
        self.add(files, trees);
        for note in notes {
            self.note(note);
        }
        let mut outputs = vec![output];
        for mut inner in runs {
            inner.place = inner.place.or_else(|| Some(place.clone()));
            outputs.push(self.deeper(|walk| walk.run(&inner, scope)));
        }
        for nested in scripts {
            outputs.push(self.nested(&nested, place, scope, &run.input));
        }
        outputs.into_iter().rev().find(|one| *one != Input::Unknown).unwrap_or_default()
    }

    fn nested(&mut self, nested: &Nested, place: &Place, scope: &Scope, input: &Input) -> Input {
        let Nested { dialect, text, arguments } = nested;
        if *dialect != Dialect::Bash {
            self.note("a script in another language is not judged");
            return Input::Unknown;
        }
        let mut inner = Scope::new(place.clone());
        // Those that are exported; the script that sets one for a child mostly exports it.
        inner.variables.clone_from(&scope.variables);
        inner.arguments = Some(arguments.iter().skip(1).cloned().collect());
        self.text(text, &mut inner, input)
    }

    fn add(&mut self, files: Vec<Target>, trees: Vec<Target>) {
        for file in files {
            self.write(file);
        }
        self.findings.trees.extend(trees);
    }

    /// Adds a file that is written.
    pub(super) fn write(&mut self, target: Target) {
        if !is_device(&target.path) {
            self.findings.files.push(target);
        }
    }

    /// What is there, if it is known where that is.
    pub(super) fn there(&self, path: &str) -> There {
        self.world.disk.kind(Path::new(path))
    }
}

/// Devices and descriptors are no files that anybody holds.
fn is_device(path: &str) -> bool {
    (path.starts_with("/dev/") && !path.starts_with("/dev/shm/"))
        || path.starts_with("/proc/self/fd/")
}

/// What comes out of commands that run one after the other.
fn one_after_the_other(outputs: Vec<Input>) -> Input {
    let mut all = Input::Text(String::new());
    for output in outputs {
        all = match (all, output) {
            (Input::Text(before), other) if before.is_empty() => other,
            (before, Input::Text(after)) if after.is_empty() => before,
            (Input::Text(before), Input::Text(after)) => Input::Text(before + &after),
            (Input::Names(mut before), Input::Names(after)) => {
                before.extend(after);
                Input::Names(before)
            }
            _ => return Input::Unknown,
        };
    }
    all
}
