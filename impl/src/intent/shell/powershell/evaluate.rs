//! Follows the statements of a script.

use super::state::{Reader, Value};
use super::syntax::{Access, Argument, Block, Body, Element, Expression, Pipeline, Statement};
use std::rc::Rc;

/// How many values of a list a loop goes through one by one.
const ROUNDS: usize = 64;
/// How many values are kept of what statements yield.
const KEPT: usize = 4096;

impl Reader<'_> {
    /// Follows statements, and tells whether they leave what they are in.
    pub(super) fn statements(&mut self, list: &[Statement], out: &mut Vec<Value>) -> bool {
        list.iter().any(|statement| self.statement(statement, out))
    }

    /// Follows a block, and tells whether it leaves what it is in.
    pub(super) fn block(&mut self, block: &Block, out: &mut Vec<Value>) -> bool {
        self.deeper(|reader| reader.statements(&block.statements, out)).unwrap_or(false)
    }

    /// Follows one statement, and tells whether it leaves what it is in.
    fn statement(&mut self, statement: &Statement, out: &mut Vec<Value>) -> bool {
        self.spend(8);
        match statement {
            Statement::Chain(pipelines) => return self.chain(pipelines, out),
            Statement::Assign { targets, adds, plain, value } => {
                self.assign(targets, *adds, *plain, value);
            }
            Statement::If { branches, last } => return self.branches(branches, last.as_ref(), out),
            Statement::Loop { first, again, body, at_least_once } => {
                self.statements(first, &mut Vec::new());
                self.unsure(body, again);
                self.statements(again, &mut Vec::new());
                self.unsure(body, again);
                self.rounds(body, !at_least_once, out);
                self.unsure(body, again);
            }
            Statement::Each { variable, list, body } => self.each(variable, list, body, out),
            Statement::Switch { subject, cases } => {
                let mut value = Vec::new();
                self.statements(subject, &mut value);
                self.set(&"_".into(), Value::collect(value));
                let mut ends = Vec::new();
                for case in cases {
                    ends.push(self.branch(|reader| {
                        // `break` leaves only the switch.
                        reader.block(case, &mut Vec::new());
                        false
                    }));
                }
                self.merge(ends, true);
                give(out, Value::Unknown);
            }
            Statement::Try { body, catches, last } => {
                let left = self.block(body, out);
                let mut ends = Vec::new();
                for block in catches {
                    ends.push(self.branch(|reader| reader.block(block, &mut Vec::new())));
                }
                self.merge(ends, true);
                let ends = last.as_ref().is_some_and(|last| self.block(last, out));
                return left || ends;
            }
            Statement::Function { name, body } => {
                self.functions.insert(name.clone(), body.clone());
            }
            Statement::Leave(value) => {
                if let Some(value) = value {
                    self.statement(value, out);
                }
                return true;
            }
            Statement::Plain(block) => return self.block(block, out),
            Statement::Perhaps(block) => {
                let end = self.branch(|reader| reader.block(block, &mut Vec::new()));
                self.merge(vec![end], true);
            }
        }
        false
    }

    /// Follows pipelines with `&&` and `||` between them.
    fn chain(&mut self, pipelines: &[(bool, Pipeline)], out: &mut Vec<Value>) -> bool {
        for (otherwise, pipeline) in pipelines {
            if *otherwise {
                let end = self.branch(|reader| {
                    let leaves = leaves(pipeline);
                    reader.pipeline(pipeline, &mut Vec::new());
                    leaves
                });
                self.merge(vec![end], true);
            } else {
                self.pipeline(pipeline, out);
            }
        }
        pipelines.len() == 1 && leaves(&pipelines[0].1)
    }

    /// Follows one pipeline.
    fn pipeline(&mut self, pipeline: &Pipeline, out: &mut Vec<Value>) {
        let before = std::mem::replace(&mut self.words, pipeline.words.clone());
        let mut flow: Option<Vec<Value>> = None;
        for Element { body, redirections } in &pipeline.elements {
            for redirection in redirections {
                let target = self.value(redirection);
                self.redirect(&target);
            }
            let next = match body {
                Body::Value(expression) => self.value(expression).spread(),
                Body::Command(command) => self.command(command, flow.take()),
            };
            flow = Some(next);
        }
        for value in flow.unwrap_or_default() {
            give(out, value);
        }
        self.words = before;
    }

    /// Follows an assignment.
    fn assign(&mut self, targets: &[Rc<str>], adds: bool, plain: bool, value: &Statement) {
        let mut found = Vec::new();
        self.statement(value, &mut found);
        let mut value = Value::collect(found);
        if !plain {
            value = Value::Unknown;
        } else if adds && let Some(name) = targets.first() {
            let before = self.lookup(name);
            value = self.add(before, value);
        }
        if let [name] = targets {
            self.set(name, value);
            return;
        }
        let mut parts = match value {
            Value::List(values) if values.len() == targets.len() => values.to_vec(),
            _ => vec![Value::Unknown; targets.len()],
        };
        for name in targets.iter().rev() {
            let value = parts.pop().unwrap_or(Value::Unknown);
            self.set(name, value);
        }
    }

    /// Follows the branches of an `if`.
    fn branches(
        &mut self,
        branches: &[(Vec<Statement>, Rc<Block>)],
        last: Option<&Rc<Block>>,
        out: &mut Vec<Value>,
    ) -> bool {
        let mut ends = Vec::new();
        let mut yields = Vec::new();
        for (condition, block) in branches {
            self.statements(condition, &mut Vec::new());
            ends.push(self.branch(|reader| reader.block(block, &mut yields)));
        }
        if let Some(block) = last {
            ends.push(self.branch(|reader| reader.block(block, &mut yields)));
        }
        if !yields.is_empty() {
            give(out, Value::Unknown);
        }
        self.merge(ends, last.is_none())
    }

    /// Follows a loop over a list.
    fn each(&mut self, variable: &Rc<str>, list: &[Statement], body: &Block, out: &mut Vec<Value>) {
        let mut values = Vec::new();
        self.statements(list, &mut values);
        let values: Vec<Value> = values.into_iter().flat_map(Value::spread).collect();
        let unclear = values.iter().any(|value| matches!(value, Value::Unknown | Value::Under(_)));
        if !unclear && values.len() <= ROUNDS {
            for value in values {
                self.set(variable, value);
                self.block(body, out);
            }
            return;
        }
        self.unsure(body, &[]);
        let value = common(&values);
        self.set(variable, value);
        self.rounds(body, true, out);
        self.unsure(body, &[]);
    }

    /// Follows the body of a loop once, for all times that it may run.
    fn rounds(&mut self, body: &Block, none: bool, out: &mut Vec<Value>) {
        let end = self.branch(|reader| {
            reader.block(body, &mut Vec::new());
            false
        });
        self.merge(vec![end], none);
        give(out, Value::Unknown);
    }

    /// Forgets what a loop sets, for nobody knows how often it runs.
    fn unsure(&mut self, body: &Block, again: &[Statement]) {
        let mut names = Vec::new();
        assigned(&body.statements, &mut names);
        assigned(again, &mut names);
        self.spend(names.len());
        for name in names {
            self.set(&name, Value::Unknown);
        }
    }

    /// Follows a block for each value that comes down a pipeline.
    pub(super) fn for_each(&mut self, block: &Block, values: Vec<Value>, out: &mut Vec<Value>) {
        let it: Rc<str> = "_".into();
        let before = self.lookup(&it);
        let unclear = values.iter().any(|value| matches!(value, Value::Unknown));
        if !unclear && (values.len() <= ROUNDS || self.simple(block)) {
            for value in values {
                self.set(&it, value);
                self.block(block, out);
            }
        } else {
            self.unsure(block, &[]);
            let value = common(&values);
            self.set(&it, value);
            self.rounds(block, true, out);
            self.unsure(block, &[]);
        }
        self.set(&it, before);
    }

    /// Whether a block is so short that it may run for each of many files.
    fn simple(&self, block: &Block) -> bool {
        block.statements.len() <= 2 && self.spend(1 << 16)
    }
}

/// What all of the values have in common.
fn common(values: &[Value]) -> Value {
    match values {
        [Value::Under(path)] => Value::Under(path.clone()),
        _ => Value::Unknown,
    }
}

/// Keeps a value that statements yield, unless there are too many.
pub(super) fn give(out: &mut Vec<Value>, value: Value) {
    match out.len() {
        ..KEPT => out.push(value),
        KEPT => out.push(Value::Unknown),
        _ => {}
    }
}

/// Whether a pipeline is `exit`, behind `||`.
fn leaves(pipeline: &Pipeline) -> bool {
    let [Element { body: Body::Command(command), .. }] = pipeline.elements.as_slice() else {
        return false;
    };
    let Expression::Bare(name) = &command.name else { return false };
    ["exit", "return", "throw", "break", "continue"]
        .iter()
        .any(|one| name.eq_ignore_ascii_case(one))
}

/// The variables that statements set.
fn assigned(list: &[Statement], names: &mut Vec<Rc<str>>) {
    for statement in list {
        match statement {
            Statement::Assign { targets, .. } => names.extend(targets.iter().cloned()),
            Statement::Chain(pipelines) => {
                for (_, pipeline) in pipelines {
                    pipeline.elements.iter().for_each(|element| assigned_by(element, names));
                }
            }
            Statement::If { branches, last } => {
                for (condition, block) in branches {
                    assigned(condition, names);
                    assigned(&block.statements, names);
                }
                if let Some(block) = last {
                    assigned(&block.statements, names);
                }
            }
            Statement::Loop { first, again, body, .. } => {
                assigned(first, names);
                assigned(again, names);
                assigned(&body.statements, names);
            }
            Statement::Each { variable, body, .. } => {
                names.push(variable.clone());
                assigned(&body.statements, names);
            }
            Statement::Switch { cases, .. } => {
                for block in cases {
                    assigned(&block.statements, names);
                }
            }
            Statement::Try { body, catches, last } => {
                assigned(&body.statements, names);
                catches.iter().chain(last).for_each(|block| assigned(&block.statements, names));
            }
            Statement::Plain(block) | Statement::Perhaps(block) => {
                assigned(&block.statements, names);
            }
            Statement::Function { .. } | Statement::Leave(_) => {}
        }
    }
}

/// The variables that an element sets.
fn assigned_by(element: &Element, names: &mut Vec<Rc<str>>) {
    match &element.body {
        Body::Value(Expression::Access(base, accesses)) => {
            if let (Expression::Variable(name), Some(Access::Step)) = (&**base, accesses.last()) {
                names.push(name.clone());
            }
        }
        Body::Value(_) => {}
        Body::Command(command) => {
            for argument in &command.arguments {
                if let Argument::Value(Expression::Block(block)) = argument {
                    assigned(&block.statements, names);
                }
            }
        }
    }
}
