//! All orders of a few calls, one after the other, and nothing clever.

use leasehold_model::{State, step};
use leasehold_sim::history::Call;

/// Whether some order of the calls, with any choice of those without an answer, explains them.
pub(crate) fn has_order(start: &State, calls: &[Call]) -> bool {
    let doubtful: Vec<usize> =
        (0..calls.len()).filter(|index| calls[*index].answer.is_none()).collect();
    (0..1_u32 << doubtful.len()).any(|choice| {
        let took_effect = |index: &usize| {
            let at = doubtful.iter().position(|one| one == index);
            at.is_none_or(|at| choice >> at & 1 == 1)
        };
        let mut order: Vec<usize> = (0..calls.len()).filter(took_effect).collect();
        any_permutation(&mut order, 0, &|order| explains(start, calls, order))
    })
}

/// Whether a permutation of what comes from `fixed` on is as asked.
fn any_permutation(
    order: &mut [usize],
    fixed: usize,
    is_right: &impl Fn(&[usize]) -> bool,
) -> bool {
    if fixed == order.len() {
        return is_right(order);
    }
    (fixed..order.len()).any(|other| {
        order.swap(fixed, other);
        let found = any_permutation(order, fixed + 1, is_right);
        order.swap(fixed, other);
        found
    })
}

fn explains(start: &State, calls: &[Call], order: &[usize]) -> bool {
    let is_in_time = order.iter().enumerate().all(|(at, earlier)| {
        order[at + 1..].iter().all(|later| !calls[*later].precedes(&calls[*earlier]))
    });
    let mut state = start.clone();
    is_in_time
        && order.iter().all(|index| {
            let call = &calls[*index];
            let (next, outcome) = step(&state, &call.op, call.now);
            state = next;
            call.answer.as_ref().is_none_or(|answer| answer.outcome == outcome)
        })
}
