//! R7: a database of any age becomes one of today's form, once, under the write lock.
//!
//! Whoever finds that something is to do looks again when the lock is held, for another process may
//! have done it in between: 24 processes that open an old file at once all succeed, and one of them
//! does the work.

use std::collections::BTreeSet;

use rusqlite::{Connection, Transaction, TransactionBehavior, params};

use super::open::{self, NotReady, Origin};
use super::schema::{ADDED_COLUMNS, LEGACY_COLUMNS, LEGACY_TABLE, VERSION, additions};
use super::{Options, Sync, generation, settle};
use crate::owner::RESERVED_EPOCH;

/// The page size of a new database, in bytes. A grant touches one page in each of seven trees, and
/// all of them go into the log: small pages keep that short.
const PAGE_BYTES: u32 = 1024;

/// Does what is to do before the first decision of this process.
pub(super) fn run(
    connection: &Connection,
    options: &Options,
    origin: Origin,
) -> Result<(), NotReady> {
    if open::version(connection)? != VERSION {
        // Before anything is changed: turning the log on would write to another program's file.
        // One transaction: another process may be making the tables at this moment.
        form(&Transaction::new_unchecked(connection, TransactionBehavior::Deferred)?)?;
        connection.execute_batch(&format!("PRAGMA page_size={PAGE_BYTES}"))?;
        open::use_log(connection, options.busy_timeout)?;
    }
    // R14: the generation must be on the disk before a fence of it is given out.
    open::set_sync(connection, Sync::Full)?;
    let tx = Transaction::new_unchecked(connection, TransactionBehavior::Immediate)?;
    if !open::is_ready(&tx, options)? {
        if open::version(&tx)? != VERSION {
            to_todays_form(&tx)?;
        }
        let skip = match origin {
            Origin::Found => 0,
            Origin::Instead(lost) => lost,
        };
        generation::begin(&tx, options.boot.as_deref(), options.clock.now_ms(), skip)?;
    }
    tx.commit()?;
    open::set_sync(connection, options.sync)?;
    Ok(())
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
    let had = columns(tx)?;
    for (name, kind) in ADDED_COLUMNS {
        if !had.contains(name) {
            tx.execute_batch(&format!("ALTER TABLE leases ADD COLUMN {name} {kind}"))?;
        }
    }
    tx.execute_batch(&additions())?;
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

fn form(tx: &Transaction<'_>) -> Result<Form, NotReady> {
    let columns = columns(tx)?;
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

fn columns(tx: &Transaction<'_>) -> rusqlite::Result<BTreeSet<String>> {
    let mut statement = tx.prepare("SELECT name FROM pragma_table_info('leases')")?;
    let names = statement.query_map([], |row| row.get(0))?;
    names.collect()
}
