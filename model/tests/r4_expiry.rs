//! Goal: a lease is live while now < expires, and dead ones that are met go.
//! Method: look one millisecond before, at and after the expiry.

mod common;

use common::{TTL, Table};
use leasehold_model::{Outcome, Released, SWEEP_AFTER_MS, SWEEP_MAX};

#[test]
fn expiry_exactly_at_now_is_too_late() {
    let mut table = Table::new();
    table.gets("a#t1", &["/a"]);
    table.later(TTL - 1).is_refused("b#t1", &["/a"]);
    assert_eq!(table.holders("/a"), ["a#t1"]);
    assert!(table.later(1).holders("/a").is_empty());
    table.gets("b#t1", &["/a"]);
}

#[test]
fn the_dead_that_a_refused_acquire_meets_are_gone_and_others_stay() {
    let mut table = Table::new();
    table.gets("a#t1", &["/dead", "/aside"]);
    table.later(TTL).gets("b#t1", &["/live"]);
    table.is_refused("c#t1", &["/dead", "/live"]);
    assert!(!table.has_row("/dead"));
    assert!(table.has_row("/aside"));
}

#[test]
fn reaping_takes_all_the_dead_and_no_live() {
    let mut table = Table::new();
    table.gets("a#t1", &["/x", "/y"]);
    table.later(1).gets("b#t1", &["/z"]);
    assert_eq!(table.later(TTL - 2).reap(), Outcome::Reaped(0));
    assert_eq!(table.later(1).reap(), Outcome::Reaped(2));
    assert!(table.has_row("/z"));
}

#[test]
fn a_dead_lease_is_not_given_back() {
    let mut table = Table::new();
    table.gets("a#t1", &["/a"]);
    assert_eq!(table.later(TTL).release("a#t1"), Released::Absent);
    assert!(!table.has_row("/a"));
}

#[test]
fn the_long_dead_are_swept_a_few_at_a_time() {
    let mut table = Table::new();
    let paths: Vec<String> = (0..=SWEEP_MAX).map(|n| format!("/old/{n}")).collect();
    table.gets("a#t1", &paths.iter().map(String::as_str).collect::<Vec<_>>());
    table.later(TTL + SWEEP_AFTER_MS).gets("b#t1", &["/x"]);
    assert_eq!(table.state.leases.len(), paths.len() + 1, "a day old is not older than a day");
    table.later(1).gets("b#t1", &["/x"]);
    assert_eq!(table.state.leases.len(), 2);
    table.gets("b#t1", &["/x"]);
    assert_eq!(table.state.leases.len(), 1);
}
