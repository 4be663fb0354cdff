//! Every schedule with few preemptions, and every point at which somebody can be killed.

pub mod legs;

use std::cell::Cell;
use std::collections::HashSet;

use leasehold_model::{Context, Op, Owner, Resource, Terms};

use crate::run::{Choice, Course, Fault, Loss, Mishap, Preemption, Report, Run, run};
use crate::scenario::{Journal, Program, Scenario, Start, Step};
use crate::schedule::Schedule;

/// What was gone through.
#[derive(Debug, Default)]
pub struct Explored {
    /// How many schedules were run.
    pub schedules: u64,
    /// The traces that were seen: schedules that differ only in what makes no difference share one.
    distinct: HashSet<u64>,
    /// The first that went wrong.
    pub wrong: Option<Schedule>,
}

impl Explored {
    /// How many different runs there were.
    pub fn distinct(&self) -> usize {
        self.distinct.len()
    }

    fn take(&mut self, scenario: &Scenario, course: &Run<'_>, report: &Report) {
        self.schedules += 1;
        self.distinct.insert(report.hash);
        if let Some(violation) = &report.violation {
            self.wrong = Some(Schedule {
                what: violation.detail.clone(),
                violates: Some(violation.oracle.to_owned()),
                seed: course.seed,
                scenario: scenario.clone(),
                preemptions: report.taken.clone(),
                faults: report.struck.clone(),
            });
        }
    }
}

/// So many processes, each of which opens the store and asks for the same file.
pub fn one_acquire_each(processes: usize, start: Start, journal: Journal) -> Scenario {
    let program = |number: usize| -> Program {
        let owner = Owner { session: format!("s{number}"), epoch: "t1".to_owned() };
        vec![Step::Ask(Box::new(Op::Acquire {
            owner,
            resources: vec![Resource::new("/r/a")],
            trees: Vec::new(),
            terms: Terms { agent: "test".to_owned(), ttl: 60_000, note: None },
            call: None,
            context: Context::default(),
        }))]
    };
    Scenario {
        start,
        journal,
        full_sync: false,
        abandons: false,
        powersafe_overwrite: true,
        patience_ms: 10_000,
        boots: vec![(0..processes).map(program).collect()],
    }
}

fn course(scenario: &Scenario, preemptions: Vec<Preemption>, faults: Vec<Fault>) -> Run<'_> {
    Run {
        faults,
        keeps_choices: true,
        checks_integrity: false,
        ..Run::plain(scenario, Course::Listed(preemptions))
    }
}

/// Runs every schedule with at most so many preemptions, until one goes wrong. A preemption leaves
/// a process that could go on. Who begins, and who follows one that waits or has ended, is free:
/// all of them are tried, and they count for nothing. Who waits for a moment goes on when nobody
/// else can; where that moment comes early, in the middle of what others do, it is a preemption of
/// them.
///
/// Where the processes are twins, which do the same under other names, a schedule that another
/// begins is the mirror image of one that the first begins. So the others begin, too, but are not
/// preempted then.
pub fn preemptions(
    scenario: &Scenario,
    at_most: usize,
    twins: bool,
    tell: &dyn Fn(u64),
) -> Explored {
    let mut explored = Explored::default();
    let mut open = vec![(Vec::new(), 0)];
    while let Some((list, spent)) = open.pop() {
        let run_of_list = course(scenario, list.clone(), Vec::new());
        let report = run(&run_of_list);
        explored.take(scenario, &run_of_list, &report);
        tell(explored.schedules);
        if explored.wrong.is_some() {
            return explored;
        }
        let after = list.last().map_or(0, |last: &Preemption| last.at);
        for choice in report.choices.iter().filter(|choice| choice.at > after) {
            for (to, spent) in ways(choice, spent, at_most, twins) {
                let mut longer = list.clone();
                longer.push(Preemption { at: choice.at, kind: choice.kind, to });
                open.push((longer, spent));
            }
        }
    }
    explored
}

/// Who else may go on at a point, and how many preemptions are spent then.
fn ways(
    choice: &Choice,
    spent: usize,
    at_most: usize,
    twins: bool,
) -> impl Iterator<Item = (usize, usize)> {
    let left =
        if twins && choice.at == 1 { at_most } else { spent + usize::from(!choice.leaves_nobody) };
    let others = choice.others.iter().map(move |to| (*to, left));
    let sleepers = choice.sleepers.iter().map(move |to| (*to, spent + 1));
    others.chain(sleepers).filter(move |(_, spent)| *spent <= at_most)
}

/// Crashes along one run, in which the first process goes to its end, then the next, and nobody is
/// preempted. At every point of it, up to the end of a second boot with the same processes, each of
/// the processes is killed, and the power goes: what was not synced is kept, or dropped, or each
/// single change of it is dropped, be it of a file's bytes or of its name. No two crashes come
/// together, no write is torn, and what others would do beside a crash is left to drawn runs.
pub fn crashes(scenario: &Scenario, tell: &dyn Fn(u64)) -> Explored {
    let mut explored = Explored::default();
    let mut scenario = scenario.clone();
    // Somebody comes afterwards, to find what was left.
    scenario.boots.push(scenario.boots[0].clone());
    let whole = run(&course(&scenario, Vec::new(), Vec::new()));
    for at in 1..=whole.points {
        let unsynced = Cell::new(0);
        let mut crash = |what: Mishap| {
            let fault = Fault { at, kind: None, what };
            let crash = course(&scenario, Vec::new(), vec![fault]);
            let report = run(&crash);
            explored.take(&scenario, &crash, &report);
            tell(explored.schedules);
            unsynced.set(report.unsynced);
            explored.wrong.is_none()
        };
        let mut goes_on = (0..scenario.boots[0].len()).map(Mishap::Kill).all(&mut crash);
        goes_on = goes_on
            && [Loss::DropsAll, Loss::KeepsAll].map(Mishap::PowerLoss).into_iter().all(&mut crash);
        let each = (0..unsynced.get()).map(|one| Mishap::PowerLoss(Loss::DropsOne(one)));
        if !goes_on || !each.into_iter().all(&mut crash) {
            return explored;
        }
    }
    explored
}
