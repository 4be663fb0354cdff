//! The search for an order: depth first, one step of the model a call.
//!
//! Lowe's memo spares what was tried before: the same answered calls done, in the same state. Of
//! the calls in doubt it is enough that none was used up by then that is left now: what is left was
//! left then, and did not help. So of the nodes from which an order can be completed, the one that
//! needs the fewest calls for it is never spared, and a search that ends without an order has
//! missed none.

use std::collections::HashMap;

use leasehold_model::{Outcome, State, step};

use super::{Fault, Placed, Refused, Told};
use crate::history::Call;

/// A search over the orders of some calls.
pub(super) struct Search<'a> {
    calls: &'a [Call],
    told: Told,
    /// The answers as far as they count.
    answers: Vec<Option<Outcome>>,
    /// The calls in the order in which they are tried: by when they were made, and those without an
    /// answer last, for most orders need few of them.
    trials: Vec<usize>,
    /// The nodes that were visited, from whatever start: the answered calls that are done and the
    /// state, and with them the sets of those in doubt that are done.
    visited: HashMap<(Bits, State), Vec<Bits>>,
    budget: u64,
    spent: u64,
    /// How many answers the longest order has explained.
    explained: usize,
    longest: Option<DeadEnd>,
}

/// A set of calls.
#[derive(Clone, PartialEq, Eq, Hash)]
struct Bits(Vec<u64>);

/// A place in the search: the calls up to here, and what is still to be tried after them.
struct Node {
    /// The call that led here; none at the start.
    by: Option<usize>,
    state: State,
    /// The answered calls that are done, and those in doubt.
    done: Bits,
    assumed: Bits,
    /// How many of those that are done were answered.
    explained: usize,
    candidates: std::vec::IntoIter<usize>,
    refused: Vec<(usize, Outcome)>,
}

/// An order after which no call could come.
struct DeadEnd {
    start: usize,
    explained: usize,
    order: Vec<usize>,
    refused: Vec<(usize, Outcome)>,
}

impl<'a> Search<'a> {
    pub(super) fn new(calls: &'a [Call], told: Told, budget: u64) -> Self {
        let answer = |call: &Call| call.answer.as_ref().map(|answer| told(answer.outcome.clone()));
        let mut trials: Vec<usize> = (0..calls.len()).collect();
        trials.sort_by_key(|call| (calls[*call].answer.is_none(), calls[*call].invoked));
        Self {
            calls,
            told,
            answers: calls.iter().map(answer).collect(),
            trials,
            visited: HashMap::new(),
            budget,
            spent: 0,
            explained: 0,
            longest: None,
        }
    }

    /// Searches from one start. None where no order begins there.
    pub(super) fn run(&mut self, start: usize, at: &State) -> Result<Option<Vec<usize>>, Fault> {
        let answers = self.answers.iter().flatten().count();
        let none = Bits::none(self.calls.len());
        let mut path = vec![self.node(None, at.clone(), (none.clone(), none), 0)];
        while let Some(node) = path.last_mut() {
            if node.explained == answers {
                return Ok(Some(order(&path)));
            }
            let Some(call) = node.candidates.next() else {
                self.remember(start, &path);
                path.pop();
                continue;
            };
            if let Some(next) = self.follow(node, call)? {
                self.explained = self.explained.max(next.explained);
                path.push(next);
            }
        }
        Ok(None)
    }

    /// The node after one more call, unless that cannot come next or was tried before.
    fn follow(&mut self, node: &mut Node, call: usize) -> Result<Option<Node>, Fault> {
        if self.spent == self.budget {
            let answers = self.answers.iter().flatten().count();
            let (budget, explained) = (self.budget, self.explained);
            return Err(Fault::OutOfBudget { budget, explained, answers });
        }
        self.spent += 1;
        let (state, model) = step(&node.state, &self.calls[call].op, self.calls[call].now);
        let (mut done, mut assumed) = (node.done.clone(), node.assumed.clone());
        let explained = match &self.answers[call] {
            Some(answer) if *answer == (self.told)(model.clone()) => {
                done.insert(call);
                node.explained + 1
            }
            Some(_) => {
                node.refused.push((call, model));
                return Ok(None);
            }
            // What changes nothing may as well never have happened.
            None if state == node.state => return Ok(None),
            None => {
                assumed.insert(call);
                node.explained
            }
        };
        let before = self.visited.entry((done.clone(), state.clone())).or_default();
        if before.iter().any(|fewer| fewer.is_within(&assumed)) {
            return Ok(None);
        }
        before.push(assumed.clone());
        Ok(Some(self.node(Some(call), state, (done, assumed), explained)))
    }

    fn node(
        &self,
        by: Option<usize>,
        state: State,
        (done, assumed): (Bits, Bits),
        explained: usize,
    ) -> Node {
        let candidates = self.candidates(&done, &assumed).into_iter();
        Node { by, state, done, assumed, explained, candidates, refused: Vec::new() }
    }

    /// The calls that may come next: no other that is still to come was over before.
    fn candidates(&self, done: &Bits, assumed: &Bits) -> Vec<usize> {
        let is_left = |call: &usize| !done.has(*call) && !assumed.has(*call);
        let left = self.trials.iter().copied().filter(is_left);
        let answered_at = |call: usize| self.calls[call].answer.as_ref().map(|answer| answer.at);
        let first_over = left.clone().filter_map(answered_at).min().unwrap_or(u64::MAX);
        left.filter(|call| self.calls[*call].invoked <= first_over).collect()
    }

    /// Keeps the end of this path if no other explained as much.
    fn remember(&mut self, start: usize, path: &[Node]) {
        let Some(end) = path.last() else { return };
        let most = self.longest.as_ref().map(|longest| longest.explained);
        if most.is_none_or(|most| end.explained > most) {
            let (explained, refused) = (end.explained, end.refused.clone());
            self.longest = Some(DeadEnd { start, explained, order: order(path), refused });
        }
    }

    /// Why no start led to an order.
    pub(super) fn fault(self) -> Fault {
        let Some(DeadEnd { start, order, refused, .. }) = self.longest else {
            return Fault::no_start();
        };
        let refused = refused
            .into_iter()
            .map(|(call, model)| Refused { placed: Placed::of(self.calls, call), model })
            .collect();
        Fault::not_linearizable(start, self.calls, &order, refused)
    }
}

/// The calls that led to the end of a path.
fn order(path: &[Node]) -> Vec<usize> {
    path.iter().filter_map(|node| node.by).collect()
}

impl Bits {
    fn none(size: usize) -> Self {
        Self(vec![0; size.div_ceil(64)])
    }

    fn has(&self, bit: usize) -> bool {
        self.0[bit / 64] >> (bit % 64) & 1 == 1
    }

    fn insert(&mut self, bit: usize) {
        self.0[bit / 64] |= 1 << (bit % 64);
    }

    fn is_within(&self, other: &Self) -> bool {
        self.0.iter().zip(&other.0).all(|(mine, theirs)| mine & !theirs == 0)
    }
}
