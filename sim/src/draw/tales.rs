//! Tales: what sessions do in this order in real use, and what chance alone puts in this order too
//! seldom. Each is told with steps left out and others put in between.

use leasehold_model::{CallState, Context, End, Op, Owner, Resource, Running, ShellCall, Terms};

use super::{Dice, Swarm, TTL_MS, operation};
use crate::scenario::{Program, Step};

/// One tale of a session, in which another one gets in its way.
pub(super) fn tale(dice: &mut Dice, swarm: &Swarm) -> Program {
    let session = *dice.one_of(&swarm.sessions);
    let other = if session == "s2" { "s1" } else { "s2" };
    let cast = Cast {
        main: owner(session, "t1"),
        subagent: Owner::subagent(session, "a"),
        other: owner(other, "t1"),
        path: Resource::new(dice.one_of::<&str>(&swarm.paths)),
        context: swarm.context.clone(),
    };
    let steps = match dice.below(3) {
        0 => cast.background_subagent(dice),
        1 => cast.background_shell(dice),
        _ => cast.lost_and_held_again(dice),
    };
    let mut told = Program::new();
    for step in steps {
        if dice.is(15) {
            told.push(Step::Ask(Box::new(operation(dice, swarm))));
        }
        if !dice.is(10) {
            told.push(step);
        }
    }
    told
}

fn owner(session: &str, epoch: &str) -> Owner {
    Owner { session: session.to_owned(), epoch: epoch.to_owned() }
}

fn ask(op: Op) -> Step {
    Step::Ask(Box::new(op))
}

/// Who is in a tale, and the path that it is about.
struct Cast {
    main: Owner,
    subagent: Owner,
    other: Owner,
    path: Resource,
    context: Context,
}

impl Cast {
    /// A sub-agent goes on after the turn, is in the list of one end, and then not in that of the
    /// next, or that end has none.
    fn background_subagent(&self, dice: &mut Dice) -> Vec<Step> {
        let start = Op::SubagentStart { owner: self.subagent.clone(), context: self.context() };
        vec![
            ask(Op::Begin { owner: self.main.clone(), context: self.context() }),
            ask(start),
            self.acquires(&self.subagent, None),
            self.ends(Some(Running { subagents: vec!["a".to_owned()], shells: Vec::new() })),
            self.ends(dice.is(50).then(Running::default)),
            self.acquires(&self.other, None),
        ]
    }

    /// A shell call goes on after the turn, in the same way.
    fn background_shell(&self, dice: &mut Dice) -> Vec<Step> {
        let call = ShellCall { id: "c1".to_owned(), background: dice.is(70) };
        let goes_on = CallState::GoesOn(dice.is(70).then(|| "task".to_owned()));
        let post = Op::Post {
            owner: self.main.clone(),
            resources: vec![self.path.clone()],
            call: Some((call.id.clone(), goes_on)),
            context: self.context(),
        };
        vec![
            self.acquires(&self.main, Some(call)),
            ask(post),
            self.ends(Some(Running { subagents: Vec::new(), shells: vec!["task".to_owned()] })),
            self.acquires(&self.other, None),
            self.ends(dice.is(50).then(Running::default)),
            self.acquires(&self.other, None),
        ]
    }

    /// A lease expires, is found dead, is taken again and given back; then the other one has it.
    fn lost_and_held_again(&self, dice: &mut Dice) -> Vec<Step> {
        let post = Op::Post {
            owner: self.main.clone(),
            resources: vec![self.path.clone()],
            call: None,
            context: self.context(),
        };
        vec![
            self.acquires(&self.main, None),
            Step::Wait(TTL_MS + i64::from(dice.below(2))),
            if dice.is(60) { ask(Op::Reap) } else { self.acquires(&self.other, None) },
            self.acquires(&self.main, None),
            self.ends(None),
            self.acquires(&self.other, None),
            if dice.is(50) { ask(post) } else { self.acquires(&self.main, None) },
        ]
    }

    fn context(&self) -> Context {
        self.context.clone()
    }

    fn acquires(&self, owner: &Owner, call: Option<ShellCall>) -> Step {
        ask(Op::Acquire {
            owner: owner.clone(),
            resources: vec![self.path.clone()],
            trees: Vec::new(),
            terms: Terms { agent: "test".to_owned(), ttl: TTL_MS, note: None },
            call,
            context: self.context(),
        })
    }

    fn ends(&self, running: Option<Running>) -> Step {
        ask(Op::End { owner: self.main.clone(), how: End::Stop(running), context: self.context() })
    }
}
