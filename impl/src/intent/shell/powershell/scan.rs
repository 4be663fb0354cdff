//! The characters of a script: blanks, comments, strings and variables.

use super::syntax::Expression;
use std::rc::Rc;

/// How deeply brackets may nest.
pub(super) const DEEPEST: u32 = 32;

/// Reads a script from its start to its end, and never twice.
pub(super) struct Parser<'s> {
    /// The script.
    pub text: &'s str,
    /// How far it is read.
    pub at: usize,
    /// How many brackets are open.
    pub depth: u32,
    /// Whether brackets nest too deeply. The rest of the script is left out then.
    pub deep: bool,
    /// A type that was read where a sign could stand.
    pub pending: Option<Rc<str>>,
}

/// Whether a character takes part in the name of a variable or member.
pub(super) fn is_name(letter: char) -> bool {
    letter.is_alphanumeric() || letter == '_'
}

/// Whether a character is a dash to this language.
pub(super) fn is_dash(letter: char) -> bool {
    matches!(letter, '-' | '\u{2013}' | '\u{2014}' | '\u{2015}')
}

/// Whether a character is a single quote to this language.
pub(super) fn is_single(letter: char) -> bool {
    matches!(letter, '\'' | '\u{2018}'..='\u{201B}')
}

/// Whether a character is a double quote to this language.
pub(super) fn is_double(letter: char) -> bool {
    matches!(letter, '"' | '\u{201C}'..='\u{201E}')
}

/// Whether a character is a blank, but no end of a line.
pub(super) fn is_blank(letter: char) -> bool {
    letter != '\n' && letter != '\r' && letter.is_whitespace()
}

/// Whether a character ends a word. `>` does not: the language splits `a>b` nowhere, and `>`
/// redirects only where a word could start.
pub(super) fn ends_word(letter: char) -> bool {
    matches!(letter, '\0' | '&' | '(' | ')' | ',' | ';' | '{' | '|' | '}') || letter.is_whitespace()
}

impl<'s> Parser<'s> {
    /// Starts to read a script.
    pub(super) fn new(text: &'s str) -> Self {
        Self { text, at: 0, depth: 0, deep: false, pending: None }
    }

    /// What is left.
    pub(super) fn rest(&self) -> &'s str {
        &self.text[self.at..]
    }

    /// The next character.
    pub(super) fn peek(&self) -> Option<char> {
        self.rest().chars().next()
    }

    /// The character after the next.
    pub(super) fn second(&self) -> Option<char> {
        self.rest().chars().nth(1)
    }

    /// Takes the next character.
    pub(super) fn take(&mut self) -> Option<char> {
        let letter = self.peek()?;
        self.at += letter.len_utf8();
        Some(letter)
    }

    /// Takes a text if it comes next.
    pub(super) fn take_text(&mut self, text: &str) -> bool {
        let found = self.rest().starts_with(text);
        if found {
            self.at += text.len();
        }
        found
    }

    /// Reads what stands in brackets, unless they nest too deeply.
    pub(super) fn nested<T>(&mut self, read: impl FnOnce(&mut Self) -> T) -> Option<T> {
        if self.depth >= DEEPEST {
            self.deep = true;
            self.at = self.text.len();
            return None;
        }
        self.depth += 1;
        let found = read(self);
        self.depth -= 1;
        Some(found)
    }

    /// Skips blanks, comments and continued lines.
    pub(super) fn skip_blanks(&mut self) {
        while let Some(letter) = self.peek() {
            if is_blank(letter) {
                self.at += letter.len_utf8();
            } else if letter == '#' {
                self.skip_line();
            } else if self.rest().starts_with("<#") {
                self.at = match self.rest()[2..].find("#>") {
                    Some(end) => self.at + end + 4,
                    None => self.text.len(),
                };
            } else if !(self.take_text("`\r\n") || self.take_text("`\n")) {
                return;
            }
        }
    }

    /// Skips what stands before the end of the line.
    pub(super) fn skip_line(&mut self) {
        self.at += self.rest().find(['\n', '\r']).unwrap_or(self.rest().len());
    }

    /// Skips blanks, comments and ends of lines.
    pub(super) fn skip_lines(&mut self) {
        loop {
            self.skip_blanks();
            match self.peek() {
                Some('\n' | '\r') => self.at += 1,
                _ => return,
            }
        }
    }

    /// A word of letters that comes next, in small letters, without taking it. Long words are
    /// none: no keyword is long.
    pub(super) fn keyword(&self) -> Option<String> {
        let rest = self.rest();
        let length = rest.bytes().take(15).take_while(u8::is_ascii_alphabetic).count();
        let next = rest[length..].chars().next();
        let whole = next.is_none_or(|next| ends_word(next) || next == '#');
        (length > 0 && whole).then(|| rest[..length].to_ascii_lowercase())
    }

    /// Reads a name that follows `$`, or gives up without taking anything. The name is in small
    /// letters.
    pub(super) fn variable(&mut self) -> Option<Rc<str>> {
        let rest = self.rest();
        let mut letters = rest.char_indices().skip(1).peekable();
        let &(_, first) = letters.peek()?;
        if first == '{' {
            let end = rest.find('}').unwrap_or(rest.len());
            let name = rest[2..end].replace('`', "").to_lowercase();
            self.at += (end + 1).min(rest.len());
            return Some(plain_name(&name));
        }
        if matches!(first, '$' | '?' | '^') {
            self.at += 2;
            return Some(first.to_string().into());
        }
        let mut end = 1;
        let mut scoped = false;
        while let Some((start, letter)) = letters.next() {
            let next = letters.peek().map(|&(_, next)| next);
            let colon = letter == ':' && !scoped && start > 1 && next.is_some_and(is_name);
            if !(is_name(letter) || letter == '?' || colon) {
                break;
            }
            scoped |= colon;
            end = start + letter.len_utf8();
        }
        if end == 1 {
            return None;
        }
        self.at += end;
        Some(plain_name(&rest[1..end].to_lowercase()))
    }

    /// Reads a text in single quotes.
    pub(super) fn single(&mut self) -> Rc<str> {
        self.take();
        let mut found = String::new();
        while let Some(letter) = self.take() {
            if is_single(letter) {
                if !self.peek().is_some_and(is_single) {
                    break;
                }
                self.take();
            }
            found.push(letter);
        }
        found.into()
    }

    /// Reads a text in double quotes.
    pub(super) fn double(&mut self) -> Expression {
        self.take();
        let mut pieces = Pieces::default();
        while let Some(letter) = self.peek() {
            if is_double(letter) {
                self.take();
                if !self.peek().is_some_and(is_double) {
                    break;
                }
                self.take();
                pieces.text.push(letter);
            } else {
                self.piece(&mut pieces);
            }
        }
        pieces.close(false)
    }

    /// Reads what follows `@'` or `@"`, or gives up where its line does not end there.
    pub(super) fn here(&mut self) -> Option<Expression> {
        let quote = self.second()?;
        let header = self.rest()[1 + quote.len_utf8()..].trim_start_matches(is_blank);
        let body = header.strip_prefix("\r\n").or_else(|| header.strip_prefix('\n'))?;
        self.at = self.text.len() - body.len();
        let mut pieces = Pieces::default();
        let mut fresh = true;
        while let Some(letter) = self.peek() {
            let ends = if is_single(quote) { is_single(letter) } else { is_double(letter) };
            if fresh && ends && self.second() == Some('@') {
                self.at += letter.len_utf8() + 1;
                pieces.drop_line_end();
                break;
            }
            fresh = letter == '\n';
            if is_single(quote) {
                pieces.text.push(letter);
                self.take();
            } else {
                self.piece(&mut pieces);
            }
        }
        Some(pieces.close(false))
    }

    /// Reads a character, an escape, a variable or an expression in a text.
    pub(super) fn piece(&mut self, pieces: &mut Pieces) {
        match self.peek() {
            Some('`') => {
                self.take();
                match self.take() {
                    Some('n') => pieces.text.push('\n'),
                    Some('r') => pieces.text.push('\r'),
                    Some('t') => pieces.text.push('\t'),
                    Some('0') => pieces.text.push('\0'),
                    Some('a' | 'b' | 'f' | 'v' | 'e') => pieces.text.push('\u{7}'),
                    Some('u') if self.peek() == Some('{') => self.code_point(pieces),
                    Some(letter) => pieces.text.push(letter),
                    None => {}
                }
            }
            Some('$') if self.second() == Some('(') => {
                self.take();
                let group = self.group(false);
                pieces.push(group);
            }
            Some('$') => match self.variable() {
                Some(name) => pieces.push(Expression::Variable(name)),
                None => pieces.text.extend(self.take()),
            },
            _ => pieces.text.extend(self.take()),
        }
    }

    /// Reads the number of a character in braces.
    fn code_point(&mut self, pieces: &mut Pieces) {
        let digits = self.rest()[1..].bytes().take(6).take_while(u8::is_ascii_hexdigit).count();
        let number = u32::from_str_radix(&self.rest()[1..=digits], 16);
        if self.rest()[1 + digits..].starts_with('}') {
            self.at += digits + 2;
            pieces.text.extend(number.ok().and_then(char::from_u32));
        } else {
            pieces.text.push('u');
        }
    }
}

/// The name of a variable without the scope that it is in.
fn plain_name(name: &str) -> Rc<str> {
    let scopes = ["script:", "global:", "local:", "private:", "using:", "variable:"];
    scopes.iter().find_map(|scope| name.strip_prefix(scope)).unwrap_or(name).into()
}

/// The pieces of a text.
#[derive(Default)]
pub(super) struct Pieces {
    done: Vec<Expression>,
    /// What follows the last expression.
    pub text: String,
}

impl Pieces {
    /// Adds an expression.
    pub(super) fn push(&mut self, piece: Expression) {
        if !self.text.is_empty() {
            self.done.push(Expression::Text(std::mem::take(&mut self.text).into()));
        }
        self.done.push(piece);
    }

    /// Takes the end of the line off that stands before the end of a here-string.
    fn drop_line_end(&mut self) {
        if self.text.ends_with('\n') {
            self.text.pop();
        }
        if self.text.ends_with('\r') {
            self.text.pop();
        }
    }

    /// All of it.
    pub(super) fn close(mut self, bare: bool) -> Expression {
        if self.done.is_empty() {
            let text = self.text.into();
            return if bare { Expression::Bare(text) } else { Expression::Text(text) };
        }
        if !self.text.is_empty() {
            self.done.push(Expression::Text(self.text.into()));
        }
        Expression::Joined(self.done, bare)
    }
}
