//! R1: at no instant do two live leases of different owners overlap.
//!
//! Goal: show what overlaps and what does not, and who is another owner and who is not.
//! Method: one owner holds a path, another asks for a path near it; each refusal stands beside the
//! nearest request that is granted.

mod common;

use common::{World, old_row, owner, resource};
use leasehold_model::{BadName, Owner, RESERVED_EPOCH};

#[test]
fn a_path_has_one_owner_at_a_time() {
    let mut world = World::new();
    world.starts("s1@agent:a");
    world.grants("s1@t1", &["/r/a"]);
    assert_eq!(world.refuses("s2@t1", &["/r/a"]), ["s1@t1 /r/a"], "another session");
    assert_eq!(world.refuses("s1@t2", &["/r/a"]), ["s1@t1 /r/a"], "another turn");
    assert_eq!(world.refuses("s1@agent:a", &["/r/a"]), ["s1@t1 /r/a"], "a sub-agent");
    assert_eq!(world.refuses("s1", &["/r/a"]), ["s1@t1 /r/a"], "no epoch");
    world.grants("s1@t1", &["/r/a"]);
    world.releases("s1@t1");
    world.grants("s2@t1", &["/r/a"]);
}

#[test]
fn a_directory_and_what_lies_in_it_exclude_each_other() {
    let pairs = [("/a/b", "/a"), ("/a/b", "/a/b/c"), ("/a/b", "/a/b/c/d"), ("/a/b", "/")];
    for (one, other) in pairs {
        for (held, wanted) in [(one, other), (other, one)] {
            let mut world = World::new();
            world.grants("s1@t1", &[held]);
            assert_eq!(world.refuses("s2@t1", &[wanted]), [format!("s1@t1 {held}")]);
        }
    }
}

#[test]
fn paths_that_only_begin_alike_do_not_overlap() {
    // `-` and `.` sort before `/`, `0` after it: on both sides of the descendants' range.
    let pairs = [("/a/b", "/a/bc"), ("/a/b", "/a/b-c"), ("/a/b", "/a/b.c"), ("/a/b", "/a/b0")];
    let others = [("/a/b", "/a/c"), ("/a/b", "/b"), ("/a/b", "/A/B"), ("/a/b", "/a/é")];
    for (one, other) in pairs.into_iter().chain(others) {
        for (held, wanted) in [(one, other), (other, one)] {
            let mut world = World::new();
            world.grants("s1@t1", &[held]);
            world.grants("s2@t1", &[wanted]);
        }
    }
}

#[test]
fn a_neighbour_between_a_directory_and_its_content_hides_nothing() {
    // In the order of bytes: /a/b, /a/b-c, /a/b/c.
    let mut world = World::new();
    world.grants("s1@t1", &["/a/b-c", "/a/b/c"]);
    assert_eq!(world.refuses("s2@t1", &["/a/b"]), ["s1@t1 /a/b/c"]);
}

#[test]
fn two_names_of_one_file_exclude_each_other() {
    let mut world = World::new();
    world.grants("s1@t1", &["/r/x#7"]);
    assert_eq!(world.refuses("s2@t1", &["/q/y#7"]), ["s1@t1 /r/x"]);
    world.grants("s2@t1", &["/q/y#8"]);
    world.grants("s3@t1", &["/q/z"]);
    world.grants("s4@t1", &["/p/z"]);
}

#[test]
fn an_owner_may_hold_overlapping_leases() {
    let mut world = World::new();
    world.grants("s1@t1", &["/a", "/a/b", "/x#7", "/y#7"]);
    world.grants("s1@t1", &["/a/b/c"]);
    assert_eq!(world.live().len(), 5);
}

#[test]
fn an_old_engines_live_row_is_in_the_way_too() {
    for wanted in ["/a", "/a/b", "/a/b/c"] {
        let mut world = World::new();
        world.old_engine_writes(old_row("s1", "/a/b", 0, 10));
        assert_eq!(world.refuses("s2@t1", &[wanted]), ["s1 /a/b"]);
        assert_eq!(world.refuses("s1@t1", &[wanted]), ["s1 /a/b"], "fresh, so not handed over");
        world.at(10).grants("s2@t1", &[wanted]);
    }
}

#[test]
fn an_alias_is_the_same_session() {
    for alias in ["agent/s1", "AGENT/s1", "agent/Agent/agent/s1"] {
        let mut world = World::new();
        world.grants("s1@t1", &["/a"]);
        world.grants(&format!("{alias}@t1"), &["/a"]);
        assert_eq!(world.refuses("s2@t1", &["/a"]), ["s1@t1 /a"]);
    }
}

#[test]
fn what_only_looks_like_an_alias_is_another_session() {
    for stranger in ["agents/s1", "agent", "agent:s1", "s1/agent/", "x/agent/s1", "S1", "agén"] {
        assert_ne!(owner(stranger), owner("s1"));
        assert_eq!(Owner::session_name(stranger).as_deref(), Ok(stranger), "kept as it is");
    }
}

#[test]
fn a_name_that_is_no_owners_is_refused() {
    for nobody in ["", "agent/", "Agent/AGENT/"] {
        assert_eq!(Owner::new(nobody, "t1"), Err(BadName::EmptySession));
        assert_eq!(Owner::session_name(nobody), Err(BadName::EmptySession));
    }
    assert_eq!(Owner::new("s1", RESERVED_EPOCH), Err(BadName::ReservedEpoch));
    assert!(Owner::new("s1", "").is_ok(), "no epoch is a good epoch");
}

#[test]
fn one_path_has_one_spelling() {
    for spelling in ["/a/b", "/a/b/", "//a///b"] {
        assert_eq!(resource(spelling).path(), "/a/b");
        assert!(resource(spelling).is(&resource("/a/b")));
    }
    assert!(!resource("/a/b").is(&resource("/a")));
}
