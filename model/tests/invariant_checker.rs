//! The checker of the invariants itself: it must be able to fail.
//!
//! Goal: for each rule that it can name, a state or a step that breaks the rule is found out, and
//! the nearest one that keeps it is not.
//! Method: good steps are taken, and then their result is spoilt by hand.
//! `invariant_checker_hook.rs` has what hooks tell.

mod common;
#[path = "common/spoilt.rs"]
mod spoilt;

use common::{TTL, World, old_row, owner, resource, terms};
use leasehold_model::{Busy, Context, Form, Lease, Op, Outcome, Released, State, check_state};
use spoilt::Step;

/// Spoils a good state, which must then break this rule.
#[track_caller]
fn state_breaks(rule: &str, good: &State, spoil: impl FnOnce(&mut Vec<Lease>)) {
    assert_eq!(check_state(good, 0), Ok(()));
    let mut spoilt = good.clone();
    spoil(&mut spoilt.leases);
    let broken = check_state(&spoilt, 0).expect_err("a spoilt state");
    assert_eq!(broken.rule, rule, "{}", broken.detail);
}

fn acquire(who: &str, paths: &[&str]) -> Op {
    let resources = paths.iter().map(|path| resource(path)).collect();
    Op::Acquire {
        trees: Vec::new(),
        owner: owner(who),
        resources,
        terms: terms(TTL),
        call: None,
        context: Context::default(),
    }
}

fn release(who: &str) -> Op {
    Op::Release { owner: owner(who), hand_over: false }
}

/// `s1@t1` holds `/a`, `s2@t1` holds `/b`.
fn two_hold() -> World {
    let mut world = World::new();
    world.grants("s1@t1", &["/a"]);
    world.grants("s2@t1", &["/b"]);
    world
}

#[test]
fn r1_two_live_owners_of_one_file() {
    let world = two_hold();
    for near in ["/a", "/a/x", "/"] {
        state_breaks("R1", &world.state, |leases| leases[1].resource = resource(near));
    }
}

#[test]
fn r1_spares_the_dead_the_own_the_neighbour_and_old_engines() {
    let spared: [fn(&mut Lease); 4] = [
        |lease| lease.expires = 0,
        |lease| lease.owner = owner("s1@t1"),
        |lease| lease.resource = resource("/ab"),
        |lease| lease.fence = None,
    ];
    for spare in spared {
        let mut world = two_hold();
        world.state.leases[1].resource = resource("/a/x");
        assert!(check_state(&world.state, 0).is_err());
        spare(&mut world.state.leases[1]);
        assert_eq!(check_state(&world.state, 0), Ok(()));
    }
}

#[test]
fn r2_a_grant_in_part() {
    let taken = Step::of(&World::new(), acquire("s1@t1", &["/a", "/b"]));
    taken.breaks("R2", |step| _ = step.after.leases.pop());
    taken.breaks("R2", |step| step.after.leases[0].owner = owner("s1@t2"));
    taken.breaks("R2", |step| step.after.leases[0].expires = 0);
    taken.breaks("R2", |step| {
        if let Outcome::Acquired(grants) = &mut step.outcome {
            grants.pop();
        }
    });
}

#[test]
fn r2_a_refusal_that_changes_something() {
    let taken = Step::of(&two_hold(), acquire("s1@t1", &["/a", "/b", "/c"]));
    taken.breaks("R2", |step| _ = step.after.leases.remove(0));
    taken.breaks("R2", |step| step.after.leases[0].expires -= 1);
    taken.breaks("R2", |step| {
        let granted =
            Lease { resource: resource("/c"), fence: None, ..step.after.leases[0].clone() };
        step.after.leases.push(granted);
    });
}

#[test]
fn r5_a_holder_that_is_none() {
    let taken = Step::of(&two_hold(), acquire("s3@t1", &["/b"]));
    let renamed = |spoil: fn(&mut Busy)| {
        move |step: &mut Step| {
            if let Outcome::Busy(busy) = &mut step.outcome {
                spoil(busy);
            }
        }
    };
    taken.breaks("R5", renamed(|busy| busy.holders.clear()));
    taken.breaks("R5", renamed(|busy| busy.holders[0].owner = owner("s9@t1")));
    taken.breaks("R5", renamed(|busy| busy.holders[0].expires += 1));
    taken.breaks("R5", |step| step.op = acquire("s2@t1", &["/b"]));
    taken.breaks("R5", |step| {
        // Dead, in the state and in the answer alike, and not met.
        step.before.leases[0].expires = 0;
        step.after.leases[0].expires = 0;
        let dead = step.after.leases[0].clone();
        if let Outcome::Busy(busy) = &mut step.outcome {
            busy.holders.push(dead);
        }
    });
}

#[test]
fn r6_a_release_that_takes_too_much_or_too_little() {
    let taken = Step::of(&two_hold(), release("s1@t1"));
    taken.breaks("R6", |step| step.after.leases.clear());
    taken.breaks("R6", |step| step.after = step.before.clone());
    taken.breaks("R6", |step| step.op = release("s1@t2"));
}

#[test]
fn r6_takes_migrated_rows_only_where_it_hands_over() {
    let world = World::upgraded(Form::First, &[old_row("s1", "/a", 0, 100)]);
    let hands_over = Op::Release { owner: owner("s1@t1"), hand_over: true };
    let taken = Step::of(&world, hands_over);
    taken.breaks("R6", |step| step.op = release("s1@t1"));
    taken.breaks("R6", |step| step.before.leases[0].migrated = false);
    taken.breaks("R6", |step| step.after = step.before.clone());
}

#[test]
fn r6_an_absent_that_is_a_mismatch() {
    let taken = Step::of(&two_hold(), release("s1@t2"));
    taken.breaks("R6", |step| step.outcome = Outcome::Released(Released::Absent));
}

#[test]
fn r7_a_migrated_row_that_was_granted() {
    let world = World::upgraded(Form::First, &[old_row("s1", "/a", 0, 100)]);
    state_breaks("R7", &world.state, |leases| leases[0].owner = owner("s1@t1"));
    let granted = two_hold();
    state_breaks("R7", &granted.state, |leases| leases[0].migrated = true);
    state_breaks("R7", &granted.state, |leases| {
        leases[0].migrated = true;
        leases[0].owner = owner("s1");
    });
}

#[test]
fn r7_a_flag_that_comes_later() {
    let mut world = World::new();
    world.old_engine_writes(old_row("s1", "/a", 0, 100));
    let opens = Op::Open { boot: "boot 1".to_owned() };
    for op in [opens.clone(), acquire("s2@t1", &["/b"]), Op::Reap] {
        Step::of(&world, op).breaks("R7", |step| step.after.leases[0].migrated = true);
    }
    let upgrade = Step::of(&World::left_behind(Form::First, &[old_row("s1", "/a", 0, 100)]), opens);
    assert!(upgrade.after.leases[0].migrated, "the upgrade alone may");
}

#[test]
fn r14_a_fence_that_stands_twice() {
    let world = two_hold();
    state_breaks("R14", &world.state, |leases| leases[1].fence = leases[0].fence);
}

#[test]
fn r14_a_count_that_goes_back() {
    let taken = Step::of(&two_hold(), acquire("s3@t1", &["/c"]));
    taken.breaks("R14", |step| step.after.count = 1);
    taken.breaks("R14", |step| step.after.generation = 0);
}
