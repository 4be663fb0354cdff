//! What a shell knows while it runs a script: where it is, its variables and functions.

use std::collections::BTreeMap;
use std::rc::Rc;

use crate::intent::shell::bash::tree::Command;
use crate::intent::shell::field::Field;
use crate::intent::shell::place::Place;

/// The value of a variable.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Value {
    /// One text.
    Text(Field),
    /// An array.
    List(Vec<Field>),
}

impl Value {
    /// A value of which nothing is known.
    pub(super) fn unknown() -> Self {
        Self::Text(Field::unknown())
    }

    /// Its elements.
    pub(super) fn fields(&self) -> &[Field] {
        match self {
            Self::Text(field) => std::slice::from_ref(field),
            Self::List(fields) => fields,
        }
    }
}

/// A shell, or a subshell.
#[derive(Clone, Debug)]
pub(super) struct Scope {
    /// Where it is.
    pub(super) place: Place,
    /// Where `popd` leads.
    pub(super) places: Vec<Place>,
    /// Variables that the script set.
    pub(super) variables: BTreeMap<String, Value>,
    /// Functions that the script defined.
    pub(super) functions: BTreeMap<String, Rc<Command>>,
    /// `$1` and those behind it; none where nobody knows them.
    pub(super) arguments: Option<Vec<Field>>,
    /// Whether it has ended.
    pub(super) ended: bool,
}

impl Scope {
    /// A shell that has just begun.
    pub(super) fn new(place: Place) -> Self {
        Self {
            place,
            places: Vec::new(),
            variables: BTreeMap::new(),
            functions: BTreeMap::new(),
            arguments: None,
            ended: false,
        }
    }

    /// After a part of a script that may have been run or not: what it set to something else is not
    /// known any more. A `cd` counts as done.
    pub(super) fn merge(&mut self, other: &Self) {
        for (name, value) in &other.variables {
            if self.variables.get(name) != Some(value) {
                self.variables.insert(name.clone(), Value::unknown());
            }
        }
        for name in self.variables.keys().cloned().collect::<Vec<_>>() {
            if !other.variables.contains_key(&name) {
                self.variables.insert(name, Value::unknown());
            }
        }
        for (name, body) in &other.functions {
            self.functions.entry(name.clone()).or_insert_with(|| Rc::clone(body));
        }
        self.place = other.place.clone();
        self.ended = false;
    }
}
