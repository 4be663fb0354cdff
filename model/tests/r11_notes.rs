//! R11: who let a lease expire that somebody took is told once.
//!
//! Goal: the next write that overlaps it is denied once, with who has had it since; other events
//! only inform, once; nothing is told where nobody took anything.
//! Method: `s1@t1` lets `/r/f` expire, others come by or do not, and then it writes.

mod common;

use common::hook::in_process;
use common::{DAY, TTL, World, old_row};
use leasehold_model::NOTES_MAX;

/// `s1@t1` has begun and held `/r/f` until now.
fn expired() -> World {
    let mut world = World::new();
    world.begins("s1@t1");
    world.grants("s1@t1", &["/r/f"]);
    world.at(TTL);
    world
}

/// The same, and `s2@t1` has taken it.
fn taken() -> World {
    let mut world = expired();
    world.grants("s2@t1", &["/r/f"]);
    world
}

#[test]
fn the_next_write_that_overlaps_is_denied_once() {
    for wanted in ["/r/f", "/r", "/r/f/x"] {
        let mut world = taken();
        assert_eq!(world.has_lost("s1@t1", wanted), ["/r/f: s2 since 10"]);
        assert_eq!(world.refuses("s1@t1", &[wanted]), ["s2@t1 /r/f"], "the ordinary answer");
        world.releases("s2@t1");
        world.grants("s1@t1", &[wanted]);
    }
}

#[test]
fn also_when_it_is_free_again() {
    let mut world = taken();
    world.releases("s2@t1");
    assert_eq!(world.has_lost("s1@t1", "/r/f"), ["/r/f: s2 since 10"]);
    world.grants("s1@t1", &["/r/f"]);
}

#[test]
fn a_write_elsewhere_is_not_denied() {
    let mut world = taken();
    world.grants("s1@t1", &["/r/g", "/q"]);
    world.has_lost("s1@t1", "/r/f");
}

#[test]
fn nobody_else_is_denied() {
    let mut world = taken();
    world.releases("s2@t1");
    for other in ["s3@t1", "s1@t0", "s1@agent:a", "s1", "s2@t1"] {
        world.grants(other, &["/r/f"]);
        world.releases(other);
    }
    world.has_lost("s1@t1", "/r/f");
}

#[test]
fn a_denial_changes_no_lease() {
    let mut world = taken();
    world.at(5 + TTL).grants("s1@t1", &["/mine"]);
    let leases = world.at(10 + TTL).state.leases.clone();
    world.has_lost("s1@t1", "/r");
    assert_eq!(world.state.leases, leases);
}

#[test]
fn another_event_tells_it_once_and_the_write_is_denied_all_the_same() {
    let mut world = taken();
    assert_eq!(world.posts("s1@t1"), ["/r/f: s2 since 10"]);
    assert!(world.posts("s1@t1").is_empty());
    assert!(world.begun("s1@t1").2.is_empty());
    world.at(12).has_lost("s1@t1", "/r/f");
    let mut world = taken();
    assert_eq!(world.begun("s1@t1").2, ["/r/f: s2 since 10"], "a prompt tells it too");
    assert!(world.posts("s1@t1").is_empty());
}

#[test]
fn a_taker_that_renews_is_no_news() {
    let mut world = taken();
    world.posts("s1@t1");
    world.at(TTL + 5).grants("s2@t1", &["/r/f"]);
    assert!(world.posts("s1@t1").is_empty());
    assert_eq!(world.has_lost("s1@t1", "/r/f"), ["/r/f: s2 since 10"]);
}

#[test]
fn the_next_taker_is() {
    let mut world = taken();
    world.posts("s1@t1");
    world.releases("s2@t1");
    world.at(TTL + 5).grants("s3@t1", &["/r/f"]);
    assert_eq!(world.posts("s1@t1"), ["/r/f: s3 since 15"]);
    assert_eq!(world.has_lost("s1@t1", "/r/f"), ["/r/f: s3 since 15"]);
}

#[test]
fn where_nobody_took_it_nothing_is_told() {
    let mut world = expired();
    assert!(world.posts("s1@t1").is_empty());
    let again = world.grants_one("s1@t1", "/r/f");
    assert_eq!(again.acquired, TTL);
}

#[test]
fn whoever_was_refused_has_taken_nothing() {
    let mut world = expired();
    world.grants("s3@t1", &["/r/busy"]);
    assert_eq!(world.refuses("s2@t1", &["/r"]), ["s3@t1 /r/busy"]);
    assert!(world.state.get(&common::resource("/r/f")).is_none(), "the dead went all the same");
    assert!(world.posts("s1@t1").is_empty());
    world.at(TTL + 1).grants("s2@t1", &["/r/f"]);
    assert_eq!(world.has_lost("s1@t1", "/r/f"), ["/r/f: s2 since 11"], "until somebody did");
}

#[test]
fn what_its_owner_has_got_back_it_has_not_lost() {
    let mut world = expired();
    world.grants("s3@t1", &["/r/busy"]);
    world.refuses("s2@t1", &["/r"]);
    world.grants("s1@t1", &["/r/f"]);
    world.stops("s1@t1");
    world.grants("s2@t1", &["/r/f"]);
    world.releases("s2@t1");
    world.grants("s1@t1", &["/r/f"]);
}

#[test]
fn a_part_that_its_owner_has_got_back_is_not_the_whole() {
    let mut world = World::new();
    world.grants("s1@t1", &["/r"]);
    world.at(TTL).grants("s3@t1", &["/busy"]);
    world.refuses("s2@t1", &["/r", "/busy"]);
    world.grants("s1@t1", &["/r/a"]);
    world.grants("s2@t1", &["/r/b"]);
    assert_eq!(world.has_lost("s1@t1", "/r/c"), ["/r: s2 since 10"]);
}

#[test]
fn who_comes_upon_its_own_dead_lease_has_lost_nothing() {
    let mut world = World::new();
    world.grants("s1@t1", &["/r"]);
    world.at(TTL).grants("s1@t1", &["/r/a"]);
    world.grants("s2@t1", &["/r/b"]);
    assert_eq!(world.refuses("s1@t1", &["/r"]), ["s2@t1 /r/b"], "it gave the rest up itself");
}

#[test]
fn what_an_old_engine_wrote_leaves_no_note() {
    let removals: [fn(&mut World); 2] =
        [|world| _ = world.grants("s2@t1", &["/f"]), |world| _ = world.reaps()];
    for removal in removals {
        let mut world = World::new();
        world.old_engine_writes(old_row("s1", "/f", 0, TTL));
        world.at(TTL);
        removal(&mut world);
        world.grants("s2@t1", &["/f"]);
        world.releases("s2@t1");
        world.grants("s1", &["/f"]);
    }
}

#[test]
fn what_was_reaped_is_told_once_somebody_takes_it() {
    let mut world = expired();
    assert_eq!(world.reaps(), 1);
    assert!(world.posts("s1@t1").is_empty());
    world.at(TTL + 1).grants("s2@t1", &["/r/f"]);
    assert_eq!(world.has_lost("s1@t1", "/r/f"), ["/r/f: s2 since 11"]);
}

#[test]
fn a_release_or_a_live_refusal_leaves_no_note() {
    let mut world = World::new();
    world.begins("s1@t1");
    world.grants("s1@t1", &["/f"]);
    world.refuses("s2@t1", &["/f"]);
    world.releases("s1@t1");
    world.grants("s2@t1", &["/f"]);
    world.releases("s2@t1");
    world.grants("s1@t1", &["/f"]);
    assert!(world.state.notes.is_empty());
}

#[test]
fn each_that_lost_it_is_told_by_itself() {
    let mut world = taken();
    world.begins("s2@t1");
    world.at(2 * TTL).grants("s3@t1", &["/r/f"]);
    assert_eq!(world.has_lost("s1@t1", "/r/f"), ["/r/f: s3 since 20"]);
    assert_eq!(world.has_lost("s2@t1", "/r/f"), ["/r/f: s3 since 20"]);
}

#[test]
fn several_losses_are_told_at_once() {
    let mut world = World::new();
    world.grants("s1@t1", &["/r/a", "/r/b", "/q"]);
    world.at(TTL).grants("s2@t1", &["/r/a", "/q"]);
    world.at(TTL + 1).grants("s3@t1", &["/r/b"]);
    assert_eq!(world.has_lost("s1@t1", "/r"), ["/r/a: s2 since 10", "/r/b: s3 since 11"]);
    assert_eq!(world.has_lost("s1@t1", "/q"), ["/q: s2 since 10"]);
}

#[test]
fn a_turn_that_is_superseded_and_a_session_that_ends_are_told_nothing() {
    let mut world = taken();
    world.begins("s1@t2");
    world.begins("s1@t1");
    world.refuses("s1@t1", &["/r/f"]);
    let mut world = taken();
    world.ends_session("s1");
    world.refuses("s1@t1", &["/r/f"]);
    let mut world = World::new();
    world.grants("s1@agent:a", &["/f"]);
    world.at(TTL).grants("s2@t1", &["/f"]);
    world.stops("s1@agent:a");
    world.refuses("s1@agent:a", &["/f"]);
}

#[test]
fn the_end_of_one_owner_leaves_the_notes_of_others() {
    let ends: [fn(&mut World); 3] = [
        |world| _ = world.begins("s1@t2"),
        |world| _ = world.stops("s1@t0"),
        |world| _ = world.stops("s1@agent:a"),
    ];
    for end in ends {
        let mut world = World::new();
        world.begins("s1@t1");
        world.grants("s1@agent:b", &["/r/b"]);
        world.grants("s3@t1", &["/r/c"]);
        world.at(TTL).grants("s2@t1", &["/r"]);
        world.starts("s1@agent:a");
        end(&mut world);
        world.has_lost("s1@agent:b", "/r/b");
        world.has_lost("s3@t1", "/r/c");
    }
}

#[test]
fn the_end_of_a_session_leaves_the_notes_of_others() {
    let mut world = taken();
    world.ends_session("s3");
    world.has_lost("s1@t1", "/r/f");
    // Nor are those of a turn gone that runs in another living process.
    let mut world = World::new();
    world.with(in_process(1)).begins("s1@t1");
    world.grants("s1@t1", &["/r/f"]);
    world.at(TTL).with(in_process(2)).begins("s1@u1");
    world.grants("s2@t1", &["/r/f"]);
    world.ends_session("s1");
    world.with(in_process(1)).has_lost("s1@t1", "/r/f");
}

#[test]
fn a_session_has_so_many_notes_at_most() {
    let mut world = World::new();
    world.grants("s3@t1", &["/other"]);
    for number in 0..=NOTES_MAX {
        world.grants("s1@t1", &[&format!("/{number}")]);
    }
    world.at(TTL).grants("s2@t1", &["/other"]);
    for number in 0..=NOTES_MAX {
        world.grants("s2@t1", &[&format!("/{number}")]);
    }
    assert_eq!(world.state.notes.len(), NOTES_MAX + 1);
    world.refuses("s1@t1", &["/0"]);
    world.has_lost("s1@t1", "/1");
    world.has_lost("s3@t1", "/other");
}

#[test]
fn for_a_day() {
    let mut world = taken();
    let mut later = world.clone();
    world.at(TTL + DAY).begins("s3@t1");
    world.has_lost("s1@t1", "/r/f");
    later.at(TTL + DAY + 1).begins("s3@t1");
    later.grants("s1@t1", &["/r/f"]);
}
