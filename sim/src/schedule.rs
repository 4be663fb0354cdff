//! One run as a file that a person can read: what happens, who goes on when, and what goes wrong.

use std::error::Error;
use std::fs;
use std::path::Path;

use serde::{Deserialize, Serialize};

use crate::draw::Drawn;
use crate::run::{Course, Fault, Preemption, Report, Run, run};
use crate::scenario::Scenario;

/// A run to be repeated.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
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
        Self {
            what: String::new(),
            violates: report.violation.as_ref().map(|violation| violation.oracle.to_owned()),
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

    /// Its scenario and its faults, by another course.
    pub fn as_run(&self, course: Course) -> Run<'_> {
        let plain = Run::plain(&self.scenario, course);
        Run { faults: self.faults.clone(), seed: self.seed, ..plain }
    }

    /// Reads a file.
    ///
    /// # Errors
    /// Where the file cannot be read, or is no schedule: the text names it.
    pub fn read(path: &Path) -> Result<Self, Box<dyn Error>> {
        let text =
            fs::read_to_string(path).map_err(|error| format!("{}: {error}", path.display()))?;
        let schedule = serde_json::from_str(&text);
        Ok(schedule.map_err(|error| format!("{} is no schedule: {error}", path.display()))?)
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
