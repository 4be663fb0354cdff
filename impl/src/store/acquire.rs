//! R1–R5: all of the resources, or none.

use std::collections::{BTreeMap, BTreeSet};

use rusqlite::params;

use super::read::Met;
use super::row::StoredLease;
use super::schema::seconds;
use super::write::Write;
use super::{SWEEP_AFTER_MS, SWEEP_MAX, Store, StoreError};
use crate::lease::Lease;
use crate::owner::Owner;
use crate::resource::{self, FileId, Key, Resource};

/// A refusal names this many holders and counts the rest (R5).
pub const CONFLICTS_NAMED_MAX: usize = 8;

/// What a caller asks for.
#[derive(Clone, Debug)]
pub struct Request {
    /// For whom.
    pub owner: Owner,
    /// What; the same key twice counts once.
    pub resources: Vec<Resource>,
    /// How long without renewal, in milliseconds.
    pub ttl_ms: i64,
    /// The agent's label.
    pub agent: String,
    /// The machine.
    pub host: String,
    /// The directory of the call.
    pub cwd: Option<String>,
    /// Free text; none leaves an older one.
    pub note: Option<String>,
}

/// One granted resource.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Grant {
    /// The path, as the table holds it.
    pub resource: String,
    /// The token to show (R14).
    pub fence: i64,
    /// Since when this owner has it, in milliseconds since 1970.
    pub acquired_ms: i64,
    /// Until when, in milliseconds since 1970.
    pub expires_ms: i64,
}

/// The answer to an acquire.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Acquired {
    /// Everything is leased, in the order of the keys.
    Granted(Vec<Grant>),
    /// Nothing is.
    Busy(Busy),
}

/// R5: who is in the way.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Busy {
    /// The first conflicts by resource, at most eight.
    pub conflicts: Vec<Conflict>,
    /// How many more there are.
    pub more: usize,
}

/// A live lease of another owner that overlaps what was asked for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Conflict {
    /// The lease in the way.
    pub lease: Lease,
    /// What was asked for, as a path.
    pub wanted: String,
    /// How the two meet.
    pub overlap: Overlap,
    /// The holder is the caller's own session: an earlier turn, a sub-agent, a background task.
    pub own_session: bool,
}

/// How a lease meets a resource.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Overlap {
    /// It is on the same path.
    Same,
    /// It is on a directory above.
    Above,
    /// It is on something below.
    Below,
    /// It is on the same file by another name.
    OtherName,
    /// It overlaps a row from before epochs that the caller would take over (R7).
    Inherited,
}

impl Store {
    /// Leases all of the resources, or none of them and tells who is in the way.
    ///
    /// # Errors
    /// [`StoreError`] where the database cannot be written; then nothing is leased.
    pub fn acquire(&mut self, request: &Request) -> Result<Acquired, StoreError> {
        let mut wanted = request.resources.clone();
        wanted.sort_by(|a, b| a.key.cmp(&b.key));
        wanted.dedup_by(|a, b| a.key == b.key);
        self.run(|connection, clock| {
            let mut write = Write::begin(connection, clock)?;
            write.sweep()?;
            let answer = write.acquire(request, &wanted)?;
            write.commit()?;
            Ok(answer)
        })
    }
}

impl Write<'_> {
    fn acquire(&mut self, request: &Request, wanted: &[Resource]) -> rusqlite::Result<Acquired> {
        let mut own = BTreeMap::new();
        let mut inherited = Vec::new();
        let mut in_the_way = Vec::new();
        for row in self.met(request, wanted)?.rows() {
            if !row.lease.is_live(self.now_ms) {
                // R4: dead and met is gone, whatever the answer will be.
                self.delete(row.rowid)?;
            } else if row.lease.owner == request.owner {
                own.insert(row.lease.resource.clone(), row.clone());
            } else if is_heir(&request.owner, &row.lease) {
                inherited.push(row.clone());
            } else {
                in_the_way.push(row.clone());
            }
        }
        if !in_the_way.is_empty() {
            return Ok(Acquired::Busy(busy(request, wanted, &in_the_way)));
        }
        // R7: migrated rows of this session that are in the way become this owner's.
        for row in inherited {
            let fence = self.next_fence();
            let row = self.renew(request, row, Some(fence))?;
            own.insert(row.lease.resource.clone(), row);
        }
        let grants = wanted.iter().map(|resource| self.grant(request, resource, &own));
        Ok(Acquired::Granted(grants.collect::<Result<_, _>>()?))
    }

    /// What the wanted resources meet. A migrated row that is handed over (R7) must not overlap a
    /// stranger's lease either, so what it meets counts too, and so on.
    fn met(&self, request: &Request, wanted: &[Resource]) -> rusqlite::Result<Met> {
        let mut met = Met::find(&self.tx, wanted)?;
        let mut followed = BTreeSet::new();
        loop {
            let heirs = met.rows().filter(|row| {
                row.lease.is_live(self.now_ms) && is_heir(&request.owner, &row.lease)
            });
            let next = heirs.filter(|row| !followed.contains(&row.rowid)).find_map(as_resource);
            let Some((rowid, resource)) = next else { return Ok(met) };
            followed.insert(rowid);
            met.add(&self.tx, &resource)?;
        }
    }

    /// R3: what the owner holds live is renewed; anything else is a new grant.
    fn grant(
        &mut self,
        request: &Request,
        resource: &Resource,
        own: &BTreeMap<String, StoredLease>,
    ) -> rusqlite::Result<Grant> {
        let spelling = resource::spelling(&resource.path);
        let held = own
            .get(&spelling)
            .or_else(|| own.values().find(|row| row.key == resource.key.as_bytes()));
        let lease = match held {
            Some(row) => {
                // A row of an old engine has no fence to keep.
                let fence = row.lease.fence.map_or_else(|| Some(self.next_fence()), Some);
                self.renew(request, row.clone(), fence)?.lease
            }
            None => self.insert(request, resource, spelling)?,
        };
        Ok(Grant {
            resource: lease.resource,
            fence: lease.fence.unwrap_or_default(),
            acquired_ms: lease.acquired_ms,
            expires_ms: lease.expires_ms,
        })
    }

    /// Writes a lease again for the caller, from now on, with this fence.
    fn renew(
        &mut self,
        request: &Request,
        mut row: StoredLease,
        fence: Option<i64>,
    ) -> rusqlite::Result<StoredLease> {
        self.touch();
        row.lease.fence = fence;
        row.lease.expires_ms = self.now_ms.saturating_add(request.ttl_ms);
        self.tx
            .prepare_cached(
                "UPDATE leases
                 SET session = ?2, epoch = ?3, agent = ?4, host = ?5, cwd = ?6, expires = ?7,
                     ttl_ms = ?8, fence = ?9, note = ifnull(?10, note), migrated = 0,
                     seen_session = ?2, seen_epoch = ?3, seen_acquired = acquired,
                     seen_expires = ?7
                 WHERE rowid = ?1",
            )?
            .execute(params![
                row.rowid,
                request.owner.session(),
                request.owner.epoch(),
                request.agent,
                request.host,
                request.cwd,
                seconds(row.lease.expires_ms),
                request.ttl_ms,
                fence,
                request.note,
            ])?;
        Ok(row)
    }

    fn insert(
        &mut self,
        request: &Request,
        resource: &Resource,
        spelling: String,
    ) -> rusqlite::Result<Lease> {
        let fence = self.next_fence();
        let expires_ms = self.now_ms.saturating_add(request.ttl_ms);
        self.tx
            .prepare_cached(
                "INSERT INTO leases(resource, session, epoch, agent, host, cwd, acquired, expires,
                     note, key, device, fence, ttl_ms, migrated,
                     seen_session, seen_epoch, seen_acquired, seen_expires)
                 VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13, 0,
                     ?2, ?3, ?7, ?8)",
            )?
            .execute(params![
                spelling,
                request.owner.session(),
                request.owner.epoch(),
                request.agent,
                request.host,
                request.cwd,
                self.now_seconds(),
                seconds(expires_ms),
                request.note,
                resource.key.as_bytes(),
                resource.dev.map(u64::cast_signed),
                fence,
                request.ttl_ms,
            ])?;
        Ok(Lease {
            resource: spelling,
            path: resource.path.clone(),
            owner: request.owner.clone(),
            agent: request.agent.clone(),
            host: request.host.clone(),
            cwd: request.cwd.clone(),
            acquired_ms: self.now_ms,
            expires_ms,
            ttl_ms: request.ttl_ms,
            fence: Some(fence),
            migrated: false,
            note: request.note.clone(),
        })
    }

    /// R4: what has been dead for long goes too, a few at a time, the longest dead first.
    fn sweep(&mut self) -> rusqlite::Result<()> {
        self.tx
            .prepare_cached(
                "DELETE FROM leases WHERE rowid IN (
                     SELECT rowid FROM leases WHERE expires < ?1
                     ORDER BY expires, resource LIMIT ?2)",
            )?
            .execute(params![seconds(self.now_ms - SWEEP_AFTER_MS), SWEEP_MAX])?;
        Ok(())
    }

    fn delete(&self, rowid: i64) -> rusqlite::Result<()> {
        self.tx.prepare_cached("DELETE FROM leases WHERE rowid = ?1")?.execute(params![rowid])?;
        Ok(())
    }
}

/// R7: a row from before epochs belongs to the session's first turn that comes upon it. Nothing
/// that was leased after the upgrade ever does.
fn is_heir(owner: &Owner, lease: &Lease) -> bool {
    lease.migrated && lease.owner.session() == owner.session() && !owner.epoch().is_empty()
}

/// A row as a resource that can be looked up.
fn as_resource(row: &StoredLease) -> Option<(i64, Resource)> {
    let key = Key::from_bytes(row.key.clone())?;
    let file = resource::file_id(&row.lease.path);
    let path = row.lease.path.clone();
    let dev = file.map(|file| file.dev);
    Some((row.rowid, Resource { key, path, dev, hard_linked: file }))
}

/// R5: the refusal, with the first of the rows that are in the way.
fn busy(request: &Request, wanted: &[Resource], rows: &[StoredLease]) -> Busy {
    let conflicts = rows.iter().take(CONFLICTS_NAMED_MAX).map(|row| {
        let (resource, overlap) = meeting(wanted, row);
        Conflict {
            lease: row.lease.clone(),
            wanted: resource.map_or_else(String::new, |wanted| resource::spelling(&wanted.path)),
            overlap,
            own_session: row.lease.owner.session() == request.owner.session(),
        }
    });
    Busy { conflicts: conflicts.collect(), more: rows.len().saturating_sub(CONFLICTS_NAMED_MAX) }
}

/// The first of the wanted resources that a row meets, and how.
fn meeting<'w>(wanted: &'w [Resource], row: &StoredLease) -> (Option<&'w Resource>, Overlap) {
    let held = Key::from_bytes(row.key.clone());
    let by_path = |resource: &Resource| {
        let held = held.as_ref()?;
        if resource.key == *held || resource::spelling(&resource.path) == row.lease.resource {
            Some(Overlap::Same)
        } else if held.contains(&resource.key) {
            Some(Overlap::Above)
        } else if resource.key.contains(held) {
            Some(Overlap::Below)
        } else {
            None
        }
    };
    let met = wanted.iter().find_map(|resource| Some((resource, by_path(resource)?)));
    match met {
        Some((resource, overlap)) => (Some(resource), overlap),
        None => {
            match wanted.iter().find(|one| one.hard_linked.is_some_and(|file| is_on(row, file))) {
                Some(resource) => (Some(resource), Overlap::OtherName),
                None => (wanted.first(), Overlap::Inherited),
            }
        }
    }
}

/// Whether a row's path leads to this file.
fn is_on(row: &StoredLease, file: FileId) -> bool {
    resource::file_id(&row.lease.path) == Some(file)
}
