//! Gives the arguments of a command to its parameters.

use super::state::Value;
use super::table::Known;
use std::rc::Rc;

/// One argument, once it is expanded.
#[derive(Clone, Debug)]
pub(super) enum Given {
    /// A value, and whether it had no quotes.
    Value(Value, bool),
    /// A parameter, perhaps with a value that a colon ties to it.
    Parameter { name: Rc<str>, value: Option<Value>, apart: bool },
    /// Arguments that only the shell knows.
    Anything,
}

/// The parameters of a command with what they got.
#[derive(Debug, Default)]
pub(super) struct Bound {
    values: Vec<(&'static str, Value)>,
    /// Whether the arguments fit the parameters.
    pub fits: bool,
    /// Whether parameters were named, and by more than their first letter or two.
    pub named: bool,
    /// What found no parameter.
    pub rest: Vec<Value>,
}

impl Bound {
    /// What a parameter got.
    pub(super) fn get(&self, name: &str) -> Option<&Value> {
        self.values.iter().find(|row| row.0 == name).map(|row| &row.1)
    }

    /// Whether a switch is on.
    pub(super) fn on(&self, name: &str) -> bool {
        self.get(name).is_some_and(|value| !matches!(value, Value::Flag(false)))
    }

    /// Gives a value to a parameter that has none.
    pub(super) fn fill(&mut self, name: &'static str, value: Value) {
        if self.get(name).is_none() {
            self.values.push((name, value));
        }
    }
}

/// Gives arguments to parameters.
pub(super) fn bind(known: &'static Known, given: Vec<Given>) -> Bound {
    let mut bound = Bound { fits: true, ..Bound::default() };
    let mut loose = Vec::new();
    let mut waiting: Option<&'static str> = None;
    for one in given {
        match one {
            Given::Value(value, _) => match waiting.take() {
                Some(name) => bound.fill(name, value),
                None => loose.push(value),
            },
            Given::Anything => {}
            Given::Parameter { name, value, .. } => {
                waiting = None;
                let Some((full, switch)) = parameter(known, &name) else {
                    bound.fits = false;
                    continue;
                };
                bound.named |= name.chars().count() > 2;
                match value {
                    Some(value) => bound.fill(full, value),
                    None if switch => bound.fill(full, Value::Flag(true)),
                    None => waiting = Some(full),
                }
            }
        }
    }
    let literal = bound.get("LiteralPath").is_some();
    let mut loose = loose.into_iter();
    for name in known.cmdlet.positions.split_whitespace() {
        let taken = bound.get(name).is_some();
        if taken || literal && matches!(name, "Path" | "FilePath") {
            continue;
        }
        let Some(value) = loose.next() else { break };
        bound.fill(name, value);
    }
    bound.rest = loose.collect();
    bound
}

/// The full name of a parameter, and whether it is a switch. A beginning of a name will do; where
/// several begin so, the first is taken.
fn parameter(known: &'static Known, name: &str) -> Option<(&'static str, bool)> {
    let begins = |one: &&'static str| {
        one.get(..name.len()).is_some_and(|one| one.eq_ignore_ascii_case(name))
    };
    let whole = |one: &&str| one.eq_ignore_ascii_case(name);
    let rows = || known.rows.iter();
    let found = rows().find(|row| row.0.iter().any(whole));
    let (names, switch) = found.or_else(|| rows().find(|row| row.0.iter().any(begins)))?;
    Some((*names.first()?, *switch))
}
