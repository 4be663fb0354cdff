//! A good step that is spoilt by hand, for the tests of the checker.

#![allow(dead_code, reason = "each test file needs only some of it")]

use leasehold_model::{
    Call, CallState, Context, End, Lease, Millis, Op, Outcome, Running, State, Violation,
    check_step, step,
};

use crate::common::{TTL, World, owner, resource, terms};

/// A good step, to be spoilt.
#[derive(Clone)]
pub(crate) struct Step {
    pub(crate) before: State,
    pub(crate) op: Op,
    pub(crate) outcome: Outcome,
    pub(crate) after: State,
    now: Millis,
}

impl Step {
    /// The step at the world's moment, which is good.
    pub(crate) fn of(world: &World, op: Op) -> Self {
        let now = world.now;
        let (after, outcome) = step(&world.state, &op, now);
        let taken = Self { before: world.state.clone(), op, outcome, after, now };
        assert_eq!(taken.check(), Ok(()));
        taken
    }

    pub(crate) fn check(&self) -> Result<(), Violation> {
        check_step(&self.before, &self.op, &self.outcome, &self.after, self.now)
    }

    /// Spoils a copy, which must then break this rule.
    #[track_caller]
    pub(crate) fn breaks(&self, rule: &str, spoil: impl FnOnce(&mut Self)) {
        let mut spoilt = self.clone();
        spoil(&mut spoilt);
        let broken = spoilt.check().expect_err("a spoilt step");
        assert_eq!(broken.rule, rule, "{}", broken.detail);
        assert!(!broken.detail.is_empty());
    }

    /// The lease on this path in the state after, to be spoilt.
    pub(crate) fn left(&mut self, path: &str) -> &mut Lease {
        let lease = self.after.leases.iter_mut().find(|one| one.resource.path() == path);
        lease.expect("a lease")
    }

    /// The lease on this path goes from the state after.
    pub(crate) fn drop(&mut self, path: &str) {
        self.left(path);
        self.after.leases.retain(|one| one.resource.path() != path);
    }

    /// The lease on this path is after the step as it was before, its expiry renewed or not.
    pub(crate) fn undo(&mut self, path: &str) {
        let old = self.before.get(&resource(path)).expect("a lease").clone();
        self.after.leases.retain(|one| one.resource.path() != path);
        self.after.leases.push(old);
    }
}

pub(crate) fn acquire(who: &str, path: &str, context: Context) -> Op {
    let resources = vec![resource(path)];
    Op::Acquire {
        owner: owner(who),
        resources,
        trees: Vec::new(),
        terms: terms(TTL),
        call: None,
        context,
    }
}

pub(crate) fn plain(who: &str, path: &str) -> Op {
    acquire(who, path, Context::default())
}

pub(crate) fn begin(who: &str) -> Op {
    Op::Begin { owner: owner(who), context: Context::default() }
}

pub(crate) fn end(who: &str, how: End) -> Op {
    Op::End { owner: owner(who), how, context: Context::default() }
}

pub(crate) fn listing(subagents: &[&str], shells: &[&str]) -> End {
    let names = |list: &[&str]| list.iter().map(|&name| name.to_owned()).collect();
    End::Stop(Some(Running { subagents: names(subagents), shells: names(shells) }))
}

pub(crate) fn post(who: &str, call: Option<(&str, CallState)>) -> Op {
    let call = call.map(|(id, state)| (id.to_owned(), state));
    Op::Post { owner: owner(who), resources: Vec::new(), call, context: Context::default() }
}

/// Everybody of session s1 holds something: `s1@t1` `/f`, `/fore` by c1 and `/back` by c2 in the
/// background, the sub-agents a and b `/a` and `/b`, nobody's turn `/none`; `s2@t1` holds `/other`.
pub(crate) fn all_hold() -> World {
    let mut world = World::new();
    world.begins("s1@t1");
    world.grants("s1@t1", &["/f"]);
    world.shell("s1@t1", "/fore", "c1");
    world.shell_in_background("s1@t1", "/back", "c2");
    world.starts("s1@agent:a");
    world.grants("s1@agent:a", &["/a"]);
    world.starts("s1@agent:b");
    world.grants("s1@agent:b", &["/b"]);
    world.grants("s1", &["/none"]);
    world.grants("s2@t1", &["/other"]);
    world
}

/// Nothing of these paths may go, change hands or last longer by the step.
#[track_caller]
pub(crate) fn leaves(taken: &Step, rule: &str, paths: &[&str]) {
    for path in paths {
        taken.breaks(rule, |step| step.drop(path));
        taken.breaks(rule, |step| step.left(path).owner = owner("s9@t9"));
        taken.breaks(rule, |step| step.left(path).expires -= 1);
    }
}

pub(crate) fn calls(ids: &[&str]) -> Vec<Call> {
    let call = |id: &&str| Call { id: (*id).to_owned(), background: true, task: None };
    ids.iter().map(call).collect()
}
