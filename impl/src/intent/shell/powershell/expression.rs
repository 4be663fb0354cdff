//! Expressions of a script.

use super::scan::{Parser, Pieces, ends_word, is_dash, is_double, is_name, is_single};
use super::syntax::{Access, Expression, Operand, Operator, Sign, keeps_text, word_operator};
use std::rc::Rc;

impl Parser<'_> {
    /// Reads operands and operators. `commas` tells whether a comma makes a list, as it does not
    /// between what a method gets.
    pub(super) fn expression(&mut self, commas: bool) -> Expression {
        let mut operands = Vec::with_capacity(1);
        let mut operator = Operator::Comma;
        let mut choice = false;
        loop {
            let before = self.at;
            let sign = self.sign();
            let Some(value) = self.primary() else {
                if operands.is_empty() && self.at == before {
                    return Expression::Unknown;
                }
                operands.push(Operand { operator, sign: Sign::Other, value: Expression::Unknown });
                break;
            };
            let value = self.postfix(value, true);
            operands.push(Operand { operator, sign, value });
            self.skip_blanks();
            let Some(found) = self.operator(commas, choice) else { break };
            choice |= found == Operator::Choice;
            operator = found;
            self.skip_lines();
        }
        match operands.pop() {
            Some(only) if operands.is_empty() && only.sign == Sign::None => only.value,
            Some(last) => {
                operands.push(last);
                Expression::Operation(operands)
            }
            None => Expression::Unknown,
        }
    }

    /// Reads what stands before an operand.
    fn sign(&mut self) -> Sign {
        let mut sign = Sign::None;
        loop {
            self.skip_blanks();
            let next = self.peek();
            if next == Some('!') {
                self.take();
                sign = if sign == Sign::None { Sign::Not } else { Sign::Other };
            } else if next.is_some_and(|next| next == '+' || next == ',') {
                self.take();
                sign = Sign::Other;
            } else if next.is_some_and(is_dash) {
                self.take();
                let length = self.rest().bytes().take_while(u8::is_ascii_alphabetic).count();
                let word = self.rest()[..length].to_ascii_lowercase();
                self.at += length;
                let not = word == "not" && sign == Sign::None;
                sign = if not { Sign::Not } else { Sign::Other };
            } else if next == Some('[') {
                let name = self.type_name();
                self.skip_blanks();
                // A type that something follows converts it; `[IO.File]::Delete` does not.
                let converts = self.peek().is_some_and(|next| {
                    matches!(next, '$' | '(' | '@' | '[' | '{')
                        || next.is_alphanumeric()
                        || is_single(next)
                        || is_double(next)
                });
                if !converts {
                    self.pending = Some(name);
                    return sign;
                }
                if !keeps_text(&name) {
                    sign = Sign::Other;
                }
            } else {
                return sign;
            }
        }
    }

    /// Reads `[Name]` or an attribute with what it gets. The name is in small letters.
    fn type_name(&mut self) -> Rc<str> {
        let mut name = String::new();
        let mut open = 0_usize;
        while let Some(letter) = self.peek() {
            match letter {
                '[' => open += 1,
                ']' => open -= 1,
                '(' => {
                    self.group(false);
                    continue;
                }
                '\n' | ';' | '|' | '}' | ')' => break,
                _ => {}
            }
            self.take();
            if open == 0 {
                break;
            }
            name.extend(letter.to_lowercase());
        }
        name.trim_start_matches('[').trim().into()
    }

    /// Skips types and attributes before a parameter, and yields the last.
    pub(super) fn skip_types(&mut self) -> Option<Rc<str>> {
        self.skip_lines();
        let mut last = None;
        while self.peek() == Some('[') {
            last = Some(self.type_name());
            if self.rest().starts_with("::") {
                break;
            }
            self.skip_lines();
        }
        last
    }

    /// Reads one operand without what stands around it.
    pub(super) fn primary(&mut self) -> Option<Expression> {
        if let Some(name) = self.pending.take() {
            return Some(Expression::Type(name));
        }
        let next = self.peek()?;
        if is_single(next) {
            return Some(Expression::Text(self.single()));
        }
        if is_double(next) {
            return Some(self.double());
        }
        match next {
            '(' => Some(self.group(false)),
            '{' => Some(Expression::Block(self.block())),
            '@' => self.at_sign(),
            '$' if self.second() == Some('(') => {
                self.take();
                Some(self.group(false))
            }
            '$' => self.variable().map(Expression::Variable),
            _ if next.is_ascii_digit() || next == '.' => Some(self.number()),
            _ => None,
        }
    }

    /// Reads what begins with `@`.
    fn at_sign(&mut self) -> Option<Expression> {
        let next = self.second()?;
        match next {
            '(' => {
                self.take();
                Some(self.group(true))
            }
            '{' => {
                self.take();
                Some(self.table())
            }
            _ if is_single(next) || is_double(next) => {
                if let Some(found) = self.here() {
                    return Some(found);
                }
                self.take();
                self.primary()
            }
            _ => {
                self.take();
                Some(Expression::Unknown)
            }
        }
    }

    /// Reads a number.
    fn number(&mut self) -> Expression {
        let rest = self.rest();
        let digits = rest.bytes().take_while(u8::is_ascii_digit).count();
        let mut length = digits;
        for letter in rest[digits..].chars() {
            let dots = rest[length..].starts_with("..");
            if dots || !(letter.is_alphanumeric() || letter == '.') {
                break;
            }
            length += letter.len_utf8();
        }
        self.at += length;
        let whole = length == digits;
        rest[..digits]
            .parse()
            .ok()
            .filter(|_| whole)
            .map_or(Expression::Unknown, Expression::Number)
    }

    /// Reads `{ key = value … }`.
    fn table(&mut self) -> Expression {
        self.take();
        let rows = self.nested(|reader| {
            let mut rows = Vec::new();
            loop {
                let before = reader.at;
                reader.skip_lines();
                let next = reader.peek();
                if next.is_none_or(|next| next == '}' || next == ')') {
                    break;
                }
                let key = reader.key();
                reader.skip_blanks();
                if reader.take_text("=") {
                    reader.skip_lines();
                    let value = reader.statement();
                    rows.push((key, value));
                }
                reader.skip_blanks();
                if !reader.take_text(";") && reader.at == before {
                    reader.take();
                }
            }
            reader.take_text("}");
            rows
        });
        rows.map_or(Expression::Unknown, Expression::Table)
    }

    /// Reads the key of a row, in small letters.
    fn key(&mut self) -> Rc<str> {
        let next = self.peek();
        if next.is_some_and(is_single) {
            return self.single().to_lowercase().into();
        }
        if next.is_some_and(is_double) {
            return match self.double() {
                Expression::Text(text) => text.to_lowercase().into(),
                _ => "".into(),
            };
        }
        let rest = self.rest();
        let ends = |letter: char| letter == '=' || ends_word(letter);
        let length = rest.find(ends).unwrap_or(rest.len());
        self.at += length;
        rest[..length].to_lowercase().into()
    }

    /// Reads the members, calls and indexes that follow a value without a blank.
    pub(super) fn postfix(&mut self, base: Expression, steps: bool) -> Expression {
        let mut accesses = Vec::new();
        loop {
            let rest = self.rest();
            let mut letters = rest.chars();
            let next = letters.next();
            let after = letters.next();
            let member = |after: Option<char>| {
                after.is_some_and(|after| is_name(after) || matches!(after, '$' | '(' | '"' | '\''))
            };
            if next == Some('.') && member(after) {
                self.at += 1;
            } else if (rest.starts_with("::") || rest.starts_with("?.")) && after.is_some() {
                self.at += 2;
            } else if next == Some('[') {
                self.take();
                let index = self.nested(|reader| {
                    reader.skip_lines();
                    let index = reader.expression(true);
                    reader.skip_lines();
                    reader.take_text("]");
                    index
                });
                accesses.push(Access::Index(index.unwrap_or(Expression::Unknown)));
                continue;
            } else if steps && (rest.starts_with("++") || rest.starts_with("--")) {
                self.at += 2;
                accesses.push(Access::Step);
                continue;
            } else {
                break;
            }
            let name = self.member();
            accesses.push(match self.peek() {
                Some('(') => Access::Call(name, self.passed()),
                Some('{') => Access::Call(name, vec![Expression::Block(self.block())]),
                _ => Access::Member(name),
            });
        }
        if accesses.is_empty() { base } else { Expression::Access(Box::new(base), accesses) }
    }

    /// Reads the name of a member.
    fn member(&mut self) -> Option<Rc<str>> {
        let next = self.peek()?;
        if is_single(next) {
            return Some(self.single().to_lowercase().into());
        }
        if is_name(next) {
            let rest = self.rest();
            let length = rest.find(|letter| !is_name(letter)).unwrap_or(rest.len());
            self.at += length;
            return Some(rest[..length].to_lowercase().into());
        }
        self.primary();
        None
    }

    /// Reads what a method gets, in its brackets.
    fn passed(&mut self) -> Vec<Expression> {
        self.take();
        let found = self.nested(|reader| {
            let mut found = Vec::new();
            loop {
                reader.skip_lines();
                if reader.peek().is_none() || reader.take_text(")") {
                    break;
                }
                found.push(reader.expression(false));
                reader.skip_lines();
                if !reader.take_text(",") {
                    reader.take_text(")");
                    break;
                }
            }
            found
        });
        found.unwrap_or_default()
    }

    /// Reads an operator that stands between two operands.
    fn operator(&mut self, commas: bool, choice: bool) -> Option<Operator> {
        let next = self.peek()?;
        let rest = self.rest();
        let second = self.second();
        if is_dash(next) {
            let word = &rest[next.len_utf8()..];
            let length = word.bytes().take_while(u8::is_ascii_alphabetic).count();
            if length == 0 {
                if second == Some('=') {
                    return None;
                }
                self.take();
                return Some(Operator::Arithmetic);
            }
            self.at += next.len_utf8() + length;
            return Some(word_operator(&word[..length].to_ascii_lowercase()));
        }
        let (length, found) = match next {
            ',' if commas => (1, Operator::Comma),
            '.' if second == Some('.') => (2, Operator::Range),
            '+' | '*' | '/' | '%' if second == Some('=') => return None,
            '*' if second == Some('>') => return None,
            '+' => (1, Operator::Plus),
            '*' | '/' | '%' => (1, Operator::Arithmetic),
            '?' if rest.starts_with("??=") => return None,
            '?' if second == Some('?') => (2, Operator::Choice),
            '?' => (1, Operator::Choice),
            ':' if choice => (1, Operator::Choice),
            _ => return None,
        };
        self.at += length;
        Some(found)
    }

    /// Reads a word without quotes, to its end.
    pub(super) fn bare(&mut self, mut pieces: Pieces) -> Expression {
        while let Some(letter) = self.peek() {
            if ends_word(letter) {
                break;
            }
            if is_single(letter) {
                let text = self.single();
                pieces.text.push_str(&text);
            } else if is_double(letter) {
                match self.double() {
                    Expression::Text(text) => pieces.text.push_str(&text),
                    found => pieces.push(found),
                }
            } else {
                self.piece(&mut pieces);
            }
        }
        pieces.close(true)
    }
}
