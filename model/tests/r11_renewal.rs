//! R11: an owner's events renew all that it holds.
//!
//! Goal: a turn at work loses nothing, however long it lasts; what is dead stays dead; nobody's
//! event renews a stranger's. `r11_notes.rs` has what the loser is told.
//! Method: two leases, one of which is never asked for again, and an event just before the expiry.

mod common;

use common::hook::unnamed;
use common::{TTL, World, resource};
use leasehold_model::Op;

/// `s1@t1` has begun and holds `/f` and `/g`; the next moment is one before the expiry of both.
fn holds_two() -> World {
    let mut world = World::new();
    world.begins("s1@t1");
    world.grants("s1@t1", &["/f", "/g"]);
    world.at(TTL - 1);
    world
}

/// The expiry of both.
fn ends(world: &World) -> [i64; 2] {
    ["/f", "/g"].map(|path| world.row(path).expires)
}

const RENEWED: [i64; 2] = [2 * TTL - 1; 2];

#[test]
fn a_write_renews_all_not_only_what_it_asks_for() {
    for wanted in ["/f", "/new"] {
        let mut world = holds_two();
        world.grants("s1@t1", &[wanted]);
        assert_eq!(ends(&world), RENEWED);
    }
}

#[test]
fn so_do_a_prompt_and_a_post() {
    let mut world = holds_two();
    world.begins("s1@t1");
    assert_eq!(ends(&world), RENEWED);
    let mut world = holds_two();
    world.posts("s1@t1");
    assert_eq!(ends(&world), RENEWED);
    let mut world = holds_two();
    world.call_ends("s1@t1", "none of these");
    assert_eq!(ends(&world), RENEWED);
}

#[test]
fn nothing_but_the_expiry_is_renewed() {
    let mut world = holds_two();
    let before = world.row("/g").clone();
    world.grants("s1@t1", &["/f"]);
    let after = world.row("/g").clone();
    assert_eq!(after, leasehold_model::Lease { expires: 2 * TTL - 1, ..before });
}

#[test]
fn each_by_its_own_ttl() {
    let mut world = World::new();
    world.grants_for(100, "s1@t1", &["/long"]);
    world.grants_for(TTL, "s1@t1", &["/short"]);
    world.at(5).grants_for(50, "s1@t1", &["/other"]);
    assert_eq!(world.row("/long").expires, 100, "not yet a quarter of its TTL");
    assert_eq!(world.row("/short").expires, 15);
    world.at(26).posts("s1@t1");
    assert_eq!(world.row("/long").expires, 126);
}

#[test]
fn once_a_quarter_of_the_ttl_has_passed() {
    let mut world = World::new();
    world.grants_for(100, "s1@t1", &["/f", "/g"]);
    world.at(25).grants_for(100, "s1@t1", &["/f"]);
    assert_eq!(world.row("/f").expires, 125, "what is asked for at once");
    assert_eq!(world.row("/g").expires, 100);
    world.at(26).grants_for(100, "s1@t1", &["/f"]);
    assert_eq!(world.row("/g").expires, 126);
}

#[test]
fn what_is_dead_is_never_renewed() {
    let events: [fn(&mut World); 4] = [
        |world| _ = world.posts("s1@t1"),
        |world| _ = world.begins("s1@t1"),
        |world| _ = world.grants("s1@t1", &["/new"]),
        |world| _ = world.grants("s1@agent:a", &["/new"]),
    ];
    for event in events {
        let mut world = holds_two();
        world.at(TTL);
        event(&mut world);
        assert_eq!(ends(&world), [TTL; 2]);
        world.at(TTL).grants("s2@t1", &["/f"]);
    }
}

#[test]
fn a_turn_at_work_holds_its_leases_for_many_ttls() {
    let mut world = holds_two();
    let fence = world.row("/g").fence;
    for moment in 1..=10 * TTL / 9 {
        world.at(9 * moment).posts("s1@t1");
    }
    assert!(world.now >= 10 * TTL - 9);
    world.at(10 * TTL).refuses("s2@t1", &["/g"]);
    assert_eq!(world.row("/g").fence, fence);
}

#[test]
fn a_refused_write_and_the_start_and_end_of_others_renew_nothing() {
    let mut world = holds_two();
    world.at(0).grants("s2@t1", &["/busy"]);
    world.starts("s1@agent:a");
    world.at(TTL - 1);
    world.refuses("s1@t1", &["/f", "/busy"]);
    world.stops("s1@t0");
    world.releases("s1@t2");
    assert_eq!(ends(&world), [TTL; 2]);
}

#[test]
fn a_sub_agents_events_renew_its_own_and_its_main_threads() {
    let events: [fn(&mut World); 2] =
        [|world| _ = world.posts("s1@agent:a"), |world| _ = world.grants("s1@agent:a", &["/new"])];
    for event in events {
        let mut world = holds_two();
        world.at(0).grants("s1@agent:a", &["/a"]);
        world.grants("s1@agent:b", &["/b"]);
        world.at(TTL - 1);
        event(&mut world);
        assert_eq!(ends(&world), RENEWED);
        assert_eq!(world.row("/a").expires, 2 * TTL - 1);
        assert_eq!(world.row("/b").expires, TTL, "but no sibling's");
    }
}

#[test]
fn a_main_threads_events_renew_no_sub_agents_and_nobody_elses() {
    let mut world = holds_two();
    let others = ["s1@agent:a", "s1@t0", "s1", "s2@t1"];
    world.at(0);
    for (number, other) in others.iter().enumerate() {
        world.grants(other, &[&format!("/{number}")]);
    }
    world.at(TTL - 1).posts("s1@t1");
    world.grants("s1@t1", &["/f"]);
    for (number, other) in others.iter().enumerate() {
        assert_eq!(world.row(&format!("/{number}")).expires, TTL, "{other}");
    }
}

#[test]
fn a_sub_agent_renews_only_the_current_turn_of_its_main_thread() {
    let mut world = holds_two();
    world.at(0).grants("s1@t0", &["/other"]);
    world.at(TTL - 1).posts("s1@agent:a");
    assert_eq!(ends(&world), RENEWED);
    assert_eq!(world.row("/other").expires, TTL);
}

#[test]
fn a_post_of_a_client_without_turn_ids_renews_its_turn() {
    let mut world = World::new();
    world.with(unnamed()).begins("s1");
    world.grants("s1", &["/f", "/g"]);
    world.at(TTL - 1).posts("s1");
    assert_eq!(ends(&world), RENEWED);
}

#[test]
fn a_kept_lease_is_renewed_by_its_own_owner_alone() {
    let mut world = World::new();
    world.begins("s1@t1");
    world.shell_in_background("s1@t1", "/f", "c1");
    world.begins("s1@t2");
    world.at(5).posts("s1@t2");
    assert_eq!(world.row("/f").expires, TTL);
    world.posts("s1@t1");
    assert_eq!(world.row("/f").expires, 5 + TTL);
}

#[test]
fn a_post_names_who_else_holds_what_was_written() {
    let mut world = World::new();
    world.grants("s1@t1", &["/r/mine"]);
    world.grants("s2@t1", &["/r/theirs", "/q"]);
    world.grants("s1@agent:a", &["/r/as"]);
    world.shell_in_background("s1@agent:b", "/r/bs", "c1");
    let (taken, told) = world.posted("s1@t1", &["/r"], None);
    assert_eq!(taken, ["s1@agent:a /r/as", "s1@agent:b /r/bs", "s2@t1 /r/theirs"]);
    assert!(told.is_empty());
    let ended = leasehold_model::CallState::Ended;
    let (taken, _) = world.posted("s1@agent:b", &["/r"], Some(("c1".to_owned(), ended)));
    let others = ["s1@agent:a /r/as", "s1@t1 /r/mine", "s2@t1 /r/theirs"];
    assert_eq!(taken, others, "the call's own is its own");
    let (taken, _) = world.at(TTL).posted("s1@t1", &["/r"], None);
    assert!(taken.is_empty(), "the dead hold nothing");
    assert!(world.state.get(&resource("/r/theirs")).is_some(), "and a post removes none");
    assert!(matches!(world.run(&Op::Reap), leasehold_model::Outcome::Reaped(_)));
}

#[test]
fn a_post_takes_what_its_call_holds_in_an_older_turn_for_its_own() {
    let mut world = World::new();
    world.begins("s1@t1");
    world.shell_in_background("s1@t1", "/r/mine", "c1");
    world.shell_in_background("s1@t1", "/r/other", "c2");
    world.shell_in_background("s1@agent:a", "/r/as", "c1");
    world.begins("s1@t2");
    let ended = leasehold_model::CallState::Ended;
    let (taken, _) = world.posted("s1@t2", &["/r"], Some(("c1".to_owned(), ended)));
    assert_eq!(taken, ["s1@agent:a /r/as", "s1@t1 /r/other"], "not another call's or thread's");
}
