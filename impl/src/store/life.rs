//! What the events of a turn and a session do to leases: begin, post, end.

use rusqlite::params;

use super::call::{Foreground, is_of_thread};
use super::context::{CallState, Context, End, Running};
use super::lane::{Lane, believe};
use super::note::Lost;
use super::read::Met;
use super::release::{MIGRATED, Released};
use super::schema::seconds;
use super::write::Write;
use super::{Store, StoreError};
use crate::lease::Lease;
use crate::owner::Owner;
use crate::resource::Resource;

/// The answer to a begin.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Begun {
    /// The turn as it is called.
    pub owner: Owner,
    /// What went with the older turns.
    pub released: Released,
    /// R11: what the owner is to be told.
    pub lost: Vec<Lost>,
}

/// The answer to the event after a call.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Posted {
    /// R11: the live leases of others on what the call wrote.
    pub taken: Vec<Lease>,
    /// R11: what the owner is to be told besides.
    pub lost: Vec<Lost>,
}

impl Store {
    /// R8: a prompt came in. A turn with another id than the current one begins by that and
    /// supersedes the older ones; the same id again changes nothing. R7: the session's migrated
    /// rows that nobody adopted go.
    ///
    /// # Errors
    /// [`StoreError`] where the database cannot be written.
    pub fn begin(&mut self, owner: &Owner, context: &Context) -> Result<Begun, StoreError> {
        self.run(|connection, options| {
            let mut write = Write::begin(connection, options)?;
            let begun = write.begin_turn(owner, context)?;
            write.commit()?;
            Ok(begun)
        })
    }

    /// R9: a sub-agent starts, for the first time or again.
    ///
    /// # Errors
    /// [`StoreError`] where the database cannot be written.
    pub fn start_subagent(&mut self, owner: &Owner, context: &Context) -> Result<(), StoreError> {
        self.run(|connection, options| {
            let mut write = Write::begin(connection, options)?;
            let lane = Lane::read(&write, owner.session(), owner.epoch(), context)?;
            write.start_subagent(&lane, owner)?;
            write.commit()
        })
    }

    /// R11: a call has run, and wrote this: its owner's leases are renewed, and it is told what
    /// others hold of it. R10: `call` is the shell call that it was, and how that stands.
    ///
    /// # Errors
    /// [`StoreError`] where the database cannot be written.
    pub fn post(
        &mut self,
        owner: &Owner,
        written: &[Resource],
        call: Option<(&str, &CallState)>,
        context: &Context,
    ) -> Result<Posted, StoreError> {
        self.run(|connection, options| {
            let mut write = Write::begin(connection, options)?;
            let posted = write.post(owner, written, call, context)?;
            write.commit()?;
            Ok(posted)
        })
    }

    /// R6: a turn or a sub-agent has ended, and gives back its own. A late end of an old turn says
    /// nothing of the current one, nor of what runs beside it (R9, R10).
    ///
    /// # Errors
    /// [`StoreError`] where the database cannot be written.
    pub fn end(
        &mut self,
        owner: &Owner,
        how: &End,
        context: &Context,
    ) -> Result<Released, StoreError> {
        self.run(|connection, options| {
            let mut write = Write::begin(connection, options)?;
            let released = write.end(owner, how, context)?;
            write.commit()?;
            Ok(released)
        })
    }

    /// The session is over: gives back everything of it, whatever the epoch, but for what another
    /// living process of it holds (R8).
    ///
    /// # Errors
    /// [`StoreError`] where the database cannot be written.
    pub fn end_session(
        &mut self,
        session: &str,
        context: &Context,
    ) -> Result<Released, StoreError> {
        self.run(|connection, options| {
            let mut write = Write::begin(connection, options)?;
            let released = write.end_session(session, context)?;
            write.commit()?;
            Ok(released)
        })
    }
}

impl Write<'_> {
    fn begin_turn(&mut self, owner: &Owner, context: &Context) -> rusqlite::Result<Begun> {
        let mut lane = Lane::read(self, owner.session(), owner.epoch(), context)?;
        let owner = lane.begun(owner, self.starts());
        let process = believe(self, &mut lane)?;
        let mut live = 0;
        if owner.is_tokened_main_thread() {
            if lane.is_current(&owner) {
                self.goes_on(&lane, &owner)?;
            } else {
                live += self.supersede(&mut lane, &owner)?;
            }
            live += self.give_back(MIGRATED, params![owner.session()])?;
        }
        self.heard(&lane, &owner)?;
        self.renew_all(&lane, &owner, process.as_deref())?;
        let lost = self.tell_notes(&owner)?;
        let released = self.answer(owner.session(), live)?;
        Ok(Begun { owner, released, lost })
    }

    fn post(
        &mut self,
        owner: &Owner,
        written: &[Resource],
        call: Option<(&str, &CallState)>,
        context: &Context,
    ) -> rusqlite::Result<Posted> {
        let mut lane = Lane::read(self, owner.session(), owner.epoch(), context)?;
        let owner = lane.meant(owner);
        let process = believe(self, &mut lane)?;
        self.is_heard(&lane, &owner)?;
        self.heard(&lane, &owner)?;
        let of_call = |lease: &Lease| {
            let calls = |id| lease.calls.iter().any(|one| one.id == id);
            call.is_some_and(|(id, _)| calls(id)) && is_of_thread(&lease.owner, &owner)
        };
        let met = Met::find(&self.tx, written)?;
        let taken = met
            .rows()
            .map(|row| &row.lease)
            .filter(|lease| lease.is_live(self.now_ms) && lease.owner != owner && !of_call(lease));
        let taken = taken.cloned().collect();
        match call {
            Some((id, CallState::Ended)) => {
                self.end_calls(owner.session(), &|lease, call| {
                    call.id == id && lease.is_of_thread(&owner)
                })?;
            }
            Some((id, CallState::GoesOn(task))) => {
                self.call_goes_on(&owner, id, task.as_ref())?;
            }
            None => {}
        }
        self.renew_all(&lane, &owner, process.as_deref())?;
        Ok(Posted { taken, lost: self.tell_notes(&owner)? })
    }

    fn end(&mut self, owner: &Owner, how: &End, context: &Context) -> rusqlite::Result<Released> {
        let mut lane = Lane::read(self, owner.session(), owner.epoch(), context)?;
        let owner = lane.meant(owner);
        believe(self, &mut lane)?;
        let foreground = match how {
            // Only a client that tells what runs has told that the rest does not.
            End::Stop(None) => Foreground::GoesOn,
            End::Stop(Some(_)) | End::Interrupt => Foreground::Ends,
        };
        let is_current = lane.is_current(&owner);
        let mut live = if owner.is_subagent() {
            self.end_subagent(&owner, foreground)?
        } else {
            self.end_owner(&owner, foreground)?
        };
        if is_current && let End::Stop(running) = how {
            live += self.end_current(&lane, &owner, running.as_ref())?;
        }
        self.answer(owner.session(), live)
    }

    /// The Stop of the current turn tells more than that of an old one.
    fn end_current(
        &mut self,
        lane: &Lane<'_>,
        owner: &Owner,
        running: Option<&Running>,
    ) -> rusqlite::Result<usize> {
        self.is_over(owner)?;
        let mut live = 0;
        if owner.is_tokened_main_thread() {
            live += self.give_back(MIGRATED, params![owner.session()])?;
        }
        let Some(Running { subagents, shells }) = running else { return Ok(live) };
        live += self.end_unlisted(lane, owner, subagents)?;
        live += self.end_calls(owner.session(), &|lease, call| {
            let listed = match &call.task {
                Some(task) => shells.contains(task),
                // Which task it is was never told: it ends with the last one.
                None => !shells.is_empty(),
            };
            call.background && !listed && lane.is_in_reach(lease.process.as_deref())
        })?;
        Ok(live)
    }

    fn end_session(&mut self, session: &str, context: &Context) -> rusqlite::Result<Released> {
        let lane = Lane::read(self, session, "", context)?;
        let mut live = 0;
        for (rowid, process, is_live) in self.of_session(session)? {
            if lane.is_in_reach(process.as_deref()) {
                self.delete(rowid)?;
                live += usize::from(is_live);
            }
        }
        for (epoch, process, _) in self.subagents(session)? {
            if lane.is_in_reach(process.as_deref()) {
                self.tx
                    .prepare_cached("DELETE FROM subagents WHERE session = ?1 AND epoch = ?2")?
                    .execute(params![session, epoch])?;
            }
        }
        for (rowid, process) in self.notes_of_session(session)? {
            if lane.is_in_reach(process.as_deref()) {
                self.tx
                    .prepare_cached("DELETE FROM notes WHERE rowid = ?1")?
                    .execute(params![rowid])?;
            }
        }
        self.answer(session, live)
    }

    /// The leases of a session, each with its process, or else that of its turn, and whether it is
    /// live.
    fn of_session(&self, session: &str) -> rusqlite::Result<Vec<(i64, Option<String>, bool)>> {
        let mut statement = self.tx.prepare_cached(
            "SELECT leases.rowid, coalesce(leases.process, turns.process, subagents.process),
                    expires > ?2
             FROM leases LEFT JOIN turns USING (session, epoch)
             LEFT JOIN subagents USING (session, epoch) WHERE session = ?1",
        )?;
        let rows = statement.query_map(params![session, self.now_seconds()], |row| {
            Ok((row.get(0)?, row.get(1)?, row.get(2)?))
        })?;
        rows.collect()
    }

    /// R11: renews all live leases of an owner in one statement, never a dead one; a sub-agent's
    /// event those of its main thread too, which waits for it. It is written once a quarter of the
    /// TTL has passed: who holds much must not pay for all of it at each call. R13: its own are
    /// this process's by now, if that is believed.
    pub(super) fn renew_all(
        &mut self,
        lane: &Lane<'_>,
        owner: &Owner,
        process: Option<&str>,
    ) -> rusqlite::Result<()> {
        self.renew_owner(owner, process)?;
        if owner.is_subagent()
            && let Some(main) = lane.current()
        {
            self.renew_owner(&owner.with_epoch(&main.epoch), None)?;
        }
        Ok(())
    }

    /// Renews the leases of one owner, if one of them is due. Asking that costs half as much as the
    /// statement that does it.
    fn renew_owner(&mut self, owner: &Owner, process: Option<&str>) -> rusqlite::Result<()> {
        if !self.is_due(owner, process)? {
            return Ok(());
        }
        self.touch();
        self.tx
            .prepare_cached(
                "UPDATE leases
                 SET expires = (?3 + ttl_ms) / 1000.0, seen_expires = (?3 + ttl_ms) / 1000.0
                 WHERE session = ?1 AND epoch = ?2 AND expires > ?4
                     AND expires < (?3 + ttl_ms - ttl_ms / 4) / 1000.0",
            )?
            .execute(params![owner.session(), owner.epoch(), self.now_ms, self.now_seconds()])?;
        self.tx
            .prepare_cached(
                "UPDATE leases SET process = ifnull(?3, process)
                 WHERE session = ?1 AND epoch = ?2 AND expires > ?4",
            )?
            .execute(params![owner.session(), owner.epoch(), process, self.now_seconds()])?;
        Ok(())
    }

    /// Whether a live lease of the owner has lived a quarter of its TTL since it was renewed, or is
    /// not this process's yet.
    fn is_due(&self, owner: &Owner, process: Option<&str>) -> rusqlite::Result<bool> {
        let mut statement = self.tx.prepare_cached(
            "SELECT expires, ttl_ms, process FROM leases WHERE session = ?1 AND epoch = ?2",
        )?;
        let mut rows = statement.query(params![owner.session(), owner.epoch()])?;
        while let Some(row) = rows.next()? {
            let (expires, ttl_ms): (f64, i64) = (row.get(0)?, row.get(1)?);
            let is_old = expires < seconds(self.now_ms.saturating_add(ttl_ms - ttl_ms / 4));
            let held_by = row.get_ref(2)?.as_str_or_null().ok().flatten();
            let is_others = process.is_some() && held_by != process;
            if expires > self.now_seconds() && (is_old || is_others) {
                return Ok(true);
            }
        }
        Ok(false)
    }
}
