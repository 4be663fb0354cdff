//! Goal: the rules hold in whatever order the transactions of a few processes come.
//!
//! Method: loom runs the production store and the real SQLite in each order of their lock spans,
//! and every execution is held against the model. Two processes are run in every order; for more of
//! them, and for openers, preemptions are bounded. Each test tells how many executions it had.

use leasehold_model::{Context, Form, OldRow, Op, Owner, Resource, Terms};
use leasehold_sim::explore::one_acquire_each;
use leasehold_sim::scenario::{Journal, Program, Scenario, Start, Step};
use leasehold_sim::spans::{Explored, explore};

/// A moment before the first of the run, and one after its last, in milliseconds since 1970.
const BEFORE_MS: i64 = 1_799_999_999_000;
const AFTER_MS: i64 = 1_800_000_060_000;

/// Processes on one warm database.
fn warm(programs: Vec<Program>) -> Scenario {
    Scenario { boots: vec![programs], ..one_acquire_each(0, Start::Ready, Journal::Rollback) }
}

/// Two processes that open one database and want the same file.
fn two_openers(start: Start) -> Scenario {
    one_acquire_each(2, start, Journal::Rollback)
}

/// What a process does that takes these files in one call, and gives them back.
fn take_and_give_back(session: &str, paths: &[&str]) -> Program {
    let owner = Owner { session: session.to_owned(), epoch: "t1".to_owned() };
    let acquire = Op::Acquire {
        owner: owner.clone(),
        resources: paths.iter().copied().map(Resource::new).collect(),
        trees: Vec::new(),
        terms: Terms { agent: "test".to_owned(), ttl: 60_000, note: None },
        call: None,
        context: Context::default(),
    };
    let release = Op::Release { owner, hand_over: false };
    [acquire, release].map(|op| Step::Ask(Box::new(op))).into()
}

/// Explores a scenario, in which nothing may go wrong.
#[track_caller]
fn goes_right(name: &str, scenario: &Scenario, preemptions: Option<usize>) -> Explored {
    let explored = explore(scenario, preemptions);
    let bound = preemptions.map_or("any".to_owned(), |bound| bound.to_string());
    let (executions, orders) = (explored.executions, explored.orders.len());
    println!("{name}: preemptions={bound} executions={executions} orders={orders}");
    if let Some(wrong) = &explored.wrong {
        panic!("execution {executions} of {name}:\n{wrong}");
    }
    explored
}

/// Whether each order of two processes' spans was seen: so many of each can be put in a row in as
/// many ways as spans can be chosen from all of them.
#[track_caller]
fn is_every_order(explored: &Explored, spans_each: usize) {
    let first = explored.orders.first().expect("there is one order at least");
    assert_eq!(first.len(), 2 * spans_each, "{first:?}");
    let ways = (1..=spans_each).fold(1, |ways, one| ways * (spans_each + one) / one);
    assert_eq!(explored.orders.len(), ways);
}

/// An open has three spans where nothing is to do, and an acquire is one: what it reads and what it
/// decides is under the same lock.
#[test]
fn two_acquires_of_one_file_have_one_winner() {
    let explored = goes_right("2 acquires", &two_openers(Start::Ready), None);
    is_every_order(&explored, 4);
}

#[test]
fn two_processes_take_sets_that_overlap_and_give_them_back() {
    let scenario = warm(vec![
        take_and_give_back("s0", &["/r/a", "/r/b"]),
        take_and_give_back("s1", &["/r/b", "/r/c"]),
    ]);
    let explored = goes_right("2 processes x 2 calls", &scenario, None);
    is_every_order(&explored, 5);
}

/// The third wants the directory that all of it is in.
#[test]
fn three_processes_take_sets_that_overlap_and_give_them_back() {
    let scenario = warm(vec![
        take_and_give_back("s0", &["/r/a", "/r/b"]),
        take_and_give_back("s1", &["/r/b", "/r/c"]),
        take_and_give_back("s2", &["/r"]),
    ]);
    goes_right("3 processes x 2 calls", &scenario, Some(3));
}

#[test]
fn two_openers_upgrade_a_legacy_database_once() {
    let row = OldRow {
        resource: Resource::new("/r/a"),
        session: "s0".to_owned(),
        epoch: None,
        agent: "old".to_owned(),
        acquired: BEFORE_MS,
        expires: AFTER_MS,
        note: None,
    };
    let start = Start::Legacy(Form::First, vec![row]);
    goes_right("2 openers of a legacy database", &two_openers(start), Some(4));
}

#[test]
fn two_openers_make_a_new_database_once() {
    goes_right("2 openers of a new database", &two_openers(Start::Empty), Some(4));
}
