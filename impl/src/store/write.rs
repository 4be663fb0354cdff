//! The frame of every write: the lock first, then the clock, then what old engines and clock steps
//! left to put right.

use rusqlite::{Connection, Transaction, TransactionBehavior, params};

use super::Options;
use super::own::Own;
use super::schema::seconds;
use super::settle;
use crate::process::Processes;

/// A write transaction that holds the lock, at one moment.
pub(super) struct Write<'c> {
    pub(super) tx: Transaction<'c>,
    /// The moment of the decision, read once the lock is held (R4).
    pub(super) now_ms: i64,
    generation: i64,
    granted: i64,
    clock_ms: i64,
    starts: i64,
    /// What the operating system says of processes (R13).
    pub(super) processes: &'c dyn Processes,
    /// Whether somebody lost a lease (R11).
    pub(super) has_notes: bool,
    /// Whether an old engine has written since this one last looked.
    has_unseen: bool,
    /// Whether the database's own row must be written before the commit.
    changed: bool,
}

impl<'c> Write<'c> {
    /// Takes the write lock and makes the rows fit to decide on (R7, R12).
    pub(super) fn begin(
        connection: &'c Connection,
        options: &'c Options,
    ) -> rusqlite::Result<Self> {
        let mut write = Write::lock(connection, options)?;
        write.settle()?;
        write.correct_clock()?;
        Ok(write)
    }

    /// Takes the write lock only to settle what old engines wrote, so that a reader sees it. No
    /// lease is corrected by that: only the decisions of R12 are write transactions in its sense.
    pub(super) fn settle_only(connection: &Connection, options: &Options) -> rusqlite::Result<()> {
        let mut write = Write::lock(connection, options)?;
        write.settle()?;
        write.commit()
    }

    fn lock(connection: &'c Connection, options: &'c Options) -> rusqlite::Result<Self> {
        let tx = Transaction::new_unchecked(connection, TransactionBehavior::Immediate)?;
        let now_ms = options.clock.now_ms();
        let Own { generation, granted, clock_ms, starts, has_unseen, has_notes, .. } =
            Own::read(&tx)?.ok_or(rusqlite::Error::QueryReturnedNoRows)?;
        let processes = &*options.processes;
        Ok(Self {
            tx,
            now_ms,
            generation,
            granted,
            clock_ms,
            starts,
            processes,
            has_notes,
            has_unseen,
            changed: false,
        })
    }

    /// Makes what old engines wrote ours. From when on such a row counts its TTL must be known to
    /// every later transaction, or a clock that steps back finds nothing to correct.
    fn settle(&mut self) -> rusqlite::Result<()> {
        if !self.has_unseen {
            return Ok(());
        }
        let latest_ms = settle::old_engines_rows(&self.tx)?;
        if latest_ms > self.clock_ms {
            self.clock_ms = latest_ms;
            self.changed = true;
        }
        Ok(())
    }

    /// R12: where the clock has stepped back since a row was written, more than its TTL may remain
    /// of a lease. It is cut to one TTL from now, and written down: recomputed at each look it
    /// would never end. No row can need this unless the clock is behind the last write.
    fn correct_clock(&mut self) -> rusqlite::Result<()> {
        if self.now_ms >= self.clock_ms {
            return Ok(());
        }
        // Half a millisecond of slack, for the table's times are not whole milliseconds to the bit.
        self.tx.execute(
            "UPDATE leases
             SET expires = (?1 + ttl_ms) / 1000.0, seen_expires = (?1 + ttl_ms) / 1000.0
             WHERE expires * 1000.0 - ttl_ms > ?1 + 0.5",
            params![self.now_ms],
        )?;
        self.clock_ms = self.now_ms;
        self.changed = true;
        Ok(())
    }

    /// How many grants the generation has had (R14).
    pub(super) fn granted(&self) -> i64 {
        self.granted
    }

    /// R14: the next fence.
    pub(super) fn next_fence(&mut self) -> i64 {
        self.granted += 1;
        self.touch();
        super::generation::fence(self.generation, self.granted)
    }

    /// How many turns and sub-agents have started: time that no clock can turn back.
    pub(super) fn starts(&self) -> i64 {
        self.starts
    }

    /// The number of the next start.
    pub(super) fn next_start(&mut self) -> i64 {
        self.starts += 1;
        self.changed = true;
        self.starts
    }

    /// Removes one row.
    pub(super) fn delete(&self, rowid: i64) -> rusqlite::Result<()> {
        self.tx.prepare_cached("DELETE FROM leases WHERE rowid = ?1")?.execute(params![rowid])?;
        Ok(())
    }

    /// Notes that a row is written at this moment.
    pub(super) fn touch(&mut self) {
        self.clock_ms = self.clock_ms.max(self.now_ms);
        self.changed = true;
    }

    /// This moment as the table holds it.
    pub(super) fn now_seconds(&self) -> f64 {
        seconds(self.now_ms)
    }

    /// Ends the transaction; when this returns, the decision stands.
    pub(super) fn commit(self) -> rusqlite::Result<()> {
        if self.changed {
            self.tx
                .prepare_cached(
                    "UPDATE leasehold SET granted = ?1, clock_ms = ?2, starts = ?3 WHERE id = 0",
                )?
                .execute(params![self.granted, self.clock_ms, self.starts])?;
        }
        self.tx.commit()
    }
}
