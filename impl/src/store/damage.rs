//! A file that is no database, or a broken one, is copied aside once, and a new one begins in its
//! place.
//!
//! Its leases are lost by that. Refusing every write of every agent until a person comes would cost
//! more, and nothing is deleted: a copy lies beside the new one under another name.
//!
//! The file itself stays, emptied by SQLite under SQLite's own locks. A new file of the same name
//! would not do: who has the old one open finds the new one's log by its name, and two processes
//! that share a log, but not the file that it belongs to, destroy the leases of both.

use std::ffi::OsString;
use std::fs::{self, File, TryLockError};
use std::path::{Path, PathBuf};
use std::thread;
use std::time::{Duration, Instant};

use rusqlite::Connection;
use rusqlite::config::DbConfig;

use super::upgrade::PAGE_BYTES;
use super::{Options, StoreError, open};

/// The files that make up a database, by what is added to its name.
const PARTS: [&str; 2] = ["", "-wal"];

/// What the names of damaged databases get.
const DAMAGED: &str = ".damaged-";

/// Opens a new database in place of the damaged one; several processes that meet it together move
/// one file, once. Returns a sentence for people with the connection.
pub(super) fn replace(
    path: &Path,
    options: &Options,
    why: &StoreError,
) -> Result<(Connection, Vec<String>), StoreError> {
    let lock = lock(path, options.busy_timeout)?;
    // Another process may have done it while this one waited for the lock.
    let looked_at = open::ready_connection(path, options)
        .and_then(|connection| require_whole(&connection, path).map(|()| connection));
    match looked_at {
        Ok(connection) => return Ok((connection, Vec::new())),
        Err(error) if error.is_damaged() => {}
        // Busy, a full disk, or one that cannot be read: the file may be whole, so it stays.
        Err(error) => return Err(error),
    }
    let aside = copy_aside(path)?;
    empty(path, options)?;
    let connection = open::ready_connection(path, options)?;
    drop(lock);
    let notice = format!(
        "{why}; it was copied to {} and a new one begun: leases that were in it are lost",
        aside.display()
    );
    Ok((connection, vec![notice]))
}

/// Held until it is dropped: only one process at a time replaces a database.
fn lock(path: &Path, patience: Duration) -> Result<File, StoreError> {
    let name = with_suffix(path, ".lock");
    let file = File::options().create(true).append(true).open(&name);
    let file = file.map_err(|error| StoreError::directory(&name, &error))?;
    let started = Instant::now();
    loop {
        match file.try_lock() {
            Ok(()) => return Ok(file),
            Err(TryLockError::WouldBlock) if started.elapsed() < patience => {
                thread::sleep(Duration::from_millis(5));
            }
            Err(error) => return Err(StoreError::directory(&name, &error.into())),
        }
    }
}

fn require_whole(connection: &Connection, path: &Path) -> Result<(), StoreError> {
    let verdict = connection.query_row("PRAGMA quick_check(1)", [], |row| row.get::<_, String>(0));
    match verdict {
        Ok(verdict) if verdict == "ok" => Ok(()),
        Ok(verdict) => Err(StoreError::damaged(path, &verdict)),
        Err(error) => Err(StoreError::of_sqlite(&error, path)),
    }
}

/// Copies the damaged files to a name that no file has, and returns that of the database. The copy
/// is on the disk before the original changes.
fn copy_aside(path: &Path) -> Result<PathBuf, StoreError> {
    let mut number = 1;
    let aside = loop {
        let name = with_suffix(path, &format!("{DAMAGED}{number}"));
        if !name.exists() {
            break name;
        }
        number += 1;
    };
    for part in PARTS {
        let from = with_suffix(path, part);
        if from.exists() {
            let to = with_suffix(&aside, part);
            fs::copy(&from, &to)
                .and_then(|_| File::open(&to)?.sync_all())
                .map_err(|error| StoreError::directory(&to, &error))?;
        }
    }
    Ok(aside)
}

/// Makes an empty database of whatever the file holds.
fn empty(path: &Path, options: &Options) -> Result<(), StoreError> {
    // Not with `open`'s settings: most of them read the file first, and cannot.
    let emptied = Connection::open(path).and_then(|connection| {
        connection.busy_timeout(options.busy_timeout)?;
        connection.set_db_config(DbConfig::SQLITE_DBCONFIG_RESET_DATABASE, true)?;
        connection.execute_batch(&format!("PRAGMA page_size={PAGE_BYTES}; VACUUM"))
    });
    emptied.map_err(|error| StoreError::of_sqlite(&error, path))
}

/// How many damaged databases lie there. Their fences are not known, so the new one's generation
/// leaves room for one each (R14).
pub(super) fn count_aside(path: &Path) -> i64 {
    let numbers = 1..;
    let there = numbers
        .take_while(|number| with_suffix(path, &format!("{DAMAGED}{number}")).exists())
        .count();
    i64::try_from(there).unwrap_or(i64::MAX)
}

fn with_suffix(path: &Path, suffix: &str) -> PathBuf {
    let mut name = OsString::from(path);
    name.push(suffix);
    PathBuf::from(name)
}
