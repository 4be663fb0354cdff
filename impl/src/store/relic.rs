//! Databases as old engines left them, for demonstrations and tests.

use std::path::Path;

use rusqlite::{Connection, params};

use super::StoreError;
use super::schema::{LEGACY_TABLE, seconds};

/// A row of the first engine.
#[derive(Clone, Debug)]
pub struct Relic<'r> {
    /// The path as text.
    pub resource: &'r str,
    /// Whose it is.
    pub session: &'r str,
    /// In milliseconds since 1970.
    pub acquired_ms: i64,
    /// In milliseconds since 1970.
    pub expires_ms: i64,
}

/// Makes a database of the first form, from before epochs, with these rows.
///
/// # Errors
/// [`StoreError`] where the file cannot be made, or is there already.
pub fn make(path: &Path, rows: &[Relic<'_>]) -> Result<(), StoreError> {
    let make = || {
        let connection = Connection::open(path)?;
        connection.execute_batch(LEGACY_TABLE)?;
        for row in rows {
            connection.execute(
                "INSERT INTO leases(resource, session, agent, host, acquired, expires)
                 VALUES (?1, ?2, 'old-engine', 'localhost', ?3, ?4)",
                params![
                    row.resource,
                    row.session,
                    seconds(row.acquired_ms),
                    seconds(row.expires_ms)
                ],
            )?;
        }
        Ok(())
    };
    make().map_err(|error| StoreError::of_sqlite(&error, path))
}

/// A row as any of the old engines writes it.
#[derive(Clone, Debug)]
pub struct OldWrite<'r> {
    /// The path as text.
    pub resource: &'r str,
    /// Whose it is.
    pub session: &'r str,
    /// The epoch, where that engine knows of epochs.
    pub epoch: Option<&'r str>,
    /// Its label.
    pub agent: &'r str,
    /// In milliseconds since 1970.
    pub acquired_ms: i64,
    /// In milliseconds since 1970.
    pub expires_ms: i64,
    /// Its note.
    pub note: Option<&'r str>,
}

/// Gives the table the column of the engines that know of epochs.
///
/// # Errors
/// What SQLite says.
pub fn add_epochs(connection: &Connection) -> rusqlite::Result<()> {
    connection.execute_batch("ALTER TABLE leases ADD COLUMN epoch TEXT NOT NULL DEFAULT ''")
}

/// What old engines run to take or renew a lease.
///
/// # Errors
/// What SQLite says.
pub fn write(connection: &Connection, row: &OldWrite<'_>) -> rusqlite::Result<()> {
    let (column, value, update) = match row.epoch {
        Some(_) => (", epoch", ", ?7", ", epoch = excluded.epoch"),
        None => ("", "", ""),
    };
    let sql = format!(
        "INSERT INTO leases(resource, session, agent, host, acquired, expires, note{column})
         VALUES (?1, ?2, ?3, 'old', ?4, ?5, ?6{value})
         ON CONFLICT(resource) DO UPDATE SET session = excluded.session,
             agent = excluded.agent, acquired = excluded.acquired,
             expires = excluded.expires, note = excluded.note{update}"
    );
    let OldWrite { resource, session, agent, note, .. } = row;
    let (acquired, expires) = (seconds(row.acquired_ms), seconds(row.expires_ms));
    match row.epoch {
        Some(epoch) => connection
            .execute(&sql, params![resource, session, agent, acquired, expires, note, epoch])?,
        None => {
            connection.execute(&sql, params![resource, session, agent, acquired, expires, note])?
        }
    };
    Ok(())
}

/// What they run to give everything of a session back.
///
/// # Errors
/// What SQLite says.
pub fn delete(connection: &Connection, session: &str) -> rusqlite::Result<()> {
    connection.execute("DELETE FROM leases WHERE session = ?1", params![session])?;
    Ok(())
}
