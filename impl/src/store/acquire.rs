//! R1–R5: all of the resources, or none.

use std::collections::{BTreeMap, BTreeSet};

use super::busy::{Busy, as_resource, busy};
use super::context::{Context, ShellCall};
use super::lane::{Lane, believe};
use super::note::Lost;
use super::read::Met;
use super::row::StoredLease;
use super::write::Write;
use super::{SWEEP_EVERY, Store, StoreError};
use crate::lease::Lease;
use crate::owner::Owner;
use crate::resource::Resource;

/// What a caller asks for.
#[derive(Clone, Debug)]
pub struct Request {
    /// For whom.
    pub owner: Owner,
    /// What; the same key twice counts once.
    pub resources: Vec<Resource>,
    /// R16: directories that are moved or removed. They are not leased, and nobody else may hold
    /// anything in them.
    pub trees: Vec<Resource>,
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
    /// R10: the shell call that will write them.
    pub call: Option<ShellCall>,
    /// What a hook knows.
    pub context: Context,
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
    /// Everything is leased.
    Granted {
        /// What, in the order of the keys.
        grants: Vec<Grant>,
        /// R13: the leases of dead agents that were in the way.
        reclaimed: Vec<Lease>,
    },
    /// Nothing is.
    Busy(Busy),
    /// R8: nothing is, for a later turn has superseded the caller's.
    Stale,
    /// R11: nothing is, for the caller lost a lease on what it wants. It is told once.
    Lost(Vec<Lost>),
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
        let asked = [&wanted[..], &request.trees].concat();
        self.run(|connection, options| {
            let mut write = Write::begin(connection, options)?;
            let answer = write.decide(request, &wanted, &asked)?;
            write.commit()?;
            Ok(answer)
        })
    }
}

/// The caller once it is known who that is, and what it asks for.
pub(super) struct Caller<'a> {
    pub(super) owner: Owner,
    /// R13: its process, if that is believed.
    pub(super) process: Option<String>,
    /// R9: the count of starts when it last started, if it is a sub-agent.
    started: Option<i64>,
    lane: Lane<'a>,
    pub(super) request: &'a Request,
    /// What is to be leased.
    wanted: &'a [Resource],
    /// The same, and the trees that must be free.
    asked: &'a [Resource],
}

/// What was met, sorted by what it means.
#[derive(Default)]
struct Found {
    own: BTreeMap<String, StoredLease>,
    inherited: Vec<StoredLease>,
    yielded: Vec<StoredLease>,
    reclaimed: Vec<Lease>,
    in_the_way: Vec<StoredLease>,
}

impl<'c> Write<'c> {
    /// What comes before the leases: whose call it is (R8, R9), and what it is to be told (R11).
    fn decide<'a>(
        &mut self,
        request: &'a Request,
        wanted: &'a [Resource],
        asked: &'a [Resource],
    ) -> rusqlite::Result<Acquired>
    where
        'c: 'a,
    {
        let Request { owner, context, .. } = request;
        let mut lane = Lane::read(self, owner.session(), owner.epoch(), context)?;
        let mut owner = lane.meant(owner);
        // R8: decided before all else, and under the same lock.
        if lane.is_retired(&owner) {
            return Ok(Acquired::Stale);
        }
        let process = believe(self, &mut lane)?;
        if context.minted && owner.epoch().is_empty() {
            owner = lane.begun(&owner, self.starts());
            self.supersede(&mut lane, &owner)?;
        } else if self.begins(&lane, &owner, request.ttl_ms)? {
            self.supersede(&mut lane, &owner)?;
        }
        self.goes_on(&lane, &owner)?;
        self.heard(&lane, &owner)?;
        let lost = self.take_notes(&owner, asked)?;
        if !lost.is_empty() {
            return Ok(Acquired::Lost(lost));
        }
        let started = self.started(&owner)?;
        self.acquire(&Caller { owner, process, started, lane, request, wanted, asked })
    }

    fn acquire(&mut self, caller: &Caller<'_>) -> rusqlite::Result<Acquired> {
        let Caller { owner, request, wanted, asked, .. } = caller;
        let met = self.met(caller)?;
        let mut found = self.sort(caller, &met)?;
        if !found.in_the_way.is_empty() {
            return Ok(Acquired::Busy(busy(owner, asked, &found.in_the_way)));
        }
        for row in &found.yielded {
            self.leave_note(&row.lease.owner, &row.lease.resource, &row.key)?;
            self.delete(row.rowid)?;
        }
        let granted_before = self.granted();
        // R7, R9: what is handed over and in the way becomes this owner's.
        for row in std::mem::take(&mut found.inherited) {
            let fence = self.next_fence();
            // Not the process that held it; and no call writes it, or it were not handed over.
            let row = StoredLease { lease: Lease { process: None, ..row.lease }, ..row };
            let row = self.renew(caller, row, Some(fence), false)?;
            found.own.insert(row.lease.resource.clone(), row);
        }
        self.forget_moved(wanted, &mut found.own)?;
        let grants = wanted.iter().map(|resource| self.grant(caller, resource, &found.own));
        let grants = grants.collect::<Result<_, _>>()?;
        self.use_own(&found.own, wanted)?;
        if granted_before / SWEEP_EVERY != self.granted() / SWEEP_EVERY {
            self.sweep()?;
        }
        // R11: every event of an owner renews all that it holds.
        self.renew_all(&caller.lane, owner, caller.process.as_deref())?;
        self.withdraw_notes(owner, wanted)?;
        self.claim_notes(owner, &request.agent, wanted)?;
        Ok(Acquired::Granted { grants, reclaimed: found.reclaimed })
    }

    /// Sorts what was met. R4: what is dead goes, whatever the answer will be, and its owner finds
    /// a note (R11). R13: so does what a process held that is proven to be gone, unless a shell
    /// call of it may live on.
    fn sort(&mut self, caller: &Caller<'_>, met: &Met) -> rusqlite::Result<Found> {
        let owner = &caller.owner;
        let mut found = Found::default();
        let doubted = self.doubted(caller, met)?;
        for row in met.rows() {
            let lease = &row.lease;
            let is_own = lease.owner == *owner;
            if !lease.is_live(self.now_ms) {
                if !is_own && lease.fence.is_some() {
                    self.leave_note(&lease.owner, &lease.resource, &row.key)?;
                }
                self.delete(row.rowid)?;
            } else if is_own {
                found.own.insert(lease.resource.clone(), row.clone());
            } else if lease.calls.is_empty() && caller.lane.is_gone(lease.process.as_deref()) {
                self.delete(row.rowid)?;
                found.reclaimed.push(lease.clone());
            } else if caller.is_heir(lease) {
                found.inherited.push(row.clone());
            } else if lease.calls.is_empty()
                && lease.owner.session() == owner.session()
                && doubted.contains(lease.owner.epoch())
                && caller.lane.is_in_reach(lease.process.as_deref())
            {
                found.yielded.push(row.clone());
            } else {
                found.in_the_way.push(row.clone());
            }
        }
        Ok(found)
    }

    /// R9: the session's sub-agents that may be dead, if any is in the way of a main thread.
    fn doubted(&self, caller: &Caller<'_>, met: &Met) -> rusqlite::Result<BTreeSet<String>> {
        let owner = &caller.owner;
        let of_subagent = |row: &StoredLease| row.lease.owner.is_subagent();
        if owner.is_tokened_main_thread() && met.rows().any(of_subagent) {
            self.in_doubt(&caller.lane)
        } else {
            Ok(BTreeSet::new())
        }
    }

    /// What that which is asked for meets. What is handed over (R7, R9) must not overlap a
    /// stranger's lease either, so what it meets counts too, and so on.
    fn met(&self, caller: &Caller<'_>) -> rusqlite::Result<Met> {
        let mut met = Met::find(&self.tx, caller.asked)?;
        let mut followed = BTreeSet::new();
        loop {
            let heirs = met
                .rows()
                .filter(|row| row.lease.is_live(self.now_ms) && caller.is_heir(&row.lease));
            let next = heirs.filter(|row| !followed.contains(&row.rowid)).find_map(as_resource);
            let Some((rowid, resource)) = next else { return Ok(met) };
            followed.insert(rowid);
            met.add(&self.tx, &resource)?;
        }
    }
}

impl Caller<'_> {
    /// R7: a row from before epochs belongs to the session's first turn that comes upon it. Nothing
    /// that was leased after the upgrade ever does. R9: a sub-agent takes over from its own main
    /// thread what that has not used since the sub-agent started, and no shell call writes. Where
    /// two processes share the session, only from that of its own.
    fn is_heir(&self, lease: &Lease) -> bool {
        if lease.owner.session() != self.owner.session() {
            return false;
        }
        let unused = self.started.is_some_and(|started| lease.used < started);
        (lease.migrated && !self.owner.epoch().is_empty())
            || (unused
                && lease.owner.is_tokened_main_thread()
                && lease.fence.is_some()
                && lease.calls.is_empty()
                && self.lane.is_in_reach(lease.process.as_deref()))
    }
}
