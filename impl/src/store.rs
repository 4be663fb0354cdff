//! The lease engine: rules R1–R14 over SQLite.
//!
//! Every decision is one write transaction that begins with the lock (`BEGIN IMMEDIATE`), so no two
//! processes can decide on the same picture. Nothing outside this module knows a row, a statement
//! or an SQLite error: another engine could take its place.
//!
//! * [`open`](Store::open) brings a database of any age to today's form (R7) and begins a new
//!   generation of fences after a boot (R14).
//! * [`acquire`](Store::acquire), [`release`](Store::release), [`begin`](Store::begin),
//!   [`post`](Store::post), [`end`](Store::end), [`start_subagent`](Store::start_subagent),
//!   [`end_session`](Store::end_session) and [`reap`](Store::reap) write; [`check`](Store::check),
//!   [`check_fence`](Store::check_fence) and [`leases`](Store::leases) read.

mod acquire;
mod busy;
mod call;
mod context;
mod damage;
mod error;
mod generation;
mod grant;
mod lane;
mod life;
mod note;
mod open;
mod own;
mod read;
mod release;
pub mod relic;
mod row;
mod schema;
mod settle;
mod subagent;
mod turn;
mod upgrade;
mod write;

use std::fs;
use std::path::{Path, PathBuf};
use std::time::Duration;

use rusqlite::Connection;

pub use acquire::{Acquired, Grant, Request};
pub use busy::{Busy, CONFLICTS_NAMED_MAX, Conflict, Overlap};
pub use call::CALLS_MAX;
pub use context::{CallState, Context, End, Running, ShellCall};
pub use error::StoreError;
pub use lane::{BELIEVED_AFTER_MS, SEEN_MAX};
pub use life::{Begun, Posted};
pub use note::{Lost, NOTES_MAX};
pub use release::{HandOver, Released};
pub use subagent::SUBAGENTS_MAX;
pub use turn::{REMEMBERED_MS, RETIRED_MAX};

use crate::clock::{Clock, SystemClock};
use crate::machine;
use crate::process::{Processes, SystemProcesses};

/// A lease that has been dead for longer than this is swept, in the course of new grants.
pub const SWEEP_AFTER_MS: i64 = 24 * 3600 * 1000;
/// The acquire that makes each so-manieth grant of a generation sweeps.
pub const SWEEP_EVERY: i64 = 16;
/// How many leases one sweep removes at most: nobody pays for a stranger's thousands. It is more
/// than the grants between two sweeps, so the dead grow fewer.
pub const SWEEP_MAX: u32 = 32;

/// The longest log that the end of a turn leaves, in bytes.
pub const LOG_BYTES_AT_REST: u64 = 16 * 1024;
/// The longest log that a write call leaves, in bytes.
pub const LOG_BYTES_MAX: u64 = 64 * 1024;

/// When a commit counts as durable.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Sync {
    /// Commits survive every crash of a process, but the last ones may go with the power. That is
    /// enough: the holders on a machine die with its power too, the file is never corrupted, and
    /// fences grow all the same (R14).
    #[default]
    Normal,
    /// An acknowledged commit survives the loss of power.
    Full,
}

/// What becomes of a file that is no database, or a broken one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Damaged {
    /// It is copied aside once, and a new database begins in its place.
    Replace,
    /// It stays as it is, and the caller is told.
    Report,
}

/// How to open a store.
pub struct Options {
    /// Where time comes from.
    pub clock: Box<dyn Clock>,
    /// What is known of processes (R13).
    pub processes: Box<dyn Processes>,
    /// The machine's boot id; without one, every open begins a generation.
    pub boot: Option<String>,
    /// How long to wait for another process's transaction.
    pub busy_timeout: Duration,
    /// When a commit counts.
    pub sync: Sync,
    /// How many bytes a file has, none where there is no such file.
    pub length_of: fn(&Path) -> u64,
    /// What becomes of a file that is no database.
    pub damaged: Damaged,
}

impl Options {
    /// On this machine, with its clock, processes, boot and files.
    pub fn of_machine(busy_timeout: Duration) -> Self {
        Self {
            clock: Box::new(SystemClock),
            processes: Box::new(SystemProcesses),
            boot: machine::boot_id(),
            busy_timeout,
            sync: Sync::Normal,
            length_of: |path| fs::metadata(path).map_or(0, |file| file.len()),
            damaged: Damaged::Replace,
        }
    }
}

/// An open lease database.
pub struct Store {
    connection: Connection,
    path: PathBuf,
    options: Options,
    notices: Vec<String>,
}

impl Store {
    /// Opens the database at `path`, and makes or upgrades it where needed. A file that is no
    /// database is copied aside once, and [`notices`](Store::notices) says so.
    ///
    /// # Errors
    /// [`StoreError`] where the file cannot be used; it names the file, the reason and the remedy.
    pub fn open(path: &Path, options: Options) -> Result<Self, StoreError> {
        match open::ready_connection(path, &options) {
            Ok(connection) => {
                Ok(Self { connection, path: path.to_owned(), options, notices: Vec::new() })
            }
            Err(error) if error.may_be_replaced() && options.damaged == Damaged::Replace => {
                Self::open_instead(path, options, &error)
            }
            Err(error) => Err(error),
        }
    }

    /// Opens what another process has put in its place, or copies the damaged database aside and
    /// begins a new one.
    fn open_instead(path: &Path, options: Options, why: &StoreError) -> Result<Self, StoreError> {
        let (connection, notices) = damage::replace(path, &options, why)?;
        Ok(Self { connection, path: path.to_owned(), options, notices })
    }

    /// What a person should know of this open, a sentence each: a damaged file was copied aside.
    pub fn notices(&self) -> &[String] {
        &self.notices
    }

    /// Empties the log if it is longer than `log_bytes_max`. Nothing else does, because that waits
    /// for the disk: the ends of turns call it with [`LOG_BYTES_AT_REST`], and write calls with
    /// [`LOG_BYTES_MAX`], so that it stays bounded whatever happens.
    ///
    /// # Errors
    /// [`StoreError`] where the disk refuses. Nothing is lost by that: the log stays.
    pub fn tidy(&mut self, log_bytes_max: u64) -> Result<(), StoreError> {
        let emptied = open::empty_log(&self.connection, &self.options, &self.path, log_bytes_max);
        let restored = self.connection.busy_timeout(self.options.busy_timeout);
        emptied.and(restored.map_err(|error| StoreError::of_sqlite(&error, &self.path)))
    }

    /// Leaves the connection for the end of the process to close, as a crash would: the call that
    /// answers and ends has no use for what closing tidies up in its memory.
    pub fn abandon(self) {
        std::mem::forget(self.connection);
    }

    /// Carries out one operation. A table that a hand took away is made again, and a database that
    /// turns out to be damaged is replaced, once.
    fn run<T>(
        &mut self,
        operation: impl Fn(&Connection, &Options) -> rusqlite::Result<T>,
    ) -> Result<T, StoreError> {
        let mut result = operation(&self.connection, &self.options);
        if result.as_ref().is_err_and(open::lacks_something) {
            upgrade::run(&self.connection, &self.options, &self.path)
                .map_err(|error| error.at(&self.path))?;
            result = operation(&self.connection, &self.options);
        }
        if let Err(error) = &result {
            let error = StoreError::of_sqlite(error, &self.path);
            if error.may_be_replaced() && self.options.damaged == Damaged::Replace {
                let (connection, notices) = damage::replace(&self.path, &self.options, &error)?;
                self.connection = connection;
                self.notices.extend(notices);
                result = operation(&self.connection, &self.options);
            }
        }
        result.map_err(|error| StoreError::of_sqlite(&error, &self.path))
    }
}
