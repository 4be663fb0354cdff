//! One run as a file that a person can read: what happens, who goes on when, and what goes wrong.

mod valid;

use std::error::Error;
use std::fmt::Display;
use std::fs;
use std::path::Path;

use serde::{Deserialize, Serialize};

use crate::draw::Drawn;
use crate::run::{Course, Event, Fault, Preemption, Report, Run, Stale, run};
use crate::scenario::Scenario;

/// A run to be repeated.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Schedule {
    /// What went wrong when it was found, in a sentence.
    pub what: String,
    /// The oracle that says so; none where all must agree, as they do once the fault is mended.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub violates: Option<String>,
    /// The seed of the machine's own randomness.
    pub seed: u64,
    /// What happens.
    pub scenario: Scenario,
    /// Where another than the usual process goes on.
    pub preemptions: Vec<Preemption>,
    /// What goes wrong.
    pub faults: Vec<Fault>,
}

impl Schedule {
    /// What a drawn run did, as a list.
    pub fn of_drawn(drawn: &Drawn, report: &Report) -> Self {
        let violation = report.violation.as_ref();
        Self {
            what: violation.map(|violation| violation.detail.clone()).unwrap_or_default(),
            violates: violation.map(|violation| violation.oracle.to_owned()),
            seed: drawn.seed,
            scenario: drawn.scenario.clone(),
            preemptions: report.taken.clone(),
            faults: report.struck.clone(),
        }
    }

    /// Runs it. All points are listed in the report.
    pub fn run(&self) -> Report {
        run(&Run { keeps_trace: true, ..self.as_run(Course::Listed(self.preemptions.clone())) })
    }

    /// The first thing in its list that was not as the list says in this run of it, or changed
    /// nothing there.
    pub fn unfit(&self, report: &Report) -> Option<Stale> {
        if report.stale.is_some() {
            return report.stale.clone();
        }
        let is_idle = |one: &&Preemption| !report.taken.contains(one);
        let preemption = self.preemptions.iter().find(is_idle).map(|one| one.at);
        let mut struck = report.struck.iter();
        let is_idle = |fault: &&Fault| {
            !struck.by_ref().any(|one| (one.at, one.what) == (fault.at, fault.what))
        };
        let fault = self.faults.iter().find(is_idle).map(|fault| fault.at);
        let at = preemption.into_iter().chain(fault).min()?;
        let why = if at > report.points {
            format!("the run has only {} points", report.points)
        } else {
            "what is listed there changes nothing".to_owned()
        };
        Some(Stale { at, why })
    }

    /// Whether a process is about to do something else at this point of a run than the list says.
    pub fn differs(&self, report: &Report, at: u64) -> bool {
        let seen = report.trace.iter().find_map(|event| match event {
            Event::Point(point) if point.at == at => Some(point.kind),
            _ => None,
        });
        let preemptions = self.preemptions.iter().filter(|one| one.at == at).map(|one| one.kind);
        let faults = self.faults.iter().filter(|one| one.at == at).filter_map(|one| one.kind);
        seen.is_some_and(|seen| preemptions.chain(faults).any(|listed| listed != seen))
    }

    /// Its scenario and its faults, by another course.
    pub fn as_run(&self, course: Course) -> Run<'_> {
        let plain = Run::plain(&self.scenario, course);
        Run { faults: self.faults.clone(), seed: self.seed, ..plain }
    }

    /// Reads a file.
    ///
    /// # Errors
    /// Where the file cannot be read, or is no schedule that can be run: the text names it.
    pub fn read(path: &Path) -> Result<Self, Box<dyn Error>> {
        let text =
            fs::read_to_string(path).map_err(|error| format!("{}: {error}", path.display()))?;
        let bad = |error: &dyn Display| format!("{} is no schedule: {error}", path.display());
        let schedule: Self = serde_json::from_str(&text).map_err(|error| bad(&error))?;
        schedule.validate().map_err(|why| bad(&why))?;
        Ok(schedule)
    }

    /// Writes a file.
    ///
    /// # Errors
    /// Where it cannot be written.
    pub fn write(&self, path: &Path) -> Result<(), Box<dyn Error>> {
        let text = serde_json::to_string_pretty(self)?;
        fs::write(path, text + "\n").map_err(|error| format!("{}: {error}", path.display()))?;
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::run::Violation;

    #[test]
    fn what_went_wrong_is_written_down() {
        let drawn = Drawn::from_seed(1);
        let violation = Violation { oracle: "rows", detail: "one too many".to_owned() };
        let report = Report { violation: Some(violation), ..run(&drawn.run()) };
        let schedule = Schedule::of_drawn(&drawn, &report);
        assert_eq!(schedule.what, "one too many");
        assert_eq!(schedule.violates.as_deref(), Some("rows"));
    }
}
