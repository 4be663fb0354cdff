//! Goal: live leases of different owners never overlap, and others do not exclude.
//! Method: every relation of two paths and of two owners, asked both ways round.

mod common;

use common::{Table, resource};

fn excludes(held: &str, wanted: &str) -> bool {
    let mut table = Table::new();
    table.gets("a#t1", &[held]);
    matches!(table.acquire("b#t1", &[wanted]), leasehold_model::Outcome::Busy(_))
}

#[test]
fn equal_parent_and_child_exclude_each_other() {
    for (x, y) in [("/a/b", "/a/b"), ("/a/b", "/a"), ("/a/b", "/a/b/c"), ("/a", "/a/b/c/d")] {
        assert!(excludes(x, y) && excludes(y, x), "{x} and {y}");
    }
}

#[test]
fn siblings_and_common_beginnings_do_not() {
    for (x, y) in [("/a/b", "/a/bc"), ("/a/b", "/a/c"), ("/a/b", "/a/b c"), ("/a/b/c", "/a/b!/c")] {
        assert!(!excludes(x, y) && !excludes(y, x), "{x} and {y}");
    }
}

#[test]
fn two_names_of_one_file_exclude_each_other_and_of_two_files_do_not() {
    assert!(excludes("/a@1", "/b@1"));
    assert!(!excludes("/a@1", "/b@2"));
    assert!(!excludes("/a@1", "/b"));
    assert!(!excludes("/a", "/b"), "no identity equals no identity");
}

#[test]
fn spellings_of_one_path_are_one_resource() {
    assert!(resource("/a//b/").is(&resource("/a/b")));
    assert!(!resource("/a/b").is(&resource("/a/b/c")));
    assert_eq!(resource("/a//b/").path(), "/a/b");
}

#[test]
fn two_epochs_of_one_session_are_two_owners() {
    for (x, y) in [("s#t1", "s#t2"), ("s#t1", "s"), ("s", "s#t1"), ("s#t1", "s#agent:1")] {
        let mut table = Table::new();
        table.gets(x, &["/a"]);
        assert_eq!(table.is_refused(y, &["/a"]).len(), 1, "{x} and {y}");
    }
}

#[test]
fn one_owner_may_hold_a_directory_and_a_file_in_it() {
    let mut table = Table::new();
    table.gets("s#t1", &["/a"]);
    table.gets("s#t1", &["/a/b"]);
    assert_eq!(table.holders("/a"), ["s#t1", "s#t1"]);
}

#[test]
fn an_alias_is_the_same_session() {
    let mut table = Table::new();
    table.gets("agent/s#t1", &["/a"]);
    table.gets("AGENT/agent/s#t1", &["/a"]);
    assert_eq!(table.holders("/a"), ["s#t1"]);
}
