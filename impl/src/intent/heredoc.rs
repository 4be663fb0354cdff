//! Patches that a shell command hands to `apply_patch`, and nothing else that a shell may do.
//!
//! Followed are `cd`, subshells, pipelines, scripts inside `$(…)` and `bash -c '…'`, and
//! redirections from a patch on to the end of its line. A `cd` counts as done, whatever `&&` or
//! `||` stand around it.

mod alone;
mod command;
mod lexer;
mod quote;
mod word;

use super::{Intent, IntentError, Place, patch};
use crate::event::ToolCall;
use crate::payload::Json;
use command::{Command, Role};
use lexer::{Operator, Token};
use word::Word;

/// The note on every shell call that holds more than patches.
pub(super) const NOT_JUDGED: &str = "shell commands are not judged yet";

/// How deep scripts may nest in scripts.
const DEPTH_MAX: usize = 16;

/// Fields of a shell tool's input that may hold the script, best first.
const SCRIPT_FIELDS: &[&str] = &["command", "cmd"];

/// Adds the files of the patches in a shell tool's call.
pub(super) fn judge(
    call: &ToolCall,
    place: &Place,
    intent: &mut Intent,
) -> Result<(), IntentError> {
    let value = SCRIPT_FIELDS.iter().find_map(|field| call.input.get(field));
    match value.unwrap_or(&call.input) {
        Json::Text(script) => {
            judge_script(script, place, intent)?;
        }
        Json::List(items) => {
            let words = items.iter().filter_map(Json::as_text).map(Word::literal).collect();
            let pipeline = vec![Command { words, ..Command::default() }];
            let mut walk = Walk::new(intent);
            walk.pipeline(pipeline, &mut place.clone(), 0)?;
            walk.finish();
        }
        _ => intent.note(NOT_JUDGED),
    }
    Ok(())
}

/// Adds the files of the patches in a script, and tells whether there were any.
pub(super) fn judge_script(
    script: &str,
    place: &Place,
    intent: &mut Intent,
) -> Result<bool, IntentError> {
    let tokens = lexer::tokens(script);
    let alone = alone::is_patch(&tokens);
    let mut walk = Walk::new(intent);
    walk.script(tokens, &mut place.clone(), 0)?;
    walk.intent.patch_only = alone && walk.found;
    if !walk.found && script.contains(patch::BEGIN) {
        walk.intent.note("the command quotes a patch but does not hand it to apply_patch");
    }
    Ok(walk.finish())
}

/// A walk through the commands of a script, in order.
struct Walk<'a> {
    intent: &'a mut Intent,
    /// Whether a patch was found.
    found: bool,
    /// Whether a patch began earlier on the line: from there on, redirections count.
    after_patch: bool,
    /// Whether there were commands that nobody judges.
    others: bool,
}

impl<'a> Walk<'a> {
    fn new(intent: &'a mut Intent) -> Self {
        Self { intent, found: false, after_patch: false, others: false }
    }

    fn finish(self) -> bool {
        if self.others || !self.found {
            self.intent.note(NOT_JUDGED);
        }
        self.found
    }

    fn script(
        &mut self,
        tokens: Vec<Token>,
        place: &mut Place,
        depth: usize,
    ) -> Result<(), IntentError> {
        let mut outer = Vec::new();
        let mut pipeline = vec![Command::default()];
        for token in tokens.into_iter().chain([Token::Operator(Operator::Newline)]) {
            let last = pipeline.len() - 1;
            let operator = match token {
                Token::Operator(Operator::Pipe) => {
                    pipeline.push(Command::default());
                    continue;
                }
                Token::Operator(operator) => operator,
                token => {
                    pipeline[last].add(token);
                    continue;
                }
            };
            let commands = std::mem::replace(&mut pipeline, vec![Command::default()]);
            if operator == Operator::Background {
                // It runs in a shell of its own.
                self.pipeline(commands, &mut place.clone(), depth)?;
            } else {
                self.pipeline(commands, place, depth)?;
            }
            match operator {
                Operator::Newline => self.after_patch = false,
                Operator::Open => outer.push(place.clone()),
                Operator::Close => {
                    if let Some(before) = outer.pop() {
                        *place = before;
                    }
                }
                _ => {}
            }
        }
        Ok(())
    }

    fn pipeline(
        &mut self,
        commands: Vec<Command>,
        place: &mut Place,
        depth: usize,
    ) -> Result<(), IntentError> {
        let alone = commands.len() == 1;
        let patches = commands.iter().any(|command| command.role() == Role::Patch);
        let mut writes = Vec::new();
        for mut command in commands {
            for script in command.take_scripts() {
                self.script(script, &mut place.clone(), depth + 1)?;
            }
            match command.role() {
                Role::Script(script) if depth < DEPTH_MAX => {
                    let tokens = lexer::tokens(script);
                    self.script(tokens, &mut place.clone(), depth + 1)?;
                }
                // In a pipeline it would change the directory of that part alone.
                Role::Directory(target) if alone => self.change_directory(target, place),
                Role::Return if alone => place.lose(),
                Role::Patch | Role::Directory(_) | Role::Return | Role::Nothing => {}
                Role::Script(_) | Role::Other => self.others = true,
            }
            if patches {
                self.patches(&command, place)?;
            }
            writes.append(&mut command.writes);
        }
        if self.after_patch {
            for target in &writes {
                self.redirection(target, place)?;
            }
        }
        Ok(())
    }

    fn change_directory(&mut self, target: Option<&Word>, place: &mut Place) {
        match target {
            Some(word) if word.plain && word.text != "-" => {
                if word.tilde {
                    place.enter_expanded(&word.text);
                } else {
                    place.enter(&word.text);
                }
            }
            None => place.enter_expanded("~"),
            Some(word) => {
                self.intent.note(format!("only the shell knows where cd {:?} leads", word.text));
                place.lose();
            }
        }
    }

    /// Adds the patches that a command of an `apply_patch` pipeline holds.
    fn patches(&mut self, command: &Command, place: &Place) -> Result<(), IntentError> {
        let arguments = command.patch_argument().into_iter();
        for text in command.heredocs.iter().map(String::as_str).chain(arguments) {
            let patch = patch::parse(text)?;
            self.found = true;
            self.after_patch = true;
            for patch::Target { name, environment } in patch.targets {
                self.intent.writes.push(place.join(&name)?);
                if let Some(id) = environment {
                    // Measured: the program itself does not heed the environment.
                    let note = format!("{name:?} counts as local, though for environment {id:?}");
                    self.intent.note(note);
                }
            }
            self.intent.notes.extend(patch.notes);
        }
        Ok(())
    }

    fn redirection(&mut self, target: &Word, place: &Place) -> Result<(), IntentError> {
        if !target.plain || target.text.is_empty() {
            let note = format!("only the shell knows where > {:?} leads", target.text);
            self.intent.note(note);
        } else if !target.text.starts_with("/dev/") {
            let path = if target.tilde {
                place.join_expanded(&target.text)
            } else {
                place.join(&target.text)
            };
            self.intent.writes.push(path?);
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests;
