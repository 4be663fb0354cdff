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
