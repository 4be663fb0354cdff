//! Goal: the store does what the model says where random lists of operations hardly ever come.
//!
//! Method: each test plays one story on both. What the rules make of it, the model's own tests say;
//! after each step the answers and all rows must be the same.

use leasehold::store;
use leasehold_model::{
    CALLS_MAX, End, Fence, NOTES_MAX, OldRow, Op, RETIRED_MAX, Resource, SEEN_MAX, SUBAGENTS_MAX,
    SWEEP_EVERY,
};
use leasehold_tests::story::{DAY_MS, START_MS, Story, TTL_MS, old_row, owner};

#[test]
fn the_bounds_are_the_same() {
    assert_eq!(store::SWEEP_AFTER_MS, leasehold_model::SWEEP_AFTER_MS);
    assert_eq!(store::SWEEP_EVERY, SWEEP_EVERY);
    assert_eq!(usize::try_from(store::SWEEP_MAX), Ok(leasehold_model::SWEEP_MAX));
    assert_eq!(store::REMEMBERED_MS, leasehold_model::REMEMBERED_MS);
    assert_eq!(store::BELIEVED_AFTER_MS, leasehold_model::BELIEVED_AFTER_MS);
    assert_eq!(usize::try_from(store::RETIRED_MAX), Ok(RETIRED_MAX));
    assert_eq!(usize::try_from(store::SUBAGENTS_MAX), Ok(SUBAGENTS_MAX));
    assert_eq!(usize::try_from(store::NOTES_MAX), Ok(NOTES_MAX));
    assert_eq!((store::CALLS_MAX, store::SEEN_MAX), (CALLS_MAX, SEEN_MAX));
}

/// R11: neither one's own dead lease nor an old engine's row leaves a note.
#[test]
fn what_leaves_no_note() {
    let mut story = Story::on_new_database();
    story.asks("s1@t1", &["/r"]).old_engine_writes("s2", "/q").at(TTL_MS);
    story.asks("s1@t1", &["/r/a", "/q"]).asks("s3@t1", &["/r/b"]).asks("s1@t1", &["/r"]);
    story.releases("s1@t1").asks("s2", &["/q"]);
    story.old_engine_writes("s4", "/p").at(2 * TTL_MS).tell(Op::Reap);
    story.asks("s3@t1", &["/p"]).releases("s3@t1").asks("s4", &["/p"]);
    story.conforms();
}

/// R11: what its owner holds again, by itself or with what it lies in, it has not lost.
#[test]
fn what_was_got_back_is_not_lost() {
    for again in ["/r/a", "/r", "/r/a/x", "/r/ab"] {
        let mut story = Story::on_new_database();
        story.asks("s1@t1", &["/r/a"]).asks("s4@t1", &["/r/a0"]).at(TTL_MS);
        story.asks("s3@t1", &["/r/b"]).asks("s2@t1", &["/r"]).releases("s3@t1");
        story.asks("s1@t1", &[again]).releases("s1@t1").asks("s2@t1", &["/r"]).releases("s2@t1");
        story.posts("s1@t1", "/r", None).posts("s1@t1", "/r", None).asks("s1@t1", &["/r/a/x"]);
        story.asks("s4@t1", &["/r/ab"]).asks("s4@t1", &["/r"]).asks("s4@t1", &["/r"]);
        story.conforms();
    }
}

/// R11: the end of a session takes its own notes, but for those of another living process.
#[test]
fn whose_notes_end_with_a_session() {
    let mut story = Story::on_new_database();
    story.in_process(1).begins("s1@t1").asks("s1@t1", &["/r/a"]);
    story.in_process(2).begins("s1@u1").asks("s1@u1", &["/r/b"]);
    story.at(TTL_MS).in_no_process().asks("s2@t1", &["/r/a", "/r/b"]);
    story.ends_session("s3").in_process(2).ends_session("s1").releases("s2@t1");
    story.asks("s1@u1", &["/r/b"]).in_process(1).asks("s1@t1", &["/r/a"]).asks("s1@t1", &["/r/a"]);
    story.conforms();
}

/// R10: a call that asks twice, and as many calls of one lease as are remembered, and one more.
#[test]
fn calls_of_one_lease() {
    for [first, then] in [[false, false], [false, true], [true, false], [true, true]] {
        let mut story = Story::on_new_database();
        story.begins("s1@t1").shell("s1@t1", "/r/a", "c1", first);
        story.shell("s1@t1", "/r/a", "c1", then).begins("s1@t2");
        story.conforms();
    }
    let mut story = Story::on_new_database();
    for number in 0..=CALLS_MAX {
        story.shell("s1@t1", "/r/a", &format!("c{number}"), true);
    }
    story.conforms();
}

/// R10, R11: a post takes for its own what its call holds in an older turn.
#[test]
fn a_post_in_a_later_turn() {
    let mut story = Story::on_new_database();
    story.begins("s1@t1").shell("s1@t1", "/r/a", "c1", true).shell("s1@t1", "/r/ab", "c2", true);
    story.shell("s1@agent:a", "/r/a0", "c1", true).begins("s1@t2");
    story.posts("s1@t2", "/r", None).posts("s1@t2", "/r", Some("c1"));
    story.conforms();
}

/// R4: at most so many of the long dead are swept, the longest dead first, and none within a day.
#[test]
fn the_long_dead_are_swept() {
    let mut story = Story::on_new_database();
    for age in 0..40 {
        story.at(age * TTL_MS).asks("s1@t1", &[&format!("/r/{}", 99 - age)]);
    }
    // The last of them has been dead for a day, and not for longer.
    story.at(40 * TTL_MS + DAY_MS);
    for number in 0..2 * SWEEP_EVERY {
        story.asks("s2@t1", &[&format!("/r/new-{number}")]);
    }
    story.at(40 * TTL_MS + DAY_MS + 1);
    for number in 0..SWEEP_EVERY {
        story.asks("s3@t1", &[&format!("/r/newer-{number}"), &format!("/r/newest-{number}")]);
    }
    story.conforms();
}

/// R14: a fence stands for what it is on and in it, to the last millisecond.
#[test]
fn a_fence_stands_until_its_lease_ends() {
    let mut story = Story::on_new_database();
    story.asks("s1@t1", &["/r/a"]);
    let fence = Fence::new(START_MS / 60_000, 1);
    for since_ms in [0, TTL_MS - 1, TTL_MS] {
        for path in ["/r", "/r/a", "/r/a/x", "/r/ab"] {
            let resource = Resource::new(path);
            story.at(since_ms).tell(Op::CheckFence { resource, fence });
        }
    }
    story.conforms();
}

/// R7, R9: what would be handed over must not overlap a stranger's lease.
#[test]
fn what_comes_along_is_in_the_way_too() {
    let mut story = Story::upgraded(&["s1 /r", "s2 /r/a/x"]);
    story.asks("s1@t1", &["/r/ab"]).asks("s2@t1", &["/r/a/x"]).releases("s2@t1");
    story.asks("s1@t1", &["/r/ab"]);
    story.conforms();
    let mut story = Story::on_new_database();
    story.begins("s1@t1").asks("s1@t1", &["/r"]).starts("s1@agent:a");
    story.old_engine_writes("s2", "/r/a").asks("s1@agent:a", &["/r/ab"]);
    story.tell(Op::OldDelete { session: "s2".to_owned() }).asks("s1@agent:a", &["/r/ab"]);
    story.conforms();
}

/// R10: the calls of each thread are its own, and each kept lease that goes counts if it is live.
#[test]
fn whose_calls_end() {
    let holders = ["s1@t1", "s1@agent:a", "s1@agent:b", "s1", "s2@t1"];
    for who in holders {
        let mut story = Story::on_new_database();
        story.begins("s1@t1");
        for (number, holder) in holders.iter().enumerate() {
            story.shell(holder, &format!("/r/{number}"), "c1", true);
        }
        story.goes_on(who, "c1", "task-1").posts(who, "/r", Some("c1"));
        story.begins("s1@t2").posts("s1@t2", "/r", Some("c1"));
        story.stops_with("s1@t2", &[], &["task-1"]).stops("s1@t2", &[]);
        story.conforms();
    }
}

/// R6, R10: what counts as given back, by each kind of end, before the expiry and at it.
#[test]
fn how_many_leases_an_end_gives_back() {
    for since_ms in [0, TTL_MS] {
        for end in 0..5 {
            let mut story = Story::upgraded(&["s1 /r/0", "s1 /r/1"]);
            story.begins("s1@t0").asks("s1@t0", &["/r/own"]).begins("s1@t1");
            for path in ["/r/a", "/r/ab"] {
                story.shell("s1@t1", path, "c1", true).goes_on("s1@t1", "c1", "task-1");
            }
            story.asks("s1@t1", &["/r/2", "/r/3"]).asks("s1@agent:a", &["/r/4", "/r/5"]);
            story.stops_with("s1@t1", &["a"], &["task-1"]).asks("s1@t1", &["/r/2", "/r/3"]);
            story.at(since_ms);
            match end {
                0 => story.begins("s1@t2").stops("s1@t2", &[]),
                1 => story.stops("s1@t1", &[]),
                2 => story.ends("s1@t1", End::Interrupt).ends("s1@agent:a", End::Stop(None)),
                3 => story.ends_session("s1"),
                _ => story.posts("s1@t1", "/r", Some("c1")).releases("s1@t1"),
            };
            story.conforms();
        }
    }
}

/// R7, R8: a begin, a Stop and a release take the migrated rows that are left.
#[test]
fn what_becomes_of_migrated_rows() {
    for end in 0..8 {
        let mut story = Story::upgraded(&["s1 /r/0", "s1 /r/1", "s2 /r/2"]);
        match end {
            0 => story.begins("s1@t1"),
            1 => story.begins("s1").asks("s1@agent:a", &["/r/0"]).stops("s1@agent:a", &[]),
            2 => story.asks("s1", &["/r/0"]).asks("s1@t1", &["/r/1"]).releases("s1@t1"),
            3 => story.asks("s1@t1", &["/r/1"]).stops("s1@t1", &[]).releases("s1"),
            4 => {
                // A turn that a write began leaves them until its Stop.
                story.context.begins = true;
                story.asks("s1@t1", &["/r/a"]).stops("s1@t0", &[]).stops("s1@t1", &[])
            }
            5 => story.unnamed().begins("s1").stops("s1", &[]),
            6 => story.releases("s1@agent:a").releases("s2@t1"),
            _ => story.tell(Op::Release { owner: owner("s1@t1"), hand_over: false }),
        };
        story.conforms();
    }
}

/// What an old engine's write means, by what of the row it leaves as it was.
#[test]
fn what_an_old_engine_writes() {
    for session in ["s1", "s2"] {
        for since_ms in [0, 1] {
            for epoch in [None, Some("t1"), Some("t2"), Some("")] {
                let mut story = Story::on_new_database();
                story.asks("s1@t1", &["/r/a"]).shell("s1@t1", "/r/a", "c1", false).at(1000);
                story.tell(Op::OldUpsert(OldRow {
                    epoch: epoch.map(str::to_owned),
                    expires: START_MS + 2 * TTL_MS,
                    ..old_row(session, "/r/a", START_MS + since_ms)
                }));
                story.asks("s1@t1", &["/r/a"]).asks("s2", &["/r/a"]).releases("s1");
                story.at(TTL_MS - 1000).asks("s1@t1", &["/r/a"]);
                story.conforms();
            }
        }
    }
}
