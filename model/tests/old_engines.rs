//! Goal: an old engine keeps working on the table, and what we knew goes stale.
//! Method: its upsert and its delete, on rows of ours and of its own.

mod common;

use common::{TTL, Table, old_row, with_epoch};
use leasehold_model::{Form, OldRow, Op};

fn renewal(session: &str, epoch: Option<&str>) -> Op {
    Op::OldUpsert(OldRow {
        epoch: epoch.map(str::to_owned),
        acquired: 1000,
        expires: 1200,
        ..old_row(session, "/a")
    })
}

#[test]
fn a_renewal_of_our_row_keeps_whose_it_is_and_its_fence() {
    for epoch in [None, Some("t1")] {
        let mut table = Table::new();
        let fence = table.gets("s#t1", &["/a"])[0].fence;
        table.apply(&renewal("s", epoch));
        let row = table.row("/a");
        assert_eq!((row.fence, row.owner.epoch.as_str()), (Some(fence), "t1"));
        assert_eq!((row.expires, row.ttl), (1200, TTL));
    }
}

#[test]
fn a_take_over_voids_what_we_knew() {
    let mut table = Table::new();
    table.gets("s#t1", &["/a"]);
    table.apply(&renewal("x", None));
    let row = table.row("/a").clone();
    assert_eq!(table.holders("/a"), ["x"]);
    assert_eq!((row.fence, row.ttl, row.migrated), (None, 200, false));
}

#[test]
fn another_acquired_or_another_epoch_is_a_take_over() {
    let mut table = Table::new();
    table.gets("s#t1", &["/a"]);
    table.apply(&renewal("s", Some("t2")));
    assert_eq!(table.holders("/a"), ["s#t2"]);
    assert_eq!(table.row("/a").fence, None);
    let mut table = Table::new();
    table.gets("s#t1", &["/a"]);
    table.apply(&Op::OldUpsert(old_row("s", "/a")));
    assert_eq!(table.holders("/a"), ["s"]);
    assert_eq!(table.row("/a").fence, None);
}

#[test]
fn its_row_excludes_us_and_its_session_gets_a_fence_on_it() {
    let mut table = Table::new();
    table.apply(&renewal("agent/s", None));
    table.is_refused("x#t1", &["/a"]);
    table.is_refused("s#t1", &["/a"]);
    table.gets("s", &["/a"]);
    assert!(table.row("/a").fence.is_some());
    assert_eq!(table.row("/a").acquired, 1000);
}

#[test]
fn its_delete_takes_its_session_whole_and_no_other() {
    let mut table = Table::new();
    table.gets("s#t1", &["/a"]);
    table.gets("x#t1", &["/b"]);
    table.apply(&Op::OldDelete { session: "s".to_owned() });
    assert!(!table.has_row("/a") && table.has_row("/b"));
}

#[test]
fn before_the_upgrade_its_rows_are_stored_as_they_are() {
    let mut table = Table::left_by(Form::Second, &[with_epoch(old_row("s", "/a"), "t1")]);
    table.apply(&renewal("agent/s", None));
    assert_eq!(table.holders("/a"), ["agent/s#t1"]);
    table.open("boot");
    assert_eq!(table.holders("/a"), ["s#t1"]);
}
