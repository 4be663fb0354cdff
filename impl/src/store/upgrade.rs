//! R7: a database of any age becomes one of today's form, once, under the write lock.
//!
//! Whoever finds that something is to do looks again when the lock is held, for another process may
//! have done it in between: 24 processes that open an old file at once all succeed, and one of them
//! does the work.

use std::collections::BTreeSet;
use std::path::Path;

use rusqlite::{Connection, Transaction, TransactionBehavior, params};

use super::open::{self, NotReady};
use super::own::Own;
use super::schema::{ADDED_COLUMNS, LEGACY_COLUMNS, LEGACY_TABLE, TABLES, VERSION, additions};
use super::{Options, Sync, damage, generation, settle};
use crate::owner::RESERVED_EPOCH;

/// The page size of a new database, in bytes. A grant touches one page in each of seven trees, and
/// all of them go into the log: small pages keep that short.
pub(super) const PAGE_BYTES: u32 = 1024;

/// Does what is to do before the first decision of this process.
pub(super) fn run(connection: &Connection, options: &Options, path: &Path) -> Result<(), NotReady> {
    if open::version(connection)? != VERSION {
        // Before anything is changed: turning the log on would write to another program's file.
        // One transaction: another process may be making the tables at this moment.
        form(&*Transaction::new_unchecked(connection, TransactionBehavior::Deferred)?)?;
        connection.execute_batch(&format!("PRAGMA page_size={PAGE_BYTES}"))?;
        open::use_log(connection, options)?;
    }
    // R14: the generation must be on the disk before a fence of it is given out.
    open::set_sync(connection, Sync::Full)?;
    let tx = Transaction::new_unchecked(connection, TransactionBehavior::Immediate)?;
    let form_is_old = open::version(&tx)? != VERSION;
    // Somebody has taken away what no decision can do without.
    let lacks_something = !form_is_old && !is_whole(&tx)?;
    if lacks_something || !open::is_ready(&tx, options)? {
        if form_is_old || lacks_something {
            to_todays_form(&tx)?;
        }
        let lost = if form_is_old { damage::count_aside(path) } else { 0 };
        let skip = lost + i64::from(lacks_something);
        generation::begin(&tx, options.boot.as_deref(), options.clock.now_ms(), skip)?;
    }
    tx.commit()?;
    // A store that finds a table missing while it works comes here too.
    open::set_sync(connection, options.sync)?;
    Ok(())
}

/// Whether all that belongs to today's form is there.
fn is_whole(tx: &Transaction<'_>) -> rusqlite::Result<bool> {
    let mut named = tx.prepare("SELECT EXISTS (SELECT 1 FROM sqlite_schema WHERE name = ?1)")?;
    for table in TABLES {
        if !named.query_row([table], |row| row.get(0))? {
            return Ok(false);
        }
    }
    match Own::read(tx) {
        Ok(own) => Ok(own.is_some()),
        Err(error) if open::lacks_something(&error) => Ok(false),
        // A disk that fails says nothing of what is there, and has ended the transaction.
        Err(error) => Err(error),
    }
}

/// The forms that old engines left.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Form {
    Absent,
    BeforeEpochs,
    WithEpochs,
}

fn to_todays_form(tx: &Transaction<'_>) -> Result<(), NotReady> {
    let form = form(tx)?;
    if form == Form::Absent {
        tx.execute_batch(LEGACY_TABLE)?;
    }
    let had = columns(tx, "leases")?;
    for (name, kind) in ADDED_COLUMNS {
        if !had.contains(name) {
            tx.execute_batch(&format!("ALTER TABLE leases ADD COLUMN {name} {kind}"))?;
        }
    }
    let known = columns(tx, "leasehold")?;
    if !known.is_empty() && !known.contains("starts") {
        let starts = "ALTER TABLE leasehold ADD COLUMN starts INTEGER NOT NULL DEFAULT 0";
        tx.execute_batch(starts)?;
    }
    tx.execute_batch(&additions())?;
    // R14: where the row that held the generation was lost, the leases still tell of it. So do they
    // of the count of starts (R9).
    tx.execute(
        "UPDATE leasehold
         SET generation = max(generation, (SELECT ifnull(max(fence), 0) FROM leases) / ?1),
             starts = max(starts, (SELECT ifnull(max(used), 0) FROM leases),
                          (SELECT ifnull(max(started), 0) FROM turns),
                          (SELECT ifnull(max(started), 0) FROM subagents))",
        params![generation::fence(1, 0)],
    )?;
    let migrated = migrated_rows(tx, form)?;
    let latest_ms = settle::old_engines_rows(tx)?;
    tx.execute("UPDATE leasehold SET clock_ms = max(clock_ms, ?1)", params![latest_ms])?;
    let mut flag = tx.prepare("UPDATE leases SET migrated = 1 WHERE rowid = ?1")?;
    for rowid in migrated {
        flag.execute(params![rowid])?;
    }
    Ok(())
}

/// Which rows are from before epochs: all of the first form, the marked ones of the third. In the
/// second form an empty epoch is ambiguous, so it counts as fresh.
fn migrated_rows(tx: &Transaction<'_>, form: Form) -> rusqlite::Result<Vec<i64>> {
    let mut statement = tx.prepare("SELECT rowid FROM leases WHERE ?1 OR epoch = ?2")?;
    let rows = statement
        .query_map(params![form == Form::BeforeEpochs, RESERVED_EPOCH], |row| row.get(0))?;
    rows.collect()
}

/// Says what a database is that has the number of our form, but not all of it.
pub(super) fn require_ours(connection: &Connection) -> Result<(), NotReady> {
    match form(connection)? {
        Form::WithEpochs => Ok(()),
        Form::Absent | Form::BeforeEpochs => Err(NotReady::Foreign),
    }
}

fn form(tx: &Connection) -> Result<Form, NotReady> {
    let columns = columns(tx, "leases")?;
    if columns.is_empty() {
        let tables: i64 =
            tx.query_row("SELECT count(*) FROM sqlite_schema", [], |row| row.get(0))?;
        return if tables == 0 { Ok(Form::Absent) } else { Err(NotReady::Foreign) };
    }
    if !LEGACY_COLUMNS.iter().all(|name| columns.contains(*name)) {
        return Err(NotReady::Foreign);
    }
    let epochs = columns.contains("epoch");
    Ok(if epochs { Form::WithEpochs } else { Form::BeforeEpochs })
}

fn columns(tx: &Connection, table: &str) -> rusqlite::Result<BTreeSet<String>> {
    let mut statement = tx.prepare("SELECT name FROM pragma_table_info(?1)")?;
    let names = statement.query_map([table], |row| row.get(0))?;
    names.collect()
}
