//! Pipelines and commands of a script.

use super::scan::{Parser, Pieces, ends_word, is_blank, is_dash, is_double, is_name, is_single};
use super::syntax::{Argument, Body, Command, Element, Expression, Pipeline, Statement};
use std::rc::Rc;

/// How many bytes of a pipeline are kept as the words that say what it writes.
const WORDS: usize = 160;

impl Parser<'_> {
    /// Reads an assignment, or pipelines with `&&` and `||` between them.
    pub(super) fn chain(&mut self) -> Statement {
        let mut pipelines = Vec::with_capacity(1);
        let mut otherwise = false;
        loop {
            let start = self.at;
            let mut elements = Vec::with_capacity(1);
            if let Err(assignment) = self.element(&mut elements, true) {
                return assignment;
            }
            while self.peek() == Some('|') && self.second() != Some('|') {
                self.take();
                self.skip_lines();
                // Only the first of a pipeline can be an assignment.
                let _ = self.element(&mut elements, false);
            }
            if !elements.is_empty() {
                let words = shorten(&self.text[start..self.at]);
                pipelines.push((otherwise, Pipeline { words, elements }));
            }
            if self.take_text("||") {
                otherwise = true;
            } else if self.take_text("&&") {
                otherwise = false;
            } else {
                break;
            }
            self.skip_lines();
        }
        // `command &` runs it in the background.
        if self.peek() == Some('&') {
            self.take();
        }
        Statement::Chain(pipelines)
    }

    /// Reads one element, or the assignment that it turns out to be.
    fn element(&mut self, elements: &mut Vec<Element>, first: bool) -> Result<(), Statement> {
        self.skip_blanks();
        let mut redirections = Vec::new();
        let body = if self.starts_expression() {
            let value = self.expression(true);
            if first && let Some(assignment) = self.assignment(&value) {
                return Err(assignment);
            }
            loop {
                self.skip_blanks();
                if !self.redirection(&mut redirections) {
                    break;
                }
            }
            Body::Value(value)
        } else {
            Body::Command(self.command(&mut redirections))
        };
        let empty = matches!(&body, Body::Command(command) if command.is_empty());
        if !empty || !redirections.is_empty() {
            elements.push(Element { body, redirections });
        }
        Ok(())
    }

    /// Whether what comes next is an expression, not the name of a command.
    fn starts_expression(&self) -> bool {
        let Some(next) = self.peek() else { return false };
        if self.pending.is_some() {
            return true;
        }
        let second = self.second();
        match next {
            '$' | '(' | '[' | '{' | '!' | '@' | ',' => true,
            '+' => second.is_some_and(|second| !is_blank(second)),
            _ if is_single(next) || is_double(next) => true,
            _ if is_dash(next) => {
                let word: String = self.rest().chars().skip(1).take(6).collect();
                let word = word.to_ascii_lowercase();
                ["not", "bnot", "split", "join"].iter().any(|sign| word.starts_with(sign))
                    || second.is_some_and(|second| {
                        second.is_ascii_digit() || is_dash(second) || "$('\"".contains(second)
                    })
            }
            _ if next.is_ascii_digit() => {
                // `7z` is a command, `7` and `7+1` are not.
                let rest = self.rest();
                let end = rest.find(|letter: char| !letter.is_ascii_digit()).unwrap_or(rest.len());
                let after = rest[end..].chars().next();
                after.is_none_or(|after| ends_word(after) || "!#%*+-./<=>[]".contains(after))
            }
            _ => false,
        }
    }

    /// Reads a command.
    fn command(&mut self, redirections: &mut Vec<Expression>) -> Command {
        let mut dotted = false;
        loop {
            let next = self.peek();
            let second = self.second();
            let dots = next == Some('.')
                && second.is_some_and(|one| one.is_whitespace() || "$'\"{(".contains(one));
            if next == Some('&') && second != Some('&') {
                dotted = false;
            } else if dots {
                dotted = true;
            } else {
                break;
            }
            self.take();
            self.skip_blanks();
        }
        let name = match self.peek() {
            None | Some('|' | ';' | '&' | '\n' | '\r' | ')' | '}' | ',') => Expression::Unknown,
            Some(_) => self.argument(),
        };
        let mut arguments = Vec::new();
        loop {
            self.skip_blanks();
            match self.peek() {
                None | Some('\n' | '\r' | ';' | '|' | '&' | ')' | '}') => break,
                Some('<' | ',' | '\0') => {
                    self.take();
                }
                Some(_) if self.redirection(redirections) => {}
                Some(_) => {
                    let before = self.at;
                    arguments.push(self.passed_word());
                    if self.at == before {
                        self.take();
                    }
                }
            }
        }
        Command { dotted, name, arguments }
    }

    /// Reads a redirection where one comes next.
    fn redirection(&mut self, found: &mut Vec<Expression>) -> bool {
        let rest = self.rest();
        let stream = usize::from(rest.starts_with(['1', '2', '3', '4', '5', '6', '*']));
        if !rest[stream..].starts_with('>') {
            return false;
        }
        self.at += stream + 1;
        if !self.take_text(">") && self.peek() == Some('&') {
            self.take();
            if self.peek().is_some_and(|next| next.is_ascii_digit()) {
                self.take();
            }
            return true;
        }
        self.skip_blanks();
        if self.peek().is_some_and(|next| next != '>' && (!ends_word(next) || next == '(')) {
            found.push(self.argument());
        }
        true
    }

    /// Reads one thing that a command gets.
    fn passed_word(&mut self) -> Argument {
        let rest = self.rest();
        let next = self.peek();
        let second = self.second();
        if rest.starts_with("--%") && rest[3..].chars().next().is_none_or(char::is_whitespace) {
            self.at += 3;
            let rest = self.rest();
            let length = rest.find(['\n', '\r', '|', '&']).unwrap_or(rest.len());
            self.at += length;
            return Argument::Verbatim(rest[..length].into());
        }
        if next == Some('@') && second.is_some_and(is_name) {
            let name = &rest[1..];
            let length = name.find(|letter| !is_name(letter)).unwrap_or(name.len());
            self.at += length + 1;
            return Argument::Splat(name[..length].to_lowercase().into());
        }
        if next.is_some_and(is_dash) && second.is_some_and(|two| is_name(two) || two == '?') {
            let dash = next.map_or(1, char::len_utf8);
            let word = &rest[dash..];
            let length = word
                .find(|letter: char| !(is_name(letter) || letter == '-' || letter == '?'))
                .unwrap_or(word.len());
            let name: Rc<str> = word[..length].into();
            let after = word[length..].chars().next();
            if after == Some(':') {
                self.at += dash + length + 1;
                let apart = self.peek().is_some_and(is_blank);
                self.skip_blanks();
                let ends = self.peek().is_none_or(|next| ends_word(next) && next != '(');
                let value = if ends && self.peek() != Some('{') { None } else { Some(self.list()) };
                return Argument::Parameter { name, value, apart };
            }
            if after.is_none_or(ends_word) {
                self.at += dash + length;
                return Argument::Parameter { name, value: None, apart: false };
            }
        }
        Argument::Value(self.list())
    }

    /// Reads arguments with commas between them.
    fn list(&mut self) -> Expression {
        let first = self.argument();
        let mut found = Vec::new();
        loop {
            self.skip_blanks();
            if !self.take_text(",") {
                break;
            }
            self.skip_lines();
            if self.peek().is_none_or(|next| ends_word(next) && !"({".contains(next)) {
                break;
            }
            let before = self.at;
            found.push(self.argument());
            if self.at == before {
                break;
            }
        }
        if found.is_empty() {
            return first;
        }
        found.insert(0, first);
        Expression::List(found)
    }

    /// Reads one argument.
    pub(super) fn argument(&mut self) -> Expression {
        let Some(next) = self.peek() else { return Expression::Unknown };
        let second = self.second();
        let whole = match next {
            '(' | '{' => true,
            '@' => second.is_some_and(|two| "({".contains(two) || is_single(two) || is_double(two)),
            '$' => second == Some('('),
            _ => is_single(next) || is_double(next),
        };
        if whole {
            let value = self.primary().unwrap_or(Expression::Unknown);
            return if next == '{' { value } else { self.postfix(value, false) };
        }
        let mut pieces = Pieces::default();
        if next == '$'
            && let Some(name) = self.variable()
        {
            let value = self.postfix(Expression::Variable(name), false);
            if self.peek().is_none_or(ends_word) {
                return value;
            }
            pieces.push(value);
        }
        match self.bare(pieces) {
            Expression::Bare(text) => number(&text).unwrap_or(Expression::Bare(text)),
            found => found,
        }
    }
}

impl Command {
    /// Whether there is none, as between two bars.
    fn is_empty(&self) -> bool {
        matches!(self.name, Expression::Unknown) && self.arguments.is_empty()
    }
}

/// A word that is a number, unless its digits say more than the number does.
fn number(text: &str) -> Option<Expression> {
    let number: i64 = text.parse().ok()?;
    (number.to_string() == text).then_some(Expression::Number(number))
}

/// A text that is cut off where it is long.
fn shorten(text: &str) -> Rc<str> {
    let text = text.trim();
    if text.len() <= WORDS {
        return text.into();
    }
    let end = (0..=WORDS).rev().find(|&end| text.is_char_boundary(end)).unwrap_or(0);
    format!("{} …", &text[..end]).into()
}
