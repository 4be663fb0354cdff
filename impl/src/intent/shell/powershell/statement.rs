//! Statements of a script.

use super::scan::{Parser, is_name};
use super::syntax::{Access, Block, Expression, Statement};
use std::rc::Rc;

impl Parser<'_> {
    /// Reads a whole script.
    pub(super) fn script(&mut self) -> Block {
        let mut block = Block::default();
        self.body(&mut block);
        while self.at < self.text.len() {
            // A bracket that closes nothing.
            self.take();
            self.body(&mut block);
        }
        block
    }

    /// Reads `( … )`.
    pub(super) fn group(&mut self, list: bool) -> Expression {
        self.take();
        let statements = self.nested(|reader| {
            let mut statements = Vec::new();
            reader.statements(&mut statements);
            reader.take_text(")");
            statements
        });
        match statements {
            Some(statements) => Expression::Group { statements, list },
            None => Expression::Unknown,
        }
    }

    /// Reads `{ … }` where it comes next, else nothing.
    pub(super) fn block(&mut self) -> Rc<Block> {
        self.skip_lines();
        let mut block = Block::default();
        if self.take_text("{") {
            self.nested(|reader| {
                reader.body(&mut block);
                reader.take_text("}");
            });
        }
        Rc::new(block)
    }

    /// Reads parameters and statements.
    fn body(&mut self, block: &mut Block) {
        let last = self.skip_types();
        if self.rest().starts_with("::") || self.peek() == Some('.') {
            // No attribute: `[IO.File]::Delete('a')` begins the first statement.
            self.pending = last;
        }
        if self.keyword().as_deref() == Some("param") {
            self.at += "param".len();
            self.skip_blanks();
            block.parameters = self.parameters();
        }
        self.statements(&mut block.statements);
    }

    /// Reads `($a, $b = value)` where it comes next.
    fn parameters(&mut self) -> Vec<(Rc<str>, Option<Expression>)> {
        let mut found = Vec::new();
        if !self.take_text("(") {
            return found;
        }
        self.nested(|reader| {
            loop {
                reader.skip_types();
                let Some('$') = reader.peek() else { break };
                let Some(name) = reader.variable() else { break };
                reader.skip_lines();
                let mut value = None;
                if reader.take_text("=") {
                    reader.skip_lines();
                    value = Some(reader.expression(false));
                    reader.skip_lines();
                }
                found.push((name, value));
                if !reader.take_text(",") {
                    break;
                }
            }
            reader.skip_lines();
            reader.take_text(")");
        });
        found
    }

    /// Reads statements up to a bracket that closes.
    fn statements(&mut self, found: &mut Vec<Statement>) {
        loop {
            self.skip_lines();
            match self.peek() {
                None | Some(')' | '}') => return,
                Some(';') => self.at += 1,
                Some(_) => {
                    let before = self.at;
                    found.push(self.statement());
                    if self.at == before {
                        self.take();
                    }
                }
            }
        }
    }

    /// Reads one statement.
    pub(super) fn statement(&mut self) -> Statement {
        if self.peek() == Some(':') && self.second().is_some_and(is_name) {
            let rest = self.rest();
            self.at += rest.find(char::is_whitespace).unwrap_or(rest.len());
            self.skip_lines();
        }
        let Some(word) = self.keyword() else { return self.chain() };
        let start = self.at;
        self.at += word.len();
        self.skip_blanks();
        let opens = self.peek() == Some('(');
        let braces = self.peek() == Some('{');
        match word.as_str() {
            "if" if opens => self.branches(),
            "foreach" if opens || self.peek() == Some('-') => self.each(),
            "for" if opens => self.count(),
            "while" if opens => {
                let again = self.condition();
                let body = self.block();
                Statement::Loop { first: Vec::new(), again, body, at_least_once: false }
            }
            "do" => {
                let body = self.block();
                self.skip_lines();
                let mut again = Vec::new();
                if let Some(word @ ("while" | "until")) = self.keyword().as_deref() {
                    self.at += word.len();
                    self.skip_blanks();
                    again = self.condition();
                }
                Statement::Loop { first: Vec::new(), again, body, at_least_once: true }
            }
            "switch" => self.switch(),
            "try" => self.attempt(),
            "function" | "filter" | "workflow" | "configuration" => self.function(),
            "return" | "throw" | "exit" | "break" | "continue" => {
                let ends = self.peek().is_none_or(|next| "\r\n;)}|&".contains(next));
                Statement::Leave((!ends).then(|| Box::new(self.chain())))
            }
            "begin" | "process" | "end" | "clean" | "data" if braces => {
                Statement::Plain(self.block())
            }
            "dynamicparam" | "trap" => {
                self.skip_types();
                Statement::Perhaps(self.block())
            }
            "class" | "enum" => {
                // Nothing in it runs until somebody makes one.
                let rest = self.rest();
                self.at += rest.find(['{', '\n', ';']).unwrap_or(rest.len());
                self.block();
                Statement::nothing()
            }
            "using" => {
                self.skip_line();
                Statement::nothing()
            }
            _ => {
                self.at = start;
                self.chain()
            }
        }
    }

    /// Reads `( … )` as a condition.
    fn condition(&mut self) -> Vec<Statement> {
        if self.peek() != Some('(') {
            return Vec::new();
        }
        match self.group(false) {
            Expression::Group { statements, .. } => statements,
            _ => Vec::new(),
        }
    }

    /// Reads what follows `if`.
    fn branches(&mut self) -> Statement {
        let mut branches = Vec::new();
        let mut last = None;
        loop {
            let condition = self.condition();
            branches.push((condition, self.block()));
            let after = self.at;
            self.skip_lines();
            match self.keyword().as_deref() {
                Some(word @ "elseif") => {
                    self.at += word.len();
                    self.skip_lines();
                }
                Some(word @ "else") => {
                    self.at += word.len();
                    last = Some(self.block());
                    break;
                }
                _ => {
                    self.at = after;
                    break;
                }
            }
        }
        Statement::If { branches, last }
    }

    /// Reads what follows `foreach`.
    fn each(&mut self) -> Statement {
        while self.peek() == Some('-') {
            let rest = self.rest();
            self.at += rest
                .find(|letter: char| letter == '(' || letter.is_whitespace())
                .unwrap_or(rest.len());
            self.skip_blanks();
        }
        let mut variable: Rc<str> = "".into();
        let mut list = Vec::new();
        if self.take_text("(") {
            self.nested(|reader| {
                reader.skip_types();
                if reader.peek() == Some('$') {
                    variable = reader.variable().unwrap_or_default();
                }
                reader.skip_lines();
                if reader.keyword().as_deref() == Some("in") {
                    reader.at += 2;
                    reader.skip_lines();
                }
                reader.statements(&mut list);
                reader.take_text(")");
            });
        }
        Statement::Each { variable, list, body: self.block() }
    }

    /// Reads what follows `for`.
    fn count(&mut self) -> Statement {
        let mut first = self.condition();
        let again = if first.len() > 1 { first.split_off(1) } else { Vec::new() };
        Statement::Loop { first, again, body: self.block(), at_least_once: false }
    }

    /// Reads what follows `switch`.
    fn switch(&mut self) -> Statement {
        while self.peek() == Some('-') {
            let rest = self.rest();
            self.at += rest.find(char::is_whitespace).unwrap_or(rest.len());
            self.skip_blanks();
            if self.peek().is_some_and(|next| next != '(' && next != '-' && next != '{') {
                self.argument();
                self.skip_blanks();
            }
        }
        let subject = self.condition();
        let mut cases = Vec::new();
        self.skip_lines();
        if self.take_text("{") {
            self.nested(|reader| {
                loop {
                    reader.skip_lines();
                    let before = reader.at;
                    match reader.peek() {
                        None | Some('}') => break,
                        Some(';' | ')' | ',') => {
                            reader.take();
                            continue;
                        }
                        Some(_) => {}
                    }
                    reader.argument();
                    cases.push(reader.block());
                    if reader.at == before {
                        reader.take();
                    }
                }
                reader.take_text("}");
            });
        }
        Statement::Switch { subject, cases }
    }

    /// Reads what follows `try`.
    fn attempt(&mut self) -> Statement {
        let body = self.block();
        let mut catches = Vec::new();
        let mut last = None;
        loop {
            let after = self.at;
            self.skip_lines();
            match self.keyword().as_deref() {
                Some(word @ "catch") => {
                    self.at += word.len();
                    self.skip_types();
                    while self.take_text(",") {
                        self.skip_types();
                    }
                    catches.push(self.block());
                }
                Some(word @ "finally") => {
                    self.at += word.len();
                    last = Some(self.block());
                }
                _ => {
                    self.at = after;
                    return Statement::Try { body, catches, last };
                }
            }
        }
    }

    /// Reads what follows `function`.
    fn function(&mut self) -> Statement {
        let rest = self.rest();
        let ends = |letter: char| letter.is_whitespace() || "({;|&)}".contains(letter);
        let length = rest.find(ends).unwrap_or(rest.len());
        let name = rest[..length].to_lowercase();
        self.at += length;
        self.skip_lines();
        let given = self.parameters();
        let mut body = Block::default();
        self.skip_lines();
        if self.take_text("{") {
            self.nested(|reader| {
                reader.body(&mut body);
                reader.take_text("}");
            });
        }
        if body.parameters.is_empty() {
            body.parameters = given;
        }
        let name = name.rsplit(':').next().unwrap_or_default().into();
        Statement::Function { name, body: Rc::new(body) }
    }

    /// Reads `target = value`, once the target is read and `=` follows.
    pub(super) fn assignment(&mut self, target: &Expression) -> Option<Statement> {
        let rest = self.rest();
        let signs = ["=", "+=", "-=", "*=", "/=", "%=", "??="];
        let sign = signs.iter().find(|sign| rest.starts_with(**sign))?;
        self.at += sign.len();
        self.skip_lines();
        let value = self.nested(Self::statement).unwrap_or_else(Statement::nothing);
        let (targets, plain) = targets(target);
        let adds = *sign == "+=";
        let plain = plain && (adds || *sign == "=");
        Some(Statement::Assign { targets, adds, plain, value: Box::new(value) })
    }
}

impl Statement {
    /// A statement that does nothing.
    fn nothing() -> Self {
        Self::Chain(Vec::new())
    }
}

/// The variables that an assignment sets, and whether it sets them whole.
fn targets(target: &Expression) -> (Vec<Rc<str>>, bool) {
    match target {
        Expression::Variable(name) => (vec![name.clone()], true),
        Expression::Operation(operands) => {
            let mut found = Vec::new();
            for operand in operands {
                found.extend(match &operand.value {
                    Expression::Variable(name) => Some(name.clone()),
                    Expression::Access(base, _) => base_of(base),
                    _ => None,
                });
            }
            let plain = operands.iter().all(|one| matches!(one.value, Expression::Variable(_)));
            (found, plain)
        }
        Expression::Access(base, accesses) => {
            let index = matches!(accesses.last(), Some(Access::Index(_) | Access::Member(_)));
            (base_of(base).filter(|_| index).into_iter().collect(), false)
        }
        _ => (Vec::new(), false),
    }
}

/// The variable whose part is set.
fn base_of(base: &Expression) -> Option<Rc<str>> {
    match base {
        Expression::Variable(name) => Some(name.clone()),
        _ => None,
    }
}
