//! Breadth first through the states, each checked and none visited twice.

use std::collections::HashSet;
use std::fmt;
use std::ops::Range;

use indicatif::ProgressBar;
use leasehold_model::{Millis, Op, Outcome, State, Violation, check_state, check_step};

use super::key::{Key, key};
use super::world::{Moment, Move, moves};
use crate::told;

/// What takes one step: the model, or something that is to be found out.
pub type Step = fn(&State, &Op, Millis) -> (State, Outcome);

/// A search that is under way.
pub struct Search {
    step: Step,
    moves: Vec<Move>,
    /// All states that were found, in the order in which they were. They are not kept themselves:
    /// playing the moves again is cheap, and memory is not.
    nodes: Vec<Node>,
    seen: HashSet<Key>,
    /// The nodes that were found last, whose moves nobody has made yet.
    edge: Range<usize>,
    depth: usize,
    transitions: u64,
}

/// How a state was first reached; the first one by nothing.
struct Node {
    parent: usize,
    by: usize,
}

/// What one more move came to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Level {
    /// How many moves lead here.
    pub depth: usize,
    /// How many states have no shorter way.
    pub new: usize,
    /// How many moves were made, from the level before.
    pub transitions: u64,
}

/// A broken invariant and the fewest moves that lead to it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Broken {
    /// The moves; the last one breaks it.
    pub path: Vec<Deed>,
    /// What is broken.
    pub violation: Violation,
}

/// One move as it was made.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Deed {
    /// What happened.
    pub what: Move,
    /// The time after it, in milliseconds.
    pub now: Millis,
    /// What was answered, where something was asked.
    pub outcome: Option<Outcome>,
}

impl Search {
    /// A search that has found the first state.
    pub fn new(step: Step) -> Self {
        Self {
            step,
            moves: moves(),
            nodes: vec![Node { parent: 0, by: 0 }],
            seen: HashSet::from([key(&Moment::first())]),
            edge: 0..1,
            depth: 0,
            transitions: 0,
        }
    }

    /// How many states were found.
    pub fn states(&self) -> usize {
        self.nodes.len()
    }

    /// How many moves were made.
    pub fn transitions(&self) -> u64 {
        self.transitions
    }

    /// Makes every move from every state that was found last.
    ///
    /// # Errors
    /// A move that breaks an invariant.
    pub fn deepen(&mut self, bar: &ProgressBar) -> Result<Level, Box<Broken>> {
        let made_before = self.transitions;
        let edge = self.edge.clone();
        self.edge.start = edge.end;
        bar.set_length(edge.len() as u64);
        bar.set_position(0);
        for node in edge {
            self.expand(node)?;
            bar.inc(1);
        }
        self.edge.end = self.nodes.len();
        self.depth += 1;
        let transitions = self.transitions - made_before;
        Ok(Level { depth: self.depth, new: self.edge.len(), transitions })
    }

    /// Makes every move from one state.
    fn expand(&mut self, parent: usize) -> Result<(), Box<Broken>> {
        let before = self.replay(parent);
        for by in 0..self.moves.len() {
            let Some((after, outcome)) = self.make(&before, by) else { continue };
            self.transitions += 1;
            if let Err(violation) = self.check(&before, by, outcome.as_ref(), &after) {
                return Err(Box::new(Broken { path: self.path(parent, by), violation }));
            }
            if after != before && self.seen.insert(key(&after)) {
                self.nodes.push(Node { parent, by });
            }
        }
        Ok(())
    }

    /// What a move leads to. None where it leads nowhere.
    fn make(&self, before: &Moment, by: usize) -> Option<(Moment, Option<Outcome>)> {
        let Moment { state, now } = before;
        match &self.moves[by] {
            Move::Ask(op) => {
                let (state, outcome) = (self.step)(state, op, *now);
                Some((Moment { state, now: *now }, Some(outcome)))
            }
            Move::Clock(clock) => {
                let now = clock.from(before)?;
                Some((Moment { state: state.clone(), now }, None))
            }
        }
    }

    fn check(
        &self,
        before: &Moment,
        by: usize,
        outcome: Option<&Outcome>,
        after: &Moment,
    ) -> Result<(), Violation> {
        match (&self.moves[by], outcome) {
            (Move::Ask(op), Some(outcome)) => {
                check_step(&before.state, op, outcome, &after.state, after.now)
            }
            _ => check_state(&after.state, after.now),
        }
    }

    /// The moves that lead to a node.
    fn way(&self, mut node: usize) -> Vec<usize> {
        let mut way = Vec::new();
        while node != 0 {
            way.push(self.nodes[node].by);
            node = self.nodes[node].parent;
        }
        way.reverse();
        way
    }

    fn replay(&self, node: usize) -> Moment {
        let go = |moment: Moment, by| match self.make(&moment, by) {
            Some((next, _)) => next,
            None => moment,
        };
        self.way(node).into_iter().fold(Moment::first(), go)
    }

    /// What happened up to a node, and one move more.
    fn path(&self, node: usize, last: usize) -> Vec<Deed> {
        let mut moment = Moment::first();
        let mut path = Vec::new();
        for by in self.way(node).into_iter().chain([last]) {
            let Some((next, outcome)) = self.make(&moment, by) else { continue };
            path.push(Deed { what: self.moves[by].clone(), now: next.now, outcome });
            moment = next;
        }
        path
    }
}

impl fmt::Display for Level {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { depth, new, transitions } = self;
        write!(f, "depth={depth} new={new} transitions={transitions}")
    }
}

impl fmt::Display for Broken {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Violation { rule, detail } = &self.violation;
        writeln!(f, "{rule} is broken after {} moves: {detail}", self.path.len())?;
        self.path.iter().zip(1..).try_for_each(|(deed, number)| writeln!(f, "  {number}. {deed}"))
    }
}

impl fmt::Display for Deed {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "at {} ms: {}", self.now, self.what)?;
        match &self.outcome {
            Some(outcome) => write!(f, " → {}", told::outcome(outcome)),
            None => Ok(()),
        }
    }
}
