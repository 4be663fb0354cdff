//! Tales: what sessions do in this order in real use, and what chance alone puts in this order too
//! seldom. Each is told with steps left out and others put in between.

use leasehold_model::{
    CallState, Context, End, Op, Owner, Process, Resource, Running, ShellCall, Sighting, Standing,
    Terms,
};

use super::{Dice, Swarm, TTL_MS, operation};
use crate::scenario::{Program, Step};

/// One tale of a session, in which another one gets in its way.
pub(super) fn tale(dice: &mut Dice, swarm: &Swarm) -> Program {
    let session = *dice.one_of(&swarm.sessions);
    let other = if session == "s2" { "s1" } else { "s2" };
    let mut tale = Tale {
        session,
        other: owner(other, "t1"),
        path: Resource::new(dice.one_of::<&str>(&swarm.paths)),
        context: swarm.context.clone(),
        steps: Vec::new(),
    };
    let mut tales: Vec<fn(&mut Tale, &mut Dice)> = vec![
        Tale::background_subagent,
        Tale::background_shell,
        Tale::lost_and_held_again,
        Tale::doubt,
    ];
    if swarm.context.begins {
        tales.push(Tale::held_by_a_subagents_events);
    }
    if swarm.context.minted {
        tales.push(Tale::minted);
    }
    if !swarm.agents.is_empty() {
        tales.extend([
            Tale::two_terminals as fn(&mut Tale, &mut Dice),
            Tale::terminal_that_nobody_knows_of,
            Tale::seen_in_one_call,
        ]);
    }
    dice.one_of(&tales)(&mut tale, dice);
    let mut told = Program::new();
    for step in tale.steps {
        if dice.is(15) {
            told.push(Step::Ask(Box::new(operation(dice, swarm))));
        }
        if !dice.is(8) {
            told.push(step);
        }
    }
    told
}

fn owner(session: &str, epoch: &str) -> Owner {
    Owner { session: session.to_owned(), epoch: epoch.to_owned() }
}

/// A tale, as far as it is told.
struct Tale {
    session: &'static str,
    /// Who gets in the way.
    other: Owner,
    /// What it is about.
    path: Resource,
    context: Context,
    steps: Vec<Step>,
}

/// Nothing is listed as running.
const NOTHING: Running = Running { subagents: Vec::new(), shells: Vec::new() };

fn lists_subagent() -> Running {
    Running { subagents: vec!["a".to_owned()], ..NOTHING }
}

impl Tale {
    /// A sub-agent goes on after the turn, is in the list of one end, and then not in that of the
    /// next, or that end has none.
    fn background_subagent(&mut self, dice: &mut Dice) {
        self.begins("t1").starts("a").acquires("agent:a");
        self.ends("t1", Some(lists_subagent())).ends("t1", dice.is(50).then_some(NOTHING));
        self.other_acquires();
    }

    /// A shell call goes on after the turn, in the same way.
    fn background_shell(&mut self, dice: &mut Dice) {
        self.acquires_in("t1", "c1", dice.is(70));
        self.wrote("t1", Some(CallState::GoesOn(dice.is(70).then(|| "task".to_owned()))));
        self.ends("t1", Some(Running { shells: vec!["task".to_owned()], ..NOTHING }));
        self.other_acquires().ends("t1", dice.is(50).then_some(NOTHING)).other_acquires();
    }

    /// A lease expires, is found dead, is taken again and given back; then the other one has it.
    fn lost_and_held_again(&mut self, dice: &mut Dice) {
        self.acquires("t1").waits(TTL_MS + i64::from(dice.below(2)));
        if dice.is(60) {
            self.asks(Op::Reap);
        } else {
            self.other_acquires();
        }
        self.acquires("t1").ends("t1", None).other_acquires();
        if dice.is(50) {
            self.wrote("t1", None);
        } else {
            self.acquires("t1");
        }
    }

    /// A turn is interrupted while its sub-agent writes, or has ended before, or has told that the
    /// sub-agent goes on; then the next turn, or a sibling, wants what the sub-agent holds.
    fn doubt(&mut self, dice: &mut Dice) {
        self.begins("t1").starts("a").acquires("agent:a");
        match dice.below(4) {
            0 => self.begins("t2").wrote("agent:a", None),
            1 => self.ends("t1", None).begins("t2"),
            2 => self.ends("t1", Some(lists_subagent())).begins("t2").begins("t3"),
            _ => self.begins("t2"),
        };
        self.acquires(dice.one_of::<&str>(&["t2", "t3", "agent:b"])).other_acquires();
    }

    /// A turn says nothing for a whole TTL, but its sub-agent does, which renews what it holds.
    fn held_by_a_subagents_events(&mut self, dice: &mut Dice) {
        self.acquires("t1").starts("a").waits(TTL_MS - 1000).wrote("agent:a", None);
        self.waits(1000 + i64::from(dice.below(2))).acquires("t2").other_acquires();
    }

    /// A client without turn ids: one turn ends, and another begins.
    fn minted(&mut self, dice: &mut Dice) {
        self.begins("").acquires("").ends("", None);
        if dice.is(50) {
            self.begins("");
        }
        self.acquires("").other_acquires();
    }

    /// Two terminals of one session: what the one does is not the other's.
    fn two_terminals(&mut self, dice: &mut Dice) {
        self.is_in(Process(1), true, "c1").acquires_in("t1", "c1", true);
        self.wrote("t1", Some(CallState::GoesOn(Some("task".to_owned()))));
        self.is_in(Process(2), dice.is(80), "c2").begins("t2").ends("t2", Some(NOTHING));
        self.other_acquires();
    }

    /// Of one of two terminals nothing is proven.
    fn terminal_that_nobody_knows_of(&mut self, dice: &mut Dice) {
        self.is_in(Process(1), true, "c1").acquires("t1");
        let standing = *dice.one_of(&[Standing::Unknown, Standing::Unknown, Standing::Gone]);
        self.asks(Op::Fate { process: Process(1), standing });
        self.is_in(Process(2), true, "c2").begins("t2").other_acquires();
    }

    /// A helper is seen before and after one call, and is gone after it.
    fn seen_in_one_call(&mut self, dice: &mut Dice) {
        self.is_in(Process(1), false, "c1").acquires("t1").waits(1000 + i64::from(dice.below(2)));
        self.is_in(Process(1), false, dice.one_of::<&str>(&["c1", "c1", "c2"])).wrote("t1", None);
        self.asks(Op::Fate { process: Process(1), standing: Standing::Gone });
        self.other_acquires();
    }

    fn asks(&mut self, op: Op) -> &mut Self {
        self.steps.push(Step::Ask(Box::new(op)));
        self
    }

    fn waits(&mut self, millis: i64) -> &mut Self {
        self.steps.push(Step::Wait(millis));
        self
    }

    /// From here on its events come from this process.
    fn is_in(&mut self, process: Process, certain: bool, call: &str) -> &mut Self {
        self.context.sighting = Some(Sighting { process, certain, call: Some(call.to_owned()) });
        self
    }

    fn begins(&mut self, epoch: &str) -> &mut Self {
        let (owner, context) = (owner(self.session, epoch), self.context.clone());
        self.asks(Op::Begin { owner, context })
    }

    fn starts(&mut self, id: &str) -> &mut Self {
        let (owner, context) = (Owner::subagent(self.session, id), self.context.clone());
        self.asks(Op::SubagentStart { owner, context })
    }

    fn acquires(&mut self, epoch: &str) -> &mut Self {
        self.takes(owner(self.session, epoch), None)
    }

    fn acquires_in(&mut self, epoch: &str, id: &str, background: bool) -> &mut Self {
        let call = ShellCall { id: id.to_owned(), background };
        self.takes(owner(self.session, epoch), Some(call))
    }

    fn other_acquires(&mut self) -> &mut Self {
        self.takes(self.other.clone(), None)
    }

    fn takes(&mut self, owner: Owner, call: Option<ShellCall>) -> &mut Self {
        // The other one runs elsewhere.
        let elsewhere = owner == self.other;
        let sighting = self.context.sighting.clone().filter(|_| !elsewhere);
        let context = Context { sighting, ..self.context.clone() };
        let terms = Terms { agent: "test".to_owned(), ttl: TTL_MS, note: None };
        let resources = vec![self.path.clone()];
        self.asks(Op::Acquire { owner, resources, trees: Vec::new(), terms, call, context })
    }

    /// A tool call has run; where a state is given, it was the shell call `c1`.
    fn wrote(&mut self, epoch: &str, state: Option<CallState>) -> &mut Self {
        let owner = owner(self.session, epoch);
        let (resources, context) = (vec![self.path.clone()], self.context.clone());
        let call = state.map(|state| ("c1".to_owned(), state));
        self.asks(Op::Post { owner, resources, call, context })
    }

    fn ends(&mut self, epoch: &str, running: Option<Running>) -> &mut Self {
        let (owner, context) = (owner(self.session, epoch), self.context.clone());
        self.asks(Op::End { owner, how: End::Stop(running), context })
    }
}
