//! R6: giving back, exactly what the caller names.

use rusqlite::params;

use super::write::Write;
use super::{Store, StoreError};
use crate::owner::Owner;

/// The rows that an upgrade left for the session's first named turn.
const MIGRATED: &str = "session = ?1 AND epoch = '' AND migrated = 1";

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
        self.run(|connection, clock| {
            let mut write = Write::begin(connection, clock)?;
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

    /// R7: the session's named turn takes over from the time before epochs: its migrated rows that
    /// nobody adopted go. Nothing else does, the turn's own leases least of all.
    ///
    /// # Errors
    /// [`StoreError`] where the database cannot be written.
    pub fn hand_over(&mut self, owner: &Owner) -> Result<Released, StoreError> {
        self.run(|connection, clock| {
            let mut write = Write::begin(connection, clock)?;
            let mut released = 0;
            if owner.is_tokened_main_thread() {
                released = write.give_back(MIGRATED, params![owner.session()])?;
            }
            let answer = write.answer(owner.session(), released)?;
            write.commit()?;
            Ok(answer)
        })
    }

    /// The session is over: gives back everything of it, whatever the epoch.
    ///
    /// # Errors
    /// [`StoreError`] where the database cannot be written.
    pub fn end_session(&mut self, session: &str) -> Result<Released, StoreError> {
        self.run(|connection, clock| {
            let mut write = Write::begin(connection, clock)?;
            let released = write.give_back("session = ?1", params![session])?;
            let answer = write.answer(session, released)?;
            write.commit()?;
            Ok(answer)
        })
    }

    /// Removes every dead lease, and tells how many.
    ///
    /// # Errors
    /// [`StoreError`] where the database cannot be written.
    pub fn reap(&mut self) -> Result<usize, StoreError> {
        self.run(|connection, clock| {
            let write = Write::begin(connection, clock)?;
            let reaped = write
                .tx
                .prepare_cached("DELETE FROM leases WHERE expires <= ?1")?
                .execute(params![write.now_seconds()])?;
            write.commit()?;
            Ok(reaped)
        })
    }
}

impl Write<'_> {
    /// Deletes the rows that fit, and counts the live ones: what was dead is nobody's to give back.
    fn give_back(&mut self, whose: &str, who: impl rusqlite::Params) -> rusqlite::Result<usize> {
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
    fn answer(&self, session: &str, released: usize) -> rusqlite::Result<Released> {
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
