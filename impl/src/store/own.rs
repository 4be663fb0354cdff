//! What the database knows of itself: one row, read with one look before every decision.

use rusqlite::{Connection, OptionalExtension};

use super::schema::UNSEEN;

/// The database's own row, and whether an old engine left something to settle.
pub(super) struct Own {
    /// The boot in which the generation began.
    pub(super) boot: Option<String>,
    /// The generation of fences.
    pub(super) generation: i64,
    /// The grants in it.
    pub(super) granted: i64,
    /// The latest moment at which a row was written.
    pub(super) clock_ms: i64,
    /// How many turns and sub-agents have started.
    pub(super) starts: i64,
    /// Whether an old engine has written since this one last looked.
    pub(super) has_unseen: bool,
    /// Whether somebody lost a lease (R11).
    pub(super) has_notes: bool,
}

impl Own {
    /// Reads it; none where the row is missing. The statement is kept, for a call that decides
    /// reads this twice: when it opens the database and when it holds the lock.
    pub(super) fn read(connection: &Connection) -> rusqlite::Result<Option<Self>> {
        let mut statement = connection.prepare_cached(&format!(
            "SELECT boot, generation, granted, clock_ms, starts,
                    EXISTS (SELECT 1 FROM leases INDEXED BY leases_unseen WHERE {UNSEEN}),
                    EXISTS (SELECT 1 FROM notes)
             FROM leasehold WHERE id = 0"
        ))?;
        statement
            .query_row([], |row| {
                Ok(Self {
                    boot: row.get(0)?,
                    generation: row.get(1)?,
                    granted: row.get(2)?,
                    clock_ms: row.get(3)?,
                    starts: row.get(4)?,
                    has_unseen: row.get(5)?,
                    has_notes: row.get(6)?,
                })
            })
            .optional()
    }
}
