//! Random histories: what the model did at one moment each, told as calls that overlap.

use leasehold_model::{
    Context, End, Millis, Op, Outcome, Owner, Released, Resource, State, Terms, step,
};
use leasehold_sim::history::{Answer, Call};
use rand_chacha::ChaCha8Rng;
use rand_chacha::rand_core::{Rng as _, SeedableRng as _};

const SESSIONS: [&str; 2] = ["s1", "s2"];
const EPOCHS: [&str; 2] = ["t1", "t2"];
const PATHS: [&str; 3] = ["/r", "/r/a", "/r/b"];
/// Between two moments at which calls take effect. More than there are calls in a history.
const STRIDE: u64 = 1_000;

/// Every choice comes from one number.
pub(crate) struct Dice(ChaCha8Rng);

impl Dice {
    pub(crate) fn of_seed(seed: u64) -> Self {
        Self(ChaCha8Rng::seed_from_u64(seed))
    }

    pub(crate) fn below(&mut self, limit: usize) -> usize {
        let drawn = self.0.next_u64() % limit as u64;
        usize::try_from(drawn).expect("it is below a usize")
    }

    fn one<T: Clone>(&mut self, of: &[T]) -> T {
        of[self.below(of.len())].clone()
    }

    fn is_one_of(&mut self, many: usize) -> bool {
        self.below(many) == 0
    }

    /// So many calls, each of which may begin before up to `overlap` others took effect and end
    /// after as many. One of so many is in doubt, which may have taken effect; none where that is
    /// 0.
    pub(crate) fn history(
        &mut self,
        start: &State,
        size: usize,
        overlap: usize,
        one_in_doubt_of: usize,
    ) -> Vec<Call> {
        let (mut state, mut now, mut calls) = (start.clone(), 0, Vec::new());
        for (index, number) in (0..size).zip(1_u64..) {
            let op = self.op();
            now += self.one::<Millis>(&[0, 1, 1, 2, 7, -1]);
            let is_in_doubt = one_in_doubt_of > 0 && self.is_one_of(one_in_doubt_of);
            let (next, outcome) = step(&state, &op, now);
            if !(is_in_doubt && self.is_one_of(2)) {
                state = next;
            }
            let moment = (STRIDE * (number + overlap as u64), 2 * number);
            let mut reach = || self.below(overlap + 1) as u64 * STRIDE;
            let (before, after) = (reach(), reach());
            // Odd instants are invocations, even ones answers: no two calls share one.
            let invoked = moment.0 + moment.1 - 1 - before;
            let answer = Answer { at: moment.0 + moment.1 + after, outcome };
            let answer = (!is_in_doubt).then_some(answer);
            calls.push(Call { process: index, op, now, invoked, answer });
        }
        calls
    }

    fn op(&mut self) -> Op {
        let owner = Owner { session: self.one(&SESSIONS).into(), epoch: self.one(&EPOCHS).into() };
        let context = Context { begins: self.is_one_of(3), ..Context::default() };
        match self.below(10) {
            0..5 => Op::Acquire {
                owner,
                resources: (0..=self.below(2)).map(|_| self.path()).collect(),
                trees: Vec::new(),
                terms: Terms { agent: "test".to_owned(), ttl: 5, note: None },
                call: None,
                context,
            },
            5 => Op::Release { owner, hand_over: false },
            6 => Op::Begin { owner, context },
            7 => Op::End { owner, how: End::Stop(None), context },
            8 => Op::Check { resource: self.path() },
            _ => Op::Reap,
        }
    }

    fn path(&mut self) -> Resource {
        Resource::new(self.one(&PATHS))
    }

    /// Changes something, after which there may be no order any more.
    pub(crate) fn spoil(&mut self, calls: &mut [Call]) {
        match self.below(3) {
            0 => self.misreport(calls),
            1 => self.exchange(calls),
            _ => self.hurry(calls),
        }
    }

    /// Tells of one call what the model never said of it.
    pub(crate) fn misreport(&mut self, calls: &mut [Call]) {
        let call = self.below(calls.len());
        let Some(answer) = &mut calls[call].answer else { return };
        match &mut answer.outcome {
            Outcome::Acquired(grants) => grants[0].fence.0 += 1,
            Outcome::Busy(busy) => busy.holders[0].expires += 1,
            Outcome::Held(holders) if !holders.is_empty() => holders.clear(),
            Outcome::Reaped(count) | Outcome::Released(Released::Count(count)) => *count += 1,
            Outcome::Released(released) => *released = Released::Count(1),
            _ => answer.outcome = Outcome::Stale,
        }
    }

    /// Two calls get each other's question.
    fn exchange(&mut self, calls: &mut [Call]) {
        let (one, other) = (self.below(calls.len()), self.below(calls.len()));
        let first = (calls[one].op.clone(), calls[one].now);
        let second = (calls[other].op.clone(), calls[other].now);
        (calls[one].op, calls[one].now) = second;
        (calls[other].op, calls[other].now) = first;
    }

    /// Two calls get each other's instants.
    fn hurry(&mut self, calls: &mut [Call]) {
        let (one, other) = (self.below(calls.len()), self.below(calls.len()));
        if calls[one].answer.is_none() || calls[other].answer.is_none() {
            return;
        }
        let at = |calls: &[Call], call: usize| {
            (calls[call].invoked, calls[call].answer.as_ref().map_or(0, |answer| answer.at))
        };
        let (first, second) = (at(calls, one), at(calls, other));
        for (call, (invoked, at)) in [(one, second), (other, first)] {
            calls[call].invoked = invoked;
            if let Some(answer) = &mut calls[call].answer {
                answer.at = at;
            }
        }
    }
}
