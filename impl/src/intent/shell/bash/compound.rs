//! Compound commands: conditions, loops, groups, functions, tests.

use super::Reader;
use super::commands::is_name_byte;
use super::tree::{Command, Joint, Kind, List, Pipeline, Script, Word};
use super::word::ends_word;

/// Reads the rest of one.
type Compound = fn(&mut Reader<'_>) -> Kind;

/// Words that begin a compound command.
pub(super) const KEYWORDS: &[(&str, Compound)] = &[
    ("{", |reader| reader.group()),
    ("if", |reader| reader.conditional()),
    ("while", |reader| reader.repeated()),
    ("until", |reader| reader.repeated()),
    ("for", |reader| reader.counted()),
    ("select", |reader| reader.counted()),
    ("case", |reader| reader.case()),
    ("function", |reader| reader.function()),
    ("coproc", |reader| reader.coprocess()),
    ("[[", |reader| reader.test()),
];

/// So far is looked for the end of arithmetic.
const ARITHMETIC_MAX: usize = 2000;

impl Reader<'_> {
    /// `( … )` or `(( … ))`.
    pub(super) fn parentheses(&mut self) -> Kind {
        if self.cursor.starts_with("((")
            && let Some(length) = self.arithmetic_command()
        {
            let text = self.cursor.rest()[2..length].to_owned();
            self.cursor.skip(length + 2);
            let word = self.inner_word(&text);
            return Kind::Test(vec![word]);
        }
        self.cursor.skip(1);
        Kind::Subshell(self.closed_script())
    }

    /// Where the `))` of `((` stands, if it is arithmetic.
    fn arithmetic_command(&self) -> Option<usize> {
        let bytes = self.cursor.rest().as_bytes();
        let mut open = 0_usize;
        for (number, byte) in bytes.iter().enumerate().take(ARITHMETIC_MAX) {
            match byte {
                b'(' => open += 1,
                b')' if open == 2 => {
                    return (bytes.get(number + 1) == Some(&b')')).then_some(number);
                }
                b')' => open = open.saturating_sub(1),
                _ => {}
            }
        }
        None
    }

    /// What the shell expands in a text of arithmetic.
    fn inner_word(&mut self, text: &str) -> Word {
        let mut inner = Reader::new(text, self.depth);
        inner.deeper(|inner| {
            let mut parts = Vec::new();
            inner.quoted_parts(&mut parts, None);
            Word { parts }
        })
    }

    fn group(&mut self) -> Kind {
        let script = self.script();
        self.needs_keyword("}");
        Kind::Group(script)
    }

    fn conditional(&mut self) -> Kind {
        let mut arms = Vec::new();
        loop {
            let condition = self.script();
            self.needs_keyword("then");
            arms.push((condition, self.script()));
            self.gap();
            if self.takes_keyword("elif") {
                continue;
            }
            let otherwise = self.takes_keyword("else").then(|| self.script());
            self.needs_keyword("fi");
            return Kind::If(arms, otherwise);
        }
    }

    fn repeated(&mut self) -> Kind {
        let condition = self.script();
        Kind::While(condition, self.body())
    }

    /// `do … done`, or a group.
    fn body(&mut self) -> Script {
        self.gap();
        if self.cursor.takes(";") {
            self.gap();
        }
        if self.takes_keyword("{") {
            let script = self.script();
            self.needs_keyword("}");
            return script;
        }
        self.needs_keyword("do");
        let script = self.script();
        self.needs_keyword("done");
        script
    }

    fn counted(&mut self) -> Kind {
        self.blanks();
        if self.cursor.starts_with("((") {
            let Some(length) = self.arithmetic_command() else {
                self.unclosed();
                return Kind::Test(Vec::new());
            };
            let text = self.cursor.rest()[2..length].to_owned();
            self.cursor.skip(length + 2);
            let word = self.inner_word(&text);
            return Kind::Count(word, self.body());
        }
        let name = self.cursor.until(ends_word).to_owned();
        self.gap();
        let mut words = None;
        if self.takes_keyword("in") {
            let mut all = Vec::new();
            self.blanks();
            while let Some(word) = self.word() {
                all.push(word);
                self.blanks();
            }
            words = Some(all);
        }
        Kind::For(name, words, self.body())
    }

    fn case(&mut self) -> Kind {
        self.blanks();
        let word = self.word().unwrap_or_default();
        self.needs_keyword("in");
        let mut arms = Vec::new();
        loop {
            self.gap();
            if self.takes_keyword("esac") {
                return Kind::Case(word, arms);
            }
            if self.cursor.is_end() {
                self.unclosed();
                return Kind::Case(word, arms);
            }
            let before = self.cursor.at();
            self.cursor.takes("(");
            let mut patterns = Vec::new();
            loop {
                self.gap();
                patterns.extend(self.word());
                self.gap();
                if !self.cursor.takes("|") {
                    break;
                }
            }
            self.cursor.takes(")");
            let script = self.script();
            arms.push((patterns, script));
            self.gap();
            let _ = self.cursor.takes(";;&") || self.cursor.takes(";;") || self.cursor.takes(";&");
            if self.cursor.at() == before {
                self.unclosed();
                return Kind::Case(word, arms);
            }
        }
    }

    fn function(&mut self) -> Kind {
        self.blanks();
        let name = self.cursor.until(ends_word).to_owned();
        self.blanks();
        if self.cursor.takes("(") {
            self.blanks();
            self.cursor.takes(")");
        }
        self.function_body(name)
    }

    pub(super) fn function_body(&mut self, name: String) -> Kind {
        self.gap();
        match self.command() {
            Some(body) => Kind::Function(name, Box::new(body)),
            None => Kind::Test(Vec::new()),
        }
    }

    fn coprocess(&mut self) -> Kind {
        self.blanks();
        // A name may stand before a compound command.
        let rest = self.cursor.rest();
        let name = rest.bytes().take_while(|byte| is_name_byte(*byte)).count();
        if rest[name..].trim_start_matches([' ', '\t']).starts_with(['{', '(']) {
            self.cursor.skip(name);
            self.blanks();
        }
        let commands: Vec<Command> = self.command().into_iter().collect();
        let pipelines = vec![(Joint::First, Pipeline { commands, negated: false })];
        Kind::Subshell(Script { lists: vec![List { pipelines, background: true }] })
    }

    /// `[[ … ]]`: words, in which `<`, `>`, `(` and `|` are comparisons and patterns.
    fn test(&mut self) -> Kind {
        let mut words = Vec::new();
        loop {
            self.gap();
            if self.takes_keyword("]]") {
                return Kind::Test(words);
            }
            if self.cursor.is_end() {
                self.unclosed();
                return Kind::Test(words);
            }
            match self.word() {
                Some(word) => words.push(word),
                None => self.cursor.skip(1),
            }
        }
    }
}
