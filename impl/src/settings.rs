//! Settings from the environment, and where state lives. The first engine's names are honoured
//! after ours.

use std::ffi::OsString;
use std::fmt;
use std::path::PathBuf;
use std::time::Duration;

use etcetera::BaseStrategy;

use crate::store::{Options, Sync};

/// How long a lease lasts without renewal where nobody says otherwise, in seconds.
pub const TTL_SEC: i64 = 1800;
/// The longest time to live that a caller may ask for, in seconds: a week.
pub const TTL_SEC_MAX: i64 = 7 * 24 * 3600;
/// How long the command line waits for another process's transaction.
pub const CLI_BUSY_TIMEOUT: Duration = Duration::from_secs(10);
/// The hook's own deadline: well before the clients' time-outs, after which a write goes ahead.
pub const HOOK_DEADLINE: Duration = Duration::from_secs(3);

/// What happens to a write that cannot be judged (R15).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum OnError {
    /// It is denied.
    #[default]
    Deny,
    /// It goes ahead, with a warning.
    Allow,
}

impl OnError {
    /// What the environment says, where nothing else in it can be used.
    pub fn from_env() -> Self {
        let allows = std::env::var_os("LEASEHOLD_ON_ERROR").is_some_and(|word| word == "allow");
        if allows { Self::Allow } else { Self::Deny }
    }
}

/// R9: what sub-agents are.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Subagents {
    /// Owners of their own.
    #[default]
    Own,
    /// Hands of their main thread: they hold what it holds.
    Shared,
}

/// What the environment says.
#[derive(Clone, Debug)]
pub struct Settings {
    /// The lease database.
    pub database: PathBuf,
    /// The usage counter's file.
    pub counter: PathBuf,
    /// The default time to live, in milliseconds.
    pub ttl_ms: i64,
    /// When a commit counts.
    pub sync: Sync,
    /// What happens to a write that cannot be judged.
    pub on_error: OnError,
    /// The hook's own deadline.
    pub deadline: Duration,
    /// What sub-agents are.
    pub subagents: Subagents,
}

/// A setting that cannot be used. [`fmt::Display`] names it and says what it takes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BadSetting(String);

impl fmt::Display for BadSetting {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl std::error::Error for BadSetting {}

impl Settings {
    /// Reads the process's environment.
    ///
    /// # Errors
    /// [`BadSetting`] for a value that cannot be used, or where no state directory is known.
    pub fn from_env() -> Result<Self, BadSetting> {
        Self::read(&|name| std::env::var_os(name))
    }

    fn read(env: &dyn Fn(&str) -> Option<OsString>) -> Result<Self, BadSetting> {
        let first = |names: [&str; 2]| {
            names.into_iter().find_map(|name| {
                env(name).filter(|value| !value.is_empty()).map(|value| (name.to_owned(), value))
            })
        };
        let database = first(["LEASEHOLD_DB", "WORKSPACE_WRITE_LEASE_DB"]);
        let counter = first(["LEASEHOLD_COUNTER", "WORKSPACE_WRITE_LEASE_COUNTER"]);
        let ttl_ms = match first(["LEASEHOLD_TTL_SEC", "WORKSPACE_WRITE_LEASE_TTL_SEC"]) {
            Some((name, value)) => ttl_ms(&name, &value.to_string_lossy())?,
            None => TTL_SEC * 1000,
        };
        let word = |name: &str| env(name).map(|value| value.to_string_lossy().into_owned());
        Ok(Self {
            database: located(database, "leases.db")?,
            counter: located(counter, "usage.jsonl")?,
            ttl_ms,
            sync: match word("LEASEHOLD_SYNC").as_deref() {
                None | Some("" | "normal") => Sync::Normal,
                Some("full") => Sync::Full,
                Some(_) => return Err(bad("LEASEHOLD_SYNC takes `normal` or `full`")),
            },
            on_error: match word("LEASEHOLD_ON_ERROR").as_deref() {
                None | Some("" | "deny") => OnError::Deny,
                Some("allow") => OnError::Allow,
                Some(_) => return Err(bad("LEASEHOLD_ON_ERROR takes `deny` or `allow`")),
            },
            deadline: match word("LEASEHOLD_DEADLINE_MS").as_deref() {
                None | Some("") => HOOK_DEADLINE,
                Some(text) => deadline(text)?,
            },
            subagents: match word("LEASEHOLD_SUBAGENTS").as_deref() {
                None | Some("" | "own") => Subagents::Own,
                Some("shared") => Subagents::Shared,
                Some(_) => return Err(bad("LEASEHOLD_SUBAGENTS takes `own` or `shared`")),
            },
        })
    }

    /// How a store is opened with these settings.
    pub fn store_options(&self, busy_timeout: Duration) -> Options {
        Options { sync: self.sync, ..Options::of_machine(busy_timeout) }
    }
}

fn bad(text: &str) -> BadSetting {
    BadSetting(text.to_owned())
}

/// A time to live from a text in seconds, in milliseconds.
///
/// # Errors
/// [`BadSetting`] unless it is a whole number from 1 to a week; `name` says whose value it is.
pub fn ttl_ms(name: &str, text: &str) -> Result<i64, BadSetting> {
    match text.trim().parse::<i64>() {
        Ok(seconds) if (1..=TTL_SEC_MAX).contains(&seconds) => Ok(seconds * 1000),
        _ => Err(BadSetting(format!("{name} takes whole seconds from 1 to {TTL_SEC_MAX}"))),
    }
}

fn deadline(text: &str) -> Result<Duration, BadSetting> {
    match text.trim().parse::<u64>() {
        Ok(ms) if (1..=600_000).contains(&ms) => Ok(Duration::from_millis(ms)),
        _ => Err(bad("LEASEHOLD_DEADLINE_MS takes milliseconds from 1 to 600000")),
    }
}

/// A file that the environment names, or the one in the platform's state directory.
fn located(named: Option<(String, OsString)>, file: &str) -> Result<PathBuf, BadSetting> {
    if let Some((name, value)) = named {
        let path = PathBuf::from(value);
        return if path.is_absolute() {
            Ok(path)
        } else {
            // Relative to what? The hooks of one session run in different directories.
            Err(BadSetting(format!("{name} takes an absolute path")))
        };
    }
    let base = etcetera::choose_base_strategy()
        .map_err(|_| bad("no home directory is known: set LEASEHOLD_DB and LEASEHOLD_COUNTER"))?;
    let state = base.state_dir().unwrap_or_else(|| base.data_dir());
    Ok(state.join("leasehold").join(file))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(pairs: &[(&str, &str)]) -> Result<Settings, BadSetting> {
        let all = [&[("LEASEHOLD_DB", "/d"), ("LEASEHOLD_COUNTER", "/c")], pairs].concat();
        // The last of equal names wins, so that a test can replace the two above.
        Settings::read(&|name| {
            let found = all.iter().rev().find(|(key, _)| *key == name);
            found.map(|(_, value)| OsString::from(value))
        })
    }

    #[test]
    fn defaults_are_those_of_the_design() {
        let settings = read(&[]).unwrap();
        assert_eq!(settings.ttl_ms, 1_800_000);
        assert_eq!(settings.sync, Sync::Normal);
        assert_eq!(settings.on_error, OnError::Deny);
        assert_eq!(settings.deadline, Duration::from_secs(3));
        assert_eq!(settings.subagents, Subagents::Own);
    }

    #[test]
    fn old_names_are_honoured_after_ours() {
        let old = [
            ("LEASEHOLD_DB", ""),
            ("LEASEHOLD_COUNTER", ""),
            ("WORKSPACE_WRITE_LEASE_DB", "/old.db"),
            ("WORKSPACE_WRITE_LEASE_COUNTER", "/old.jsonl"),
            ("WORKSPACE_WRITE_LEASE_TTL_SEC", "60"),
        ];
        let settings = read(&old).unwrap();
        assert_eq!(settings.database, PathBuf::from("/old.db"));
        assert_eq!(settings.counter, PathBuf::from("/old.jsonl"));
        assert_eq!(settings.ttl_ms, 60_000);
        let both = [&old[..], &[("LEASEHOLD_DB", "/new.db"), ("LEASEHOLD_TTL_SEC", "5")]].concat();
        let settings = read(&both).unwrap();
        assert_eq!(settings.database, PathBuf::from("/new.db"));
        assert_eq!(settings.ttl_ms, 5000);
    }

    #[test]
    fn what_cannot_be_used_is_said_with_its_name() {
        for (name, value) in [
            ("LEASEHOLD_TTL_SEC", "0"),
            ("LEASEHOLD_TTL_SEC", "soon"),
            ("WORKSPACE_WRITE_LEASE_TTL_SEC", "-1"),
            ("LEASEHOLD_SYNC", "off"),
            ("LEASEHOLD_ON_ERROR", "ignore"),
            ("LEASEHOLD_DEADLINE_MS", "0"),
            ("LEASEHOLD_DB", "leases.db"),
            ("LEASEHOLD_SUBAGENTS", "none"),
        ] {
            let error = read(&[(name, value)]).unwrap_err().to_string();
            assert!(error.contains(name), "{error}");
        }
    }
}
