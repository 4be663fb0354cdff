//! R9: sub-agents are owners of their own, and may take over from their main thread.

use std::collections::BTreeSet;

use rusqlite::{OptionalExtension, params};

use super::call::Foreground;
use super::lane::Lane;
use super::write::Write;
use super::{Store, StoreError};
use crate::owner::Owner;

/// So many sub-agents are remembered of a session.
pub const SUBAGENTS_MAX: u32 = 256;

impl Store {
    /// The root session of a sub-agent that is known by this id, for clients that give sub-agents a
    /// session of their own.
    ///
    /// # Errors
    /// [`StoreError`] where the database cannot be read.
    pub fn root_of_subagent(&mut self, id: &str) -> Result<Option<String>, StoreError> {
        self.run(|connection, _| {
            connection
                .prepare_cached(
                    "SELECT session FROM subagents WHERE epoch = 'agent:' || ?1
                     ORDER BY started DESC LIMIT 1",
                )?
                .query_row([id], |row| row.get(0))
                .optional()
        })
    }
}

impl Write<'_> {
    /// A sub-agent starts, for the first time or again.
    pub(super) fn start_subagent(
        &mut self,
        lane: &Lane<'_>,
        owner: &Owner,
    ) -> rusqlite::Result<()> {
        self.forget_subagent(owner)?;
        self.heard(lane, owner)?;
        self.tx
            .prepare_cached("UPDATE subagents SET announced = 1 WHERE session = ?1 AND epoch = ?2")?
            .execute(params![owner.session(), owner.epoch()])?;
        Ok(())
    }

    /// An event of a sub-agent: it runs. Who was not known is remembered from now on, but nothing
    /// is handed down to it: it may have run for long.
    pub(super) fn heard(&mut self, lane: &Lane<'_>, owner: &Owner) -> rusqlite::Result<()> {
        if !owner.is_subagent() {
            return Ok(());
        }
        let known = self
            .tx
            .prepare_cached(
                "UPDATE subagents SET in_doubt = 0, at_ms = ?3, process = ifnull(?4, process)
                 WHERE session = ?1 AND epoch = ?2",
            )?
            .execute(params![owner.session(), owner.epoch(), self.now_ms, lane.process])?;
        if known > 0 {
            return Ok(());
        }
        self.tx
            .prepare_cached(
                "DELETE FROM subagents WHERE session = ?1 AND epoch IN (
                     SELECT epoch FROM subagents WHERE session = ?1
                     ORDER BY started DESC LIMIT -1 OFFSET ?2)",
            )?
            .execute(params![owner.session(), SUBAGENTS_MAX - 1])?;
        let started = self.next_start();
        self.tx
            .prepare_cached(
                "INSERT INTO subagents(session, epoch, started, at_ms, process)
                 VALUES (?1, ?2, ?3, ?4, ?5)",
            )?
            .execute(params![owner.session(), owner.epoch(), started, self.now_ms, lane.process])?;
        Ok(())
    }

    /// The count of starts at this sub-agent's latest start, if that was told; none for other
    /// owners.
    pub(super) fn started(&self, owner: &Owner) -> rusqlite::Result<Option<i64>> {
        if !owner.is_subagent() {
            return Ok(None);
        }
        self.tx
            .prepare_cached(
                "SELECT started FROM subagents
                 WHERE session = ?1 AND epoch = ?2 AND announced = 1",
            )?
            .query_row(params![owner.session(), owner.epoch()], |row| row.get(0))
            .optional()
    }

    /// The epochs of the session's sub-agents in reach that may be dead.
    pub(super) fn in_doubt(&self, lane: &Lane<'_>) -> rusqlite::Result<BTreeSet<String>> {
        let mut statement = self.tx.prepare_cached(
            "SELECT epoch, process FROM subagents WHERE session = ?1 AND in_doubt = 1",
        )?;
        let mut rows = statement.query(params![lane.session])?;
        let mut epochs = BTreeSet::new();
        while let Some(row) = rows.next()? {
            if lane.is_in_reach(row.get::<_, Option<String>>(1)?.as_deref()) {
                epochs.insert(row.get(0)?);
            }
        }
        Ok(epochs)
    }

    /// A turn that had no end may have been interrupted, which kills foreground sub-agents and says
    /// nothing. Those that a Stop has named are background ones, and go on.
    pub(super) fn doubt_subagents(&self, lane: &Lane<'_>) -> rusqlite::Result<()> {
        for (epoch, process, listed) in self.subagents(lane.session)? {
            if !listed && lane.is_in_reach(process.as_deref()) {
                self.tx
                    .prepare_cached(
                        "UPDATE subagents SET in_doubt = 1 WHERE session = ?1 AND epoch = ?2",
                    )?
                    .execute(params![lane.session, epoch])?;
            }
        }
        Ok(())
    }

    /// A Stop of the current turn names the sub-agents that run: one that an earlier list named and
    /// this one does not has ended. Tells how many live leases went.
    pub(super) fn end_unlisted(
        &mut self,
        lane: &Lane<'_>,
        owner: &Owner,
        running: &[String],
    ) -> rusqlite::Result<usize> {
        let names: Vec<Owner> = running.iter().map(|id| owner.subagent(id)).collect();
        let mut live = 0;
        for (epoch, process, listed) in self.subagents(lane.session)? {
            let one = owner.with_epoch(&epoch);
            if listed && !names.contains(&one) && lane.is_in_reach(process.as_deref()) {
                live += self.end_subagent(&one, Foreground::Ends)?;
            }
        }
        for name in names {
            self.heard(lane, &name)?;
            self.tx
                .prepare_cached(
                    "UPDATE subagents SET listed = 1 WHERE session = ?1 AND epoch = ?2",
                )?
                .execute(params![name.session(), name.epoch()])?;
        }
        Ok(live)
    }

    /// A sub-agent has ended. Tells how many live leases went.
    pub(super) fn end_subagent(
        &mut self,
        owner: &Owner,
        foreground: Foreground,
    ) -> rusqlite::Result<usize> {
        self.forget_subagent(owner)?;
        self.forget_notes(owner)?;
        self.end_owner(owner, foreground)
    }

    /// The session's sub-agents in the order of their starts: epoch, process, listed.
    pub(super) fn subagents(
        &self,
        session: &str,
    ) -> rusqlite::Result<Vec<(String, Option<String>, bool)>> {
        let mut statement = self.tx.prepare_cached(
            "SELECT epoch, process, listed FROM subagents WHERE session = ?1 ORDER BY started",
        )?;
        let rows = statement
            .query_map(params![session], |row| Ok((row.get(0)?, row.get(1)?, row.get(2)?)))?;
        rows.collect()
    }

    /// Forgets that a sub-agent runs.
    pub(super) fn forget_subagent(&self, owner: &Owner) -> rusqlite::Result<()> {
        self.tx
            .prepare_cached("DELETE FROM subagents WHERE session = ?1 AND epoch = ?2")?
            .execute(params![owner.session(), owner.epoch()])?;
        Ok(())
    }
}
