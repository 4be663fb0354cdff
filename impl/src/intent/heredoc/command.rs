//! One simple command of a script, and what it is to a reader of patches.

use super::super::patch;
use super::lexer::Token;
use super::word::Word;

/// Programs that apply a patch.
pub(super) const PATCH_PROGRAMS: &[&str] = &["apply_patch", "applypatch"];

/// Shells that take a script as an argument.
const SHELLS: &[&str] = &["bash", "dash", "ksh", "sh", "zsh"];

/// Words before a command that leave it what it is.
const PREFIXES: &[&str] = &[
    "!", "builtin", "command", "do", "elif", "else", "env", "exec", "if", "nice", "nohup", "sudo",
    "then", "time", "timeout", "until", "while", "{",
];

/// Words that are a command of their own but do nothing to files.
const SILENT: &[&str] = &["done", "fi", "}", ":", "true"];

/// A simple command.
#[derive(Debug, Default)]
pub(super) struct Command {
    pub(super) words: Vec<Word>,
    /// Files that its output is redirected to.
    pub(super) writes: Vec<Word>,
    /// Texts that it gets on stdin.
    pub(super) heredocs: Vec<String>,
}

/// What a command does.
#[derive(Debug, PartialEq)]
pub(super) enum Role<'a> {
    /// It applies a patch.
    Patch,
    /// It runs this script.
    Script(&'a str),
    /// It changes the directory, without a word to the home.
    Directory(Option<&'a Word>),
    /// It goes back to a directory that is not known.
    Return,
    /// It does nothing to files.
    Nothing,
    /// It is anything else.
    Other,
}

impl Command {
    pub(super) fn add(&mut self, token: Token) {
        match token {
            Token::Word(word) => self.words.push(word),
            Token::Write(word) => self.writes.push(word),
            Token::Heredoc(body) => self.heredocs.push(body),
            Token::Operator(_) => {}
        }
    }

    /// The scripts of all substitutions in the command.
    pub(super) fn take_scripts(&mut self) -> Vec<Vec<Token>> {
        let words = self.words.iter_mut().chain(&mut self.writes);
        words.flat_map(|word| std::mem::take(&mut word.scripts)).collect()
    }

    pub(super) fn role(&self) -> Role<'_> {
        let words = self.own_words();
        let Some(program) = words.first() else { return Role::Nothing };
        let name = program.text.rsplit('/').next().unwrap_or_default();
        if PATCH_PROGRAMS.contains(&name) {
            return Role::Patch;
        }
        match program.text.as_str() {
            text if SILENT.contains(&text) => Role::Nothing,
            "cd" | "pushd" => {
                let mut targets = words[1..].iter();
                Role::Directory(targets.find(|word| !is_option(word)))
            }
            "popd" => Role::Return,
            _ if SHELLS.contains(&name) => script_of(words).map_or(Role::Other, Role::Script),
            _ => Role::Other,
        }
    }

    /// The patch that stands in the command's own words.
    pub(super) fn patch_argument(&self) -> Option<&str> {
        if self.role() != Role::Patch {
            return None;
        }
        let mut words = self.words.iter().map(|word| word.text.as_str());
        words.find(|text| text.contains(patch::BEGIN))
    }

    /// The words from the program's name on.
    fn own_words(&self) -> &[Word] {
        let mut prefixed = false;
        let start = self.words.iter().position(|word| {
            let prefix = !word.quoted && PREFIXES.contains(&word.text.as_str());
            // The options of a prefix, and the seconds of a time limit.
            let option = prefixed && word.text.starts_with(|c: char| c == '-' || c.is_numeric());
            prefixed |= prefix;
            !(prefix || option || word.is_assignment())
        });
        &self.words[start.unwrap_or(self.words.len())..]
    }
}

/// Whether a word of `cd` is an option; a lone dash is a target.
fn is_option(word: &Word) -> bool {
    word.plain && word.text.len() > 1 && word.text.starts_with('-')
}

/// The script after an option such as `-c` or `-lc`.
fn script_of(words: &[Word]) -> Option<&str> {
    let option = words.iter().position(|word| {
        word.text.strip_prefix('-').is_some_and(|letters| {
            letters.ends_with('c') && letters.bytes().all(|byte| byte.is_ascii_alphabetic())
        })
    })?;
    words.get(option + 1).map(|word| word.text.as_str())
}
