//! Goal: a refusal names every real holder in the way and nobody else.
//! Method: hold things in the way and beside it, and read the refusal.

mod common;

use common::{TTL, Table, named};

fn names(table: &mut Table, who: &str, paths: &[&str]) -> Vec<String> {
    table.is_refused(who, paths).iter().map(named).collect()
}

#[test]
fn every_holder_is_named_in_the_order_of_resources() {
    let mut table = Table::new();
    table.gets("b#t1", &["/d/2"]);
    table.gets("a#t1", &["/d/3"]);
    table.gets("c", &["/d/1"]);
    assert_eq!(names(&mut table, "x#t1", &["/d"]), ["c", "b#t1", "a#t1"]);
}

#[test]
fn neither_the_dead_nor_bystanders_nor_the_caller_are_named() {
    let mut table = Table::new();
    table.gets("dead#t1", &["/d/1"]);
    table.later(TTL).gets("live#t1", &["/d/2"]);
    table.gets("x#t1", &["/d/3"]);
    table.gets("aside#t1", &["/e"]);
    assert_eq!(names(&mut table, "x#t1", &["/d"]), ["live#t1"]);
}

#[test]
fn an_earlier_turn_of_the_same_session_is_named() {
    let mut table = Table::new();
    table.gets("s#t1", &["/a"]);
    assert_eq!(names(&mut table, "s#t2", &["/a"]), ["s#t1"]);
}

#[test]
fn the_holder_is_told_whole() {
    let mut table = Table::new();
    table.gets("s#t1", &["/a"]);
    let lease = table.row("/a").clone();
    assert_eq!((lease.acquired, lease.expires), (table.now, table.now + TTL));
    assert_eq!(table.is_refused("x", &["/a"]), [lease]);
}
