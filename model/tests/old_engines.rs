//! Old engines that still run on the same file, before the upgrade and after it.
//!
//! Goal: a row that an old engine renews stays whose it is; a row that it takes is a fresh lease
//! without epoch, fence and flag, whatever stood there before; its unfenced delete is its own.
//! Method: `OldUpsert` and `OldDelete` around our own leases, then our operations on the result.

mod common;

use common::{TTL, World, old_row, terms, with_epoch};
use leasehold_model::Released::{Absent, Count, EpochMismatch};
use leasehold_model::{Form, Lease, OldRow, RESERVED_EPOCH};

#[test]
fn a_row_of_an_old_engine_is_a_fresh_lease_without_epoch() {
    let mut world = World::new();
    world.old_engine_writes(old_row("s1", "/a", 0, 30));
    let lease = world.row("/a");
    assert_eq!((lease.fence, lease.migrated, lease.ttl), (None, false, 30));
    assert_eq!(world.releases("s1@t1"), EpochMismatch);
    assert_eq!(world.releases("s2"), Absent);
    assert_eq!(world.releases("s1"), Count(1));
}

#[test]
fn an_engine_that_knows_epochs_names_the_owner() {
    let mut world = World::new();
    world.old_engine_writes(with_epoch(old_row("s1", "/a", 0, 30), "t1"));
    assert_eq!(world.refuses("s1@t2", &["/a"]), ["s1@t1 /a"]);
    assert_eq!(world.releases("s1"), EpochMismatch);
    assert_eq!(world.releases("s1@t1"), Count(1));
}

#[test]
fn a_session_written_by_its_alias_is_the_session() {
    let mut world = World::new();
    world.old_engine_writes(old_row("agent/s1", "/a", 0, 30));
    assert_eq!(world.live(), ["s1 /a"]);
    assert_eq!(world.releases("s1"), Count(1));
}

#[test]
fn a_renewal_leaves_the_lease_whose_it_is() {
    for epoch in ["", "t1"] {
        let mut world = World::new();
        let who = format!("s1@{epoch}");
        let grant = world.grants_one(&who, "/a");
        let before = world.row("/a").clone();
        world.at(5).old_engine_writes(old_row("s1", "/a", grant.acquired, 15));
        let renewed = Lease { agent: "old".to_owned(), expires: 15, ..before };
        assert_eq!(*world.row("/a"), renewed, "owner, fence and TTL are kept");
        assert_eq!(world.fence_left(&grant, "/a"), Some(10));
        assert_eq!(world.releases(&who), Count(1));
    }
}

#[test]
fn a_renewal_keeps_the_flag_of_a_migrated_row() {
    let mut world = World::upgraded(Form::First, &[old_row("s1", "/a", 0, 10)]);
    world.at(5).old_engine_writes(old_row("s1", "/a", 0, 15));
    assert!(world.row("/a").migrated);
    world.grants("s1@t1", &["/a"]);
}

#[test]
fn a_takeover_voids_all_that_we_knew() {
    let stranger = old_row("s2", "/a", 0, 30);
    let later = old_row("s1", "/a", 1, 30);
    for row in [stranger, later] {
        let mut world = World::new();
        let grant = world.grants_one("s1@t1", "/a");
        world.at(5).old_engine_writes(row.clone());
        let lease = world.row("/a");
        assert_eq!((lease.fence, lease.migrated), (None, false));
        assert_eq!(lease.ttl, row.expires - row.acquired);
        assert_eq!(
            lease.owner,
            common::owner(&row.session),
            "the epoch found there is not its own"
        );
        assert_eq!(world.fence_left(&grant, "/a"), None);
        assert_ne!(world.releases("s1@t1"), Count(1), "a late release takes nothing");
        assert_eq!(world.live(), [format!("{} /a", row.session)]);
    }
}

#[test]
fn a_takeover_of_a_migrated_row_is_fresh() {
    let mut world = World::upgraded(Form::First, &[old_row("s1", "/a", 0, 100)]);
    world.old_engine_writes(old_row("s1", "/a", 1, 100));
    assert!(!world.row("/a").migrated);
    assert_eq!(world.refuses("s1@t1", &["/a"]), ["s1 /a"]);
    assert_eq!(world.releases("s1@t1"), EpochMismatch);
}

#[test]
fn a_takeover_by_an_engine_that_knows_epochs_names_the_new_owner() {
    let mut world = World::new();
    world.grants("s1@t1", &["/a"]);
    world.old_engine_writes(with_epoch(old_row("s1", "/a", 0, 30), "t2"));
    assert_eq!(world.row("/a").fence, None);
    assert_eq!(world.live(), ["s1@t2 /a"]);
}

#[test]
fn an_epoch_that_did_not_change_counts_as_none() {
    // Nobody can tell an engine that leaves the column alone from one that writes the same.
    let mut world = World::new();
    world.old_engine_writes(with_epoch(old_row("s1", "/a", 0, 30), "t1"));
    assert_eq!(world.live(), ["s1@t1 /a"]);
    world.old_engine_writes(with_epoch(old_row("s1", "/a", 1, 31), "t1"));
    assert_eq!(world.live(), ["s1 /a"]);
    assert_eq!(world.releases("s1@t1"), EpochMismatch);
}

#[test]
fn a_mark_that_comes_after_the_upgrade_is_no_mark() {
    let mut world = World::new();
    world.old_engine_writes(with_epoch(old_row("s1", "/a", 0, 30), RESERVED_EPOCH));
    assert_eq!(world.live(), ["s1 /a"]);
    assert!(!world.row("/a").migrated);
    assert_eq!(world.refuses("s1@t1", &["/a"]), ["s1 /a"]);
}

#[test]
fn the_fence_of_a_row_taken_over_and_back_is_new() {
    let mut world = World::new();
    let ours = world.grants_one("s1", "/a");
    world.at(1).old_engine_writes(old_row("s1", "/a", 1, 30));
    let back = world.at(2).grants_one("s1", "/a");
    assert!(back.fence > ours.fence);
    assert_eq!(back.acquired, 1);
}

#[test]
fn a_renewal_tells_its_own_note_and_label() {
    let mut world = World::new();
    world.asks(
        "s1",
        &["/a"],
        leasehold_model::Terms { note: Some("ours".to_owned()), ..terms(TTL) },
    );
    let renewed = old_row("s1", "/a", 0, 30);
    world.old_engine_writes(OldRow { note: Some("theirs".to_owned()), ..renewed });
    let lease = world.row("/a");
    assert_eq!((lease.agent.as_str(), lease.note.as_deref()), ("old", Some("theirs")));
    assert!(lease.fence.is_some(), "the rest stays");
}

#[test]
fn an_old_delete_is_by_session_and_nothing_else() {
    let mut world = World::new();
    world.grants("s1", &["/a"]);
    world.grants("s1@t1", &["/b"]);
    world.grants("s2@t1", &["/c"]);
    world.old_engine_deletes("s3");
    assert_eq!(world.live().len(), 3);
    world.old_engine_deletes("s1");
    assert_eq!(world.live(), ["s2@t1 /c"]);
}

#[test]
fn old_engines_rows_may_overlap_each_other() {
    let mut world = World::new();
    world.old_engine_writes(old_row("s1", "/r", 0, 30));
    world.old_engine_writes(old_row("s2", "/r/a", 0, 30));
    assert_eq!(world.refuses("s3@t1", &["/r/a"]), ["s1 /r", "s2 /r/a"]);
    assert_eq!(world.refuses("s1", &["/r"]), ["s2 /r/a"]);
}

/// The rows that stand in a database of this form after an old engine wrote `second` over `first`
/// and we then upgraded it.
fn overwritten(form: Form, first: OldRow, second: OldRow) -> World {
    let mut world = World::left_behind(form, &[first]);
    world.old_engine_writes(second);
    assert!(world.opens("boot 1"));
    world
}

#[test]
fn before_the_upgrade_the_file_is_as_old_engines_leave_it() {
    let (ours, theirs) = (old_row("s1", "/a", 0, 30), old_row("s2", "/a", 1, 40));
    let world = overwritten(Form::First, ours.clone(), theirs.clone());
    assert_eq!(world.live(), ["s2 /a"]);
    assert!(world.row("/a").migrated, "it stood there at the upgrade");

    let named = with_epoch(ours.clone(), "t1");
    let world = overwritten(Form::Second, named, theirs.clone());
    assert_eq!(world.live(), ["s2@t1 /a"], "the first engine leaves the column that it finds");

    let marked = with_epoch(ours.clone(), RESERVED_EPOCH);
    let world = overwritten(Form::Third, marked.clone(), with_epoch(theirs, "t2"));
    assert_eq!(world.live(), ["s2@t2 /a"]);
    assert!(!world.row("/a").migrated, "the mark was overwritten");

    let world = overwritten(Form::Third, ours, marked);
    assert!(world.row("/a").migrated, "the mark was written");
}

#[test]
fn an_old_delete_before_the_upgrade_is_the_same() {
    let rows = [old_row("s1", "/a", 0, TTL), old_row("s2", "/b", 0, TTL)];
    let mut world = World::left_behind(Form::First, &rows);
    world.old_engine_deletes("s1");
    assert!(world.opens("boot 1"));
    assert_eq!(world.live(), ["s2 /b"]);
}
