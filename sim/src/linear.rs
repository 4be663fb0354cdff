//! Whether the answers of calls that overlapped can be explained by some order of them, one after
//! the other: linearizability, against the model.
//!
//! The search is that of Wing and Gong with the memo of Lowe (`linear/search.rs`). An order
//! respects real time: what was over before another call was made comes before it. A call without
//! an answer may have taken effect at any moment since it was made, or never.
//!
//! What a search costs grows fast with the calls that overlap, and with those in doubt, which
//! overlap all that come later. Some forty calls of six processes with two in doubt take
//! milliseconds; a hundred may take too long. Where the order of the commits is known, [`witness`]
//! costs one step a call.

mod search;

use std::fmt;

use leasehold_model::{Outcome, State, step};

use crate::history::Call;
use crate::told;
use search::Search;

/// What of an answer counts: the same for what was answered and for what the model says. It blanks
/// what the one of the two cannot know.
pub type Told = fn(Outcome) -> Outcome;

/// Everything counts.
pub fn all_of_it(outcome: Outcome) -> Outcome {
    outcome
}

/// An order that explains all answers.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Order {
    /// Which of the states it begins in.
    pub start: usize,
    /// Which call comes when. Those without an answer are in it where they took effect.
    pub calls: Vec<usize>,
}

/// Why there is no such order, or none was found.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Fault {
    /// There is none.
    NotLinearizable {
        /// Which of the states the longest order begins in.
        start: usize,
        /// The order that explains the most answers, or the first of several.
        longest: Vec<Placed>,
        /// The calls that may come next by real time, but were answered something else than the
        /// model would have said.
        refused: Vec<Refused>,
    },
    /// Nobody knows: the search was given up.
    OutOfBudget {
        /// After so many steps of the model.
        budget: u64,
        /// So many answers the longest order had explained by then.
        explained: usize,
        /// So many there are.
        answers: usize,
    },
    /// What was asked for makes no sense: an order that does not hold each answered call once, or
    /// not in real time; or there is no state to begin in.
    NotAnOrder(String),
}

/// A call in its place.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Placed {
    /// Which call.
    pub index: usize,
    /// The call itself.
    pub call: Call,
}

/// A call that cannot come next.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Refused {
    /// Which.
    pub placed: Placed,
    /// What the model would have said.
    pub model: Outcome,
}

/// Searches for an order of the calls that begins in one of `starts`, respects real time and
/// explains each answer: it is what the model says when it is asked with the call's own `now`, as
/// far as `told` leaves it. The search takes at most `budget` steps of the model.
///
/// # Errors
/// A [`Fault`]; also where the budget did not suffice for a verdict.
pub fn check(starts: &[State], calls: &[Call], told: Told, budget: u64) -> Result<Order, Fault> {
    let mut search = Search::new(calls, told, budget);
    for (start, state) in starts.iter().enumerate() {
        if let Some(calls) = search.run(start, state)? {
            return Ok(Order { start, calls });
        }
    }
    Err(search.fault())
}

/// Checks one order, such as that of the commits. It may leave out calls without an answer; those
/// that are in it did take effect.
///
/// # Errors
/// A [`Fault`]: what the order explains from its begin is then the longest.
pub fn witness(starts: &[State], calls: &[Call], order: &[usize], told: Told) -> Result<(), Fault> {
    makes_sense(calls, order).map_err(Fault::NotAnOrder)?;
    let mut best: Option<(usize, usize, Outcome)> = None;
    for (start, state) in starts.iter().enumerate() {
        let Some((explained, model)) = first_refused(state, calls, order, told) else {
            return Ok(());
        };
        if best.as_ref().is_none_or(|(_, most, _)| explained > *most) {
            best = Some((start, explained, model));
        }
    }
    let Some((start, explained, model)) = best else { return Err(Fault::no_start()) };
    let refused = vec![Refused { placed: Placed::of(calls, order[explained]), model }];
    Err(Fault::not_linearizable(start, calls, &order[..explained], refused))
}

/// Whether an order holds each answered call once and in real time.
fn makes_sense(calls: &[Call], order: &[usize]) -> Result<(), String> {
    let mut is_placed = vec![false; calls.len()];
    // The call so far that was made last, and when.
    let mut last = (0, 0);
    for &index in order {
        let call = calls.get(index).ok_or_else(|| format!("there is no call #{index}"))?;
        if std::mem::replace(&mut is_placed[index], true) {
            return Err(format!("call #{index} is in the order twice"));
        }
        if call.answer.as_ref().is_some_and(|answer| answer.at < last.0) {
            let later = last.1;
            return Err(format!("call #{index} was over before #{later}, and comes after it"));
        }
        last = last.max((call.invoked, index));
    }
    let is_missing = |index: &usize| calls[*index].answer.is_some() && !is_placed[*index];
    match (0..calls.len()).find(is_missing) {
        Some(index) => Err(format!("call #{index} was answered, and is not in the order")),
        None => Ok(()),
    }
}

/// How many calls of an order are explained, and what the model says to the next one. None where
/// all are.
fn first_refused(
    start: &State,
    calls: &[Call],
    order: &[usize],
    told: Told,
) -> Option<(usize, Outcome)> {
    let mut state = start.clone();
    for (explained, index) in order.iter().enumerate() {
        let call = &calls[*index];
        let (next, model) = step(&state, &call.op, call.now);
        let answer = call.answer.as_ref();
        if answer.is_some_and(|answer| told(answer.outcome.clone()) != told(model.clone())) {
            return Some((explained, model));
        }
        state = next;
    }
    None
}

impl Placed {
    fn of(calls: &[Call], index: usize) -> Self {
        Self { index, call: calls[index].clone() }
    }
}

impl Fault {
    fn no_start() -> Self {
        Self::NotAnOrder("there is no state to begin in".to_owned())
    }

    fn not_linearizable(
        start: usize,
        calls: &[Call],
        order: &[usize],
        refused: Vec<Refused>,
    ) -> Self {
        let longest = order.iter().map(|index| Placed::of(calls, *index)).collect();
        Self::NotLinearizable { start, longest, refused }
    }
}

impl fmt::Display for Fault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::NotLinearizable { start, longest, refused } => {
                writeln!(f, "no order of the calls explains the answers")?;
                writeln!(f, "the longest that does, from start {start}:")?;
                for placed in longest {
                    writeln!(f, "  {placed}")?;
                }
                write!(f, "none of these can follow:")?;
                refused.iter().try_for_each(|refused| write!(f, "\n  {refused}"))
            }
            Self::OutOfBudget { budget, explained, answers } => write!(
                f,
                "no verdict after {budget} steps, with {explained} of {answers} answers \
                 explained: raise the budget or shorten the history"
            ),
            Self::NotAnOrder(why) => f.write_str(why),
        }
    }
}

impl fmt::Display for Placed {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { index, call } = self;
        let op = told::op(&call.op);
        write!(f, "#{index} process {} at {} ms: {op} → ", call.process, call.now)?;
        match &call.answer {
            Some(answer) => f.write_str(&told::outcome(&answer.outcome)),
            None => f.write_str("no answer"),
        }
    }
}

impl fmt::Display for Refused {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let model = told::outcome(&self.model);
        write!(f, "{}, where the model says: {model}", self.placed)?;
        // Words leave out what is rarely of interest; here it is.
        match &self.placed.call.answer {
            Some(answer) if told::outcome(&answer.outcome) == model => {
                write!(f, "\n    in full {:?}\n    and      {:?}", answer.outcome, self.model)
            }
            _ => Ok(()),
        }
    }
}

impl std::error::Error for Fault {}
