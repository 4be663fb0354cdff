//! R8 and R13: what the database knows of a session's turns and processes, read once an event.

use std::cell::RefCell;
use std::collections::BTreeMap;

use rusqlite::params;

use super::context::Context;
use super::write::Write;
use crate::owner::Owner;
use crate::process::{ProcessId, Processes, Sighting, Standing};

/// A process is believed when it is seen again after this time, in another call.
pub const BELIEVED_AFTER_MS: i64 = 1000;
/// The last sight of a believed process is written down when it is older than this.
const SEEN_AGAIN_AFTER_MS: i64 = 3600 * 1000;
/// So many processes are remembered of a session.
pub const SEEN_MAX: usize = 16;

/// A turn of a main thread.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Turn {
    pub(super) epoch: String,
    /// The count of starts at its begin.
    pub(super) started: i64,
    /// When it began, last wrote, prompted or posted, or was superseded.
    pub(super) at_ms: i64,
    /// Its agent's process, as seen.
    pub(super) process: Option<String>,
    /// Its end came. It is the current turn all the same: a client may go on with it.
    pub(super) over: bool,
    /// A later turn has superseded it.
    pub(super) retired: bool,
}

/// A process as the session's calls have seen it so far.
struct Seen {
    rowid: i64,
    process: String,
    at_ms: i64,
    call: Option<String>,
    believed: bool,
}

/// What one event needs to know of its session.
pub(super) struct Lane<'a> {
    pub(super) session: &'a str,
    pub(super) context: &'a Context,
    processes: &'a dyn Processes,
    /// The event's own process as text.
    pub(super) process: Option<String>,
    /// The turns that are not retired, and the event's own.
    pub(super) turns: Vec<Turn>,
    seen: Vec<Seen>,
    /// What was asked of processes already: one decision has one picture of them.
    asked: RefCell<BTreeMap<String, Standing>>,
}

impl<'a> Lane<'a> {
    /// Reads it. `epoch` is the event's own.
    pub(super) fn read(
        write: &Write<'a>,
        session: &'a str,
        epoch: &str,
        context: &'a Context,
    ) -> rusqlite::Result<Self> {
        let sighting = context.sighting.as_ref();
        Ok(Self {
            session,
            context,
            processes: write.processes,
            process: sighting.map(|sighting| sighting.process.to_text()),
            turns: turns(write, session, epoch)?,
            seen: if sighting.is_some() { seen(write, session)? } else { Vec::new() },
            asked: RefCell::default(),
        })
    }

    /// Reads it again, after the database forgot what is old.
    pub(super) fn read_again(&mut self, write: &Write<'_>, epoch: &str) -> rusqlite::Result<()> {
        self.turns = turns(write, self.session, epoch)?;
        if self.process.is_some() {
            self.seen = seen(write, self.session)?;
        }
        Ok(())
    }

    /// Whether a later turn has superseded this one.
    pub(super) fn is_retired(&self, owner: &Owner) -> bool {
        self.turns.iter().any(|turn| turn.retired && turn.epoch == owner.epoch())
    }

    /// The lane's current turn: of its own process the one that began last, else of the others in
    /// reach.
    pub(super) fn current(&self) -> Option<&Turn> {
        let current = self.turns.iter().filter(|turn| !turn.retired);
        let current = current.filter(|turn| self.is_in_reach(turn.process.as_deref()));
        let own = self.process.as_ref();
        current.max_by_key(|turn| (own.is_some() && own == turn.process.as_ref(), turn.started))
    }

    /// Whether this owner is the lane's current turn.
    pub(super) fn is_current(&self, owner: &Owner) -> bool {
        self.current().is_some_and(|turn| turn.epoch == owner.epoch())
    }

    /// The owner that is meant. A client without turn ids means the current turn; none where
    /// nothing began yet.
    pub(super) fn meant(&self, owner: &Owner) -> Owner {
        match self.current() {
            Some(turn) if self.is_minted(owner) => owner.with_epoch(&turn.epoch),
            _ => owner.clone(),
        }
    }

    /// The turn that a begin means. A client without turn ids begins one after the last has ended;
    /// a begin without an end goes on with it. `starts` is the count of starts so far.
    pub(super) fn begun(&self, owner: &Owner, starts: i64) -> Owner {
        let meant = self.meant(owner);
        let is_over = self.turns.iter().any(|turn| turn.epoch == meant.epoch() && turn.over);
        if self.is_minted(owner) && (meant.epoch().is_empty() || is_over) {
            return owner.with_epoch(&format!("minted:{}", starts + 1));
        }
        meant
    }

    fn is_minted(&self, owner: &Owner) -> bool {
        self.context.minted && owner.epoch().is_empty()
    }

    /// R8: whether what belongs to process `other` is in reach of this event. Another process that
    /// is proven alive never is: two terminals may have resumed one session.
    pub(super) fn is_in_reach(&self, other: Option<&str>) -> bool {
        let (Some(own), Some(other)) = (self.process.as_deref(), other) else { return true };
        own == other
            || !self.seen.iter().any(|seen| seen.process == other && seen.believed)
            || self.standing(other) != Standing::Alive
    }

    /// R13: whether the operating system proves that the process is gone.
    pub(super) fn is_gone(&self, process: Option<&str>) -> bool {
        process.is_some_and(|process| self.standing(process) == Standing::Gone)
    }

    fn standing(&self, process: &str) -> Standing {
        if let Some(standing) = self.asked.borrow().get(process) {
            return *standing;
        }
        let id = ProcessId::from_text(process);
        let standing = id.map_or(Standing::Unknown, |id| self.processes.standing(&id));
        self.asked.borrow_mut().insert(process.to_owned(), standing);
        standing
    }
}

fn turns(write: &Write<'_>, session: &str, epoch: &str) -> rusqlite::Result<Vec<Turn>> {
    let mut statement = write.tx.prepare_cached(
        "SELECT epoch, started, at_ms, process, over, retired FROM turns
         WHERE session = ?1 AND (retired = 0 OR epoch = ?2)",
    )?;
    let turns = statement.query_map(params![session, epoch], |row| {
        Ok(Turn {
            epoch: row.get(0)?,
            started: row.get(1)?,
            at_ms: row.get(2)?,
            process: row.get(3)?,
            over: row.get(4)?,
            retired: row.get(5)?,
        })
    })?;
    turns.collect()
}

/// The session's processes, oldest first.
fn seen(write: &Write<'_>, session: &str) -> rusqlite::Result<Vec<Seen>> {
    let mut statement = write.tx.prepare_cached(
        "SELECT rowid, process, at_ms, call, believed FROM sightings WHERE session = ?1
         ORDER BY rowid",
    )?;
    let seen = statement.query_map(params![session], |row| {
        Ok(Seen {
            rowid: row.get(0)?,
            process: row.get(1)?,
            at_ms: row.get(2)?,
            call: row.get(3)?,
            believed: row.get(4)?,
        })
    })?;
    seen.collect()
}

/// R13: takes note of the event's process, and returns it if it is believed by now. A helper that
/// lives as long as one call never is.
pub(super) fn believe(write: &Write<'_>, lane: &mut Lane<'_>) -> rusqlite::Result<Option<String>> {
    let (Some(process), Some(sighting)) = (&lane.process, &lane.context.sighting) else {
        return Ok(None);
    };
    let known = lane.seen.iter_mut().find(|seen| seen.process == *process);
    let believed = if let Some(seen) = known {
        see_again(write, seen, sighting)?
    } else {
        make_room(write, &mut lane.seen)?;
        lane.seen.push(see_first(write, lane.session, process, sighting)?);
        sighting.certain
    };
    Ok(believed.then(|| process.clone()))
}

/// A process that was seen before: it is believed in another call, a second later.
fn see_again(write: &Write<'_>, seen: &mut Seen, sighting: &Sighting) -> rusqlite::Result<bool> {
    // Without ids, calls a second apart are different ones.
    let other_call = seen.call.is_none() || seen.call != sighting.call;
    let age_ms = write.now_ms - seen.at_ms;
    let by_now = sighting.certain || (other_call && age_ms >= BELIEVED_AFTER_MS);
    let believed = seen.believed || by_now;
    // When it was seen first; once it is believed, last, to the hour.
    let at_ms = match believed {
        true if (0..SEEN_AGAIN_AFTER_MS).contains(&age_ms) => seen.at_ms,
        true => write.now_ms,
        false => seen.at_ms.min(write.now_ms),
    };
    if (at_ms, believed) != (seen.at_ms, seen.believed) {
        (seen.at_ms, seen.believed) = (at_ms, believed);
        write
            .tx
            .prepare_cached("UPDATE sightings SET at_ms = ?2, believed = ?3 WHERE rowid = ?1")?
            .execute(params![seen.rowid, at_ms, believed])?;
    }
    Ok(believed)
}

/// A session's sightings are few: the first that nobody believes gives way, else the first.
fn make_room(write: &Write<'_>, seen: &mut Vec<Seen>) -> rusqlite::Result<()> {
    if seen.len() < SEEN_MAX {
        return Ok(());
    }
    let first = seen.iter().enumerate().min_by_key(|(at, seen)| (seen.believed, *at));
    if let Some((at, _)) = first {
        let gone = seen.remove(at);
        write
            .tx
            .prepare_cached("DELETE FROM sightings WHERE rowid = ?1")?
            .execute(params![gone.rowid])?;
    }
    Ok(())
}

/// A process that was not seen before, written down.
fn see_first(
    write: &Write<'_>,
    session: &str,
    process: &str,
    sighting: &Sighting,
) -> rusqlite::Result<Seen> {
    write
        .tx
        .prepare_cached(
            "INSERT INTO sightings(session, process, at_ms, call, believed)
             VALUES (?1, ?2, ?3, ?4, ?5)",
        )?
        .execute(params![session, process, write.now_ms, sighting.call, sighting.certain])?;
    Ok(Seen {
        rowid: write.tx.last_insert_rowid(),
        process: process.to_owned(),
        at_ms: write.now_ms,
        call: sighting.call.clone(),
        believed: sighting.certain,
    })
}
