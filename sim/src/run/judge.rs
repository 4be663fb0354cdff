//! Holds one boot of a run against all oracles, and looks at what is left in the end.

use leasehold_model::{Outcome, State};
use rusqlite::Connection;

use super::{Mishap, Run, Violation};
use crate::history::Call;
use crate::linear;
use crate::machine;
use crate::machine::fault::Fault;
use crate::oracle::{self, Fences};
use crate::process::{self, DATABASE, Made};
use crate::{questions, words};

/// The longest history for which an order is searched.
const CALLS_MAX: usize = 24;
/// The most calls in doubt in it.
const DOUBTS_MAX: usize = 4;
/// How many steps of the model that may take: more is an error.
const BUDGET: u64 = 1_000_000;

/// Holds one boot against the oracles. Gives the states in which the next one may begin.
pub(crate) fn judge(
    run: &Run<'_>,
    boot: usize,
    states: Vec<State>,
    made: &[Made],
    power_went: bool,
    fences: &mut Fences,
) -> Result<Vec<State>, Violation> {
    let fails = |fault: &Fault| matches!(fault.what, Mishap::Error | Mishap::Full);
    let disk_fails = machine::with(|machine| machine.struck.iter().any(fails));
    let allowed: &[&str] =
        if disk_fails { &["busy", "io", "full", "unopenable"] } else { &["busy"] };
    fences.see(made)?;
    let starts = states.clone();
    for failure in process::take_chores() {
        oracle::failure("the log is emptied", &failure, allowed)?;
    }
    let versions = oracle::replay(states, made, run.scenario, allowed)?;
    linear(&starts, made)?;
    machine::with(|machine| machine.seen.extend(&versions.seen));
    let states = if power_went { versions.after_power_loss() } else { versions.last() };
    // Whoever looks also mends what a killed process has left, and that is for the next boot.
    if boot + 1 < run.scenario.boots.len() {
        return Ok(states);
    }
    let states = look(run, boot + usize::from(power_went), states)?;
    if run.checks_integrity {
        integrity()?;
    }
    Ok(states)
}

/// Holds what is left in the end against the model: the leases, and what owners are told who ask
/// once more.
fn look(run: &Run<'_>, boot: usize, states: Vec<State>) -> Result<Vec<State>, Violation> {
    let asked = if run.checks_integrity { questions::of(run.scenario) } else { Vec::new() };
    let rows = process::audit(run.scenario, boot, &asked);
    let mut audit = process::take_calls();
    let asked = audit.split_off(audit.len().min(1));
    let versions = oracle::replay(states, &audit, run.scenario, &[])?;
    let Some(rows) = rows else {
        let detail = format!("the database cannot be read in the end: {audit:?}");
        return Err(Violation { oracle: "rows", detail });
    };
    let states = oracle::rows(versions.last(), &rows)?;
    Ok(oracle::replay(states, &asked, run.scenario, &[])?.last())
}

/// A second opinion, of somebody who knows nothing of commits: whether some order of the calls
/// explains the answers. Long histories are left to the first.
fn linear(starts: &[State], made: &[Made]) -> Result<(), Violation> {
    // Who never held the lock, or was told that it is busy, has done nothing.
    let has_effect =
        |one: &&Made| (one.call.answer.is_some() || one.decided.is_some()) && !oracle::is_busy(one);
    let calls: Vec<Call> = made.iter().filter(has_effect).map(|one| one.call.clone()).collect();
    let in_doubt = calls.iter().filter(|call| call.answer.is_none()).count();
    if calls.len() > CALLS_MAX || in_doubt > DOUBTS_MAX {
        return Ok(());
    }
    // The store does not tell which of the openers upgraded.
    let told = |outcome| match words::as_told(outcome) {
        Outcome::Opened { .. } => Outcome::Opened { upgraded: false },
        other => other,
    };
    match linear::check(starts, &calls, told, BUDGET) {
        Ok(_) => Ok(()),
        Err(fault) => Err(Violation { oracle: "linear", detail: fault.to_string() }),
    }
}

fn integrity() -> Result<(), Violation> {
    let verdict = Connection::open(DATABASE).and_then(|connection| {
        connection.query_row("PRAGMA integrity_check", [], |row| row.get::<_, String>(0))
    });
    match verdict {
        Ok(verdict) if verdict == "ok" => Ok(()),
        Ok(detail) => Err(Violation { oracle: "integrity", detail }),
        Err(error) => Err(Violation { oracle: "integrity", detail: error.to_string() }),
    }
}
