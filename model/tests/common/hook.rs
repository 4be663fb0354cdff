//! The words for what a client's hook knows and tells: turns, sub-agents, shell calls, processes.

use leasehold_model::{
    CallState, Context, End, Note, Op, Outcome, Owner, Process, Released, Running, ShellCall,
    Sighting, Standing,
};

use super::{TTL, World, owner, resource, terms, told};

/// A client that marks its sub-agents: a write may begin its turn.
pub(crate) fn marks() -> Context {
    Context { begins: true, ..Context::default() }
}

/// A client that names no turns.
pub(crate) fn unnamed() -> Context {
    Context { minted: true, ..Context::default() }
}

/// A client that named its own process.
pub(crate) fn in_process(number: u32) -> Context {
    seen(number, None, true)
}

/// A process found as the agent in a call.
pub(crate) fn seen(number: u32, call: Option<&str>, certain: bool) -> Context {
    let call = call.map(str::to_owned);
    let sighting = Sighting { process: Process(number), certain, call };
    Context { sighting: Some(sighting), ..Context::default() }
}

/// `path: session since then` of each note, or `path: nobody`.
pub(crate) fn noted(notes: &[Note]) -> Vec<String> {
    let taken = |note: &Note| match &note.taken {
        Some(taken) => format!("{} since {}", taken.session, taken.at),
        None => "nobody".to_owned(),
    };
    notes.iter().map(|note| format!("{}: {}", note.resource.path(), taken(note))).collect()
}

impl World {
    /// From now on the hook knows this.
    pub(crate) fn with(&mut self, context: Context) -> &mut Self {
        self.context = context;
        self
    }

    /// The begin of a turn: what it gives back.
    #[track_caller]
    pub(crate) fn begins(&mut self, who: &str) -> Released {
        self.begun(who).1
    }

    /// The begin of a turn: how it is called, what it gives back, and what it is told.
    #[track_caller]
    pub(crate) fn begun(&mut self, who: &str) -> (Owner, Released, Vec<String>) {
        let context = self.context.clone();
        match self.run(&Op::Begin { owner: owner(who), context }) {
            Outcome::Begun(owner, released, notes) => (owner, released, noted(&notes)),
            other => panic!("no answer to a begin: {other:?}"),
        }
    }

    /// A write that must be refused as stale.
    #[track_caller]
    pub(crate) fn is_stale(&mut self, who: &str, path: &str) {
        assert_eq!(self.asks(who, &[path], terms(TTL)), Outcome::Stale, "{who}");
    }

    /// A write that must be refused because of what was lost.
    #[track_caller]
    pub(crate) fn has_lost(&mut self, who: &str, path: &str) -> Vec<String> {
        match self.asks(who, &[path], terms(TTL)) {
            Outcome::Lost(notes) => noted(&notes),
            other => panic!("{who} has not lost {path}: {other:?}"),
        }
    }

    /// A write that must be granted over what dead agents held: that.
    #[track_caller]
    pub(crate) fn reclaims(&mut self, who: &str, paths: &[&str]) -> Vec<String> {
        match self.asks(who, paths, terms(TTL)) {
            Outcome::Reclaimed(_, leases) => told(&leases),
            other => panic!("{who} did not reclaim {paths:?}: {other:?}"),
        }
    }

    /// A shell call that writes this path, which must be granted.
    #[track_caller]
    pub(crate) fn shell(&mut self, who: &str, path: &str, id: &str) {
        self.runs(who, path, id, false);
    }

    /// A shell call in the background that writes this path, which must be granted.
    #[track_caller]
    pub(crate) fn shell_in_background(&mut self, who: &str, path: &str, id: &str) {
        self.runs(who, path, id, true);
    }

    /// A shell call that writes this path, in the background or not, which must be granted.
    #[track_caller]
    pub(crate) fn runs(&mut self, who: &str, path: &str, id: &str, background: bool) {
        let outcome = self.run(&Op::Acquire {
            trees: Vec::new(),
            owner: owner(who),
            resources: vec![resource(path)],
            terms: terms(TTL),
            call: Some(ShellCall { id: id.to_owned(), background }),
            context: self.context.clone(),
        });
        assert!(matches!(outcome, Outcome::Acquired(_)), "{who}: {outcome:?}");
    }

    /// The start of a sub-agent.
    #[track_caller]
    pub(crate) fn starts(&mut self, who: &str) {
        let context = self.context.clone();
        assert_eq!(self.run(&Op::SubagentStart { owner: owner(who), context }), Outcome::Done);
    }

    /// A Stop, or a sub-agent's, of a client that lists nothing.
    #[track_caller]
    pub(crate) fn stops(&mut self, who: &str) -> Released {
        self.ends(who, End::Stop(None))
    }

    /// A Stop with the sub-agents and shells that still run.
    #[track_caller]
    pub(crate) fn stops_with(
        &mut self,
        who: &str,
        subagents: &[&str],
        shells: &[&str],
    ) -> Released {
        let names = |list: &[&str]| list.iter().map(|&name| name.to_owned()).collect();
        let running = Running { subagents: names(subagents), shells: names(shells) };
        self.ends(who, End::Stop(Some(running)))
    }

    /// An interrupt that is told.
    #[track_caller]
    pub(crate) fn is_interrupted(&mut self, who: &str) -> Released {
        self.ends(who, End::Interrupt)
    }

    #[track_caller]
    fn ends(&mut self, who: &str, how: End) -> Released {
        let context = self.context.clone();
        self.released(&Op::End { owner: owner(who), how, context })
    }

    /// The end of a session.
    #[track_caller]
    pub(crate) fn ends_session(&mut self, session: &str) -> Released {
        let context = self.context.clone();
        self.released(&Op::EndSession { session: session.to_owned(), context })
    }

    /// A call of no shell has run: what its owner is told.
    #[track_caller]
    pub(crate) fn posts(&mut self, who: &str) -> Vec<String> {
        self.posted(who, &[], None).1
    }

    /// A shell call has ended.
    #[track_caller]
    pub(crate) fn call_ends(&mut self, who: &str, id: &str) {
        self.posted(who, &[], Some((id.to_owned(), CallState::Ended)));
    }

    /// A shell call goes on in the background, as this task if that is told.
    #[track_caller]
    pub(crate) fn call_goes_on(&mut self, who: &str, id: &str, task: Option<&str>) {
        let task = task.map(str::to_owned);
        self.posted(who, &[], Some((id.to_owned(), CallState::GoesOn(task))));
    }

    /// A call has run: who else holds what it wrote, and what its owner is told.
    #[track_caller]
    pub(crate) fn posted(
        &mut self,
        who: &str,
        paths: &[&str],
        call: Option<(String, CallState)>,
    ) -> (Vec<String>, Vec<String>) {
        let resources = paths.iter().map(|path| resource(path)).collect();
        let context = self.context.clone();
        match self.run(&Op::Post { owner: owner(who), resources, call, context }) {
            Outcome::Posted(taken, notes) => (told(&taken), noted(&notes)),
            other => panic!("no answer to a post: {other:?}"),
        }
    }

    /// What the operating system says of a process from now on.
    #[track_caller]
    pub(crate) fn fate(&mut self, number: u32, standing: Standing) {
        let fate = Op::Fate { process: Process(number), standing };
        assert_eq!(self.run(&fate), Outcome::Done);
    }
}
