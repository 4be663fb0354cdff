//! A shell script as words, operators, redirections and here-documents.
//!
//! It knows as much of the shell's grammar as it takes to tell a command from quoted text.

use super::DEPTH_MAX;
use super::word::Word;

/// A piece of a script.
#[derive(Debug, PartialEq)]
pub(super) enum Token {
    /// A word.
    Word(Word),
    /// A file that output goes to.
    Write(Word),
    /// The text of a here-document.
    Heredoc(String),
    /// What stands between commands.
    Operator(Operator),
}

/// What stands between commands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Operator {
    /// `&&`
    And,
    /// `||`, `;`
    Then,
    /// The end of a line.
    Newline,
    /// `|`
    Pipe,
    /// `&`
    Background,
    /// `(`
    Open,
    /// `)`
    Close,
}

/// Operators as they are written, longer ones first.
const OPERATORS: &[(&str, Operator)] = &[
    ("&&", Operator::And),
    ("||", Operator::Then),
    (";", Operator::Then),
    ("|&", Operator::Pipe),
    ("|", Operator::Pipe),
    ("&", Operator::Background),
    ("(", Operator::Open),
];

/// Redirections as they are written, longer ones first.
const REDIRECTIONS: &[(&str, Redirection)] = &[
    ("<<<", Redirection::Read),
    ("<<-", Redirection::Heredoc { tabs: true }),
    ("<<", Redirection::Heredoc { tabs: false }),
    ("<>", Redirection::Write),
    ("<", Redirection::Read),
    ("&>>", Redirection::Write),
    ("&>", Redirection::Write),
    (">>", Redirection::Write),
    (">|", Redirection::Write),
    (">&", Redirection::Write),
    (">", Redirection::Write),
];

#[derive(Clone, Copy)]
enum Redirection {
    Read,
    Write,
    Heredoc { tabs: bool },
}

/// A here-document whose text has not come yet.
struct Pending {
    /// The token that waits for it.
    index: usize,
    delimiter: String,
    /// Whether tabs before its lines are dropped.
    tabs: bool,
}

/// The tokens of a script.
pub(super) fn tokens(script: &str) -> Vec<Token> {
    Lexer::new(script, 0).script(false)
}

pub(super) struct Lexer<'a> {
    pub(super) rest: &'a str,
    pub(super) depth: usize,
    tokens: Vec<Token>,
    pending: Vec<Pending>,
}

impl<'a> Lexer<'a> {
    fn new(rest: &'a str, depth: usize) -> Self {
        Self { rest, depth, tokens: Vec::new(), pending: Vec::new() }
    }

    /// Reads to the end of the script, or to the parenthesis that closes a substitution.
    fn script(&mut self, substitution: bool) -> Vec<Token> {
        let mut open = 0_usize;
        loop {
            self.skip_blanks();
            let Some(letter) = self.rest.chars().next() else { break };
            if letter == '\n' {
                self.skip(1);
                self.operator(Operator::Newline);
                self.read_heredocs();
            } else if letter == '#' {
                self.skip(self.rest.find('\n').unwrap_or(self.rest.len()));
            } else if letter == ')' {
                self.skip(1);
                if substitution && open == 0 {
                    break;
                }
                open = open.saturating_sub(1);
                self.operator(Operator::Close);
            } else if self.rest.starts_with("((") {
                self.skip_arithmetic();
            } else if !self.redirection() && !self.written_operator(&mut open) {
                self.word_token();
            }
        }
        std::mem::take(&mut self.tokens)
    }

    /// Reads the script of a substitution; none where it nests too deep.
    pub(super) fn substitution(&mut self) -> Option<Vec<Token>> {
        if self.depth >= DEPTH_MAX {
            return None;
        }
        let mut inner = Lexer::new(self.rest, self.depth + 1);
        let tokens = inner.script(true);
        self.rest = inner.rest;
        Some(tokens)
    }

    pub(super) fn skip(&mut self, bytes: usize) {
        self.rest = &self.rest[bytes..];
    }

    /// Skips `((…))`, where `<<` shifts a number.
    pub(super) fn skip_arithmetic(&mut self) {
        let mut open = 0_usize;
        let end = self.rest.bytes().position(|byte| {
            match byte {
                b'(' => open += 1,
                b')' => open -= 1,
                _ => {}
            }
            open == 0
        });
        self.skip(end.map_or(self.rest.len(), |end| end + 1));
    }

    fn operator(&mut self, operator: Operator) {
        self.tokens.push(Token::Operator(operator));
    }

    fn skip_blanks(&mut self) {
        loop {
            self.rest = self.rest.trim_start_matches([' ', '\t', '\r']);
            let Some(rest) = self.rest.strip_prefix("\\\n") else { break };
            self.rest = rest;
        }
    }

    fn written_operator(&mut self, open: &mut usize) -> bool {
        let found = OPERATORS.iter().find(|(text, _)| self.rest.starts_with(text));
        let Some((text, operator)) = found else { return false };
        self.skip(text.len());
        *open += usize::from(*operator == Operator::Open);
        self.operator(*operator);
        true
    }

    /// Reads a redirection with its operand.
    fn redirection(&mut self) -> bool {
        // A process substitution is a word.
        if self.rest.starts_with("<(") || self.rest.starts_with(">(") {
            return false;
        }
        let found = REDIRECTIONS.iter().find(|(text, _)| self.rest.starts_with(text));
        let Some((text, redirection)) = found else { return false };
        self.skip(text.len());
        self.skip_blanks();
        let operand = self.word();
        match redirection {
            Redirection::Write if *text == ">&" && is_descriptor(&operand) => {}
            Redirection::Write => self.tokens.push(Token::Write(operand)),
            Redirection::Heredoc { tabs } => {
                let index = self.tokens.len();
                self.tokens.push(Token::Heredoc(String::new()));
                self.pending.push(Pending { index, delimiter: operand.text, tabs: *tabs });
            }
            Redirection::Read => {}
        }
        true
    }

    fn word_token(&mut self) {
        let before = self.rest.len();
        let word = self.word();
        if self.rest.len() == before {
            // No word starts so. Whatever it is, it must not stop the reader.
            self.skip(self.rest.chars().next().map_or(0, char::len_utf8));
            return;
        }
        // The number before a redirection is its descriptor.
        if !(self.rest.starts_with(['<', '>']) && is_descriptor(&word)) {
            self.tokens.push(Token::Word(word));
        }
    }

    /// Reads the texts that the line just ended has announced. A text whose last line never
    /// comes runs to the end of the script.
    fn read_heredocs(&mut self) {
        for pending in std::mem::take(&mut self.pending) {
            let mut body = String::new();
            while !self.rest.is_empty() {
                let (line, rest) = self.rest.split_once('\n').unwrap_or((self.rest, ""));
                self.rest = rest;
                let line = if pending.tabs { line.trim_start_matches('\t') } else { line };
                if line.trim_end_matches('\r') == pending.delimiter {
                    break;
                }
                body.push_str(line);
                body.push('\n');
            }
            self.tokens[pending.index] = Token::Heredoc(body);
        }
    }
}

/// Whether a word is a file descriptor's number, or the dash that closes one.
fn is_descriptor(word: &Word) -> bool {
    let text = &word.text;
    !word.quoted
        && !text.is_empty()
        && (text == "-" || text.bytes().all(|byte| byte.is_ascii_digit()))
}
