//! Goal: an owner gets again what it holds live, and only then keeps its fence.
//! Method: ask again before, at and after the moment of expiry.

mod common;

use common::{TTL, Table};

#[test]
fn asking_again_renews_and_keeps_acquired_and_fence() {
    let mut table = Table::new();
    let first = table.gets("s#t1", &["/a"]).remove(0);
    let again = table.later(TTL - 1).gets("s#t1", &["/a"]).remove(0);
    assert_eq!((again.fence, again.acquired), (first.fence, first.acquired));
    assert_eq!(again.expires, table.now + TTL);
}

#[test]
fn after_its_expiry_it_is_a_new_grant() {
    let mut table = Table::new();
    let first = table.gets("s#t1", &["/a"]).remove(0);
    let again = table.later(TTL).gets("s#t1", &["/a"]).remove(0);
    assert!(again.fence > first.fence);
    assert_eq!(again.acquired, table.now);
}

#[test]
fn only_the_resource_asked_for_is_renewed() {
    let mut table = Table::new();
    table.gets("s#t1", &["/a", "/b"]);
    let before = table.row("/b").clone();
    table.later(10).gets("s#t1", &["/a"]);
    assert_eq!(*table.row("/b"), before);
}

#[test]
fn another_resource_gets_another_fence() {
    let mut table = Table::new();
    let first = table.gets("s#t1", &["/a"]).remove(0);
    let both = table.gets("s#t1", &["/a", "/b"]);
    assert_eq!(both[0].fence, first.fence);
    assert!(both[1].fence > first.fence);
}
