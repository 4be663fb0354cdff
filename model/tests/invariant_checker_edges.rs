//! The checker of the invariants at its edges: what is nearly allowed.
//!
//! Goal: a check is as strict as its rule, to the last of its conditions, and not stricter.
//! Method: that of `invariant_checker.rs`: good steps are taken, and then spoilt by hand, so that
//! all conditions but one of some permission hold.

mod common;
#[path = "common/spoilt.rs"]
mod spoilt;

use common::hook::{in_process, marks, seen};
use common::{DAY, TTL, World, old_row, owner, resource};
use leasehold_model::{
    BELIEVED_AFTER_MS, CallState, Context, End, Fence, Form, Op, Outcome, Standing,
};
use spoilt::{Step, acquire, all_hold, begin, calls, end, listing, plain, post};

/// After the step this is a turn that a later one has superseded.
fn retire(step: &mut Step, who: &str) {
    let mut turn = step.after.turns[0].clone();
    turn.owner = owner(who);
    turn.retired = true;
    step.after.turns.retain(|one| one.owner != turn.owner);
    step.after.turns.push(turn);
}

#[test]
fn r2_a_grant_that_tells_another_fence() {
    let taken = Step::of(&World::new(), plain("s1@t1", "/a"));
    taken.breaks("R2", |step| {
        if let Outcome::Acquired(grants) = &mut step.outcome {
            grants[0].fence = Fence(1);
        }
    });
}

#[test]
fn r9_what_was_not_asked_for_is_not_handed_down_nor_without_a_new_fence() {
    let mut world = World::new();
    world.begins("s1@t1");
    world.grants("s1@t1", &["/far"]);
    world.grants("s1@t1", &["/f"]);
    world.starts("s1@agent:a");
    let taken = Step::of(&world, plain("s1@agent:a", "/f"));
    let hand_down_too = |step: &mut Step| {
        step.after.count += 1;
        let fence = Fence::new(step.after.generation, step.after.count);
        let far = step.left("/far");
        (far.owner, far.fence) = (owner("s1@agent:a"), Some(fence));
    };
    taken.breaks("R1", hand_down_too);
    taken.breaks("R1", |step| {
        hand_down_too(step);
        // Its own dead lease above both went by the way.
        let mut own = step.after.leases[0].clone();
        (own.resource, own.expires, own.fence) = (resource("/"), 0, None);
        step.before.leases.push(own);
    });
    taken.breaks("R9", |step| {
        let old = step.before.get(&resource("/f")).expect("a lease").fence;
        step.left("/f").fence = old;
        if let (Outcome::Acquired(grants), Some(old)) = (&mut step.outcome, old) {
            grants[0].fence = old;
        }
    });
    taken.breaks("R9", |step| step.before.leases[0].used = step.after.subagents[0].started);
}

#[test]
fn r13_a_reclaim_of_what_was_not_there_or_is_not_dead() {
    let mut world = World::new();
    world.with(in_process(1)).grants("s1@t1", &["/f"]);
    world.fate(1, Standing::Gone);
    world.grants("s3@t1", &["/g"]);
    world.state.leases[1].process = None;
    let taken = Step::of(&world, plain("s2@t1", "/f"));
    for path in ["/x", "/g"] {
        taken.breaks("R13", |step| {
            let mut lease = step.before.leases[0].clone();
            lease.resource = resource(path);
            let stranger = step.before.get(&resource(path)).cloned().unwrap_or(lease);
            if let Outcome::Reclaimed(_, leases) = &mut step.outcome {
                leases.push(stranger);
            }
        });
    }
}

#[test]
fn r4_a_new_grant_that_began_before_it() {
    let mut world = World::new();
    world.grants("s1@t1", &["/f"]);
    let taken = Step::of(world.at(TTL), plain("s2@t1", "/f"));
    taken.breaks("R4", |step| step.left("/f").acquired = 0);
}

#[test]
fn r11_only_a_sub_agent_renews_what_another_owner_holds_and_only_of_its_session() {
    let mut world = World::new();
    world.begins("s1@t1");
    world.grants("s2@t1", &["/other"]);
    world.grants("s1@t0", &["/t0"]);
    world.grants("s1@t1", &["/f"]);
    world.at(5);
    let renewed = |path: &'static str| move |step: &mut Step| step.left(path).expires = 5 + TTL;
    for (who, path) in [("s1@t2", "/f"), ("s2@agent:a", "/f"), ("s1@t2", "/other")] {
        Step::of(&world, plain(who, "/new")).breaks("R1", renewed(path));
    }
    for path in ["/t0", "/other"] {
        Step::of(&world, begin("s1@t1")).breaks("R8", renewed(path));
        Step::of(&world, post("s1@t1", None)).breaks("R10", renewed(path));
    }
    // A sub-agent's prompt renews its main thread's.
    let prompt = Step::of(&world, begin("s1@agent:a"));
    assert_eq!(prompt.after.get(&resource("/f")).expect("a lease").expires, 5 + TTL);
}

#[test]
fn r11_a_renewal_that_is_not_due() {
    let mut world = World::new();
    world.begins("s1@t1");
    world.grants_for(20, "s1@t1", &["/f"]);
    let same = Step::of(world.at(5), begin("s1@t1"));
    same.breaks("R8", |step| step.left("/f").expires = 25);
    let same = Step::of(world.at(6), begin("s1@t1"));
    assert_eq!(same.after.leases[0].expires, 26);
}

#[test]
fn r9_a_yield_to_another_session() {
    let mut world = World::new();
    world.begins("s1@t1");
    world.grants("s1@agent:a", &["/a"]);
    world.begins("s1@t2");
    let taken = Step::of(&world, plain("s1@t2", "/a"));
    taken.breaks("R1", |step| {
        step.op = plain("s2@t2", "/a");
        step.left("/a").owner = owner("s2@t2");
    });
}

#[test]
fn r8_what_is_kept_is_not_changed_and_has_only_the_calls_that_it_had() {
    let taken = Step::of(&all_hold(), begin("s1@t2"));
    taken.breaks("R8", |step| step.left("/back").expires -= 1);
    taken.breaks("R8", |step| step.left("/back").calls = calls(&["c9"]));
}

#[test]
fn r8_a_begin_supersedes_no_sub_agent_no_other_session_and_only_what_it_retires() {
    let taken = Step::of(&all_hold(), begin("s1@t2"));
    for (who, path) in [("s1@agent:a", "/a"), ("s2@t1", "/other")] {
        taken.breaks("R8", |step| {
            step.drop(path);
            retire(step, who);
        });
    }
    taken.breaks("R8", |step| {
        step.after.turns.retain(|turn| !turn.retired);
        retire(step, "s1@t9");
    });
    taken.breaks("R8", |step| {
        step.after.turns.retain(|turn| turn.retired);
        retire(step, "s1@t1");
    });
}

#[test]
fn r8_an_older_turn_holds_nothing_though_it_was_not_retired() {
    let mut world = World::new();
    world.begins("s1@t1");
    world.grants("s1@t1", &["/f"]);
    let taken = Step::of(&world, begin("s1@t2"));
    taken.breaks("R8", |step| {
        step.undo("/f");
        step.after.turns.iter_mut().for_each(|turn| turn.retired = false);
    });
}

/// The turn `s1@t1` of process 1, which lives, has been silent so long, and a sub-agent has not.
/// Its lease `/f` is older than the belief in its process.
fn silent_for(silence: i64) -> Step {
    let mut world = World::new();
    world.with(seen(1, Some("c1"), false)).begins("s1@t1");
    world.grants_for(3 * DAY, "s1@t1", &["/f"]);
    world.with(seen(1, Some("c2"), false));
    world.at(BELIEVED_AFTER_MS).posts("s1@agent:a");
    world.at(DAY / 2).posts("s1@agent:a");
    let op = Op::Begin { owner: owner("s1@t2"), context: in_process(2) };
    Step::of(world.at(silence), op)
}

#[test]
fn r8_a_living_process_is_spared_until_its_turn_is_forgotten() {
    let spared = silent_for(DAY);
    spared.breaks("R8", |step| {
        step.drop("/f");
        retire(step, "s1@t1");
    });
    assert!(silent_for(DAY + 1).after.leases.is_empty());
}

#[test]
fn r8_a_lease_alone_tells_of_a_living_process_and_each_process_is_believed_for_itself() {
    let mut world = World::new();
    world.with(in_process(1)).grants("s1@t1", &["/f"]);
    let op = Op::Begin { owner: owner("s1@t2"), context: in_process(2) };
    let taken = Step::of(&world, op);
    taken.breaks("R8", |step| {
        step.drop("/f");
        retire(step, "s1@t1");
    });
    let mut world = World::new();
    world.with(seen(1, Some("c1"), false)).begins("s1@t1");
    world.grants("s1@t1", &["/f"]);
    world.with(in_process(2)).posts("s1@agent:a");
    let op = Op::Begin { owner: owner("s1@t2"), context: in_process(3) };
    assert!(Step::of(&world, op).after.leases.is_empty());
}

#[test]
fn r10_a_post_ends_no_call_of_the_same_id_in_another_thread() {
    let mut world = World::new();
    world.begins("s1@t1");
    world.shell("s1@t1", "/f", "c1");
    world.shell("s1@agent:a", "/a", "c1");
    let taken = Step::of(&world, post("s1@t1", Some(("c1", CallState::Ended))));
    taken.breaks("R10", |step| step.left("/a").calls.clear());
}

#[test]
fn r7_only_the_stop_of_the_running_turn_takes_migrated_rows() {
    let mut world = World::upgraded(Form::First, &[old_row("s1", "/m", 0, 100)]);
    let first = acquire("s1@t1", "/f", marks());
    world.run(&first);
    Step::of(&world, end("s1@t1", End::Interrupt)).breaks("R6", |step| step.drop("/m"));
    Step::of(&world, end("s1@t0", End::Stop(None))).breaks("R6", |step| step.drop("/m"));
    let stop = Step::of(&world, end("s1@t1", End::Stop(None)));
    assert!(stop.after.leases.is_empty());
}

#[test]
fn r6_no_list_and_no_end_of_a_session_touches_another() {
    let mut world = all_hold();
    world.shell_in_background("s2@t1", "/theirs", "c9");
    let taken = Step::of(&world, end("s1@t1", listing(&[], &[])));
    taken.breaks("R6", |step| step.left("/theirs").calls.clear());
    let of_session = Op::EndSession { session: "s1".to_owned(), context: Context::default() };
    let taken = Step::of(&world, of_session);
    taken.breaks("R6", |step| step.drop("/theirs"));
    taken.breaks("R6", |step| step.undo("/f"));
}
