//! Each oracle says no to what is wrong, and yes to the same where it is right. Who only ever sees
//! a store that is right would not notice an oracle that always says yes.

use leasehold_model::{Context, Resource, Terms};

use super::*;
use crate::explore;
use crate::history::Answer;
use crate::machine::START_MS;
use crate::run::state_at_start;
use crate::scenario::{Journal, Start};

fn scenario() -> Scenario {
    explore::one_acquire_each(2, Start::Ready, Journal::Log)
}

fn start() -> State {
    state_at_start(&Start::Ready)
}

fn acquire(session: &str) -> Op {
    Op::Acquire {
        owner: leasehold_model::Owner { session: session.to_owned(), epoch: "t1".to_owned() },
        resources: vec![Resource::new("/r/a")],
        trees: Vec::new(),
        terms: Terms { agent: "test".to_owned(), ttl: 60_000, note: None },
        call: None,
        context: Context::default(),
    }
}

/// A call that held the lock at this instant and was answered three later.
fn answered(op: Op, at: u64, outcome: Outcome) -> Made {
    let answer = Some(Answer { at: at + 3, outcome });
    let call = Call { process: 0, op, now: START_MS, invoked: at - 1, answer };
    Made { call, decided: Some(at), error: None, waited: 0, has_log: true }
}

fn failed(error: Failure, waited: u64) -> Made {
    let mut made = answered(acquire("s1"), 10, Outcome::Done);
    made.call.answer = None;
    Made { error: Some(error), waited, ..made }
}

fn store_says(class: &'static str) -> Failure {
    Failure::Store(class, "words".to_owned())
}

/// The oracle that says no, if any does.
fn verdict(made: &[Made]) -> Option<&'static str> {
    replay(vec![start()], made, &scenario(), &["busy"]).err().map(|violation| violation.oracle)
}

/// What the first of these operations gives after the others, by the model.
fn right(before: &[Op], op: &Op) -> (State, Outcome) {
    let state = before.iter().fold(start(), |state, op| step(&state, op, START_MS).0);
    step(&state, op, START_MS)
}

#[test]
fn an_answer_that_the_model_does_not_give() {
    let (first, second) = (acquire("s1"), acquire("s2"));
    let (granted, busy) = (right(&[], &first).1, right(std::slice::from_ref(&first), &second).1);
    let both = |outcome: &Outcome| {
        [
            answered(first.clone(), 10, granted.clone()),
            answered(second.clone(), 20, outcome.clone()),
        ]
    };
    assert_eq!(verdict(&both(&busy)), None);
    assert_eq!(verdict(&both(&right(&[], &second).1)), Some("model"), "two have the same file");
}

#[test]
fn an_answer_without_the_lock() {
    let made = answered(acquire("s1"), 10, right(&[], &acquire("s1")).1);
    assert_eq!(verdict(std::slice::from_ref(&made)), None);
    assert_eq!(verdict(&[Made { decided: None, ..made }]), Some("order"));
}

#[test]
fn a_read_that_shows_what_was_not_there_at_any_instant_of_it() {
    let granted = right(&[], &acquire("s1"));
    let check = Op::Check { resource: Resource::new("/r/a") };
    let held = step(&granted.0, &check, START_MS).1;
    let free = right(&[], &check).1;
    let after = |outcome: &Outcome| {
        let grant = answered(acquire("s1"), 10, granted.1.clone());
        [grant, answered(check.clone(), 20, outcome.clone())]
    };
    assert_eq!(verdict(&after(&held)), None);
    assert_eq!(verdict(&after(&free)), Some("reads"));
    // While the grant is being made, both may be seen.
    let beside = |outcome: &Outcome| {
        let grant = answered(acquire("s1"), 10, granted.1.clone());
        [grant, answered(check.clone(), 11, outcome.clone())]
    };
    assert_eq!((verdict(&beside(&held)), verdict(&beside(&free))), (None, None));
}

#[test]
fn an_error_that_is_none_of_those_that_may_be() {
    assert_eq!(verdict(&[failed(store_says("io"), 0)]), Some("errors"));
    assert_eq!(verdict(&[failed(Failure::Panic("words".to_owned()), 0)]), Some("errors"));
    assert_eq!(verdict(&[failed(Failure::Killed, 0)]), None);
    let fails = |allowed: &[&str]| failure("a chore", &store_says("io"), allowed).is_err();
    assert!(fails(&["busy"]) && !fails(&["io"]));
}

#[test]
fn who_is_busy_has_waited_and_changed_nothing() {
    let patience = scenario().patience_ms * 1000;
    assert_eq!(verdict(&[failed(store_says("busy"), patience)]), None);
    assert_eq!(verdict(&[failed(store_says("busy"), patience / 2)]), Some("busy"));
    // Had it taken the file after all, the next one would not get it.
    let next = answered(acquire("s2"), 20, right(&[acquire("s1")], &acquire("s2")).1);
    assert_eq!(verdict(&[failed(store_says("busy"), patience), next.clone()]), Some("model"));
    assert_eq!(verdict(&[failed(Failure::Killed, 0), next]), None, "nobody knows of a killed one");
}

#[test]
fn who_waits_without_end() {
    let granted = answered(acquire("s1"), 10, right(&[], &acquire("s1")).1);
    let of = |waited: u64| verdict(&[Made { waited, ..granted.clone() }]);
    let ten = 10 * scenario().patience_ms * 1000;
    assert_eq!((of(ten), of(ten + 1)), (None, Some("liveness")));
}

#[test]
fn rows_that_the_model_does_not_have() {
    let state = right(&[], &acquire("s1")).0;
    let rows_of = |state: &State| state.leases.clone();
    assert!(rows(vec![start(), state.clone()], &rows_of(&state)).is_ok_and(|left| left == [state]));
    let none = rows(vec![right(&[], &acquire("s1")).0], &[]);
    assert_eq!(none.err().map(|violation| violation.oracle), Some("rows"));
}

#[test]
fn what_was_synced_survives_a_loss_of_power_and_the_rest_may() {
    let granted = right(&[], &acquire("s1"));
    let after = |full_sync: bool| {
        let scenario = Scenario { full_sync, ..scenario() };
        let made = [answered(acquire("s1"), 10, granted.1.clone())];
        replay(vec![start()], &made, &scenario, &[]).map(Versions::after_power_loss).ok()
    };
    assert_eq!(after(true), Some(vec![granted.0.clone()]));
    assert_eq!(after(false), Some(vec![start(), granted.0.clone()]));
}

#[test]
fn a_fence_that_is_given_out_again_or_falls_behind() {
    let grant = |path: &str, fence: Fence, now: i64| {
        let resource = Resource::new(path);
        let grant = Grant { resource, fence, acquired: now, expires: now + 60_000 };
        let mut made = answered(acquire("s1"), 10, Outcome::Acquired(vec![grant]));
        made.call.now = now;
        made
    };
    let told = |boots: &[Made]| {
        let mut fences = Fences::default();
        let bad = boots.iter().find_map(|made| fences.see(std::slice::from_ref(made)).err());
        bad.map(|violation| violation.oracle)
    };
    let first = grant("/r/a", Fence::new(2, 1), 0);
    assert_eq!(told(&[first.clone(), grant("/r/b", Fence::new(2, 2), 1)]), None);
    assert_eq!(told(&[first.clone(), first.clone()]), None, "it is the same lease");
    assert_eq!(told(&[first.clone(), grant("/r/b", Fence::new(2, 1), 1)]), Some("fences"));
    assert_eq!(told(&[first, grant("/r/b", Fence::new(1, 9), 1)]), Some("fences"));
}
