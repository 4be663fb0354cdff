//! Goal: the checker of histories says yes to those that have an order, and no to all others.
//! Method: small histories by hand, in both directions; and many random ones, true and spoilt, on
//! which it must say the same as brute force over all orders.

#[path = "linear/brute.rs"]
mod brute;
#[path = "linear/random.rs"]
mod random;

use leasehold_model::{
    Busy, Context, Fence, Grant, Lease, Millis, Op, Outcome, Owner, Released, Resource, State,
    Terms, step,
};
use leasehold_sim::history::{Answer, Call};
use leasehold_sim::linear::{Fault, Order, all_of_it, check, witness};
use random::Dice;

const TTL_MS: Millis = 100;
const BUDGET: u64 = 100_000;

fn opened() -> State {
    step(&State::empty(), &Op::Open { boot: "boot".to_owned() }, 0).0
}

fn owner(session: &str) -> Owner {
    Owner { session: session.to_owned(), epoch: "t1".to_owned() }
}

fn file() -> Resource {
    Resource::new("/r/a")
}

fn acquire(session: &str) -> Op {
    Op::Acquire {
        owner: owner(session),
        resources: vec![file()],
        trees: Vec::new(),
        terms: Terms { agent: "test".to_owned(), ttl: TTL_MS, note: None },
        call: None,
        context: Context::default(),
    }
}

fn release(session: &str) -> Op {
    Op::Release { owner: owner(session), hand_over: false }
}

fn look() -> Op {
    Op::Check { resource: file() }
}

/// The answer to the acquire that makes this grant, counted from 1.
fn granted(count: i64) -> Outcome {
    let (fence, resource) = (Fence::new(1, count), file());
    Outcome::Acquired(vec![Grant { resource, fence, acquired: 0, expires: TTL_MS }])
}

/// What a session holds by that grant.
fn held(session: &str, count: i64) -> Lease {
    let (state, _) = step(&opened(), &acquire(session), 0);
    let lease = state.get(&file()).expect("it is free").clone();
    Lease { fence: Some(Fence::new(1, count)), ..lease }
}

fn busy(holder: Lease) -> Outcome {
    Outcome::Busy(Busy { holders: vec![holder] })
}

/// A call that lasted from one instant to another.
fn call(op: Op, (invoked, at): (u64, u64), outcome: Outcome) -> Call {
    Call { process: 0, op, now: 0, invoked, answer: Some(Answer { at, outcome }) }
}

/// A call that nobody knows the end of.
fn in_doubt(op: Op, invoked: u64) -> Call {
    Call { process: 0, op, now: 0, invoked, answer: None }
}

fn order(calls: &[Call]) -> Result<Order, Fault> {
    let order = check(&[opened()], calls, all_of_it, BUDGET)?;
    witness(&[opened()], calls, &order.calls, all_of_it).expect("what was found is an order");
    Ok(order)
}

#[track_caller]
fn has_order(calls: &[Call], expected: &[usize]) {
    assert_eq!(order(calls), Ok(Order { start: 0, calls: expected.to_vec() }));
}

/// What the longest order is, and which calls could not follow.
#[track_caller]
fn has_none(calls: &[Call]) -> (Vec<usize>, Vec<(usize, Outcome)>) {
    let Err(Fault::NotLinearizable { longest, refused, .. }) = order(calls) else {
        panic!("an order was found in {calls:?}");
    };
    let longest = longest.iter().map(|placed| placed.index).collect();
    let refused = refused.into_iter().map(|one| (one.placed.index, one.model)).collect();
    (longest, refused)
}

#[test]
fn of_two_overlapping_acquires_one_is_granted() {
    let first = call(acquire("s1"), (1, 10), granted(1));
    let refused = call(acquire("s2"), (2, 9), busy(held("s1", 1)));
    has_order(&[refused, first.clone()], &[1, 0]);

    let both = [first, call(acquire("s2"), (2, 9), granted(1))];
    let (longest, refused) = has_none(&both);
    assert_eq!(longest, [0]);
    assert_eq!(refused, [(1, busy(held("s1", 1)))]);
    // Nor with a fence of its own.
    has_none(&[both[0].clone(), call(acquire("s2"), (2, 9), granted(2))]);
}

#[test]
fn a_read_may_be_early_only_while_it_overlaps() {
    let write = call(acquire("s1"), (1, 5), granted(1));
    let free = Outcome::Held(Vec::new());
    has_order(&[write.clone(), call(look(), (4, 6), free.clone())], &[1, 0]);
    let (longest, refused) = has_none(&[write.clone(), call(look(), (6, 7), free.clone())]);
    assert_eq!(longest, [0]);
    assert_eq!(refused, [(1, Outcome::Held(vec![held("s1", 1)]))]);
    // A read that is too early, seen from before a later one that was answered in time.
    let late = call(look(), (2, 3), Outcome::Held(vec![held("s1", 1)]));
    has_order(&[write.clone(), late.clone()], &[0, 1]);
    has_none(&[write, late, call(look(), (4, 6), free)]);
}

#[test]
fn a_call_in_doubt_took_effect_or_did_not() {
    let killed = in_doubt(acquire("s1"), 1);
    let blocked = call(acquire("s2"), (5, 6), busy(held("s1", 1)));
    has_order(&[killed.clone(), blocked.clone()], &[0, 1]);
    let goes_on = call(acquire("s2"), (5, 6), granted(1));
    has_order(&[killed.clone(), goes_on.clone()], &[1]);
    // Late, but not before it was asked for.
    let look_twice = [call(look(), (2, 3), Outcome::Held(Vec::new())), blocked.clone()];
    let [early, late] = look_twice;
    has_order(&[killed.clone(), early, late], &[1, 0, 2]);
    has_none(&[in_doubt(acquire("s1"), 7), blocked.clone()]);
    // It cannot have taken effect and not have.
    let other = call(acquire("s3"), (7, 8), granted(1));
    has_none(&[killed.clone(), blocked, other.clone()]);
    // The grant that nobody was told of counts.
    let freed = call(release("s1"), (5, 6), Outcome::Released(Released::Count(1)));
    let next = call(acquire("s3"), (7, 8), granted(2));
    has_order(&[killed.clone(), freed.clone(), next], &[0, 1, 2]);
    has_none(&[killed, freed, other]);
}

#[test]
fn of_two_calls_in_doubt_the_right_one_is_left_for_later() {
    let later_turn = |session: &str| {
        let Op::Acquire { owner, resources, trees, terms, call, context } = acquire(session) else {
            panic!("it is an acquire");
        };
        let owner = Owner { epoch: "t2".to_owned(), ..owner };
        Op::Acquire { owner, resources, trees, terms, call, context }
    };
    let end = Op::EndSession { session: "s1".to_owned(), context: Context::default() };
    // Either of those in doubt explains the first look; only the end explains the second.
    let calls = [
        call(acquire("s1"), (1, 2), granted(1)),
        in_doubt(end, 3),
        in_doubt(release("s1"), 4),
        call(look(), (5, 6), Outcome::Held(Vec::new())),
        call(later_turn("s1"), (7, 8), granted(2)),
        call(look(), (9, 10), Outcome::Held(Vec::new())),
    ];
    has_order(&calls, &[0, 2, 3, 4, 1, 5]);
    has_none(&calls.map(|one| if one.answer.is_none() { in_doubt(release("s1"), 4) } else { one }));
}

#[test]
fn an_order_may_begin_in_any_of_the_starts() {
    let (taken, _) = step(&opened(), &acquire("s1"), 0);
    let calls = [call(acquire("s2"), (1, 2), busy(held("s1", 1)))];
    let starts = [opened(), taken];
    let found = check(&starts, &calls, all_of_it, BUDGET).expect("one start explains it");
    assert_eq!(found, Order { start: 1, calls: vec![0] });
    witness(&starts, &calls, &found.calls, all_of_it).expect("it does");
    // Where none explains more than the others, the first is told.
    let wrong = [call(acquire("s2"), (1, 2), granted(7))];
    let fault = check(&starts, &wrong, all_of_it, BUDGET);
    assert!(matches!(fault, Err(Fault::NotLinearizable { start: 0, .. })), "{fault:?}");
    assert_eq!(witness(&starts, &wrong, &[0], all_of_it), fault.map(drop));
    let nowhere = check(&[], &[], all_of_it, BUDGET).expect_err("there is no start");
    assert!(matches!(nowhere, Fault::NotAnOrder(_)), "{nowhere}");
    let nowhere = witness(&[], &[], &[], all_of_it).expect_err("there is no start");
    assert!(matches!(nowhere, Fault::NotAnOrder(_)), "{nowhere}");
}

#[test]
fn only_what_is_told_counts() {
    fn kind(outcome: Outcome) -> Outcome {
        match outcome {
            Outcome::Acquired(_) => Outcome::Acquired(Vec::new()),
            other => other,
        }
    }
    let calls = [call(acquire("s1"), (1, 2), granted(77))];
    has_none(&calls);
    check(&[opened()], &calls, kind, BUDGET).expect("the fence is not told");
    witness(&[opened()], &calls, &[0], kind).expect("the fence is not told");
}

#[test]
fn a_spent_budget_is_an_error() {
    let free = || call(look(), (1, 9), Outcome::Held(Vec::new()));
    let calls = [free(), free(), free()];
    check(&[opened()], &calls, all_of_it, 3).expect("one step a call is enough");
    let fault = check(&[opened()], &calls, all_of_it, 2).expect_err("two are not");
    assert_eq!(fault, Fault::OutOfBudget { budget: 2, explained: 2, answers: 3 });
    assert!(fault.to_string().contains("2 of 3 answers"), "{fault}");
    // Also where there is no order at all.
    let wrong = [&calls[..], &[call(acquire("s1"), (10, 11), granted(9))]].concat();
    has_none(&wrong);
    let fault = check(&[opened()], &wrong, all_of_it, 5).expect_err("it is not known");
    assert!(matches!(fault, Fault::OutOfBudget { .. }), "{fault}");
}

#[test]
fn many_calls_at_once_are_not_tried_in_every_order() {
    // Sixty-four calls that overlap have more orders than there is time; 66 do not fit one word.
    let refused = |number: u64| {
        let at = (2 * number, 1_000 + number);
        call(acquire("s2"), at, busy(held("s1", 1)))
    };
    let mut calls: Vec<Call> = (1..=65).map(refused).collect();
    calls.push(call(acquire("s1"), (200, 201), granted(1)));
    let found = order(&calls).expect("the grant came first");
    assert_eq!((found.calls[0], found.calls.len()), (65, 66));
}

#[test]
fn a_fault_can_be_read() {
    let calls = [
        call(acquire("s1"), (1, 2), granted(1)),
        in_doubt(release("s3"), 3),
        call(acquire("s2"), (4, 5), granted(2)),
    ];
    let text = order(&calls).expect_err("both were granted").to_string();
    let expected = "\
no order of the calls explains the answers
the longest that does, from start 0:
  #0 process 0 at 0 ms: acquire /r/a for s1/t1, 100 ms → acquired /r/a (fence 16777217, 0 to 100)
none of these can follow:
  #2 process 0 at 0 ms: acquire /r/a for s2/t1, 100 ms → acquired /r/a (fence 16777218, 0 to 100)\
, where the model says: busy: /r/a of s1/t1 (fence 16777217, 0 to 100)";
    assert_eq!(text, expected);
    // Where the words are the same, all is shown.
    let other_agent = Lease { agent: "other".to_owned(), ..held("s1", 1) };
    let calls = [calls[0].clone(), call(look(), (3, 4), Outcome::Held(vec![other_agent]))];
    let text = order(&calls).expect_err("the agent is another").to_string();
    assert!(text.contains("agent: \"other\"") && text.contains("agent: \"test\""), "{text}");
}

#[test]
fn a_witness_must_be_an_order() {
    let calls = [
        call(acquire("s1"), (1, 2), granted(1)),
        call(acquire("s2"), (3, 6), busy(held("s1", 1))),
        call(look(), (4, 5), Outcome::Held(vec![held("s1", 1)])),
        in_doubt(release("s1"), 7),
    ];
    let says = |order: &[usize]| witness(&[opened()], &calls, order, all_of_it);
    for good in [&[0, 1, 2][..], &[0, 2, 1], &[0, 1, 2, 3]] {
        assert_eq!(says(good), Ok(()), "{good:?}");
    }
    for (bad, why) in [
        (&[0, 1][..], "call #2 was answered, and is not in the order"),
        (&[0, 1, 2, 1], "call #1 is in the order twice"),
        (&[1, 0, 2], "call #0 was over before #1, and comes after it"),
        (&[0, 1, 2, 4], "there is no call #4"),
        (&[0, 3, 1, 2], "call #1 was over before #3, and comes after it"),
    ] {
        assert_eq!(says(bad), Err(Fault::NotAnOrder(why.to_owned())), "{bad:?}");
    }
}

#[test]
fn what_the_model_did_one_by_one_has_its_order() {
    let mut dice = Dice::of_seed(1);
    for _ in 0..200 {
        let calls = dice.history(&opened(), 40, 0, 0);
        let straight: Vec<usize> = (0..calls.len()).collect();
        witness(&[opened()], &calls, &straight, all_of_it).expect("that is how it was");
        assert_eq!(order(&calls).expect("there is one").calls, straight);
        let mut wrong = calls.clone();
        dice.misreport(&mut wrong);
        if wrong != calls {
            let fault = witness(&[opened()], &wrong, &straight, all_of_it);
            assert!(matches!(fault, Err(Fault::NotLinearizable { .. })), "{fault:?}");
        }
    }
}

#[test]
fn longer_histories_of_several_at_once_have_an_order() {
    let mut dice = Dice::of_seed(2);
    for _ in 0..100 {
        let calls = dice.history(&opened(), 40, 6, 20);
        order(&calls).unwrap_or_else(|fault| panic!("{fault}"));
    }
}

#[test]
fn it_says_what_brute_force_says() {
    let mut dice = Dice::of_seed(3);
    // Of true and of spoilt histories: how many have an order, and how many do not.
    let mut seen = [[0, 0], [0, 0]];
    for round in 0..1_500 {
        let is_spoilt = round % 3 != 0;
        let size = 2 + dice.below(5);
        let mut calls = dice.history(&opened(), size, 4, 5);
        if is_spoilt {
            dice.spoil(&mut calls);
        }
        let expected = brute::has_order(&opened(), &calls);
        let found = order(&calls);
        assert!(!matches!(found, Err(Fault::OutOfBudget { .. })), "{calls:?}");
        assert_eq!(found.is_ok(), expected, "round {round}: {found:?} of {calls:#?}");
        seen[usize::from(is_spoilt)][usize::from(!expected)] += 1;
    }
    let [[explained, unexplained], spoilt] = seen;
    assert_eq!((explained, unexplained), (500, 0), "a true history has an order");
    assert!(spoilt.into_iter().all(|count| count > 200), "{spoilt:?}");
}
