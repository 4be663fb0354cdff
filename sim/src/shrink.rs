//! The smallest run that still goes wrong in the same way.
//!
//! A smaller scenario has other points, so a list of preemptions says little about it. Each smaller
//! one is tried with the old list, and then by chance, some times; what went wrong is a list again.
//! When the scenario cannot be made smaller, its list is.

use crate::run::{Course, Fault, Preemption, Report, run};
use crate::scenario::{Scenario, Start, Step};
use crate::schedule::Schedule;
use leasehold_model::Op;

/// By how many courses a smaller scenario is tried.
const TRIES: u64 = 120;

/// How often somebody else goes on in them, of a thousand.
const PER_MILLE: [u32; 3] = [20, 300, 1000];

/// Makes a schedule smaller. `tell` hears how many processes, calls, faults and preemptions are
/// left.
pub fn shrink(schedule: &Schedule, tell: &mut dyn FnMut(&Schedule)) -> Schedule {
    let mut best = schedule.clone();
    while let Some(smaller) = smaller(&best) {
        best = smaller;
        tell(&best);
    }
    loop {
        let before = best.preemptions.len();
        best = fewer_preemptions(best, tell);
        if best.preemptions.len() == before {
            return best;
        }
    }
}

/// The first smaller scenario, or list of faults, that goes wrong in the same way.
fn smaller(schedule: &Schedule) -> Option<Schedule> {
    let scenarios = scenarios(&schedule.scenario).into_iter();
    let of_scenarios = scenarios.map(|scenario| Schedule { scenario, ..schedule.clone() });
    let of_faults = (0..schedule.faults.len()).map(|at| {
        let mut fewer = schedule.clone();
        fewer.faults.remove(at);
        fewer
    });
    of_faults.chain(of_scenarios).find_map(|candidate| fails_somehow(&candidate))
}

/// What one thing less leaves of a scenario.
fn scenarios(scenario: &Scenario) -> Vec<Scenario> {
    let mut all = Vec::new();
    let mut push = |change: &dyn Fn(&mut Scenario)| {
        let mut smaller = scenario.clone();
        change(&mut smaller);
        all.push(smaller);
    };
    if scenario.boots.len() > 1 {
        push(&|smaller| drop(smaller.boots.pop()));
    }
    for (boot, processes) in scenario.boots.iter().enumerate() {
        for process in 0..processes.len() {
            if processes.len() > 1 {
                push(&|smaller| drop(smaller.boots[boot].remove(process)));
            }
        }
        for (process, program) in processes.iter().enumerate() {
            for (number, step) in program.iter().enumerate() {
                push(&|smaller| drop(smaller.boots[boot][process].remove(number)));
                if let Step::Ask(op) = step {
                    for simpler in simpler(op) {
                        push(&|smaller| {
                            let simpler = Box::new(simpler.clone());
                            smaller.boots[boot][process][number] = Step::Ask(simpler);
                        });
                    }
                }
            }
        }
    }
    if let Start::Legacy(form, rows) = &scenario.start {
        for row in 0..rows.len() {
            push(&|smaller| {
                let mut rows = rows.clone();
                rows.remove(row);
                smaller.start = Start::Legacy(*form, rows);
            });
        }
    }
    if scenario.abandons {
        push(&|smaller| smaller.abandons = false);
    }
    if scenario.full_sync {
        push(&|smaller| smaller.full_sync = false);
    }
    all
}

/// An acquire that asks for less.
fn simpler(op: &Op) -> Vec<Op> {
    let Op::Acquire { resources, trees, call, .. } = op else { return Vec::new() };
    let mut all = Vec::new();
    let mut push = |change: &dyn Fn(&mut Op)| {
        let mut simpler = op.clone();
        change(&mut simpler);
        all.push(simpler);
    };
    if resources.len() > 1 {
        for number in 0..resources.len() {
            push(&|op| {
                if let Op::Acquire { resources, .. } = op {
                    resources.remove(number);
                }
            });
        }
    }
    if !trees.is_empty() || call.is_some() {
        push(&|op| {
            if let Op::Acquire { trees, call, .. } = op {
                trees.clear();
                *call = None;
            }
        });
    }
    all
}

fn fails_somehow(candidate: &Schedule) -> Option<Schedule> {
    let listed = Course::Loose(candidate.preemptions.clone());
    let random = (0..TRIES).map(|seed| Course::Random {
        seed,
        per_mille: PER_MILLE[usize::try_from(seed).unwrap_or(0) % PER_MILLE.len()],
    });
    std::iter::once(listed).chain(random).find_map(|course| fails(candidate, course))
}

/// What the run did, if it went wrong in the same way.
fn fails(candidate: &Schedule, course: Course) -> Option<Schedule> {
    let Report { violation, taken, struck, .. } = run(&candidate.as_run(course));
    let violation = violation?;
    (candidate.violates.as_deref() == Some(violation.oracle)).then(|| Schedule {
        what: violation.detail,
        preemptions: taken,
        faults: struck,
        ..candidate.clone()
    })
}

/// Leaves out as many preemptions as can be, in ever smaller pieces.
fn fewer_preemptions(mut best: Schedule, tell: &mut dyn FnMut(&Schedule)) -> Schedule {
    let mut piece = best.preemptions.len().div_ceil(2);
    while piece > 0 {
        let mut at = 0;
        while at < best.preemptions.len() {
            let end = (at + piece).min(best.preemptions.len());
            let rest: Vec<Preemption> =
                [&best.preemptions[..at], &best.preemptions[end..]].concat();
            match fails(&best, Course::Loose(rest)) {
                Some(fewer) if fewer.preemptions.len() < best.preemptions.len() => {
                    best = fewer;
                    tell(&best);
                }
                _ => at = end,
            }
        }
        piece /= 2;
    }
    best
}

/// How big a schedule is, for people.
pub fn size(schedule: &Schedule) -> String {
    let Scenario { boots, .. } = &schedule.scenario;
    let processes: usize = boots.iter().map(Vec::len).sum();
    let steps: usize = boots.iter().flatten().map(Vec::len).sum();
    let faults: &[Fault] = &schedule.faults;
    format!(
        "{processes} processes, {steps} steps, {} faults, {} preemptions",
        faults.len(),
        schedule.preemptions.len()
    )
}
