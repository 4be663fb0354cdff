//! What happens on store and model alike, told step by step in few words.
//!
//! Owners are written `session@epoch`, or `session` for an empty epoch.

use leasehold_model::{
    CallState, Context, End, Form, Millis, OldRow, Op, Owner, Process, Resource, Running,
    ShellCall, Sighting, Standing, Terms,
};

use crate::conformance::{Schedule, Start, Step, conform};

/// The moment at which stories start, in milliseconds since 1970.
pub const START_MS: Millis = 1_800_000_000_000;
/// What a lease lasts.
pub const TTL_MS: Millis = 10_000;
/// How long turns, notes and the dead are remembered.
pub const DAY_MS: Millis = 86_400_000;

/// A list of operations in the course of being told.
pub struct Story {
    start: Start,
    at_ms: Millis,
    /// What the hook knows of the caller from now on.
    pub context: Context,
    steps: Vec<Step>,
}

impl Story {
    /// On a new database.
    pub fn on_new_database() -> Self {
        Self::after(Start::Empty)
    }

    /// On a database from before epochs with these rows, each `session path`.
    pub fn upgraded(rows: &[&str]) -> Self {
        let row = |row: &&str| {
            let (session, path) = row.split_once(' ').expect("a session and a path");
            old_row(session, path, START_MS)
        };
        Self::after(Start::Legacy(Form::First, rows.iter().map(row).collect()))
    }

    fn after(start: Start) -> Self {
        let (context, steps) = (Context::default(), Vec::new());
        let mut story = Self { start, at_ms: START_MS, context, steps };
        story.tell(Op::Open { boot: "boot-1".to_owned() });
        story
    }

    /// Plays it on store and model.
    #[track_caller]
    pub fn conforms(self) {
        let what = String::new();
        let schedule = Schedule { what, start: self.start, steps: self.steps };
        if let Err(why) = conform(&schedule, &|| ()) {
            panic!("{why}");
        }
    }

    /// Any operation.
    pub fn tell(&mut self, op: Op) -> &mut Self {
        self.steps.push(Step { at_ms: self.at_ms, op, look: true });
        self
    }

    /// From now on it is so long after the start.
    pub fn at(&mut self, since_ms: Millis) -> &mut Self {
        self.at_ms = START_MS + since_ms;
        self
    }

    /// From now on the client names no turns.
    pub fn unnamed(&mut self) -> &mut Self {
        self.context.minted = true;
        self
    }

    /// From now on this process is found in this call, and perhaps a helper.
    pub fn perhaps_in(&mut self, number: u32, call: Option<&str>) -> &mut Self {
        let call = call.map(str::to_owned);
        let sighting = Sighting { process: Process(number), certain: false, call };
        self.context.sighting = Some(sighting);
        self
    }

    /// From now on events come from this process, which the client names.
    pub fn in_process(&mut self, number: u32) -> &mut Self {
        let sighting = Sighting { process: Process(number), certain: true, call: None };
        self.context.sighting = Some(sighting);
        self
    }

    /// From now on no process is seen.
    pub fn in_no_process(&mut self) -> &mut Self {
        self.context.sighting = None;
        self
    }

    /// An owner asks for these paths.
    pub fn asks(&mut self, who: &str, paths: &[&str]) -> &mut Self {
        self.asks_for(who, paths, None)
    }

    /// A shell call asks for this path.
    pub fn shell(&mut self, who: &str, path: &str, id: &str, background: bool) -> &mut Self {
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

    /// A turn begins.
    pub fn begins(&mut self, who: &str) -> &mut Self {
        let context = self.context.clone();
        self.tell(Op::Begin { owner: owner(who), context })
    }

    /// A sub-agent starts.
    pub fn starts(&mut self, who: &str) -> &mut Self {
        let context = self.context.clone();
        self.tell(Op::SubagentStart { owner: owner(who), context })
    }

    /// A call has run that wrote this path, and this shell call has ended.
    pub fn posts(&mut self, who: &str, path: &str, ended: Option<&str>) -> &mut Self {
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
    pub fn stops(&mut self, who: &str, subagents: &[&str]) -> &mut Self {
        self.stops_with(who, subagents, &[])
    }

    /// A Stop that lists these sub-agents and shells.
    pub fn stops_with(&mut self, who: &str, subagents: &[&str], shells: &[&str]) -> &mut Self {
        let names = |list: &[&str]| list.iter().map(|&name| name.to_owned()).collect();
        let running = Running { subagents: names(subagents), shells: names(shells) };
        self.ends(who, End::Stop(Some(running)))
    }

    /// An owner ends.
    pub fn ends(&mut self, who: &str, how: End) -> &mut Self {
        let context = self.context.clone();
        self.tell(Op::End { owner: owner(who), how, context })
    }

    /// A shell call goes on in the background, as this task.
    pub fn goes_on(&mut self, who: &str, id: &str, task: &str) -> &mut Self {
        let context = self.context.clone();
        let call = Some((id.to_owned(), CallState::GoesOn(Some(task.to_owned()))));
        self.tell(Op::Post { owner: owner(who), resources: Vec::new(), call, context })
    }

    /// A session ends.
    pub fn ends_session(&mut self, session: &str) -> &mut Self {
        let context = self.context.clone();
        self.tell(Op::EndSession { session: session.to_owned(), context })
    }

    /// A release on the command line.
    pub fn releases(&mut self, who: &str) -> &mut Self {
        self.tell(Op::Release { owner: owner(who), hand_over: true })
    }

    /// What the operating system says of a process from now on.
    pub fn fate(&mut self, number: u32, standing: Standing) -> &mut Self {
        self.tell(Op::Fate { process: Process(number), standing })
    }

    /// An old engine writes a row that lasts one TTL.
    pub fn old_engine_writes(&mut self, session: &str, path: &str) -> &mut Self {
        let row = old_row(session, path, self.at_ms);
        self.tell(Op::OldUpsert(row))
    }
}

/// A row of the first engine that lasts one TTL from this moment.
pub fn old_row(session: &str, path: &str, at_ms: Millis) -> OldRow {
    OldRow {
        resource: Resource::new(path),
        session: session.to_owned(),
        epoch: None,
        agent: "old".to_owned(),
        acquired: at_ms,
        expires: at_ms + TTL_MS,
        note: None,
    }
}

/// The owner written `session@epoch`.
pub fn owner(name: &str) -> Owner {
    let (session, epoch) = name.split_once('@').unwrap_or((name, ""));
    Owner::new(session, epoch).expect("a good name")
}
