//! R6: giving back, exactly what the caller names.

use rusqlite::params;

use super::row::{COLUMNS, StoredLease};
use super::write::Write;
use super::{Store, StoreError};
use crate::owner::Owner;

/// The rows that an upgrade left for the session's first named turn.
pub(super) const MIGRATED: &str = "session = ?1 AND epoch = '' AND migrated = 1";

/// What a release came to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Released {
    /// So many live leases went.
    Count(usize),
    /// None went, but the session holds live leases of other epochs.
    EpochMismatch,
    /// The session holds nothing.
    Absent,
}

/// R7: whether a release by a tokened main thread also takes the session's migrated rows.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum HandOver {
    /// It does: the caller is the session's current turn, or its successor.
    Migrated,
    /// It does not: the caller may be a turn that is long over.
    Nothing,
}

impl Store {
    /// Gives back the owner's leases, and nothing else. With an empty epoch: the session's leases
    /// without one, its migrated rows among them.
    ///
    /// # Errors
    /// [`StoreError`] where the database cannot be written.
    pub fn release(&mut self, owner: &Owner, hand_over: HandOver) -> Result<Released, StoreError> {
        let heir = hand_over == HandOver::Migrated && owner.is_tokened_main_thread();
        self.run(|connection, options| {
            let mut write = Write::begin(connection, options)?;
            let mut released = write.give_back(
                "session = ?1 AND epoch = ?2",
                params![owner.session(), owner.epoch()],
            )?;
            if heir {
                released += write.give_back(MIGRATED, params![owner.session()])?;
            }
            let answer = write.answer(owner.session(), released)?;
            write.commit()?;
            Ok(answer)
        })
    }

    /// Removes every dead lease, and tells how many.
    ///
    /// # Errors
    /// [`StoreError`] where the database cannot be written.
    pub fn reap(&mut self) -> Result<usize, StoreError> {
        self.run(|connection, options| {
            let mut write = Write::begin(connection, options)?;
            let reaped = write.reap()?;
            write.commit()?;
            Ok(reaped)
        })
    }
}

impl Write<'_> {
    /// R4: removes all that is dead. R11: who let a lease expire finds a note, once somebody takes
    /// it.
    fn reap(&mut self) -> rusqlite::Result<usize> {
        let dead: Vec<StoredLease> = self
            .tx
            .prepare(&format!("SELECT {COLUMNS} FROM leases WHERE expires <= ?1 ORDER BY key"))?
            .query_map(params![self.now_seconds()], StoredLease::read)?
            .collect::<Result<_, _>>()?;
        for StoredLease { rowid, key, lease } in &dead {
            if lease.fence.is_some() {
                self.leave_note(&lease.owner, &lease.resource, key)?;
            }
            self.delete(*rowid)?;
        }
        Ok(dead.len())
    }

    /// Deletes the rows that fit, and counts the live ones: what was dead is nobody's to give back.
    pub(super) fn give_back(
        &mut self,
        whose: &str,
        who: impl rusqlite::Params,
    ) -> rusqlite::Result<usize> {
        let now_seconds = self.now_seconds();
        let mut statement = self
            .tx
            .prepare_cached(&format!("DELETE FROM leases WHERE {whose} RETURNING expires"))?;
        let mut rows = statement.query(who)?;
        let mut live = 0;
        while let Some(row) = rows.next()? {
            live += usize::from(row.get::<_, f64>(0)? > now_seconds);
        }
        Ok(live)
    }

    /// Which of the three answers it is.
    pub(super) fn answer(&self, session: &str, released: usize) -> rusqlite::Result<Released> {
        if released > 0 {
            return Ok(Released::Count(released));
        }
        let holds_more: bool = self
            .tx
            .prepare_cached(
                "SELECT EXISTS (SELECT 1 FROM leases WHERE session = ?1 AND expires > ?2)",
            )?
            .query_row(params![session, self.now_seconds()], |row| row.get(0))?;
        Ok(if holds_more { Released::EpochMismatch } else { Released::Absent })
    }
}
