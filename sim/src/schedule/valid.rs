//! What a schedule may hold: what the simulator can run, and the store accepts.

use std::fmt::Display;
use std::ops::RangeInclusive;
use std::path::Path;

use leasehold::owner::{Owner as StoreOwner, session_name};
use leasehold::resource;
use leasehold_model::{Context, Form, Millis, OldRow, Op, Owner, Process, Resource};

use super::Schedule;
use crate::machine::START_MS;
use crate::process::Nowhere;
use crate::run::Mishap;
use crate::scenario::{Scenario, Start, Step};
use crate::words::Places as _;

const BOOTS: RangeInclusive<usize> = 1..=8;
/// Of each boot.
const PROCESSES: RangeInclusive<usize> = 1..=64;
/// Of each process; one without any opens the store and closes it.
const STEPS: RangeInclusive<usize> = 0..=1000;
const PATIENCE_MS: RangeInclusive<u64> = 0..=3_600_000;
/// Ten years: sums of such times are far from the ends of the numbers.
const LONG_MS: Millis = 3653 * 24 * 3_600_000;
const SPAN_MS: RangeInclusive<Millis> = 0..=LONG_MS;
const MOMENT_MS: RangeInclusive<Millis> = START_MS - LONG_MS..=START_MS + LONG_MS;

type Verdict = Result<(), String>;

impl Schedule {
    /// Whether it can be run at all. Whether its list fits the run is seen only there.
    ///
    /// # Errors
    /// What is wrong, and where: boots, processes, steps, preemptions and faults are counted from
    /// 0, as the file has them.
    pub fn validate(&self) -> Result<(), String> {
        scenario(&self.scenario)?;
        let processes = self.scenario.boots.iter().map(Vec::len).max().unwrap_or(0);
        let mut last = 0;
        for (number, one) in self.preemptions.iter().enumerate() {
            let place = |why| format!("preemption {number}: {why}");
            if one.at <= last {
                return Err(place(format!("point {} does not come after point {last}", one.at)));
            }
            last = one.at;
            is_process(one.to, processes).map_err(place)?;
        }
        // Several things may go wrong at one point.
        let mut last = 1;
        for (number, fault) in self.faults.iter().enumerate() {
            let place = |why| format!("fault {number}: {why}");
            if fault.at < last {
                return Err(place(format!("point {} comes before point {last}", fault.at)));
            }
            last = fault.at;
            match fault.what {
                Mishap::Kill(process) => is_process(process, processes),
                Mishap::Pause(span_ms) => within("span", span_ms, SPAN_MS),
                Mishap::Clock(by_ms) => within("span", by_ms, -LONG_MS..=LONG_MS),
                Mishap::Error | Mishap::Full | Mishap::PowerLoss(_) => Ok(()),
            }
            .map_err(place)?;
        }
        Ok(())
    }
}

fn within<T: PartialOrd + Display + Copy>(
    what: &str,
    value: T,
    range: RangeInclusive<T>,
) -> Verdict {
    if range.contains(&value) {
        return Ok(());
    }
    Err(format!("{what}: {value} is not in {}..={}", range.start(), range.end()))
}

fn is_process(number: usize, processes: usize) -> Verdict {
    if number < processes { Ok(()) } else { Err(format!("there is no process {number}")) }
}

fn scenario(scenario: &Scenario) -> Verdict {
    within("patience_ms", scenario.patience_ms, PATIENCE_MS)?;
    if let Start::Legacy(form, rows) = &scenario.start {
        for (number, row) in rows.iter().enumerate() {
            let place = |why| format!("row {number} of the start: {why}");
            if *form == Form::First && row.epoch.is_some() {
                return Err(place("the first form has no epochs".to_owned()));
            }
            old_row(row).map_err(place)?;
        }
    }
    within("boots", scenario.boots.len(), BOOTS)?;
    for (boot, programs) in scenario.boots.iter().enumerate() {
        within(&format!("boot {boot}, processes"), programs.len(), PROCESSES)?;
        for (process, program) in programs.iter().enumerate() {
            let place = format!("boot {boot}, process {process}");
            within(&format!("{place}, steps"), program.len(), STEPS)?;
            for (number, step) in program.iter().enumerate() {
                let verdict = match step {
                    Step::Wait(span_ms) => within("wait", *span_ms, SPAN_MS),
                    // Any length is one that a log may have.
                    Step::Tidy(_) => Ok(()),
                    Step::Ask(op) => operation(op),
                };
                verdict.map_err(|why| format!("{place}, step {number}: {why}"))?;
            }
        }
    }
    Ok(())
}

fn operation(op: &Op) -> Verdict {
    match op {
        Op::Open { .. } => Err("each process opens the store by itself".to_owned()),
        Op::Acquire { owner: asks, resources, trees, terms, context: known, .. } => {
            owner(asks)?;
            resources.iter().chain(trees).try_for_each(path)?;
            within("ttl", terms.ttl, 1..=LONG_MS)?;
            context(known)
        }
        Op::Post { owner: asks, resources, context: known, .. } => {
            owner(asks)?;
            resources.iter().try_for_each(path)?;
            context(known)
        }
        Op::Release { owner: asks, .. } => owner(asks),
        Op::Begin { owner: asks, context: known }
        | Op::SubagentStart { owner: asks, context: known }
        | Op::End { owner: asks, context: known, .. } => {
            owner(asks)?;
            context(known)
        }
        Op::EndSession { session: name, context: known } => {
            session(name)?;
            context(known)
        }
        Op::Fate { process, .. } => agent(*process),
        Op::Check { resource } | Op::CheckFence { resource, .. } => path(resource),
        Op::Reap => Ok(()),
        Op::OldUpsert(row) => old_row(row),
        Op::OldDelete { session: name } => session(name),
    }
}

fn owner(owner: &Owner) -> Verdict {
    session(&owner.session)?;
    StoreOwner::new(&owner.session, &owner.epoch).map(drop).map_err(|bad| bad.to_string())
}

/// The model has no aliases.
fn session(name: &str) -> Verdict {
    match session_name(name) {
        Ok(plain) if plain == name => Ok(()),
        Ok(plain) => Err(format!("`{name}` is an alias: write `{plain}`")),
        Err(bad) => Err(bad.to_string()),
    }
}

fn context(context: &Context) -> Verdict {
    context.sighting.as_ref().map_or(Ok(()), |sighting| agent(sighting.process))
}

fn agent(process: Process) -> Verdict {
    if process.0 > 0 { Ok(()) } else { Err("an agent's process is not 0".to_owned()) }
}

fn old_row(row: &OldRow) -> Verdict {
    session(&row.session)?;
    path(&row.resource)?;
    within("acquired", row.acquired, MOMENT_MS)?;
    within("expires", row.expires, MOMENT_MS)
}

/// Whether the store has this very path, and no other name for it. The simulated world has no files
/// with two names.
fn path(wanted: &Resource) -> Verdict {
    let text = wanted.path();
    if *wanted != Resource::new(&text) {
        return Err(format!("`{text}`: no names without an end or with `/`, and `file` is null"));
    }
    let found = resource::resolve(Path::new(&Nowhere.spelling(wanted)), None);
    let found = found.map_err(|error| format!("`{text}`: {error}"))?;
    let spelt = |one: &resource::Resource| Nowhere.name(&resource::spelling(&one.path));
    match &found[..] {
        [one] if spelt(one) == *wanted => Ok(()),
        _ => Err(format!("`{text}` is not how the store names it")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::explore::one_acquire_each;
    use crate::run::{Fault, Kind, Preemption};
    use crate::scenario::Journal;

    fn schedule() -> Schedule {
        Schedule {
            what: String::new(),
            violates: None,
            seed: 0,
            scenario: one_acquire_each(2, Start::Ready, Journal::Log),
            preemptions: Vec::new(),
            faults: Vec::new(),
        }
    }

    #[track_caller]
    fn is_refused(expected: &str, change: impl FnOnce(&mut Schedule)) {
        let mut bad = schedule();
        assert_eq!(bad.validate(), Ok(()));
        change(&mut bad);
        assert_eq!(bad.validate(), Err(expected.to_owned()));
    }

    /// A schedule in which process 0 does this at last.
    fn with(step: Step) -> impl FnOnce(&mut Schedule) {
        move |bad| bad.scenario.boots[0][0].push(step)
    }

    fn asks(op: Op) -> impl FnOnce(&mut Schedule) {
        with(Step::Ask(Box::new(op)))
    }

    #[test]
    fn what_cannot_be_run_is_refused() {
        is_refused("boots: 0 is not in 1..=8", |bad| bad.scenario.boots.clear());
        is_refused("boot 1, processes: 0 is not in 1..=64", |bad| {
            bad.scenario.boots.push(Vec::new());
        });
        is_refused("boot 0, process 0, steps: 1001 is not in 0..=1000", |bad| {
            bad.scenario.boots[0][0] = vec![Step::Wait(0); 1001];
        });
        is_refused("patience_ms: 3600001 is not in 0..=3600000", |bad| {
            bad.scenario.patience_ms = 3_600_001;
        });
        let step = "boot 0, process 0, step 1: ";
        is_refused(&format!("{step}wait: -1 is not in 0..={LONG_MS}"), with(Step::Wait(-1)));
        let open = Op::Open { boot: "boot-0".to_owned() };
        is_refused(&format!("{step}each process opens the store by itself"), asks(open));
    }

    #[test]
    fn names_that_the_store_refuses_are_refused() {
        let step = "boot 0, process 0, step 1: ";
        let end = |session: &str| Op::EndSession {
            session: session.to_owned(),
            context: Context::default(),
        };
        is_refused(&format!("{step}`agent/s` is an alias: write `s`"), asks(end("agent/s")));
        let empty = "the session id is empty: name the conversation";
        is_refused(&format!("{step}{empty}"), asks(end("")));
        let epoch = leasehold_model::RESERVED_EPOCH.to_owned();
        let reserved = Owner { session: "s".to_owned(), epoch };
        let refused = "this epoch is reserved for migrated rows: name another";
        let release = Op::Release { owner: reserved, hand_over: false };
        is_refused(&format!("{step}{refused}"), asks(release));
        let check = |path| Op::Check { resource: Resource::new(path) };
        let refused = format!("{step}`/r/../a` is not how the store names it");
        is_refused(&refused, asks(check("/r/../a")));
        let linked = Resource::new("/r").with_file(leasehold_model::FileId(1));
        let refused = "`/r`: no names without an end or with `/`, and `file` is null";
        is_refused(&format!("{step}{refused}"), asks(Op::Check { resource: linked }));
    }

    #[test]
    fn a_list_is_in_order_and_names_processes_that_are_there() {
        let preemption = |at, to| Preemption { at, kind: Kind::Start, to };
        for (list, expected) in [
            (vec![preemption(0, 0)], "preemption 0: point 0 does not come after point 0"),
            (
                vec![preemption(5, 0), preemption(5, 1)],
                "preemption 1: point 5 does not come after point 5",
            ),
            (vec![preemption(1, 2)], "preemption 0: there is no process 2"),
        ] {
            is_refused(expected, |bad| bad.preemptions = list);
        }
        let fault = |at, what| Fault { at, kind: None, what };
        for (list, expected) in [
            (vec![fault(0, Mishap::Error)], "fault 0: point 0 comes before point 1"),
            (
                vec![fault(9, Mishap::Error), fault(8, Mishap::Error)],
                "fault 1: point 8 comes before point 9",
            ),
            (vec![fault(1, Mishap::Kill(2))], "fault 0: there is no process 2"),
        ] {
            is_refused(expected, |bad| bad.faults = list);
        }
        let far = format!("fault 0: span: {} is not in 0..={LONG_MS}", LONG_MS + 1);
        is_refused(&far, |bad| bad.faults = vec![fault(1, Mishap::Pause(LONG_MS + 1))]);
    }
}
