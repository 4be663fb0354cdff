//! What is asked of drawn runs, where not everything is to be drawn.

use std::collections::BTreeSet;
use std::str::FromStr;

use crate::scenario::Journal;

/// What the command line calls the sorts of databases at the start.
const STARTS: [(&str, Beginning); 3] =
    [("empty", Beginning::Empty), ("ready", Beginning::Ready), ("legacy", Beginning::Legacy)];

/// A sort of database before the first process.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Beginning {
    /// There is none.
    Empty,
    /// It is of today's form.
    Ready,
    /// An old engine left it.
    Legacy,
}

/// A sort of mishap.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Trouble {
    /// A process is killed.
    Kill,
    /// A process stands still.
    Pause,
    /// The clock steps.
    Clock,
    /// The disk fails.
    Error,
    /// The disk is full.
    Full,
    /// The power goes.
    Power,
}

impl Trouble {
    /// All of them, with the names that the command line has for them.
    pub const ALL: [(&'static str, Self); 6] = [
        ("kill", Self::Kill),
        ("pause", Self::Pause),
        ("clock", Self::Clock),
        ("error", Self::Error),
        ("full", Self::Full),
        ("power", Self::Power),
    ];
}

/// What is asked; what is none is drawn.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Config {
    /// How SQLite keeps its promises.
    pub journal: Option<Journal>,
    /// The database before the first process.
    pub start: Option<Beginning>,
    /// Whether each commit is put on the disk before it is answered.
    pub full_sync: Option<bool>,
    /// How many processes each boot has.
    pub processes: Option<u32>,
    /// What may go wrong.
    pub faults: Option<Vec<Trouble>>,
    /// The text that it was read from.
    text: Option<String>,
}

impl Config {
    /// The text that it was read from, if it was read from one.
    pub fn text(&self) -> Option<&str> {
        self.text.as_deref()
    }
}

impl FromStr for Config {
    type Err = String;

    /// Reads `KEY=VALUE,…`. The error tells what would be right.
    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let mut config = Self { text: Some(text.to_owned()), ..Self::default() };
        let mut keys = BTreeSet::new();
        for item in text.split(',') {
            let (key, value) = item.split_once('=').ok_or(format!("`{item}` is not KEY=VALUE"))?;
            if !keys.insert(key) {
                return Err(format!("`{key}` comes twice"));
            }
            match key {
                "journal" => {
                    let names = [("log", Journal::Log), ("rollback", Journal::Rollback)];
                    config.journal = Some(one_of(value, &names)?);
                }
                "start" => config.start = Some(one_of(value, &STARTS)?),
                "sync" => {
                    config.full_sync = Some(one_of(value, &[("full", true), ("normal", false)])?);
                }
                "processes" => {
                    let number = value.parse().ok().filter(|number| (1..=16).contains(number));
                    config.processes = Some(number.ok_or("processes: a number from 1 to 16")?);
                }
                "faults" if value == "none" => config.faults = Some(Vec::new()),
                "faults" => {
                    let sorts = value.split('+').map(|name| one_of(name, &Trouble::ALL));
                    config.faults = Some(sorts.collect::<Result<_, _>>()?);
                }
                _ => {
                    let known = "journal, start, sync, processes, faults";
                    return Err(format!("`{key}` is none of {known}"));
                }
            }
        }
        Ok(config)
    }
}

fn one_of<T: Copy>(name: &str, all: &[(&str, T)]) -> Result<T, String> {
    let found = all.iter().find(|(one, _)| *one == name).map(|(_, value)| *value);
    found.ok_or_else(|| {
        let names: Vec<&str> = all.iter().map(|(one, _)| *one).collect();
        format!("`{name}` is none of {}", names.join(", "))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_asked_is_read_and_the_rest_is_drawn() {
        let config: Config = "journal=rollback,start=legacy,faults=kill+power".parse().unwrap();
        assert_eq!(config.journal, Some(Journal::Rollback));
        assert_eq!(config.start, Some(Beginning::Legacy));
        assert_eq!(config.faults, Some(vec![Trouble::Kill, Trouble::Power]));
        assert_eq!((config.full_sync, config.processes), (None, None));
        let config: Config = "faults=none,sync=full,processes=2".parse().unwrap();
        assert_eq!(config.faults, Some(Vec::new()));
        assert_eq!((config.full_sync, config.processes), (Some(true), Some(2)));
    }

    #[test]
    fn what_is_wrong_is_told_with_what_would_be_right() {
        let error = |text: &str| text.parse::<Config>().unwrap_err();
        assert_eq!(error("journal"), "`journal` is not KEY=VALUE");
        assert_eq!(error("journal=wal"), "`wal` is none of log, rollback");
        assert_eq!(
            error("color=red"),
            "`color` is none of journal, start, sync, processes, faults"
        );
        assert_eq!(error("processes=0"), "processes: a number from 1 to 16");
        assert_eq!(error("processes=1,sync=full,processes=2"), "`processes` comes twice");
        assert_eq!(
            error("faults=kill+flood"),
            "`flood` is none of kill, pause, clock, error, full, power"
        );
    }
}
