//! What a run is held against: the reference model, asked in the order of the commits.
//!
//! A write transaction reads the clock once, when it holds the write lock, so the order of those
//! readings is the order of the commits. A call that was not answered (its process was killed, or
//! the power went, or the store told of an error) has taken effect wholly or not at all: from there
//! on the model may stand in one of several states, and each later answer rules some of them out.

use std::collections::BTreeSet;

use leasehold_model::{Fence, Grant, Lease, Op, Outcome, State, check_step, step};

use crate::history::Call;
use crate::process::{Failure, Made};
use crate::rare::{self, Rare};
use crate::scenario::Scenario;
use crate::told;
use crate::words::as_told;

/// What an oracle says against a run.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Violation {
    /// Which one: `model`, `rows`, `reads`, `errors`, `fences`, `durable` …
    pub oracle: &'static str,
    /// What was seen, and what should have been.
    pub detail: String,
}

/// The states that the model may have after one of the commits.
struct Version {
    /// The instant from which somebody may see it.
    from: u64,
    /// The instant from which nobody can see the one before.
    sure: u64,
    states: Vec<State>,
    /// Whether it survives a loss of power.
    durable: bool,
}

/// The versions of one boot.
pub(crate) struct Versions {
    all: Vec<Version>,
    /// The rare situations that calls met.
    pub(crate) seen: BTreeSet<Rare>,
}

fn violation<T>(oracle: &'static str, detail: String) -> Result<T, Violation> {
    Err(Violation { oracle, detail })
}

/// Asks the model what the store was asked, and compares.
pub(crate) fn replay(
    start: Vec<State>,
    made: &[Made],
    scenario: &Scenario,
    allowed: &[&str],
) -> Result<Versions, Violation> {
    for one in made {
        errors(one, scenario, allowed)?;
    }
    // Who is told that the database is busy has changed nothing.
    let commits = |one: &&Made| one.decided.is_some() && !reads(&one.call.op) && !is_busy(one);
    let mut commits: Vec<&Made> = made.iter().filter(commits).collect();
    commits.sort_by_key(|one| one.decided);
    let first = Version { from: 0, sure: 0, states: start, durable: true };
    let mut versions = Versions { all: vec![first], seen: BTreeSet::new() };
    for one in commits {
        versions.commit(one, scenario)?;
    }
    for one in made {
        versions.answered_by_none(one)?;
    }
    Ok(versions)
}

fn reads(op: &Op) -> bool {
    matches!(op, Op::Check { .. } | Op::CheckFence { .. })
}

/// Where somebody stands still while he recovers the log, SQLite gives up by itself after about so
/// long, whatever the time-out.
const PROTOCOL_MICROS: u64 = 9_900_000;

/// A call may always wait for so long: SQLite does by itself where a log is recovered.
const WAIT_MICROS_MIN: u64 = 60_000_000;

/// Whether a call was told that the database is busy.
pub(crate) fn is_busy(made: &Made) -> bool {
    matches!(made.error, Some(Failure::Store("busy", _)))
}

/// A store may say that it is busy, once it has waited for as long as it is to; or that the disk
/// has failed where it has; nothing else.
fn errors(made: &Made, scenario: &Scenario, allowed: &[&str]) -> Result<(), Violation> {
    // No call waits for more than ten things, each for as long as it may.
    if made.waited > (10 * scenario.patience_ms * 1000).max(WAIT_MICROS_MIN) {
        let (op, micros) = (told::op(&made.call.op), made.waited);
        return violation("liveness", format!("{op}: waited for {micros} µs"));
    }
    let Some(error) = &made.error else { return Ok(()) };
    if is_busy(made) && made.waited < (scenario.patience_ms * 1000).min(PROTOCOL_MICROS) {
        let (op, micros) = (told::op(&made.call.op), made.waited);
        return violation("busy", format!("{op}: gave up after {micros} µs: {error:?}"));
    }
    failure(&told::op(&made.call.op), error, allowed)
}

/// Whether something may fail like this.
pub(crate) fn failure(what: &str, failure: &Failure, allowed: &[&str]) -> Result<(), Violation> {
    match failure {
        Failure::Store(class, text) if !allowed.contains(class) => {
            violation("errors", format!("{what}: {text}"))
        }
        Failure::Panic(text) => violation("errors", format!("{what} panicked: {text}")),
        _ => Ok(()),
    }
}

impl Versions {
    fn commit(&mut self, made: &Made, scenario: &Scenario) -> Result<(), Violation> {
        let call = &made.call;
        if matches!(call.op, Op::Fate { .. }) {
            self.fate(call);
            return Ok(());
        }
        let from = made.decided.unwrap_or(0);
        let sure = call.answer.as_ref().map_or(u64::MAX, |answer| answer.at);
        let before = &self.all.last().expect("there is a first").states;
        self.seen.extend(rare::of_state(&before[0], call));
        let mut states: Vec<State> = Vec::new();
        let mut expected = Vec::new();
        let mut may_be_idle = false;
        for state in before {
            let (next, outcome) = step(state, &call.op, call.now);
            if let Err(broken) = check_step(state, &call.op, &outcome, &next, call.now) {
                return violation("invariants", format!("{}: {}", broken.rule, broken.detail));
            }
            match &call.answer {
                None => {
                    keep(&mut states, state.clone());
                    keep(&mut states, next);
                }
                Some(answer) if agrees(&call.op, &answer.outcome, &outcome) => {
                    may_be_idle |= next == *state;
                    keep(&mut states, next);
                }
                Some(_) => expected.push(outcome),
            }
        }
        if let Some(answer) = call.answer.as_ref().filter(|_| states.is_empty()) {
            let Call { process, now, op, .. } = call;
            let (op, both) = (told::op(op), told::beside(&answer.outcome, &expected));
            let held = told::leases(before.iter().map(|state| &*state.leases));
            let detail =
                format!("process {process} at {now} ms: {op}{both}\n  leased before: {held}");
            return violation("model", detail);
        }
        // A commit that was not answered lies in the log until the next one is written over it, and
        // whoever recovers the log before that brings it back.
        // There is no such log beside a rollback journal.
        for state in before.iter().filter(|_| may_be_idle && made.has_log) {
            keep(&mut states, state.clone());
        }
        // Who changes nothing has nothing to sync, and the commits before it stay as they are.
        let durable = call.answer.is_some() && !may_be_idle && is_synced(made, scenario);
        self.all.push(Version { from, sure, states, durable });
        Ok(())
    }

    /// What the operating system says of processes is not in the database: nobody waits for its
    /// lock to change it, and no read asks for it.
    fn fate(&mut self, call: &Call) {
        let last = self.all.last_mut().expect("there is a first");
        for state in &mut last.states {
            *state = step(state, &call.op, call.now).0;
        }
    }

    /// What was answered without a commit: a read, or an open that had nothing to do.
    fn answered_by_none(&self, made: &Made) -> Result<(), Violation> {
        let call = &made.call;
        let Some(answer) = &call.answer else { return Ok(()) };
        if made.decided.is_none() {
            return match call.op {
                Op::Open { .. } => Ok(()),
                _ => violation("order", format!("{}: never held the lock", told::op(&call.op))),
            };
        }
        if !reads(&call.op) {
            return Ok(());
        }
        let mut expected = Vec::new();
        for (number, version) in self.all.iter().enumerate() {
            let next = self.all.get(number + 1);
            // Nobody sees a version from when the next one is sure, at the latest from when the one
            // after that has begun.
            let until = next.map_or(u64::MAX, |next| {
                next.sure.min(self.all.get(number + 2).map_or(u64::MAX, |after| after.from))
            });
            if version.from > answer.at || until < call.invoked {
                continue;
            }
            for state in &version.states {
                let (_, outcome) = step(state, &call.op, call.now);
                if agrees(&call.op, &answer.outcome, &outcome) {
                    return Ok(());
                }
                expected.push(outcome);
            }
        }
        let (op, both) = (told::op(&call.op), told::beside(&answer.outcome, &expected));
        violation("reads", format!("{op}{both}"))
    }

    /// The states in which the run may have left the database.
    pub(crate) fn last(self) -> Vec<State> {
        self.all.into_iter().next_back().map(|version| version.states).unwrap_or_default()
    }

    /// The states that a loss of power may have left: what is durable stays, and of the rest a
    /// beginning.
    pub(crate) fn after_power_loss(self) -> Vec<State> {
        let durable = self.all.iter().rposition(|version| version.durable).unwrap_or(0);
        let mut states = Vec::new();
        for version in self.all.into_iter().skip(durable) {
            for state in version.states {
                keep(&mut states, state);
            }
        }
        states
    }
}

/// Whether a commit is on the disk when it is answered.
fn is_synced(made: &Made, scenario: &Scenario) -> bool {
    match made.call.op {
        // A generation is synced before a fence of it is given out (R14).
        Op::Open { .. } => true,
        // Old engines do not sync the directory that a rollback journal is taken from.
        Op::OldUpsert(_) | Op::OldDelete { .. } => made.has_log,
        _ => scenario.full_sync,
    }
}

fn keep(states: &mut Vec<State>, state: State) {
    if !states.contains(&state) {
        states.push(state);
    }
}

fn agrees(op: &Op, store: &Outcome, model: &Outcome) -> bool {
    // The store does not tell which of the openers upgraded.
    matches!(op, Op::Open { .. }) || as_told(store.clone()) == as_told(model.clone())
}

/// Holds the rows of the database against the model. Gives the states that are left.
pub(crate) fn rows(states: Vec<State>, rows: &[Lease]) -> Result<Vec<State>, Violation> {
    let (right, wrong): (Vec<_>, Vec<_>) =
        states.into_iter().partition(|state| state.leases == rows);
    if right.is_empty() {
        let store = told::leases([rows]);
        let model = told::leases(wrong.iter().map(|state| &*state.leases));
        let both = format!("\n  store: {store}\n  model: {model}");
        let full = if wrong.iter().any(|state| told::leases([&*state.leases]) == store) {
            let model: Vec<_> = wrong.iter().map(|state| &state.leases).collect();
            format!("\n  in full\n  store: {rows:?}\n  model: {model:?}")
        } else {
            String::new()
        };
        return violation("rows", both + &full);
    }
    Ok(right)
}

/// R14: a fence is given to one grant, and grows in the order of the commits, over losses of power
/// too: no token of an earlier boot is ever given out again.
#[derive(Default)]
pub(crate) struct Fences {
    told: Vec<(Fence, Grant)>,
    /// The highest that was told before this boot. Within a boot the model says what each one is.
    before: Option<Fence>,
}

impl Fences {
    /// Takes in the grants of one boot.
    pub(crate) fn see(&mut self, made: &[Made]) -> Result<(), Violation> {
        self.before = self.told.iter().map(|(fence, _)| *fence).max();
        let mut granted: Vec<&Made> = made.iter().filter(|one| one.call.answer.is_some()).collect();
        granted.sort_by_key(|one| one.decided);
        for one in granted {
            let outcome = one.call.answer.as_ref().map(|answer| &answer.outcome);
            let Some(Outcome::Acquired(grants) | Outcome::Reclaimed(grants, _)) = outcome else {
                continue;
            };
            // What one call got has no order among itself.
            let mut grants: Vec<&Grant> = grants.iter().collect();
            grants.sort_by_key(|grant| grant.fence);
            for grant in grants {
                self.grant(grant, grant.acquired == one.call.now)?;
            }
        }
        Ok(())
    }

    /// What was adopted, or is the caller's already, may have had its fence for long without that
    /// anybody was told.
    fn grant(&mut self, grant: &Grant, fresh: bool) -> Result<(), Violation> {
        let known = self.told.iter().find(|(fence, _)| *fence == grant.fence);
        if let Some((_, before)) = known {
            let same = before.resource.is(&grant.resource) && before.acquired == grant.acquired;
            if same {
                return Ok(());
            }
            let both = format!("{}, and {}", told::grant(before), told::grant(grant));
            return violation("fences", format!("given out twice: {both}"));
        }
        let last = self.before;
        if let Some(last) = last.filter(|last| fresh && *last > grant.fence) {
            let (last, grant) = (last.0, told::grant(grant));
            return violation("fences", format!("fence {last} came before {grant}"));
        }
        self.told.push((grant.fence, grant.clone()));
        Ok(())
    }
}

#[cfg(test)]
mod tests;
