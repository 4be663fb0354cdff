//! R7: rows from before epochs are handed over once, and no other row ever is.
//!
//! Goal: both directions. A migrated row goes to its session's first named turn; a fresh lease
//! without epoch goes to nobody, not at the upgrade and not years later.
//! Method: databases of the three forms are upgraded, then named and unnamed callers acquire and
//! release around their rows.

mod common;

use common::{World, old_row, with_epoch};
use leasehold_model::Released::{Absent, Count, EpochMismatch};
use leasehold_model::{Form, Millis, OldRow, RESERVED_EPOCH};

const YEAR: Millis = 365 * 24 * 3600 * 1000;

/// A live row of session `s1` that an engine without epochs wrote at moment -5.
fn row(path: &str) -> OldRow {
    old_row("s1", path, -5, 100)
}

#[test]
fn all_rows_of_the_first_form_are_migrated() {
    let world = World::upgraded(Form::First, &[row("/a"), old_row("s2", "/b", 0, 100)]);
    assert_eq!(world.live(), ["s1 /a", "s2 /b"]);
    assert!(world.state.leases.iter().all(|lease| lease.migrated));
}

#[test]
fn no_row_of_the_second_form_is() {
    let rows = [row("/a"), with_epoch(row("/b"), ""), with_epoch(row("/c"), "t1")];
    let world = World::upgraded(Form::Second, &rows);
    assert_eq!(world.live(), ["s1 /a", "s1 /b", "s1@t1 /c"]);
    assert!(world.state.leases.iter().all(|lease| !lease.migrated));
}

#[test]
fn the_marked_rows_of_the_third_form_are() {
    let marked = with_epoch(row("/marked"), RESERVED_EPOCH);
    let rows = [marked, with_epoch(row("/fresh"), ""), with_epoch(row("/turn"), "t1")];
    let world = World::upgraded(Form::Third, &rows);
    assert_eq!(world.live(), ["s1 /fresh", "s1 /marked", "s1@t1 /turn"], "the mark is no epoch");
    let flags = ["/fresh", "/marked", "/turn"].map(|path| world.row(path).migrated);
    assert_eq!(flags, [false, true, false]);
}

#[test]
fn the_upgrade_is_once() {
    let mut world = World::left_behind(Form::First, &[row("/a")]);
    assert!(world.opens("boot 1"));
    world.old_engine_writes(row("/b"));
    world.grants("s1", &["/c"]);
    assert!(!world.opens("boot 1"));
    assert!(!world.opens("boot 2"));
    let flags = ["/a", "/b", "/c"].map(|path| world.row(path).migrated);
    assert_eq!(flags, [true, false, false]);
}

#[test]
fn a_new_database_has_nothing_to_upgrade() {
    let mut world = World::new();
    world.grants("s1", &["/a"]);
    assert!(!world.opens("boot 2"));
    assert!(!world.row("/a").migrated);
}

#[test]
fn a_named_turn_of_the_session_adopts() {
    for heir in ["s1@t1", "s1@agent:a", "agent/s1@t1"] {
        let mut world = World::upgraded(Form::First, &[row("/a")]);
        let grant = world.at(1).grants_one(heir, "/a");
        assert_eq!((grant.acquired, grant.expires), (-5, 11), "since when is kept");
        let lease = world.row("/a");
        assert_eq!(lease.fence, Some(grant.fence));
        assert!(!lease.migrated, "and the flag is gone");
    }
}

#[test]
fn adoption_takes_what_is_in_the_way_and_no_more() {
    let rows = [row("/r/a"), row("/r/ab"), row("/q")];
    for wanted in ["/r/a", "/r/a/x"] {
        let mut world = World::upgraded(Form::First, &rows);
        world.grants("s1@t1", &[wanted]);
        assert_eq!(world.holders("/r/a")[0], "s1@t1 /r/a", "equal, or above");
        assert_eq!(world.holders("/r/ab"), ["s1 /r/ab"]);
        assert_eq!(world.holders("/q"), ["s1 /q"]);
    }
    let mut world = World::upgraded(Form::First, &rows);
    world.grants("s1@t1", &["/r"]);
    assert_eq!(world.live(), ["s1 /q", "s1@t1 /r", "s1@t1 /r/a", "s1@t1 /r/ab"], "below");
}

#[test]
fn what_is_handed_over_must_not_overlap_a_stranger_either() {
    // Old engines let /r and /r/c overlap. Who asks for /r/b would get /r with it, but not /r/c.
    let mut world = World::upgraded(Form::First, &[row("/r"), old_row("s2", "/r/c", 0, 50)]);
    assert_eq!(world.refuses("s1@t1", &["/r/b"]), ["s2 /r/c"]);
    assert!(world.row("/r").migrated, "nothing was handed over");
    world.at(50).grants("s1@t1", &["/r/b"]);
    assert_eq!(world.live(), ["s1@t1 /r", "s1@t1 /r/b"], "the stranger's is dead, and gone");
}

#[test]
fn a_dead_row_brings_no_stranger_into_the_way() {
    let mut world = World::upgraded(Form::First, &[row("/r"), old_row("s2", "/r/c", 0, 200)]);
    world.at(99).refuses("s1@t1", &["/r/b"]);
    world.at(100).grants("s1@t1", &["/r/b"]);
    assert_eq!(world.live(), ["s1@t1 /r/b", "s2 /r/c"]);
}

#[test]
fn what_comes_with_what_is_handed_over_is_handed_over_too() {
    let mut world = World::upgraded(Form::First, &[row("/r"), row("/r/c"), row("/q")]);
    world.grants("s1@t1", &["/r/b"]);
    assert_eq!(world.live(), ["s1 /q", "s1@t1 /r", "s1@t1 /r/b", "s1@t1 /r/c"]);
}

#[test]
fn a_foreign_session_does_not_adopt() {
    let mut world = World::upgraded(Form::First, &[row("/a")]);
    for stranger in ["s2", "s2@t1", "s2@agent:a"] {
        assert_eq!(world.refuses(stranger, &["/a"]), ["s1 /a"]);
    }
    assert!(world.row("/a").migrated);
}

#[test]
fn adoption_is_once() {
    let mut world = World::upgraded(Form::First, &[row("/a")]);
    world.grants("s1@t1", &["/a"]);
    assert_eq!(world.refuses("s1@t2", &["/a"]), ["s1@t1 /a"]);
    assert_eq!(world.refuses("s1", &["/a"]), ["s1@t1 /a"]);
    assert_eq!(world.releases("s1"), EpochMismatch);
    assert_eq!(world.releases("s1@t2"), EpochMismatch);
    assert_eq!(world.releases("s1@t1"), Count(1));
}

#[test]
fn a_caller_without_epoch_owns_the_row_and_makes_it_fresh() {
    let mut world = World::upgraded(Form::First, &[row("/a"), row("/b")]);
    let grant = world.grants_one("s1", "/a");
    assert_eq!(grant.acquired, -5);
    assert!(!world.row("/a").migrated, "granted, so not migrated any more");
    assert!(world.row("/b").migrated);
    assert_eq!(world.refuses("s1@t1", &["/a"]), ["s1 /a"]);
    assert_eq!(world.releases("s1@t1"), Count(1), "only /b was left to hand over");
    assert_eq!(world.live(), ["s1 /a"]);
}

#[test]
fn a_fresh_lease_without_epoch_is_never_adopted() {
    for form in [Form::First, Form::Second, Form::Third] {
        let mut world = World::upgraded(form, &[]);
        for now in [0, 1, YEAR, 5 * YEAR] {
            world.at(now).grants("s1", &["/a"]);
            world.opens("another boot");
            assert_eq!(world.refuses("s1@t1", &["/a"]), ["s1 /a"]);
            assert_eq!(world.refuses("s1@agent:a", &["/a"]), ["s1 /a"]);
        }
    }
}

#[test]
fn a_named_release_takes_the_rows_that_are_left() {
    let mut world =
        World::upgraded(Form::First, &[row("/a"), row("/b"), old_row("s2", "/c", 0, 9)]);
    world.grants("s1@t1", &["/a"]);
    assert_eq!(world.releases("s1@t1"), Count(2));
    assert_eq!(world.live(), ["s2 /c"]);
}

#[test]
fn a_release_that_may_not_hand_over_leaves_them() {
    let mut world = World::upgraded(Form::First, &[row("/a"), row("/b")]);
    world.grants("s1@t1", &["/a"]);
    assert_eq!(world.releases_only_own("s1@t1"), Count(1));
    assert_eq!(world.releases_only_own("s1@t1"), EpochMismatch);
    assert_eq!(world.live(), ["s1 /b"]);
}

#[test]
fn the_begin_of_a_named_turn_takes_them_and_nothing_else() {
    let mut world =
        World::upgraded(Form::First, &[row("/a"), row("/b"), old_row("s2", "/c", 0, 9)]);
    world.grants("s1@t1", &["/a"]);
    world.grants("s1", &["/fresh"]);
    assert_eq!(world.begins("s1@t1"), Count(1));
    assert_eq!(world.live(), ["s1@t1 /a", "s2 /c", "s1 /fresh"], "not even the turn's own");
    assert_eq!(world.begins("s1@t1"), EpochMismatch, "there is no second time");
    assert_eq!(world.begins("s3@t1"), Absent);
}

#[test]
fn a_begin_that_is_no_named_main_threads_takes_nothing() {
    let mut world = World::upgraded(Form::First, &[row("/a")]);
    assert_eq!(world.begins("s1"), EpochMismatch);
    assert_eq!(world.begins("s1@agent:a"), EpochMismatch);
    assert_eq!(world.begins("s2@t1"), Absent);
    assert_eq!(world.live(), ["s1 /a"]);
    assert_eq!(world.begins("s1@t1"), Count(1), "the named main thread's does");
}

#[test]
fn a_row_stored_by_an_alias_is_the_sessions() {
    let rows = [old_row("agent/s1", "/a", 0, 100), old_row("Agent/AGENT/s1", "/b", 0, 100)];
    let mut world = World::upgraded(Form::First, &rows);
    assert_eq!(world.live(), ["s1 /a", "s1 /b"]);
    world.grants("s1@t1", &["/a"]);
    assert_eq!(world.releases("s1@t1"), Count(2));
}

#[test]
fn a_sub_agents_and_a_strangers_release_leave_them() {
    let mut world = World::upgraded(Form::First, &[row("/a")]);
    assert_eq!(world.releases("s1@agent:a"), EpochMismatch);
    assert_eq!(world.releases("s2@t1"), Absent);
    assert_eq!(world.releases("s2"), Absent);
    assert_eq!(world.live(), ["s1 /a"]);
}

#[test]
fn an_untokened_release_takes_fresh_and_migrated_rows_alike() {
    let mut world = World::upgraded(Form::First, &[row("/a")]);
    world.grants("s1", &["/b"]);
    world.grants("s1@t1", &["/c"]);
    assert_eq!(world.releases("s1"), Count(2));
    assert_eq!(world.live(), ["s1@t1 /c"]);
}

#[test]
fn a_named_release_or_begin_never_takes_a_fresh_lease_without_epoch() {
    for form in [Form::First, Form::Second, Form::Third] {
        let mut world = World::upgraded(form, &[with_epoch(row("/old"), RESERVED_EPOCH)]);
        for now in [0, 1, YEAR, 5 * YEAR] {
            world.at(now).grants("s1", &["/a"]);
            world.opens("another boot");
            world.releases("s1@t1");
            world.begins("s1@t1");
            assert!(world.live().contains(&"s1 /a".to_owned()), "at {now}");
        }
    }
}

#[test]
fn an_empty_epoch_of_the_second_form_ends_by_an_untokened_release_or_its_ttl() {
    let mut world = World::upgraded(Form::Second, &[row("/a")]);
    assert_eq!(world.refuses("s1@t1", &["/a"]), ["s1 /a"]);
    assert_eq!(world.releases("s1@t1"), EpochMismatch);
    let mut later = world.clone();
    later.at(100);
    assert_eq!(world.releases("s1"), Count(1));
    later.grants("s1@t1", &["/a"]);
}
