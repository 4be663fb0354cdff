//! Commands: lists, pipelines, simple commands.

use super::Reader;
use super::compound::KEYWORDS;
use super::tree::{Assignment, Command, Joint, Kind, List, Part, Pipeline, Script, Word};

/// Words that end the commands before them, where a command may begin.
const ENDS: &[&str] = &["then", "elif", "else", "fi", "do", "done", "esac", "}"];

/// Whether a byte may stand in a variable's name.
pub(super) fn is_name_byte(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || byte == b'_'
}

/// Whether this is a variable's name.
pub(super) fn is_name(text: &str) -> bool {
    text.bytes().all(is_name_byte) && text.bytes().next().is_some_and(|byte| !byte.is_ascii_digit())
}

impl Reader<'_> {
    /// All of the text.
    pub(super) fn whole(&mut self) -> Script {
        let mut script = Script::default();
        loop {
            let before = (self.cursor.at(), script.lists.len());
            self.line(&mut script);
            if self.unclosed {
                // bash reads a whole line before it runs any of it.
                script.lists.truncate(before.1);
            }
            if self.cursor.is_end() {
                return script;
            }
            if self.cursor.at() == before.0 {
                // A `)` or a `done` that closes nothing: bash stops there.
                self.note("something is closed that was not open: bash stops there");
                return script;
            }
        }
    }

    /// The lists up to the end of the line on which the last of them ends.
    fn line(&mut self, script: &mut Script) {
        loop {
            self.blanks();
            if self.cursor.is_end() {
                return;
            }
            if self.cursor.peek(0) == b'\n' {
                self.line_end();
                return;
            }
            let before = self.cursor.at();
            self.list(script);
            if self.cursor.at() == before {
                return;
            }
        }
    }

    /// Lists up to what closes them.
    pub(super) fn script(&mut self) -> Script {
        let mut script = Script::default();
        loop {
            self.gap();
            let before = self.cursor.at();
            if !self.is_end() {
                self.list(&mut script);
            }
            if self.cursor.at() == before {
                return script;
            }
        }
    }

    /// Whether no command begins here.
    fn is_end(&self) -> bool {
        self.cursor.is_end()
            || self.cursor.peek(0) == b')'
            || self.cursor.starts_with(";;")
            || self.cursor.starts_with(";&")
            || ENDS.iter().any(|end| self.is_keyword(end))
    }

    /// Whether this very word stands here.
    fn is_keyword(&self, word: &str) -> bool {
        let next = self.cursor.peek(word.len());
        self.cursor.starts_with(word)
            && (super::word::ends_word(next) || self.ends_with(word.len()))
    }

    fn ends_with(&self, length: usize) -> bool {
        self.cursor.rest().len() == length
    }

    /// Goes over this word if it stands here.
    pub(super) fn takes_keyword(&mut self, word: &str) -> bool {
        let stands = self.is_keyword(word);
        if stands {
            self.cursor.skip(word.len());
        }
        stands
    }

    /// Goes over a word that must stand here.
    pub(super) fn needs_keyword(&mut self, word: &str) {
        self.gap();
        if !self.takes_keyword(word) {
            self.unclosed();
        }
    }

    /// Goes over blanks and a comment.
    pub(super) fn blanks(&mut self) {
        self.cursor.blanks();
        if self.cursor.peek(0) == b'#' {
            self.cursor.until(|byte| byte == b'\n');
        }
    }

    /// Goes over blanks, comments, line ends and here-documents.
    pub(super) fn gap(&mut self) {
        loop {
            self.blanks();
            if self.cursor.is_end() || self.cursor.peek(0) != b'\n' {
                return;
            }
            self.line_end();
        }
    }

    /// Pipelines up to a `;`, a `&`, or the end of the line.
    fn list(&mut self, script: &mut Script) {
        let mut pipelines = Vec::new();
        let mut joint = Joint::First;
        while let Some(pipeline) = self.pipeline() {
            pipelines.push((joint, pipeline));
            self.blanks();
            joint = if self.cursor.takes("&&") {
                Joint::And
            } else if self.cursor.takes("||") {
                Joint::Or
            } else {
                break;
            };
            self.gap();
        }
        let ends_arm = self.cursor.starts_with(";;") || self.cursor.starts_with(";&");
        let background = !ends_arm && !self.cursor.starts_with("&>") && self.cursor.peek(0) == b'&';
        if background || (!ends_arm && self.cursor.peek(0) == b';') {
            self.cursor.skip(1);
        }
        if !pipelines.is_empty() {
            script.lists.push(List { pipelines, background });
        }
    }

    fn pipeline(&mut self) -> Option<Pipeline> {
        let (mut commands, mut negated) = (Vec::new(), false);
        loop {
            self.blanks();
            loop {
                if self.takes_keyword("!") {
                    negated = !negated;
                } else if self.takes_keyword("time") {
                    self.blanks();
                    self.takes_keyword("-p");
                } else {
                    break;
                }
                self.blanks();
            }
            commands.extend(self.command());
            self.blanks();
            if self.cursor.starts_with("||") || !(self.cursor.takes("|&") || self.cursor.takes("|"))
            {
                break;
            }
            self.gap();
        }
        (!commands.is_empty()).then_some(Pipeline { commands, negated })
    }

    pub(super) fn command(&mut self) -> Option<Command> {
        let kind = if self.cursor.peek(0) == b'(' {
            Some(self.parentheses())
        } else if let Some(keyword) = KEYWORDS.iter().find(|(word, _)| self.is_keyword(word)) {
            self.cursor.skip(keyword.0.len());
            self.deeper(|reader| Some(keyword.1(reader)))
        } else {
            None
        };
        let Some(kind) = kind else {
            return self.simple();
        };
        let mut redirections = Vec::new();
        loop {
            self.cursor.blanks();
            match self.redirection() {
                Some(one) => redirections.push(one),
                None => return Some(Command { kind, redirections }),
            }
        }
    }

    /// A program with its arguments, or a function's definition.
    fn simple(&mut self) -> Option<Command> {
        let mut assignments = Vec::new();
        let mut words: Vec<Word> = Vec::new();
        let mut redirections = Vec::new();
        let start = self.cursor.at();
        loop {
            self.blanks();
            if let Some(one) = self.redirection() {
                redirections.push(one);
                continue;
            }
            if let [name] = words.as_slice()
                && assignments.is_empty()
                && self.cursor.peek(0) == b'('
                && let Some(function) = self.is_function(name)
            {
                return Some(Command { kind: function, redirections });
            }
            let Some(word) = self.word() else { break };
            match assignment(&word).filter(|_| words.is_empty()) {
                Some(one) => assignments.push(one),
                None => words.push(word),
            }
        }
        let kind = Kind::Simple { assignments, words };
        (self.cursor.at() > start).then_some(Command { kind, redirections })
    }

    /// `name()` and what follows.
    fn is_function(&mut self, word: &Word) -> Option<Kind> {
        let [Part::Text { text, quoted: false }] = word.parts.as_slice() else {
            return None;
        };
        let rest = &self.cursor.rest()[1..];
        let blanks = rest.len() - rest.trim_start_matches([' ', '\t']).len();
        if !rest[blanks..].starts_with(')') {
            return None;
        }
        self.cursor.skip(blanks + 2);
        let name = text.clone();
        self.deeper(|reader| Some(reader.function_body(name)))
    }
}

/// `name=value` as what it is.
pub(super) fn assignment(word: &Word) -> Option<Assignment> {
    let Some(Part::Text { text, quoted: false }) = word.parts.first() else {
        return None;
    };
    let (name, rest) = text.split_once('=')?;
    let (name, plus) = name.strip_suffix('+').map_or((name, false), |name| (name, true));
    let (name, index) = name.split_once('[').map_or((name, false), |(name, _)| (name, true));
    if !is_name(name) {
        return None;
    }
    let mut parts = word.parts.clone();
    parts[0] = Part::Text { text: rest.to_owned(), quoted: false };
    if rest.is_empty() {
        parts.remove(0);
    }
    Some(Assignment { name: name.to_owned(), adds: plus || index, value: Word { parts } })
}
