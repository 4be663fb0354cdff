//! The commands of a script.

/// How deeply brackets, `if` and `for` may nest.
const DEEPEST: u32 = 32;
/// How many bytes of a command are kept as the words that say what it writes.
const WORDS: usize = 160;

/// A piece of a text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Piece {
    /// It stands for itself.
    Text(String),
    /// `%NAME%`, in capitals.
    Variable(String),
    /// The variable of a `for`, and what is asked of it.
    Loop(char, String),
    /// Only the interpreter knows it.
    Unknown,
}

/// A text in pieces.
pub(super) type Line = Vec<Piece>;

/// What stands before a command.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Joint {
    /// A line, `&` or `&&`.
    Next,
    /// `||`.
    Otherwise,
    /// `|`.
    Pipe,
}

/// A command with where its output goes.
#[derive(Debug)]
pub(super) struct Node {
    /// What stands before it.
    pub joint: Joint,
    /// What it does.
    pub body: Body,
    /// Where its output goes.
    pub redirections: Vec<Line>,
    /// Its text, cut off where it is long.
    pub words: String,
}

/// What a command does.
#[derive(Debug)]
pub(super) enum Body {
    /// It runs this line.
    Command(Line),
    /// `( … )`.
    Group(Vec<Node>),
    /// `if`, with what follows `else`.
    If(Vec<Node>, Vec<Node>),
    /// `for`.
    For { switch: char, path: Line, variable: char, list: Line, body: Vec<Node> },
}

/// Reads a script from its start to its end.
pub(super) struct Parser<'s> {
    /// The script.
    pub text: &'s str,
    /// How far it is read.
    pub at: usize,
    depth: u32,
    /// How many brackets are open.
    pub groups: u32,
    /// The variables of the loops around.
    pub loops: Vec<char>,
    /// Whether brackets nest too deeply. The rest of the script is left out then.
    pub deep: bool,
}

/// Whether a character stands between arguments.
pub(super) fn is_delimiter(letter: char) -> bool {
    matches!(letter, ' ' | '\t' | ',' | ';' | '=' | '\u{b}' | '\u{c}' | '\u{a0}')
}

impl<'s> Parser<'s> {
    /// Starts to read a script.
    pub(super) fn new(text: &'s str) -> Self {
        Self { text, at: 0, depth: 0, groups: 0, loops: Vec::new(), deep: false }
    }

    /// What is left.
    pub(super) fn rest(&self) -> &'s str {
        &self.text[self.at..]
    }

    /// The next character.
    pub(super) fn peek(&self) -> Option<char> {
        self.rest().chars().next()
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
        self.at += if found { text.len() } else { 0 };
        found
    }

    fn skip_line(&mut self) {
        self.at += self.rest().find(['\n', '\r']).unwrap_or(self.rest().len());
    }

    /// Skips what stands between arguments.
    pub(super) fn skip_delimiters(&mut self) {
        while self.peek().is_some_and(is_delimiter)
            || self.take_text("^\r\n")
            || self.take_text("^\n")
        {
            if self.peek().is_some_and(is_delimiter) {
                self.take();
            }
        }
    }

    /// Takes a word of letters if it comes next.
    fn take_word(&mut self, word: &str) -> bool {
        let rest = self.rest();
        let found = rest.get(..word.len()).is_some_and(|one| one.eq_ignore_ascii_case(word))
            && rest[word.len()..].chars().next().is_none_or(|next| !next.is_alphanumeric());
        self.at += if found { word.len() } else { 0 };
        found
    }

    fn nested<T: Default>(&mut self, read: impl FnOnce(&mut Self) -> T) -> T {
        if self.depth >= DEEPEST {
            self.deep = true;
            self.at = self.text.len();
            return T::default();
        }
        self.depth += 1;
        let found = read(self);
        self.depth -= 1;
        found
    }

    /// Reads all lines.
    pub(super) fn lines(&mut self) -> Vec<Vec<Node>> {
        let mut lines = Vec::new();
        while self.at < self.text.len() {
            let before = self.at;
            let line = self.line();
            if !line.is_empty() {
                lines.push(line);
            }
            if self.at == before {
                self.take();
            }
        }
        lines
    }

    /// Reads commands to the end of the line.
    fn line(&mut self) -> Vec<Node> {
        let mut nodes = Vec::with_capacity(1);
        let mut joint = Joint::Next;
        loop {
            if let Some(mut node) = self.node() {
                node.joint = joint;
                nodes.push(node);
            }
            self.skip_delimiters();
            joint = if self.take_text("||") {
                Joint::Otherwise
            } else if self.take_text("|") {
                Joint::Pipe
            } else if self.take_text("&&") || self.take_text("&") {
                Joint::Next
            } else {
                return nodes;
            };
        }
    }

    /// Reads one command.
    fn node(&mut self) -> Option<Node> {
        self.skip_delimiters();
        while self.peek() == Some('@') {
            self.take();
            self.skip_delimiters();
        }
        let start = self.at;
        let mut redirections = Vec::new();
        while self.redirection(&mut redirections, true) {
            self.skip_delimiters();
        }
        let next = self.peek()?;
        let body = if next == '(' {
            self.take();
            Body::Group(self.group())
        } else if next == ':' || self.take_word("rem") {
            self.skip_line();
            return None;
        } else if self.take_word("if") {
            self.nested(|reader| Some(reader.condition()))?
        } else if self.take_word("for") {
            self.nested(Self::for_loop)?
        } else {
            Body::Command(self.command(&mut redirections))
        };
        loop {
            while self.peek().is_some_and(|next| next == ' ' || next == '\t') {
                self.take();
            }
            if !self.redirection(&mut redirections, true) {
                break;
            }
        }
        let words = shorten(&self.text[start..self.at]);
        let empty = matches!(&body, Body::Command(line) if line.is_empty());
        let some = !empty || !redirections.is_empty();
        some.then_some(Node { joint: Joint::Next, body, redirections, words })
    }

    /// Reads what stands in brackets.
    fn group(&mut self) -> Vec<Node> {
        self.groups += 1;
        let found = self.nested(|reader| {
            let mut nodes = Vec::new();
            loop {
                while reader.peek().is_some_and(char::is_whitespace) {
                    reader.take();
                }
                if reader.peek().is_none() || reader.take_text(")") {
                    return nodes;
                }
                let before = reader.at;
                nodes.extend(reader.line());
                if reader.at == before {
                    reader.take();
                }
            }
        });
        self.groups -= 1;
        found
    }

    /// Reads what follows `if`.
    fn condition(&mut self) -> Body {
        self.skip_delimiters();
        while self.take_word("/i") || self.take_word("not") {
            self.skip_delimiters();
        }
        if self.take_word("exist")
            || self.take_word("defined")
            || self.take_word("errorlevel")
            || self.take_word("cmdextversion")
        {
            self.word();
        } else {
            self.word();
            self.skip_blanks();
            if self.take_text("==") {
                self.word();
            } else {
                // `equ`, `neq` and the like.
                self.word();
                self.word();
            }
        }
        let mut then = Vec::new();
        self.skip_blanks();
        let grouped = self.peek() == Some('(');
        if grouped {
            then.extend(self.node());
        } else {
            then = self.line();
        }
        self.skip_delimiters();
        let mut otherwise = Vec::new();
        if grouped && self.take_word("else") {
            self.skip_delimiters();
            if self.peek() == Some('(') {
                otherwise.extend(self.node());
            } else {
                otherwise = self.line();
            }
        }
        Body::If(then, otherwise)
    }

    fn skip_blanks(&mut self) {
        while self.peek().is_some_and(|next| next == ' ' || next == '\t') {
            self.take();
        }
    }

    /// Skips one operand of a condition.
    fn word(&mut self) {
        self.skip_blanks();
        let mut quoted = false;
        while let Some(letter) = self.peek() {
            let ends = letter == '\n'
                || letter == '\r'
                || (!quoted && (letter == ' ' || letter == '\t' || self.rest().starts_with("==")));
            if ends {
                return;
            }
            quoted ^= letter == '"';
            self.take();
        }
    }

    /// Reads what follows `for`.
    fn for_loop(&mut self) -> Option<Body> {
        let mut switch = ' ';
        let mut path = Line::new();
        loop {
            self.skip_delimiters();
            let next = self.peek()?;
            if next == '/' {
                self.take();
                switch = self.take()?.to_ascii_lowercase();
            } else if next == '%' {
                break;
            } else if self.ends_line() {
                return None;
            } else {
                path = self.argument();
            }
        }
        self.take_text("%");
        self.take_text("%");
        let variable = self.take()?;
        self.skip_delimiters();
        self.take_word("in");
        self.skip_delimiters();
        let mut list = Line::new();
        if self.take_text("(") {
            let mut quoted = false;
            while let Some(letter) = self.peek() {
                if letter == ')' && !quoted {
                    break;
                }
                quoted ^= letter == '"';
                self.piece(&mut list);
            }
            self.take_text(")");
        }
        self.skip_delimiters();
        self.take_word("do");
        self.loops.push(variable);
        let body = self.line();
        self.loops.pop();
        Some(Body::For { switch, path, variable, list, body })
    }
}

/// A text that is cut off where it is long.
fn shorten(text: &str) -> String {
    let text = text.trim();
    if text.len() <= WORDS {
        return text.to_owned();
    }
    let end = (0..=WORDS).rev().find(|&end| text.is_char_boundary(end)).unwrap_or(0);
    format!("{} …", &text[..end])
}
