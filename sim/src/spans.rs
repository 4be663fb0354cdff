//! Every order of the transactions of a few processes, as loom finds them: a mutex of loom stands
//! for the lock of the database.
//!
//! loom does not see C, and its stacks are small. So each of its threads only drives a virtual
//! process, which runs the production store and the real SQLite on a stack of its own and gives way
//! before each lock span (`machine/span.rs`): the thread takes the mutex then, and keeps it until
//! the process comes to its next span or to its end. With a rollback journal a span is one
//! transaction, from the shared lock until there is none. What the code under test reads in a
//! transaction of its own is a span of its own, and others may come between it and the write.
//!
//! A span is not divided. Whether SQLite keeps its promises within one, and what becomes of a
//! transaction that reads first and then finds that it may not write, is what `explore.rs` is for.

use std::cell::RefCell;
use std::collections::BTreeSet;
use std::panic::{self, AssertUnwindSafe};
use std::rc::Rc;
use std::sync::{Arc, Mutex, PoisonError};

use crate::executor::{self, Lane};
use crate::machine;
use crate::machine::plan::Plan;
use crate::oracle::{Fences, Violation};
use crate::process::{self, Made};
use crate::run::{self, Course, Run};
use crate::scenario::{Journal, Scenario};
use crate::{lanes, sync, told};

/// What was gone through.
#[derive(Debug, Default)]
pub struct Explored {
    /// How many executions loom tried.
    pub executions: u64,
    /// The orders of spans that were seen: whose was the first, the second …
    pub orders: BTreeSet<Vec<usize>>,
    /// The first execution that went wrong, for people: its order, what was asked and answered, and
    /// what speaks against it.
    pub wrong: Option<String>,
}

/// Runs the first boot of a scenario in every order of its lock spans, or in those with at most so
/// many preemptions, until one goes wrong. Nobody may ever be in the way of anybody: each has the
/// database to itself, so an error is a fault too.
///
/// # Panics
/// When the database at its start cannot be made, or the scenario does not keep a rollback journal,
/// whose locks tell the spans.
pub fn explore(scenario: &Scenario, preemptions: Option<usize>) -> Explored {
    assert_eq!(scenario.journal, Journal::Rollback, "its locks tell the spans");
    let _turn = run::turn();
    let found = Arc::new(Mutex::new(Explored::default()));
    let body = {
        let (scenario, found) = (scenario.clone(), Arc::clone(&found));
        move || execute(&scenario, &found)
    };
    let ended = panic::catch_unwind(AssertUnwindSafe(|| sync::explore(preemptions, body)));
    let explored = std::mem::take(&mut *found.lock().unwrap_or_else(PoisonError::into_inner));
    match ended {
        Err(panic) if explored.wrong.is_none() => panic::resume_unwind(panic),
        _ => explored,
    }
}

/// The threads of one execution share this.
struct Shared {
    lock: sync::Lock<()>,
    order: RefCell<Vec<usize>>,
}

/// One execution. loom runs this on a small stack, so all that is deep is done aside.
fn execute(scenario: &Scenario, found: &Mutex<Explored>) {
    let run = Run {
        keeps_trace: true,
        checks_integrity: false,
        ..Run::plain(scenario, Course::Listed(Vec::new()))
    };
    let lanes = executor::aside(|| begin(&run));
    let shared = Rc::new(Shared { lock: sync::Lock::new(()), order: RefCell::default() });
    sync::together((0..).zip(lanes).map(|(process, lane)| {
        let shared = Rc::clone(&shared);
        move || drive(process, lane, &shared)
    }));
    let order = shared.order.take();
    let wrong = executor::aside(|| wrong(&run, &order));
    let mut found = found.lock().unwrap_or_else(PoisonError::into_inner);
    found.executions += 1;
    found.orders.insert(order);
    if wrong.is_some() {
        found.wrong = wrong;
        drop(found);
        // The only way to end loom's search. It is caught above, and nobody is told of a panic.
        panic::resume_unwind(Box::new("this execution went wrong"));
    }
}

fn begin(run: &Run<'_>) -> Vec<Lane> {
    run::boot_machine(run);
    let bodies = run::bodies(run.scenario, 0);
    machine::with(|machine| {
        machine.order_spans();
        machine.begin(bodies.len(), Plan::listed(&[]), Vec::new());
    });
    bodies.into_iter().map(executor::lane).collect()
}

/// Drives one process to its end. Each time that it gives way, its span is over and the next one is
/// about to begin.
fn drive(process: usize, lane: Lane, shared: &Shared) {
    let mut lane = Some(lane);
    let mut span = None;
    loop {
        machine::with(|machine| machine.give_turn(process));
        if executor::resume(&mut lane) {
            return;
        }
        drop(span.take());
        span = Some(shared.lock.lock().expect("nobody panics in a span"));
        shared.order.borrow_mut().push(process);
    }
}

/// Holds the execution that has ended against the oracles.
fn wrong(run: &Run<'_>, order: &[usize]) -> Option<String> {
    machine::with(machine::Machine::finish);
    let made = process::take_calls();
    let states = vec![run::state_at_start(&run.scenario.start)];
    let verdict = no_errors(&made)
        .and_then(|()| run::judge(run, 0, states, &made, false, &mut Fences::default()));
    let Violation { oracle, detail } = verdict.err()?;
    let trace = machine::with(machine::Machine::take_trace);
    let order: Vec<String> = order.iter().map(ToString::to_string).collect();
    Some(format!(
        "{}spans of the processes: {}\n{oracle}: {detail}",
        lanes::draw(&trace),
        order.join(" ")
    ))
}

fn no_errors(made: &[Made]) -> Result<(), Violation> {
    match made.iter().find_map(|one| one.error.as_ref().map(|error| (one, error))) {
        None => Ok(()),
        Some((made, error)) => {
            let detail = format!("{}: {error:?}", told::op(&made.call.op));
            Err(Violation { oracle: "errors", detail })
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::explore::one_acquire_each;
    use crate::scenario::Start;

    #[test]
    fn one_process_after_the_other_is_the_first_order() {
        let explored = explore(&one_acquire_each(2, Start::Ready, Journal::Rollback), None);
        assert_eq!(explored.wrong, None);
        assert_eq!(explored.orders.first(), Some(&vec![0, 0, 0, 0, 1, 1, 1, 1]));
    }
}
