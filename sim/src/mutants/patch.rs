//! One mutant as a file.

use std::error::Error;
use std::fs;
use std::path::{Path, PathBuf};

/// A fault, and the checks that must find it.
pub(super) struct Patch {
    pub(super) path: PathBuf,
    /// The number in the table of mutants, such as `M5`; variants get a letter.
    pub(super) mutant: String,
    pub(super) what: String,
    pub(super) checks: Vec<String>,
    /// Why the simulator cannot see it, where it cannot.
    pub(super) unseen: Option<String>,
    /// Where the simulator sees it seldom: within how many schedules it should.
    pub(super) rare: Option<u64>,
}

impl Patch {
    /// All patches of a folder, by number.
    pub(super) fn load_all(folder: &Path) -> Result<Vec<Self>, Box<dyn Error>> {
        let mut patches = Vec::new();
        for entry in fs::read_dir(folder)? {
            let path = entry?.path();
            if path.extension().is_some_and(|ending| ending == "patch") {
                patches.push(Self::load(path)?);
            }
        }
        patches.sort_by_key(|patch| (patch.number(), patch.mutant.clone()));
        Ok(patches)
    }

    fn load(path: PathBuf) -> Result<Self, Box<dyn Error>> {
        let text = fs::read_to_string(&path)?;
        let header: Vec<&str> = text.lines().take_while(|line| !line.starts_with("---")).collect();
        let values = |key: &str| -> Vec<String> {
            let prefix = format!("{key}: ");
            let found = header.iter().filter_map(|line| line.strip_prefix(&prefix));
            found.map(str::to_owned).collect()
        };
        let one = |key: &str| {
            values(key).pop().ok_or_else(|| format!("{} has no line `{key}:`", path.display()))
        };
        let (mutant, what, checks) = (one("Mutant")?, one("What")?, values("Check"));
        if checks.is_empty() {
            return Err(format!("{} has no line `Check:`", path.display()).into());
        }
        let unseen = values("Unseen").pop();
        let rare = values("Rare").pop().map(|count| count.parse()).transpose();
        let rare = rare.map_err(|_| format!("{}: `Rare:` is no number", path.display()))?;
        Ok(Self { path, mutant, what, checks, unseen, rare })
    }

    fn number(&self) -> u32 {
        let digits: String = self.mutant.chars().filter(char::is_ascii_digit).collect();
        digits.parse().unwrap_or(u32::MAX)
    }
}
