//! Goal: the store does what the model says where random lists of operations hardly ever come.
//!
//! Method: each test plays one story on both. What the rules make of it, the model's own tests say;
//! after each step the answers and all rows must be the same.

use leasehold::store;
use leasehold_model::{
    CALLS_MAX, CallState, Context, End, Fence, Millis, NOTES_MAX, OldRow, Op, Owner, Process,
    RETIRED_MAX, Resource, Running, SEEN_MAX, SUBAGENTS_MAX, SWEEP_EVERY, ShellCall, Sighting,
    Standing, Terms,
};
use leasehold_tests::conformance::{Schedule, Start, Step, conform};

/// The moment at which stories start, in milliseconds since 1970.
const START_MS: Millis = 1_800_000_000_000;
/// What a lease lasts.
const TTL_MS: Millis = 10_000;
const DAY_MS: Millis = 86_400_000;

/// A list of operations in the course of being told.
struct Story {
    at_ms: Millis,
    context: Context,
    steps: Vec<Step>,
}

impl Story {
    fn new() -> Self {
        let mut story = Self { at_ms: START_MS, context: Context::default(), steps: Vec::new() };
        story.tell(Op::Open { boot: "boot-1".to_owned() });
        story
    }

    /// Plays it on store and model.
    #[track_caller]
    fn conforms(self) {
        let what = String::new();
        let schedule = Schedule { what, start: Start::Empty, steps: self.steps };
        if let Err(why) = conform(&schedule, &|| ()) {
            panic!("{why}");
        }
    }

    fn tell(&mut self, op: Op) -> &mut Self {
        self.steps.push(Step { at_ms: self.at_ms, op, look: true });
        self
    }

    /// From now on it is so long after the start.
    fn at(&mut self, since_ms: Millis) -> &mut Self {
        self.at_ms = START_MS + since_ms;
        self
    }

    /// From now on events come from this process, which the client names.
    fn in_process(&mut self, number: u32) -> &mut Self {
        let sighting = Sighting { process: Process(number), certain: true, call: None };
        self.context.sighting = Some(sighting);
        self
    }

    /// From now on no process is seen.
    fn in_no_process(&mut self) -> &mut Self {
        self.context.sighting = None;
        self
    }

    fn asks(&mut self, who: &str, paths: &[&str]) -> &mut Self {
        self.asks_for(who, paths, None)
    }

    fn shell(&mut self, who: &str, path: &str, id: &str, background: bool) -> &mut Self {
        self.asks_for(who, &[path], Some(ShellCall { id: id.to_owned(), background }))
    }

    fn asks_for(&mut self, who: &str, paths: &[&str], call: Option<ShellCall>) -> &mut Self {
        let context = self.context.clone();
        self.tell(Op::Acquire {
            owner: owner(who),
            resources: paths.iter().map(|path| Resource::new(path)).collect(),
            trees: Vec::new(),
            terms: Terms { agent: "test".to_owned(), ttl: TTL_MS, note: None },
            call,
            context,
        })
    }

    fn begins(&mut self, who: &str) -> &mut Self {
        let context = self.context.clone();
        self.tell(Op::Begin { owner: owner(who), context })
    }

    fn starts(&mut self, who: &str) -> &mut Self {
        let context = self.context.clone();
        self.tell(Op::SubagentStart { owner: owner(who), context })
    }

    fn posts(&mut self, who: &str, path: &str, ended: Option<&str>) -> &mut Self {
        let context = self.context.clone();
        let call = ended.map(|id| (id.to_owned(), CallState::Ended));
        self.tell(Op::Post {
            owner: owner(who),
            resources: vec![Resource::new(path)],
            call,
            context,
        })
    }

    /// A Stop that lists these sub-agents.
    fn stops(&mut self, who: &str, subagents: &[&str]) -> &mut Self {
        let context = self.context.clone();
        let subagents = subagents.iter().map(|&name| name.to_owned()).collect();
        let how = End::Stop(Some(Running { subagents, shells: Vec::new() }));
        self.tell(Op::End { owner: owner(who), how, context })
    }

    fn ends_session(&mut self, session: &str) -> &mut Self {
        let context = self.context.clone();
        self.tell(Op::EndSession { session: session.to_owned(), context })
    }

    fn releases(&mut self, who: &str) -> &mut Self {
        self.tell(Op::Release { owner: owner(who), hand_over: true })
    }

    fn fate(&mut self, number: u32, standing: Standing) -> &mut Self {
        self.tell(Op::Fate { process: Process(number), standing })
    }

    /// An old engine writes a row that lasts one TTL.
    fn old_engine_writes(&mut self, session: &str, path: &str) -> &mut Self {
        let at_ms = self.at_ms;
        self.tell(Op::OldUpsert(OldRow {
            resource: Resource::new(path),
            session: session.to_owned(),
            epoch: None,
            agent: "old".to_owned(),
            acquired: at_ms,
            expires: at_ms + TTL_MS,
            note: None,
        }))
    }
}

fn owner(name: &str) -> Owner {
    let (session, epoch) = name.split_once('@').unwrap_or((name, ""));
    Owner::new(session, epoch).expect("a good name")
}

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
    let mut story = Story::new();
    story.asks("s1@t1", &["/r"]).old_engine_writes("s2", "/q").at(TTL_MS);
    story.asks("s1@t1", &["/r/a", "/q"]).asks("s3@t1", &["/r/b"]).asks("s1@t1", &["/r"]);
    story.releases("s1@t1").asks("s2", &["/q"]);
    story.old_engine_writes("s4", "/p").at(2 * TTL_MS).tell(Op::Reap);
    story.asks("s3@t1", &["/p"]).releases("s3@t1").asks("s4", &["/p"]);
    story.conforms();
}

/// R11: the end of a session takes its own notes, but for those of another living process.
#[test]
fn whose_notes_end_with_a_session() {
    let mut story = Story::new();
    story.in_process(1).begins("s1@t1").asks("s1@t1", &["/r/a"]);
    story.in_process(2).begins("s1@u1").asks("s1@u1", &["/r/b"]);
    story.at(TTL_MS).in_no_process().asks("s2@t1", &["/r/a", "/r/b"]);
    story.ends_session("s3").in_process(2).ends_session("s1").releases("s2@t1");
    story.asks("s1@u1", &["/r/b"]).in_process(1).asks("s1@t1", &["/r/a"]).asks("s1@t1", &["/r/a"]);
    story.conforms();
}

/// R9: what a list named is forgotten with the session, and with no other.
#[test]
fn a_session_that_ended_was_named_by_no_list() {
    let mut story = Story::new();
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
        let mut story = Story::new();
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

/// R10: a call that asks twice, and as many calls of one lease as are remembered, and one more.
#[test]
fn calls_of_one_lease() {
    for [first, then] in [[false, false], [false, true], [true, false], [true, true]] {
        let mut story = Story::new();
        story.begins("s1@t1").shell("s1@t1", "/r/a", "c1", first);
        story.shell("s1@t1", "/r/a", "c1", then).begins("s1@t2");
        story.conforms();
    }
    let mut story = Story::new();
    for number in 0..=CALLS_MAX {
        story.shell("s1@t1", "/r/a", &format!("c{number}"), true);
    }
    story.conforms();
}

/// R10, R11: a post takes for its own what its call holds in an older turn.
#[test]
fn a_post_in_a_later_turn() {
    let mut story = Story::new();
    story.begins("s1@t1").shell("s1@t1", "/r/a", "c1", true).shell("s1@t1", "/r/ab", "c2", true);
    story.shell("s1@agent:a", "/r/a0", "c1", true).begins("s1@t2");
    story.posts("s1@t2", "/r", None).posts("s1@t2", "/r", Some("c1"));
    story.conforms();
}

/// R4: at most so many of the long dead are swept, the longest dead first, and none within a day.
#[test]
fn the_long_dead_are_swept() {
    let mut story = Story::new();
    for age in 0..40 {
        story.at(age * TTL_MS).asks("s1@t1", &[&format!("/r/{}", 99 - age)]);
    }
    // The last of them has been dead for a day, and not for longer.
    story.at(40 * TTL_MS + DAY_MS);
    for number in 0..2 * SWEEP_EVERY {
        story.asks("s2@t1", &[&format!("/r/new-{number}")]);
    }
    story.at_ms += 1;
    for number in 0..SWEEP_EVERY {
        story.asks("s3@t1", &[&format!("/r/newer-{number}"), &format!("/r/newest-{number}")]);
    }
    story.conforms();
}

/// R8, R11, R13: turns, notes and processes are remembered for a day.
#[test]
fn what_is_a_day_old_is_forgotten() {
    for since_ms in [DAY_MS, DAY_MS + 1] {
        let mut story = Story::new();
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
        let mut story = Story::new();
        story.context.begins = true;
        story.begins("s1@t1").at(since_ms).asks("s1@t2", &["/r/a"]).asks("s1@t1", &["/r/a0"]);
        story.conforms();
    }
}

/// R14: a fence stands for what it is on and in it, to the last millisecond.
#[test]
fn a_fence_stands_until_its_lease_ends() {
    let mut story = Story::new();
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
