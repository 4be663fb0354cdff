//! The search through the model's states, and whether it would find something.

use indicatif::ProgressBar;
use leasehold_model::{Millis, Op, Outcome, State, step};
use leasehold_sim::space::{Broken, Search};

/// Goal: the same states each time, so that a number says that all were visited.
#[test]
fn all_states_of_three_moves_are_right() {
    let mut search = Search::new(step);
    let levels: Vec<usize> =
        (0..3).map(|_| search.deepen(&ProgressBar::hidden()).expect("no violation").new).collect();
    assert_eq!((levels, search.states()), (vec![7, 55, 415], 478));
}

/// A model whose release looks at the session alone.
fn careless(state: &State, op: &Op, now: Millis) -> (State, Outcome) {
    let Op::Release { owner, .. } = op else { return step(state, op, now) };
    let mut next = state.clone();
    next.leases.retain(|lease| lease.owner.session != owner.session);
    let (_, outcome) = step(state, op, now);
    (next, outcome)
}

/// Goal: a model that is wrong is found out, by the fewest moves.
#[test]
fn a_release_that_ignores_the_epoch_is_found_by_two_moves() {
    let mut search = Search::new(careless);
    let hidden = ProgressBar::hidden();
    let broken: Box<Broken> =
        (0..3).find_map(|_| search.deepen(&hidden).err()).expect("it is found");
    assert_eq!(broken.violation.rule, "R6", "{broken}");
    assert_eq!(broken.path.len(), 2, "{broken}");
}
