//! Goal: an acquire grants all of its resources or none; duplicates count once.
//! Method: refuse one of several, and compare the table before and after.

mod common;

use common::{Table, named};

#[test]
fn all_are_granted_in_the_order_of_their_names() {
    let grants = Table::new().gets("s#t1", &["/c", "/a", "/b"]);
    let paths: Vec<String> = grants.iter().map(|grant| grant.resource.path()).collect();
    assert_eq!(paths, ["/a", "/b", "/c"]);
}

#[test]
fn one_conflict_refuses_all_and_changes_nothing() {
    let mut table = Table::new();
    table.gets("a#t1", &["/m"]);
    table.gets("b#t1", &["/z"]);
    let before = table.state.clone();
    table.later(10);
    table.is_refused("b#t1", &["/a", "/m", "/z"]);
    assert_eq!(table.state, before, "nothing granted, nothing renewed, no fence used");
}

#[test]
fn a_refused_acquire_adopts_nothing() {
    let rows = [common::old_row("s", "/a"), common::old_row("x", "/b")];
    let mut table = Table::left_by(leasehold_model::Form::First, &rows);
    table.open("boot");
    let holders = table.is_refused("s#t1", &["/a", "/b"]);
    assert_eq!(holders.iter().map(named).collect::<Vec<_>>(), ["x"]);
    assert!(table.row("/a").migrated);
}

#[test]
fn the_same_resource_twice_counts_once() {
    let mut table = Table::new();
    assert_eq!(table.gets("s#t1", &["/a", "/a/", "/a"]).len(), 1);
    assert_eq!(table.state.count, 1);
}

#[test]
fn nothing_wanted_is_granted_as_nothing() {
    assert!(Table::new().gets("s#t1", &[]).is_empty());
}
