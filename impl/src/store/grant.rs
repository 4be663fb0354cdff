//! The rows that a granted acquire writes (R3, R4, R9, R10).

use std::collections::BTreeMap;

use rusqlite::params;

use super::acquire::{Caller, Grant};
use super::call;
use super::context::ShellCall;
use super::row::StoredLease;
use super::schema::seconds;
use super::write::Write;
use super::{CALLS_MAX, SWEEP_AFTER_MS, SWEEP_MAX};
use crate::lease::{Call, Lease};
use crate::resource::{self, Resource};

impl Write<'_> {
    /// Where a path led elsewhere when it was leased, what it leads to now is another resource. The
    /// table has one row for a path, so the old lease goes before anything is granted.
    pub(super) fn forget_moved(
        &self,
        wanted: &[Resource],
        own: &mut BTreeMap<String, StoredLease>,
    ) -> rusqlite::Result<()> {
        for resource in wanted {
            let spelling = resource::spelling(&resource.path);
            if let Some(row) = own.get(&spelling)
                && row.key != resource.key.as_bytes()
            {
                self.delete(row.rowid)?;
                own.remove(&spelling);
            }
        }
        Ok(())
    }

    /// R3: what the owner holds live is renewed; anything else is a new grant.
    pub(super) fn grant(
        &mut self,
        caller: &Caller<'_>,
        resource: &Resource,
        own: &BTreeMap<String, StoredLease>,
    ) -> rusqlite::Result<Grant> {
        let held = own.values().find(|row| row.key == resource.key.as_bytes());
        let lease = match held {
            Some(row) => {
                // A row of an old engine has no fence to keep.
                let fence = row.lease.fence.map_or_else(|| Some(self.next_fence()), Some);
                self.renew(caller, row.clone(), fence, true)?.lease
            }
            None => self.insert(caller, resource)?,
        };
        Ok(Grant {
            resource: lease.resource,
            fence: lease.fence.unwrap_or_default(),
            acquired_ms: lease.acquired_ms,
            expires_ms: lease.expires_ms,
        })
    }

    /// Writes a lease again for the caller, from now on, with this fence. `is_asked` tells whether
    /// the caller's shell call will write it (R10).
    pub(super) fn renew(
        &mut self,
        caller: &Caller<'_>,
        mut row: StoredLease,
        fence: Option<i64>,
        is_asked: bool,
    ) -> rusqlite::Result<StoredLease> {
        let request = caller.request;
        self.touch();
        let lease = &mut row.lease;
        lease.owner = caller.owner.clone();
        lease.fence = fence;
        lease.expires_ms = self.now_ms.saturating_add(request.ttl_ms);
        lease.used = self.starts();
        lease.process = caller.process.clone().or(lease.process.take());
        if is_asked {
            add_call(&mut lease.calls, request.call.as_ref());
        }
        self.tx
            .prepare_cached(
                "UPDATE leases
                 SET session = ?2, epoch = ?3, agent = ?4, host = ?5, cwd = ?6, expires = ?7,
                     ttl_ms = ?8, fence = ?9, note = ifnull(?10, note), migrated = 0,
                     used = ?11, calls = ?12, kept = 0, process = ?13,
                     seen_session = ?2, seen_epoch = ?3, seen_acquired = acquired,
                     seen_expires = ?7
                 WHERE rowid = ?1",
            )?
            .execute(params![
                row.rowid,
                caller.owner.session(),
                caller.owner.epoch(),
                request.agent,
                request.host,
                request.cwd,
                seconds(row.lease.expires_ms),
                request.ttl_ms,
                fence,
                request.note,
                row.lease.used,
                call::to_text(&row.lease.calls),
                row.lease.process,
            ])?;
        Ok(row)
    }

    fn insert(&mut self, caller: &Caller<'_>, resource: &Resource) -> rusqlite::Result<Lease> {
        let lease = self.new_lease(caller, resource);
        self.tx
            .prepare_cached(
                "INSERT INTO leases(resource, session, epoch, agent, host, cwd, acquired, expires,
                     note, key, device, fence, ttl_ms, migrated, used, calls, kept, process,
                     seen_session, seen_epoch, seen_acquired, seen_expires)
                 VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13, 0, ?14, ?15, 0,
                     ?16, ?2, ?3, ?7, ?8)",
            )?
            .execute(params![
                lease.resource,
                lease.owner.session(),
                lease.owner.epoch(),
                lease.agent,
                lease.host,
                lease.cwd,
                seconds(lease.acquired_ms),
                seconds(lease.expires_ms),
                lease.note,
                resource.key.as_bytes(),
                resource.dev.map(u64::cast_signed),
                lease.fence,
                lease.ttl_ms,
                lease.used,
                call::to_text(&lease.calls),
                lease.process,
            ])?;
        Ok(lease)
    }

    fn new_lease(&mut self, caller: &Caller<'_>, resource: &Resource) -> Lease {
        let request = caller.request;
        let mut calls = Vec::new();
        add_call(&mut calls, request.call.as_ref());
        Lease {
            resource: resource::spelling(&resource.path),
            path: resource.path.clone(),
            owner: caller.owner.clone(),
            agent: request.agent.clone(),
            host: request.host.clone(),
            cwd: request.cwd.clone(),
            acquired_ms: self.now_ms,
            expires_ms: self.now_ms.saturating_add(request.ttl_ms),
            ttl_ms: request.ttl_ms,
            fence: Some(self.next_fence()),
            migrated: false,
            note: request.note.clone(),
            used: self.starts(),
            calls,
            kept: false,
            process: caller.process.clone(),
        }
    }

    /// R9: what the owner holds in the way of what it asks for, it uses.
    pub(super) fn use_own(
        &self,
        own: &BTreeMap<String, StoredLease>,
        wanted: &[Resource],
    ) -> rusqlite::Result<()> {
        // What was asked for has just been written.
        let is_asked = |row: &StoredLease| wanted.iter().any(|one| one.key.as_bytes() == row.key);
        let others = own.values().filter(|row| !is_asked(row));
        for row in others.filter(|row| row.lease.used != self.starts()) {
            self.tx
                .prepare_cached("UPDATE leases SET used = ?2 WHERE rowid = ?1")?
                .execute(params![row.rowid, self.starts()])?;
        }
        Ok(())
    }

    /// R4: what has been dead for long goes too, some at a time, the longest dead first.
    pub(super) fn sweep(&self) -> rusqlite::Result<()> {
        self.tx
            .prepare_cached(
                "DELETE FROM leases WHERE rowid IN (
                     SELECT rowid FROM leases WHERE expires < ?1
                     ORDER BY expires, resource LIMIT ?2)",
            )?
            .execute(params![seconds(self.now_ms - SWEEP_AFTER_MS), SWEEP_MAX])?;
        Ok(())
    }
}

/// R10: what a shell call writes carries its id.
fn add_call(calls: &mut Vec<Call>, call: Option<&ShellCall>) {
    let Some(ShellCall { id, background }) = call else { return };
    if let Some(known) = calls.iter_mut().find(|call| call.id == *id) {
        known.background |= background;
        return;
    }
    if calls.len() == CALLS_MAX {
        calls.remove(0);
    }
    calls.push(Call { id: id.clone(), background: *background, task: None });
}
