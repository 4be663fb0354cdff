//! R11: notes to owners that lost a lease.

use std::path::PathBuf;

use rusqlite::params;

use super::write::Write;
use crate::owner::Owner;
use crate::resource::{self, Key, Resource};

/// So many notes are kept of a session.
pub const NOTES_MAX: u32 = 64;

/// A lease that its owner let expire, and that somebody else took.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Lost {
    /// The path, as the table held it.
    pub resource: String,
    /// The label of the agent that took it.
    pub agent: String,
    /// Its session.
    pub session: String,
    /// Since when, in milliseconds since 1970.
    pub taken_ms: i64,
}

/// A note as it stands.
struct Note {
    rowid: i64,
    resource: String,
    key: Vec<u8>,
    taken: Option<Lost>,
}

impl Note {
    /// Whether the lost lease was on this or below it.
    fn is_within(&self, held: &Resource) -> bool {
        let key = Key::from_bytes(self.key.clone());
        resource::spelling(&held.path) == self.resource
            || key.is_some_and(|key| key == held.key || held.key.contains(&key))
    }

    /// Whether the lost lease was on this, above it, below it, or on the same file.
    fn is_about(&self, wanted: &Resource) -> bool {
        if resource::spelling(&wanted.path) == self.resource {
            return true;
        }
        let by_key = Key::from_bytes(self.key.clone()).is_some_and(|key| {
            key == wanted.key || key.contains(&wanted.key) || wanted.key.contains(&key)
        });
        let path: PathBuf = resource::path_of_spelling(&self.resource);
        by_key || wanted.hard_linked.is_some_and(|file| resource::file_id(&path) == Some(file))
    }
}

impl Write<'_> {
    /// Leaves a note for the owner of a lease that is removed. The oldest of the session gives way.
    pub(super) fn leave_note(
        &mut self,
        owner: &Owner,
        resource: &str,
        key: &[u8],
    ) -> rusqlite::Result<()> {
        self.tx
            .prepare_cached(
                "DELETE FROM notes WHERE session = ?1 AND epoch = ?2 AND resource = ?3",
            )?
            .execute(params![owner.session(), owner.epoch(), resource])?;
        self.tx
            .prepare_cached(
                "DELETE FROM notes WHERE rowid IN (
                     SELECT rowid FROM notes WHERE session = ?1
                     ORDER BY rowid DESC LIMIT -1 OFFSET ?2)",
            )?
            .execute(params![owner.session(), NOTES_MAX - 1])?;
        self.tx
            .prepare_cached(
                "INSERT INTO notes(session, epoch, resource, key, at_ms)
                 VALUES (?1, ?2, ?3, ?4, ?5)",
            )?
            .execute(params![owner.session(), owner.epoch(), resource, key, self.now_ms])?;
        self.has_notes = true;
        Ok(())
    }

    /// What its owner holds again it has not lost.
    pub(super) fn withdraw_notes(
        &mut self,
        owner: &Owner,
        held: &[Resource],
    ) -> rusqlite::Result<()> {
        if !self.has_notes {
            return Ok(());
        }
        for note in self.notes("session = ?1 AND epoch = ?2", owner)? {
            if held.iter().any(|one| note.is_within(one)) {
                self.tx
                    .prepare_cached("DELETE FROM notes WHERE rowid = ?1")?
                    .execute(params![note.rowid])?;
            }
        }
        Ok(())
    }

    /// Whoever is granted what another owner lost is the one that has had it since: since the first
    /// grant, however often it renews.
    pub(super) fn claim_notes(
        &mut self,
        by: &Owner,
        agent: &str,
        what: &[Resource],
    ) -> rusqlite::Result<()> {
        if !self.has_notes {
            return Ok(());
        }
        let others = "NOT (session = ?1 AND epoch = ?2) AND by_session IS NOT ?1";
        let others = self.notes(others, by)?;
        for note in others.iter().filter(|note| what.iter().any(|one| note.is_about(one))) {
            self.tx
                .prepare_cached(
                    "UPDATE notes SET by_agent = ?2, by_session = ?3, by_ms = ?4, told = 0
                     WHERE rowid = ?1",
                )?
                .execute(params![note.rowid, agent, by.session(), self.now_ms])?;
        }
        Ok(())
    }

    /// The notes of this owner on what it wants to write, which are told by that and go.
    pub(super) fn take_notes(
        &mut self,
        owner: &Owner,
        wanted: &[Resource],
    ) -> rusqlite::Result<Vec<Lost>> {
        self.tell(owner, "by_ms IS NOT NULL", "DELETE FROM notes WHERE rowid = ?1", |note| {
            wanted.iter().any(|one| note.is_about(one))
        })
    }

    /// The notes of this owner that no event has told yet. They stay: its next write is denied
    /// once.
    pub(super) fn tell_notes(&mut self, owner: &Owner) -> rusqlite::Result<Vec<Lost>> {
        let untold = "by_ms IS NOT NULL AND told = 0";
        self.tell(owner, untold, "UPDATE notes SET told = 1 WHERE rowid = ?1", |_| true)
    }

    fn tell(
        &mut self,
        owner: &Owner,
        which: &str,
        then: &str,
        is_due: impl Fn(&Note) -> bool,
    ) -> rusqlite::Result<Vec<Lost>> {
        if !self.has_notes {
            return Ok(Vec::new());
        }
        let mut told = Vec::new();
        let mine = self.notes(&format!("session = ?1 AND epoch = ?2 AND {which}"), owner)?;
        for note in mine.into_iter().filter(is_due) {
            self.tx.prepare_cached(then)?.execute(params![note.rowid])?;
            told.extend(note.taken);
        }
        Ok(told)
    }

    /// An owner that has ended is told nothing any more.
    pub(super) fn forget_notes(&mut self, owner: &Owner) -> rusqlite::Result<()> {
        if self.has_notes {
            self.tx
                .prepare_cached("DELETE FROM notes WHERE session = ?1 AND epoch = ?2")?
                .execute(params![owner.session(), owner.epoch()])?;
        }
        Ok(())
    }

    /// The notes of a session, each with the process of its owner's turn.
    pub(super) fn notes_of_session(
        &self,
        session: &str,
    ) -> rusqlite::Result<Vec<(i64, Option<String>)>> {
        let mut statement = self.tx.prepare_cached(
            "SELECT notes.rowid, turns.process FROM notes LEFT JOIN turns USING (session, epoch)
             WHERE session = ?1",
        )?;
        let rows = statement.query_map(params![session], |row| Ok((row.get(0)?, row.get(1)?)))?;
        rows.collect()
    }

    /// The notes that fit, oldest first.
    fn notes(&self, which: &str, owner: &Owner) -> rusqlite::Result<Vec<Note>> {
        let mut statement = self.tx.prepare_cached(&format!(
            "SELECT rowid, resource, key, by_agent, by_session, by_ms FROM notes
             WHERE {which} ORDER BY rowid"
        ))?;
        let notes = statement.query_map(params![owner.session(), owner.epoch()], |row| {
            let resource: String = row.get(1)?;
            let taken = match row.get::<_, Option<i64>>(5)? {
                Some(taken_ms) => Some(Lost {
                    resource: resource.clone(),
                    agent: row.get(3)?,
                    session: row.get(4)?,
                    taken_ms,
                }),
                None => None,
            };
            Ok(Note { rowid: row.get(0)?, resource, key: row.get(2)?, taken })
        })?;
        notes.collect()
    }
}
