//! R8: a new turn supersedes the older ones of its lane.

use std::collections::{BTreeMap, BTreeSet};

use rusqlite::params;

use super::call::Foreground;
use super::lane::{Lane, Turn};
use super::write::Write;
use crate::owner::Owner;

/// So many retired turns are remembered of a session.
pub const RETIRED_MAX: u32 = 256;
/// Turns, sub-agents, processes and notes are remembered for this long.
pub const REMEMBERED_MS: i64 = 24 * 3600 * 1000;

impl Write<'_> {
    /// Whether a main thread's write begins its turn, which no event has begun: where no turn is
    /// known, or where the current one is of the same process, or has been silent for one TTL.
    pub(super) fn begins(
        &self,
        lane: &Lane<'_>,
        owner: &Owner,
        ttl_ms: i64,
    ) -> rusqlite::Result<bool> {
        let known = lane.turns.iter().any(|turn| turn.epoch == owner.epoch());
        if !lane.context.begins || !owner.is_tokened_main_thread() || known {
            return Ok(false);
        }
        let Some(current) = lane.current() else { return Ok(true) };
        if lane.process.is_some() && lane.process == current.process {
            return Ok(true);
        }
        if current.at_ms.saturating_add(ttl_ms) > self.now_ms {
            return Ok(false);
        }
        // Every event of an owner renews its leases: one that holds a live lease is not silent.
        let holds: bool = self
            .tx
            .prepare_cached(
                "SELECT EXISTS (SELECT 1 FROM leases
                 WHERE session = ?1 AND epoch = ?2 AND expires > ?3)",
            )?
            .query_row(params![lane.session, current.epoch, self.now_seconds()], |row| {
                row.get(0)
            })?;
        Ok(!holds)
    }

    /// A write or a prompt of a turn: it is not silent, it goes on, and it is this process's by
    /// now. (A client whose Stop hook objected sends no second begin.)
    pub(super) fn goes_on(&self, lane: &Lane<'_>, owner: &Owner) -> rusqlite::Result<()> {
        self.turn_heard(lane, owner, |turn| Turn {
            over: false,
            process: lane.process.clone().or(turn.process.clone()),
            ..turn.clone()
        })
    }

    /// A post of a turn: it is not silent.
    pub(super) fn is_heard(&self, lane: &Lane<'_>, owner: &Owner) -> rusqlite::Result<()> {
        self.turn_heard(lane, owner, Turn::clone)
    }

    /// An event of a turn, which may leave it `otherwise`. One that is retired stays as it is.
    fn turn_heard(
        &self,
        lane: &Lane<'_>,
        owner: &Owner,
        otherwise: impl Fn(&Turn) -> Turn,
    ) -> rusqlite::Result<()> {
        let known = lane.turns.iter().find(|turn| turn.epoch == owner.epoch() && !turn.retired);
        let Some(known) = known else { return Ok(()) };
        let turn = Turn { at_ms: self.now_ms, ..otherwise(known) };
        if turn == *known {
            return Ok(());
        }
        self.tx
            .prepare_cached(
                "UPDATE turns SET at_ms = ?3, over = ?4, process = ?5
                 WHERE session = ?1 AND epoch = ?2",
            )?
            .execute(params![
                owner.session(),
                owner.epoch(),
                turn.at_ms,
                turn.over,
                turn.process
            ])?;
        Ok(())
    }

    /// The turn's end came.
    pub(super) fn is_over(&self, owner: &Owner) -> rusqlite::Result<()> {
        self.tx
            .prepare_cached("UPDATE turns SET over = 1 WHERE session = ?1 AND epoch = ?2")?
            .execute(params![owner.session(), owner.epoch()])?;
        Ok(())
    }

    /// Begins a turn: the lane's older ones are retired, and give back what no background call
    /// still writes. Tells how many live leases went.
    pub(super) fn supersede(
        &mut self,
        lane: &mut Lane<'_>,
        owner: &Owner,
    ) -> rusqlite::Result<usize> {
        self.forget()?;
        lane.read_again(self, owner.epoch())?;
        let current = lane.current();
        if current.is_some_and(|turn| turn.epoch != owner.epoch() && !turn.over) {
            self.doubt_subagents(lane)?;
        }
        let mut live = 0;
        for older in self.older(lane, owner)? {
            live += self.end_owner(&older, Foreground::Ends)?;
            self.forget_notes(&older)?;
            self.retire(&older)?;
        }
        let started = self.next_start();
        self.tx
            .prepare_cached(
                "INSERT OR REPLACE INTO turns(session, epoch, started, at_ms, process, over,
                     retired)
                 VALUES (?1, ?2, ?3, ?4, ?5, 0, 0)",
            )?
            .execute(params![lane.session, owner.epoch(), started, self.now_ms, lane.process])?;
        self.forget_retired(lane.session)?;
        Ok(live)
    }

    /// The main thread's other turns in reach: those that began, and those that hold leases.
    fn older(&self, lane: &Lane<'_>, owner: &Owner) -> rusqlite::Result<BTreeSet<Owner>> {
        // What a forgotten turn held tells of it no less.
        let mut reach: BTreeMap<String, bool> = BTreeMap::new();
        for turn in lane.turns.iter().filter(|turn| !turn.retired) {
            reach.insert(turn.epoch.clone(), lane.is_in_reach(turn.process.as_deref()));
        }
        let mut statement = self.tx.prepare_cached(
            "SELECT epoch, process FROM leases WHERE session = ?1 AND epoch <> ''",
        )?;
        let mut rows = statement.query(params![lane.session])?;
        while let Some(row) = rows.next()? {
            let process: Option<String> = row.get(1)?;
            let in_reach = lane.is_in_reach(process.as_deref());
            *reach.entry(row.get(0)?).or_insert(true) &= in_reach;
        }
        let mut older = BTreeSet::new();
        for (epoch, in_reach) in reach {
            let one = owner.with_epoch(&epoch);
            let other = one.is_tokened_main_thread() && one != *owner;
            if in_reach && other && !self.is_retired(&one)? {
                older.insert(one);
            }
        }
        Ok(older)
    }

    fn is_retired(&self, owner: &Owner) -> rusqlite::Result<bool> {
        self.tx
            .prepare_cached(
                "SELECT EXISTS (SELECT 1 FROM turns
                 WHERE session = ?1 AND epoch = ?2 AND retired = 1)",
            )?
            .query_row(params![owner.session(), owner.epoch()], |row| row.get(0))
    }

    /// Retires a turn, which may never have begun.
    fn retire(&self, owner: &Owner) -> rusqlite::Result<()> {
        self.tx
            .prepare_cached(
                "INSERT INTO turns(session, epoch, started, at_ms, process, over, retired)
                 VALUES (?1, ?2, ?3, ?4, NULL, 0, 1)
                 ON CONFLICT(session, epoch) DO UPDATE SET at_ms = ?4, retired = 1",
            )?
            .execute(params![owner.session(), owner.epoch(), self.starts(), self.now_ms])?;
        Ok(())
    }

    /// At most so many retired turns of a session are remembered, the latest.
    fn forget_retired(&self, session: &str) -> rusqlite::Result<()> {
        self.tx
            .prepare_cached(
                "DELETE FROM turns WHERE session = ?1 AND retired = 1 AND epoch NOT IN (
                     SELECT epoch FROM turns WHERE session = ?1 AND retired = 1
                     ORDER BY started DESC, epoch DESC LIMIT ?2)",
            )?
            .execute(params![session, RETIRED_MAX])?;
        Ok(())
    }

    /// Forgets what is a day old. What a clock that has stepped back left in the future counts from
    /// now.
    fn forget(&self) -> rusqlite::Result<()> {
        for table in ["turns", "subagents", "sightings", "notes"] {
            self.tx
                .prepare_cached(&format!("UPDATE {table} SET at_ms = ?1 WHERE at_ms > ?1"))?
                .execute(params![self.now_ms])?;
            self.tx
                .prepare_cached(&format!("DELETE FROM {table} WHERE at_ms < ?1"))?
                .execute(params![self.now_ms.saturating_sub(REMEMBERED_MS)])?;
        }
        Ok(())
    }
}
