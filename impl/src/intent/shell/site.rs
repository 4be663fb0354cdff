//! Where a script of Windows shells runs, and what reading it yields.

use crate::intent::shell::disk::Disk;
use crate::intent::shell::findings::Findings;
use crate::intent::shell::invocation::{Nested, Run};
use crate::intent::shell::place::Place;

/// What surrounds a script.
#[derive(Clone, Copy)]
pub struct Site<'a> {
    /// Where it starts.
    pub place: &'a Place,
    /// What `~` stands for.
    pub home: Option<&'a str>,
    /// The disk.
    pub disk: &'a dyn Disk,
}

/// What a script does, as far as its text tells.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Outcome {
    /// What the shell itself writes.
    pub findings: Findings,
    /// The programs that it starts, with the place where each runs.
    pub runs: Vec<Run>,
    /// The scripts that it hands to another shell.
    pub scripts: Vec<Nested>,
}

impl Outcome {
    /// Takes in what a part of the script yields.
    pub fn absorb(&mut self, other: Self) {
        self.findings.files.extend(other.findings.files);
        self.findings.trees.extend(other.findings.trees);
        self.findings.notes.extend(other.findings.notes);
        self.runs.extend(other.runs);
        self.scripts.extend(other.scripts);
    }
}
