//! A file that is no database, or a broken one, is moved aside once, and a new one begins.
//!
//! Its leases are lost by that. Refusing every write of every agent until a person comes would cost
//! more, and nothing is deleted: the file lies beside the new one under another name.

use std::ffi::OsString;
use std::fs::{self, File, TryLockError};
use std::path::{Path, PathBuf};
use std::thread;
use std::time::{Duration, Instant};

use rusqlite::Connection;

use super::open::{self, Origin};
use super::{Options, StoreError};

/// The files that make up a database, by what is added to its name. The log comes first: who opens
/// the path while they are moved must not find a new database with the old one's log.
const PARTS: [&str; 3] = ["-wal", "-shm", ""];

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
    match open::ready_connection(path, options, Origin::Found) {
        Ok(connection) if is_whole(&connection) => return Ok((connection, Vec::new())),
        Ok(_) => {}
        Err(error) if error.is_damaged() => {}
        // Busy, or a full disk: no reason to move a file that may be whole.
        Err(error) => return Err(error),
    }
    let aside = move_aside(path)?;
    let lost = Origin::Instead(count_aside(path));
    let connection = open::ready_connection(path, options, lost)?;
    drop(lock);
    let notice = format!(
        "{why}; it was moved to {} and a new one begun: leases that were in it are lost",
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

fn is_whole(connection: &Connection) -> bool {
    let verdict = connection.query_row("PRAGMA quick_check(1)", [], |row| row.get::<_, String>(0));
    verdict.is_ok_and(|verdict| verdict == "ok")
}

/// Gives the damaged files a name that no file has, and returns that of the database.
fn move_aside(path: &Path) -> Result<PathBuf, StoreError> {
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
            fs::rename(&from, with_suffix(&aside, part))
                .map_err(|error| StoreError::directory(&from, &error))?;
        }
    }
    Ok(aside)
}

/// How many damaged databases lie there. Their fences are not known, so the new one's generation
/// leaves room for one each (R14).
fn count_aside(path: &Path) -> i64 {
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
