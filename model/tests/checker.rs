//! Goal: the invariant checker can fail. A checker that never does proves nothing.
//! Method: for every rule that it names, a true step that somebody spoiled by hand.

mod common;

use common::{TTL, Table, old_row, owner, resource};
use leasehold_model::{
    Busy, Fence, Form, Lease, Op, Outcome, Released, State, Terms, Violation, check_state,
    check_step, step,
};

/// A step as it happened, to be spoiled before it is checked.
struct Step {
    before: State,
    op: Op,
    outcome: Outcome,
    after: State,
    now: i64,
}

impl Step {
    fn of(table: &Table, op: Op) -> Self {
        let (after, outcome) = step(&table.state, &op, table.now);
        let it = Self { before: table.state.clone(), op, outcome, after, now: table.now };
        assert_eq!(it.check(), Ok(()), "true before it is spoiled");
        it
    }

    fn check(&self) -> Result<(), Violation> {
        check_step(&self.before, &self.op, &self.outcome, &self.after, self.now)
    }

    /// The rule that the spoiled step breaks.
    fn spoiled(mut self, spoil: impl FnOnce(&mut Self)) -> &'static str {
        spoil(&mut self);
        self.check().expect_err("the checker must see it").rule
    }
}

/// A table on which `s#t1` holds /a and /b and `x` holds /x.
fn table() -> Table {
    let mut table = Table::new();
    table.gets("s#t1", &["/a", "/b"]);
    table.gets("x", &["/x"]);
    table
}

fn acquire(who: &str, paths: &[&str]) -> Op {
    let terms = Terms { agent: String::new(), ttl: TTL, note: None };
    let resources = paths.iter().copied().map(resource).collect();
    Op::Acquire { owner: owner(who), resources, terms }
}

fn release(who: &str) -> Op {
    Op::Release { owner: owner(who), hand_over: true }
}

fn broken(mut spoil: impl FnMut(&mut [Lease])) -> Option<&'static str> {
    let mut table = table();
    assert_eq!(check_state(&table.state, table.now), Ok(()));
    spoil(&mut table.state.leases);
    check_state(&table.state, table.now).err().map(|violation| violation.rule)
}

#[test]
fn r1_two_live_owners_that_overlap() {
    assert_eq!(broken(|leases| leases[2].resource = resource("/a/c")), Some("R1"));
    let dead = |leases: &mut [Lease]| {
        leases[2].resource = resource("/a/c");
        leases[2].expires = 1000;
    };
    assert_eq!(broken(dead), None, "the dead may overlap");
    let old = |leases: &mut [Lease]| {
        leases[2].resource = resource("/a/c");
        leases[2].fence = None;
    };
    assert_eq!(broken(old), None, "so may an old engine's row");
}

#[test]
fn r7_a_granted_row_that_is_flagged() {
    assert_eq!(broken(|leases| leases[0].migrated = true), Some("R7"));
    let tokened = |leases: &mut [Lease]| {
        leases[0].migrated = true;
        leases[0].fence = None;
    };
    assert_eq!(broken(tokened), Some("R7"));
}

#[test]
fn r7_a_flag_from_nowhere() {
    let rule = Step::of(&table(), Op::Reap).spoiled(|it| {
        it.after.leases[2].migrated = true;
        it.after.leases[2].fence = None;
    });
    assert_eq!(rule, "R7");
    let mut table = Table::left_by(Form::First, &[old_row("s", "/a")]);
    Step::of(&table, Op::Open { boot: "boot".to_owned() });
    table.open("boot");
    table.gets("s", &["/a"]);
    let rule = Step::of(&table, Op::Open { boot: "other".to_owned() }).spoiled(|it| {
        it.after.leases[0].migrated = true;
        it.after.leases[0].fence = None;
    });
    assert_eq!(rule, "R7", "a second open flags nothing");
}

#[test]
fn r14_one_fence_twice() {
    assert_eq!(broken(|leases| leases[1].fence = leases[0].fence), Some("R14"));
    assert_eq!(broken(|leases| leases[1].fence = Some(Fence(1))), None);
}

#[test]
fn r14_a_count_or_a_generation_that_goes_back() {
    let count = Step::of(&table(), Op::Reap).spoiled(|it| it.after.count -= 1);
    let generation = Step::of(&table(), Op::Reap).spoiled(|it| it.after.generation -= 1);
    assert_eq!((count, generation), ("R14", "R14"));
}

#[test]
fn r2_a_grant_in_part() {
    let granted = || Step::of(&table(), acquire("s#t1", &["/a", "/c"]));
    let missing = granted().spoiled(|it| it.after.leases.retain(|l| l.resource.path() != "/c"));
    let untold = granted().spoiled(|it| {
        if let Outcome::Acquired(grants) = &mut it.outcome {
            grants.pop();
        }
    });
    let dead = granted().spoiled(|it| it.after.leases[0].expires = it.now);
    let others = granted().spoiled(|it| it.after.leases[0].owner = owner("s#t2"));
    assert_eq!([missing, untold, dead, others], ["R2"; 4]);
}

#[test]
fn r2_a_refusal_that_changes_something() {
    let refused = || Step::of(&table(), acquire("y#t1", &["/a", "/c"]));
    let lost = refused().spoiled(|it| drop(it.after.leases.remove(2)));
    let renewed = refused().spoiled(|it| it.after.leases[2].expires += 1);
    let partial = refused().spoiled(|it| {
        let lease = Lease { resource: resource("/c"), fence: None, ..it.after.leases[0].clone() };
        it.after.leases.push(lease);
    });
    assert_eq!([lost, renewed, partial], ["R2"; 3]);
}

#[test]
fn r5_a_holder_that_is_none() {
    let refused = || Step::of(&table(), acquire("y#t1", &["/a"]));
    let nobody = refused().spoiled(|it| it.outcome = Outcome::Busy(Busy { holders: Vec::new() }));
    let invented = refused().spoiled(|it| {
        if let Outcome::Busy(busy) = &mut it.outcome {
            busy.holders[0].owner = owner("z");
        }
    });
    let caller = refused().spoiled(|it| it.op = acquire("s#t1", &["/a"]));
    assert_eq!([nobody, invented, caller], ["R5"; 3]);
}

#[test]
fn r6_a_release_too_wide_or_too_narrow() {
    let released = || Step::of(&table(), release("s#t1"));
    let wide = released().spoiled(|it| it.after.leases.clear());
    let narrow = released().spoiled(|it| it.after = it.before.clone());
    let foreign = released().spoiled(|it| it.op = release("s#t2"));
    assert_eq!([wide, narrow, foreign], ["R6"; 3]);
}

#[test]
fn r6_an_absence_that_is_a_mismatch() {
    let rule = Step::of(&table(), release("s#t2"))
        .spoiled(|it| it.outcome = Outcome::Released(Released::Absent));
    assert_eq!(rule, "R6");
}
