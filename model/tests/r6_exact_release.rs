//! Goal: a release removes one owner's leases and nothing else, ever.
//! Method: hold as several owners, release as one, and look who is left.

mod common;

use common::{TTL, Table, YEARS};
use leasehold_model::{Outcome, Released};

fn four() -> Table {
    let mut table = Table::new();
    for (who, path) in [("s", "/0"), ("s#t1", "/1"), ("s#t2", "/2"), ("s#agent:a", "/3")] {
        table.gets(who, &[path]);
    }
    table
}

#[test]
fn each_owner_removes_its_own_and_only_its_own() {
    for (who, path) in [("s", "/0"), ("s#t1", "/1"), ("s#t2", "/2"), ("s#agent:a", "/3")] {
        for hand_over in [false, true] {
            let mut table = four();
            let answer =
                if hand_over { table.release_and_hand_over(who) } else { table.release(who) };
            assert_eq!(answer, Released::Count(1), "{who}");
            assert!(!table.has_row(path));
            assert_eq!(table.state.leases.len(), 3);
        }
    }
}

#[test]
fn an_untokened_release_never_removes_a_tokened_lease() {
    let mut table = Table::new();
    table.gets("s#t1", &["/a"]);
    assert_eq!(table.release_and_hand_over("s"), Released::EpochMismatch);
    assert_eq!(table.holders("/a"), ["s#t1"]);
}

#[test]
fn a_tokened_release_never_removes_a_fresh_untokened_lease_nor_years_later() {
    let mut table = Table::new();
    for wait in [0, YEARS] {
        table.later(wait).gets("s", &["/a"]);
        assert_eq!(table.release_and_hand_over("s#t1"), Released::EpochMismatch);
        assert_eq!(table.hand_over("s#t1"), Released::EpochMismatch);
        assert_eq!(table.holders("/a"), ["s"]);
    }
}

#[test]
fn older_newer_and_foreign_releases_change_nothing() {
    let mut table = Table::new();
    table.gets("s#t2", &["/a"]);
    let before = table.state.clone();
    assert_eq!(table.release("s#t1"), Released::EpochMismatch);
    assert_eq!(table.release("s#t3"), Released::EpochMismatch);
    assert_eq!(table.release("x#t2"), Released::Absent);
    assert_eq!(table.state, before);
}

#[test]
fn released_is_free_and_a_second_release_is_absent() {
    let mut table = Table::new();
    table.gets("s#t1", &["/a", "/b"]);
    assert_eq!(table.release("agent/s#t1"), Released::Count(2));
    assert_eq!(table.release("s#t1"), Released::Absent);
    table.gets("x", &["/a"]);
}

#[test]
fn dead_leases_of_another_epoch_are_no_mismatch() {
    let mut table = Table::new();
    table.gets("s#t1", &["/a"]);
    assert_eq!(table.later(TTL).release("s#t2"), Released::Absent);
    assert_eq!(table.reap(), Outcome::Reaped(1));
}

#[test]
fn the_end_of_a_session_frees_all_of_it_and_of_no_other() {
    let mut table = four();
    table.gets("ss#t1", &["/x"]);
    assert_eq!(table.end_session("s"), Released::Count(4));
    assert_eq!(table.state.leases.len(), 1);
    assert_eq!(table.holders("/x"), ["ss#t1"]);
}
