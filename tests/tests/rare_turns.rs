//! Goal: as in `rare_situations.rs`, where turns, sub-agents and processes are concerned.
//!
//! Method: that of `rare_situations.rs`.

use leasehold_model::{End, RETIRED_MAX, SEEN_MAX, Standing};
use leasehold_tests::story::{DAY_MS, Story, TTL_MS};

/// R9: what a list named is forgotten with the session, and with no other.
#[test]
fn a_session_that_ended_was_named_by_no_list() {
    let mut story = Story::on_new_database();
    for session in ["s1", "s2"] {
        let [main, subagent] = ["t1", "agent:a"].map(|epoch| format!("{session}@{epoch}"));
        story.begins(&main).asks(&subagent, &[&format!("/r/{session}")]).stops(&main, &["a"]);
    }
    story.ends_session("s1").begins("s1@t2").asks("s1@agent:a", &["/r/s1"]);
    story.stops("s1@t2", &[]).stops("s2@t1", &[]);
    story.conforms();
}

/// R9, R13: what is handed down belongs to the process that asked, or to none that is known.
#[test]
fn whose_process_a_lease_is_that_was_handed_down() {
    for taker in [None, Some(2)] {
        let mut story = Story::on_new_database();
        story.in_process(1).begins("s1@t1").asks("s1@t1", &["/r/a"]).starts("s1@agent:a");
        story.fate(1, Standing::Unknown);
        match taker {
            Some(number) => story.in_process(number),
            None => story.in_no_process(),
        };
        story.asks("s1@agent:a", &["/r/a"]).fate(1, Standing::Gone).asks("s2@t1", &["/r/a"]);
        story.fate(2, Standing::Gone).asks("s2@t1", &["/r/a"]);
        story.conforms();
    }
}

/// R8, R11, R13: turns, notes and processes are remembered for a day.
#[test]
fn what_is_a_day_old_is_forgotten() {
    for since_ms in [DAY_MS, DAY_MS + 1] {
        let mut story = Story::on_new_database();
        story.in_process(1).begins("s1@t1").begins("s1@t2").asks("s1@t2", &["/r/a"]);
        story.asks("s4@agent:a", &["/r/ab"]).in_no_process();
        story.at(TTL_MS).asks("s2@t1", &["/r/a"]).at(since_ms).begins("s3@t1");
        story.asks("s1@t1", &["/r/a0"]).at(TTL_MS + since_ms).begins("s3@t2");
        story.asks("s1@t2", &["/r/a"]).in_process(2).begins("s1@t3").asks("s1@t2", &["/r/a"]);
        story.conforms();
    }
}

/// R8: how long a turn is silent before another one's write begins.
#[test]
fn a_turn_is_silent_after_one_ttl() {
    for since_ms in [TTL_MS - 1, TTL_MS, TTL_MS + 1] {
        let mut story = Story::on_new_database();
        story.context.begins = true;
        story.begins("s1@t1").at(since_ms).asks("s1@t2", &["/r/a"]).asks("s1@t1", &["/r/a0"]);
        story.conforms();
    }
}

/// R9: what a sub-agent in doubt holds yields to its own main thread, and to nobody else.
#[test]
fn whom_a_sub_agent_in_doubt_yields_to() {
    let mut story = Story::on_new_database();
    for session in ["s1", "s2"] {
        story.begins(&format!("{session}@t1")).starts(&format!("{session}@agent:a"));
        story.asks(&format!("{session}@agent:a"), &[&format!("/r/{session}")]);
    }
    story.shell("s1@agent:b", "/r/b", "c1", false).begins("s1@t2");
    for other in ["s1@agent:c", "s1", "s2@t1", "s1@t2"] {
        story.asks(other, &["/r/s1", "/r/s2"]).asks(other, &["/r/b"]);
    }
    story.asks("s1@t2", &["/r/s1"]).asks("s1@agent:a", &["/r/s1"]);
    story.begins("s2@t2").asks("s2@agent:a", &["/r/a"]).asks("s2@t2", &["/r/s2"]);
    story.conforms();
}

/// R9: what a main thread used last before the start of its sub-agent is handed down, and no more.
#[test]
fn what_is_handed_down() {
    let mut story = Story::on_new_database();
    story.begins("s1@t1").asks("s1@t1", &["/r/a", "/r/ab"]).starts("s1@agent:a");
    story.asks("s1@t1", &["/r/ab", "/r/a0"]).shell("s1@t1", "/r/a!", "c1", false);
    story.starts("s1@agent:b").asks("s1@t1", &["/r/a0"]);
    for path in ["/r/a0", "/r/a!", "/r/ab", "/r/a"] {
        story.asks("s1@agent:a", &[path]).asks("s1@agent:b", &[path]).asks("s2@agent:a", &[path]);
    }
    story.asks("s1@t1", &["/r/a"]).stops("s1@agent:a", &[]).asks("s1@t1", &["/r/a"]);
    story.conforms();
}

/// R8: a minted turn lasts from one end to the next begin, and each process has its own.
#[test]
fn minted_turns() {
    let mut story = Story::on_new_database();
    story.unnamed().begins("s1").asks("s1", &["/r/a"]).begins("s1").stops("s1", &[]).begins("s1");
    story.asks("s1", &["/r/a"]).stops("s1", &[]).asks("s1", &["/r/a"]).begins("s1");
    story.in_process(1).asks("s2", &["/r/1"]).in_process(2).asks("s2", &["/r/2"]);
    story.fate(1, Standing::Unknown).fate(2, Standing::Unknown).asks("s2", &["/r/4"]);
    story.in_process(1).asks("s2", &["/r/3"]).in_process(3).asks("s2", &["/r/5"]);
    story.asks("s2", &["/r/3"]).stops("s2", &[]).in_process(2).begins("s2").asks("s2", &["/r/1"]);
    story.conforms();
}

/// R13: which sightings make a process believed, and what its end frees.
#[test]
fn when_a_process_is_believed() {
    let calls = [None, Some("c1"), Some("c2")];
    for (first, then) in calls.into_iter().flat_map(|one| calls.map(|other| (one, other))) {
        for since_ms in [-1, 0, 999, 1000, 1001, 3_600_000] {
            let mut story = Story::on_new_database();
            story.perhaps_in(1, first).asks("s1@t1", &["/r/a"]).begins("s4@t1");
            story.at(since_ms).perhaps_in(1, then).asks("s1@t1", &["/r/a"]).at(since_ms + 1000);
            story.perhaps_in(1, Some("c3")).begins("s4@t1").asks("s4@t1", &["/r/ab"]);
            story.fate(1, Standing::Gone).in_no_process().asks("s2@t1", &["/r/a"]);
            story.asks("s2@t1", &["/r/ab"]);
            story.conforms();
        }
    }
}

/// R13: what a dead process held is reclaimed, but not what a shell call of it may still write.
#[test]
fn what_is_reclaimed() {
    let mut story = Story::on_new_database();
    story.in_process(1).asks("s1@t1", &["/r/a"]).shell("s1@t1", "/r/ab", "c1", false);
    story.in_process(2).asks("s3@t1", &["/r/a0"]).in_no_process().asks("s3@t1", &["/r/a!"]);
    story.fate(1, Standing::Gone).asks("s1@t1", &["/r/a"]).asks("s2@t1", &["/r/a/x", "/r/a0"]);
    for path in ["/r/a/x", "/r/ab", "/r/a0", "/r/a!"] {
        story.asks("s2@t1", &[path]);
    }
    story.conforms();
}

/// R8, R13: a session's process that many later ones have pushed out is believed no more.
#[test]
fn a_session_remembers_few_processes() {
    for number in [SEEN_MAX - 1, SEEN_MAX] {
        let mut story = Story::on_new_database();
        story.in_process(1).begins("s1@t1").asks("s1@t1", &["/r/a"]);
        for helper in 0..20 {
            story.perhaps_in(100 + helper, Some("c1")).ends("s1@t0", End::Interrupt);
        }
        for other in 0..u32::try_from(number).expect("small") {
            story.in_process(2 + other).ends("s1@t0", End::Interrupt);
        }
        story.begins("s1@t2").asks("s1@t1", &["/r/a"]);
        story.conforms();
    }
}

/// R8, R13: how long a believed process is remembered: from its last sight, to the hour.
#[test]
fn how_long_a_process_is_believed() {
    let half_an_hour_ms = 1_800_000;
    for seen_for in [1, 2, 3, 48] {
        let mut story = Story::on_new_database();
        story.perhaps_in(1, Some("c1")).begins("s1@t1");
        story.at(1000).perhaps_in(1, Some("c2")).posts("s1@t1", "/r", None).in_process(2);
        story.begins("s1@t2").in_process(1).asks("s1@t1", &["/r/a"]);
        for half_hour in 1..=seen_for {
            story.at(half_hour * half_an_hour_ms).posts("s1@t1", "/r", None);
        }
        story.at((seen_for - 1) * half_an_hour_ms + DAY_MS + 1001).in_process(2).begins("s1@t3");
        story.in_process(1).asks("s1@t1", &["/r/a"]);
        story.conforms();
    }
}

/// R8: a write begins its turn in the process of the current one, or after one TTL without a word.
#[test]
fn which_writes_begin_a_turn() {
    for writer in [None, Some(1), Some(2)] {
        for since_ms in [0, TTL_MS - 1, TTL_MS, TTL_MS + 499, TTL_MS + 500] {
            let mut story = Story::on_new_database();
            story.context.begins = true;
            story.in_process(1).begins("s1@t1").at(500).posts("s1@t1", "/r", None);
            story.fate(1, Standing::Unknown);
            match writer {
                Some(number) => story.in_process(number),
                None => story.in_no_process(),
            };
            story.at(since_ms).asks("s1@t2", &["/r/a"]).asks("s1@t1", &["/r/ab"]);
            story.conforms();
        }
    }
}

/// R9: whom a begin puts in doubt: after no end, in its own process, what no list named.
#[test]
fn who_is_in_doubt() {
    for end in 0..4 {
        let mut story = Story::on_new_database();
        story.in_process(1).begins("s1@t1").asks("s1@agent:a", &["/r/a"]);
        story.asks("s1@agent:b", &["/r/b"]).in_process(2).asks("s1@agent:c", &["/r/c"]);
        story.in_process(1);
        match end {
            0 => story.stops("s1@t1", &["a"]).asks("s1@t1", &["/r/1"]),
            1 => story.stops("s1@t1", &[]),
            2 => story.ends("s1@t1", End::Interrupt),
            _ => story.begins("s1@t1"),
        };
        story.begins("s1@t2").fate(2, Standing::Unknown);
        for path in ["/r/a", "/r/b", "/r/c"] {
            story.asks("s1@t2", &[path]);
        }
        story.conforms();
    }
}

/// R8: a turn is in reach if its process is, and that of each of its leases.
#[test]
fn which_turns_are_in_reach() {
    for [turn, first, second] in [[1, 2, 2], [2, 1, 2], [2, 2, 1], [1, 1, 1], [2, 2, 2]] {
        let mut story = Story::on_new_database();
        story.in_process(turn).begins("s1@t1").in_process(first).asks("s1@t1", &["/r/a"]);
        // Nobody renews the first by asking for the second.
        story.in_process(second).asks("s1@t0", &["/r/b"]).in_process(1).asks("s1@t0", &["/r/c"]);
        story.in_process(2).begins("s1@t2").asks("s1@t1", &["/r/1"]).asks("s1@t0", &["/r/2"]);
        story.conforms();
    }
}

/// R8, R10: so many retired turns are remembered, each for a day from its end, whatever it keeps.
#[test]
fn how_long_a_retired_turn_is_remembered() {
    let mut story = Story::on_new_database();
    story.begins("s1@t1").shell("s1@t1", "/r/a", "c1", true).begins("s1@t2");
    story.at(DAY_MS / 2).begins("s1@t3").at(DAY_MS + 1).begins("s2@t1").asks("s1@t1", &["/r/b"]);
    story.conforms();
    let mut story = Story::on_new_database();
    for number in 0..RETIRED_MAX + 2 {
        story.begins(&format!("s1@{number}"));
    }
    story.asks("s1@1", &["/r/a"]).asks("s1@0", &["/r/b"]);
    story.conforms();
}
