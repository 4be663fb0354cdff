//! Goal: rows from before epochs are handed over once, and no other row ever is.
//! Method: open databases of the three old forms, then adopt, release and reopen.

mod common;

use common::{Table, old_row, resource, with_epoch};
use leasehold_model::{BadName, Form, Op, Owner, RESERVED_EPOCH, Released};

fn migrated() -> Table {
    let mut table = Table::left_by(Form::First, &[old_row("s", "/a"), old_row("s", "/b")]);
    assert!(table.open("boot"));
    table
}

#[test]
fn the_first_open_flags_every_row_and_later_ones_none() {
    let mut table = migrated();
    assert!(table.row("/a").migrated && table.row("/b").migrated);
    assert!(!table.open("boot") && !table.open("other boot"));
    table.gets("s", &["/c"]);
    assert!(!table.open("third boot"));
    assert!(!table.row("/c").migrated);
}

#[test]
fn an_empty_epoch_of_the_second_form_counts_as_fresh() {
    let row = with_epoch(old_row("s", "/a"), "");
    let mut table = Table::left_by(Form::Second, &[row]);
    assert!(table.open("boot"));
    assert!(!table.row("/a").migrated);
    table.is_refused("s#t1", &["/a"]);
    assert_eq!(table.release_and_hand_over("s#t1"), Released::EpochMismatch);
    assert_eq!(table.release("s"), Released::Count(1));
}

#[test]
fn the_third_forms_mark_is_kept_and_only_the_marks() {
    let marked = with_epoch(old_row("s", "/a"), RESERVED_EPOCH);
    let named = with_epoch(old_row("s", "/b"), "t1");
    let mut table = Table::left_by(Form::Third, &[marked, named]);
    table.open("boot");
    assert!(table.row("/a").migrated && table.row("/a").owner.epoch.is_empty());
    assert!(!table.row("/b").migrated);
    assert_eq!(table.row("/b").owner.epoch, "t1");
}

#[test]
fn a_named_turn_adopts_what_it_meets_and_nothing_else() {
    let mut table = migrated();
    let grant = table.gets("s#t1", &["/a/file"]).remove(0);
    let adopted = table.row("/a").clone();
    assert_eq!((adopted.owner.epoch.as_str(), adopted.migrated), ("t1", false));
    assert_eq!(adopted.acquired, 950, "held since then");
    assert!(adopted.fence.is_some() && adopted.fence != Some(grant.fence));
    assert!(table.row("/b").migrated);
    table.is_refused("s#t2", &["/a"]);
}

#[test]
fn a_sub_agent_adopts_but_a_stranger_and_the_reverse_do_not() {
    migrated().gets("s#agent:x", &["/a"]);
    migrated().is_refused("x#t1", &["/a"]);
    let mut table = Table::new();
    table.gets("s#t1", &["/a"]);
    table.is_refused("s", &["/a"]);
}

#[test]
fn a_session_without_epochs_keeps_its_rows_and_the_flag_goes() {
    let mut table = migrated();
    table.gets("s", &["/a"]);
    assert!(!table.row("/a").migrated);
    assert_eq!(table.hand_over("s#t1"), Released::Count(1), "only the one still flagged");
    assert_eq!(table.holders("/a"), ["s"]);
}

#[test]
fn the_rest_goes_with_a_named_main_thread_only() {
    assert_eq!(migrated().hand_over("s#t1"), Released::Count(2));
    assert_eq!(migrated().release_and_hand_over("s#t1"), Released::Count(2));
    assert_eq!(migrated().release("s"), Released::Count(2));
    assert_eq!(migrated().release("s#t1"), Released::EpochMismatch);
    assert_eq!(migrated().hand_over("s#agent:x"), Released::EpochMismatch);
    assert_eq!(migrated().hand_over("s"), Released::EpochMismatch);
    assert_eq!(migrated().hand_over("x#t1"), Released::Absent);
}

#[test]
fn a_hand_over_leaves_the_turns_own_leases() {
    let mut table = migrated();
    table.gets("s#t1", &["/c"]);
    assert_eq!(table.hand_over("s#t1"), Released::Count(2));
    assert_eq!(table.holders("/c"), ["s#t1"]);
}

#[test]
fn an_old_engine_cannot_flag_a_row_after_the_upgrade() {
    let mut table = migrated();
    table.apply(&Op::OldUpsert(with_epoch(old_row("s", "/c"), RESERVED_EPOCH)));
    let row = table.row("/c");
    assert!(!row.migrated && row.owner.epoch.is_empty() && row.resource.is(&resource("/c")));
}

#[test]
fn nobody_can_claim_the_reserved_epoch_or_no_session() {
    assert_eq!(Owner::new("s", RESERVED_EPOCH), Err(BadName::ReservedEpoch));
    assert_eq!(Owner::new("agent/", "t1"), Err(BadName::EmptySession));
    assert!(Owner::new("s", "").is_ok());
}
