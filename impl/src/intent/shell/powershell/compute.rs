//! What expressions of a script yield.

use super::evaluate::give;
use super::paths;
use super::state::{Reader, Value};
use super::syntax::{Access, Expression, Operand, Operator, Sign};
use crate::intent::shell::disk::Kind;
use std::rc::Rc;

/// How many numbers a range may have.
const RANGE: i64 = 256;

impl Reader<'_> {
    /// What an expression yields.
    pub(super) fn value(&mut self, expression: &Expression) -> Value {
        if !self.spend(2) {
            return Value::Unknown;
        }
        match expression {
            Expression::Text(text) | Expression::Bare(text) => Value::Text(text.clone()),
            Expression::Number(number) => Value::Number(*number),
            Expression::Joined(parts, _) => {
                let parts: Vec<Value> = parts.iter().map(|part| self.value(part)).collect();
                self.join(&parts, "")
            }
            Expression::Variable(name) => self.lookup(name),
            Expression::Group { statements, list } => {
                let mut found = Vec::new();
                self.deeper(|reader| reader.statements(statements, &mut found));
                if *list { Value::List(found.into()) } else { Value::collect(found) }
            }
            Expression::Table(rows) => {
                let mut found = Vec::new();
                for (key, value) in rows {
                    let mut yields = Vec::new();
                    self.deeper(|reader| {
                        reader.statements(std::slice::from_ref(value), &mut yields)
                    });
                    found.push((key.clone(), Value::collect(yields)));
                }
                Value::Table(found.into())
            }
            Expression::Block(block) => Value::Block(block.clone()),
            Expression::List(parts) => {
                let parts: Vec<Value> = parts.iter().map(|part| self.value(part)).collect();
                Value::List(parts.into())
            }
            Expression::Access(base, accesses) => self.accesses(base, accesses),
            Expression::Operation(operands) => self.operation(operands),
            Expression::Type(_) | Expression::Unknown => Value::Unknown,
        }
    }

    /// What a variable holds.
    pub(super) fn lookup(&self, name: &Rc<str>) -> Value {
        if &**name == "pwd" {
            return self.place.directory().map_or(Value::Unknown, Value::text);
        }
        if let Some(value) = self.variables.get(name) {
            return value.clone();
        }
        match &**name {
            "null" => Value::Nothing,
            "true" => Value::Flag(true),
            "false" => Value::Flag(false),
            "home" | "env:home" | "env:userprofile" => {
                self.site.home.map_or(Value::Unknown, Value::text)
            }
            _ => Value::Unknown,
        }
    }

    /// What `+` makes of two values.
    pub(super) fn add(&self, one: Value, two: Value) -> Value {
        match (one, two) {
            (Value::Number(one), Value::Number(two)) => {
                one.checked_add(two).map_or(Value::Unknown, Value::Number)
            }
            (Value::List(one), two) => {
                if !self.spend(one.len()) {
                    return Value::Unknown;
                }
                let mut all = one.to_vec();
                two.spread().into_iter().for_each(|value| give(&mut all, value));
                Value::List(all.into())
            }
            (one @ (Value::Text(_) | Value::Partial(_) | Value::Item(_)), two) => {
                self.join(&[one, two], "")
            }
            (Value::Nothing, two) => two,
            (Value::Unknown, two @ Value::Text(_)) => self.join(&[Value::Unknown, two], ""),
            _ => Value::Unknown,
        }
    }

    /// What operands and operators yield.
    fn operation(&mut self, operands: &[Operand]) -> Value {
        // Commas bind tightest: they go first. Then each operator waits for a weaker one.
        let mut values: Vec<Value> = Vec::new();
        let mut waiting: Vec<Operator> = Vec::new();
        let mut rest = operands.iter().peekable();
        while let Some(operand) = rest.next() {
            let mut value = self.signed(operand);
            if rest.peek().is_some_and(|next| next.operator == Operator::Comma) {
                let mut list = vec![value];
                while let Some(next) = rest.next_if(|next| next.operator == Operator::Comma) {
                    list.push(self.signed(next));
                }
                value = Value::List(list.into());
            }
            if !values.is_empty() {
                while let Some(last) =
                    waiting.pop_if(|last| last.strength() >= operand.operator.strength())
                {
                    self.reduce(&mut values, last);
                }
                waiting.push(operand.operator);
            }
            values.push(value);
        }
        while let Some(last) = waiting.pop() {
            self.reduce(&mut values, last);
        }
        values.pop().unwrap_or(Value::Unknown)
    }

    /// What an operand yields with what stands before it.
    fn signed(&mut self, operand: &Operand) -> Value {
        let value = self.value(&operand.value);
        match (operand.sign, value) {
            (Sign::None, value) => value,
            (Sign::Not, Value::Flag(flag)) => Value::Flag(!flag),
            _ => Value::Unknown,
        }
    }

    /// Applies an operator to the last two values.
    fn reduce(&self, values: &mut Vec<Value>, operator: Operator) {
        let two = values.pop().unwrap_or(Value::Unknown);
        let one = values.pop().unwrap_or(Value::Unknown);
        values.push(self.apply(operator, one, two));
    }

    /// What an operator makes of two values.
    pub(super) fn apply(&self, operator: Operator, one: Value, two: Value) -> Value {
        let flag = |flag: bool| Value::Flag(flag);
        match operator {
            Operator::Plus => self.add(one, two),
            Operator::Range => match (one, two) {
                (Value::Number(one), Value::Number(two)) => {
                    let few = two.checked_sub(one).is_some_and(|far| (0..RANGE).contains(&far));
                    if few {
                        Value::List((one..=two).map(Value::Number).collect())
                    } else {
                        Value::Unknown
                    }
                }
                _ => Value::Unknown,
            },
            Operator::Format => match one.known() {
                Some(pattern) => self.format(&pattern, &two.spread()),
                None => Value::Unknown,
            },
            Operator::And => match (one, two) {
                (Value::Flag(false), _) | (_, Value::Flag(false)) => flag(false),
                (Value::Flag(true), Value::Flag(true)) => flag(true),
                _ => Value::Unknown,
            },
            Operator::Or => match (one, two) {
                (Value::Flag(true), _) | (_, Value::Flag(true)) => flag(true),
                (Value::Flag(false), Value::Flag(false)) => flag(false),
                _ => Value::Unknown,
            },
            Operator::Equal | Operator::Unequal | Operator::Like | Operator::Unlike => {
                let (Some(one), Some(two)) = (one.known(), two.known()) else {
                    return Value::Unknown;
                };
                if !self.spend((one.len().min(4096) * two.len().min(260)) / 8 + one.len()) {
                    return Value::Unknown;
                }
                match operator {
                    Operator::Equal => flag(one.to_lowercase() == two.to_lowercase()),
                    Operator::Unequal => flag(one.to_lowercase() != two.to_lowercase()),
                    Operator::Like => flag(paths::matches(&two, &one)),
                    _ => flag(!paths::matches(&two, &one)),
                }
            }
            Operator::Replace => {
                let parts = two.spread();
                let Some(one) = one.known() else { return Value::Unknown };
                let pattern = parts.first().and_then(Value::known);
                let by = parts.get(1).map_or(Some("".into()), Value::known);
                match (pattern, by) {
                    (Some(pattern), Some(by)) if self.spend(one.len() * 4) => {
                        paths::replace(&one, &pattern, &by).map_or(Value::Unknown, Value::text)
                    }
                    _ => Value::Unknown,
                }
            }
            _ => Value::Unknown,
        }
    }

    /// Fills `{0}` and the like in a text.
    fn format(&self, pattern: &str, given: &[Value]) -> Value {
        let mut parts = Vec::new();
        let mut rest = pattern;
        while let Some(start) = rest.find('{') {
            let Some(end) = rest[start..].find('}') else { break };
            if parts.len() > 64 {
                return Value::Unknown;
            }
            parts.push(Value::text(&rest[..start]));
            let number = rest[start + 1..start + end].parse::<usize>().ok();
            let value = number.and_then(|number| given.get(number)).cloned();
            parts.push(value.unwrap_or(Value::Unknown));
            rest = &rest[start + end + 1..];
        }
        parts.push(Value::text(rest));
        self.join(&parts, "")
    }

    /// What members, calls and indexes yield.
    fn accesses(&mut self, base: &Expression, accesses: &[Access]) -> Value {
        let mut accesses = accesses.iter();
        let mut value = match base {
            Expression::Type(name) => match accesses.next() {
                Some(Access::Call(Some(method), given)) => {
                    let given: Vec<Value> = given.iter().map(|one| self.value(one)).collect();
                    self.static_call(name, method, &given)
                }
                _ => Value::Unknown,
            },
            _ => self.value(base),
        };
        for access in accesses {
            value = match access {
                Access::Member(name) => match name {
                    Some(name) => self.member(&value, name),
                    None => Value::Unknown,
                },
                Access::Call(name, given) => {
                    let given: Vec<Value> = given.iter().map(|one| self.value(one)).collect();
                    match name {
                        Some(name) => self.call(value, name, &given),
                        None => Value::Unknown,
                    }
                }
                Access::Index(index) => {
                    let index = self.value(index);
                    index_of(&value, &index)
                }
                Access::Step => {
                    if let Expression::Variable(name) = base {
                        self.set(name, Value::Unknown);
                    }
                    Value::Unknown
                }
            };
        }
        value
    }

    /// What a member holds.
    pub(super) fn member(&mut self, value: &Value, name: &str) -> Value {
        match value {
            Value::Item(path) => match name {
                "fullname" | "pspath" | "path" => Value::Text(path.clone()),
                "name" | "pschildname" => Value::text(paths::leaf(path)),
                "basename" => Value::text(paths::stem(paths::leaf(path))),
                "extension" => {
                    let leaf = paths::leaf(path);
                    Value::text(&leaf[paths::stem(leaf).len()..])
                }
                "directoryname" | "directory" | "parent" => {
                    paths::parent(path).map_or(Value::Unknown, Value::text)
                }
                "psiscontainer" => Value::Flag(self.kind(path) == Kind::Directory),
                _ => Value::Unknown,
            },
            Value::Under(_) if matches!(name, "fullname" | "pspath" | "path") => value.clone(),
            Value::Text(_) if matches!(name, "path" | "fullname" | "providerpath") => value.clone(),
            Value::Table(rows) => {
                let row = rows.iter().rev().find(|row| &*row.0 == name);
                row.map_or(Value::Unknown, |row| row.1.clone())
            }
            Value::List(values) => {
                if !self.spend(values.len()) || matches!(name, "count" | "length") {
                    return Value::Unknown;
                }
                let found: Vec<Value> =
                    values.iter().map(|value| self.member(value, name)).collect();
                Value::List(found.into())
            }
            _ => Value::Unknown,
        }
    }

    /// What a method of a value yields.
    pub(super) fn call(&mut self, value: Value, name: &str, given: &[Value]) -> Value {
        match (name, given) {
            ("foreach", [Value::Block(block)]) => {
                let mut out = Vec::new();
                self.for_each(&block.clone(), value.spread(), &mut out);
                return Value::collect(out);
            }
            ("where", [Value::Block(block), ..]) => {
                let kept = self.filter(&block.clone(), value.spread());
                return Value::collect(kept);
            }
            ("invoke" | "invokereturnasis", _) => {
                let mut out = Vec::new();
                if let Value::Block(block) = &value {
                    self.scope(|reader| reader.block(block, &mut out));
                }
                return Value::collect(out);
            }
            _ => {}
        }
        if self.method_writes(&value, name, given) {
            return Value::Unknown;
        }
        let Value::Text(text) = &value else {
            return if name == "tostring" { value } else { Value::Unknown };
        };
        if !self.spend(text.len()) {
            return Value::Unknown;
        }
        let known: Vec<Rc<str>> = given.iter().filter_map(Value::known).collect();
        match (name, known.as_slice()) {
            ("tostring", []) => value,
            ("trim", []) => Value::text(text.trim()),
            ("trimend", []) => Value::text(text.trim_end()),
            ("tolower" | "tolowerinvariant", []) => Value::text(text.to_lowercase()),
            ("toupper" | "toupperinvariant", []) => Value::text(text.to_uppercase()),
            ("replace", [old, new]) if !old.is_empty() && text.len() <= 4096 && new.len() <= 64 => {
                Value::text(text.replace(&**old, new))
            }
            _ => Value::Unknown,
        }
    }

    /// The values for which a block does not surely say no.
    pub(super) fn filter(
        &mut self,
        block: &super::syntax::Block,
        values: Vec<Value>,
    ) -> Vec<Value> {
        let it: Rc<str> = "_".into();
        let before = self.lookup(&it);
        let mut kept = Vec::new();
        for value in values {
            self.set(&it, value.clone());
            let mut yields = Vec::new();
            self.block(block, &mut yields);
            if !matches!(yields.as_slice(), [Value::Flag(false)]) {
                kept.push(value);
            }
        }
        self.set(&it, before);
        kept
    }
}

/// What an index finds.
fn index_of(value: &Value, index: &Value) -> Value {
    match (value, index) {
        (Value::List(values), Value::Number(number)) => {
            let length = i64::try_from(values.len()).unwrap_or(i64::MAX);
            let place = if *number < 0 { length.saturating_add(*number) } else { *number };
            let found = usize::try_from(place).ok().and_then(|place| values.get(place));
            found.cloned().unwrap_or(Value::Unknown)
        }
        (Value::Table(rows), Value::Text(key)) => {
            let key = key.to_lowercase();
            let row = rows.iter().rev().find(|row| *row.0 == *key);
            row.map_or(Value::Unknown, |row| row.1.clone())
        }
        _ => Value::Unknown,
    }
}
