//! The rules, one function each.

use crate::acquire::{Ask, acquire};
use crate::{
    Fence, Form, Lease, Millis, OldRow, Op, Outcome, Owner, RESERVED_EPOCH, Resource, State, life,
    note, subagent,
};

/// Carries out one operation at one moment: the next state, and the answer.
#[must_use]
pub fn step(state: &State, op: &Op, now: Millis) -> (State, Outcome) {
    let mut next = state.clone();
    if writes(op) {
        correct_clock(&mut next, now);
    }
    let outcome = match op {
        Op::Open { boot } => open(&mut next, boot, now),
        Op::Acquire { owner, resources, trees, terms, call, context } => {
            let ask = Ask { owner, resources, trees, terms, call: call.as_ref(), context };
            acquire(&mut next, &ask, now)
        }
        Op::Release { owner, hand_over } => life::release(&mut next, owner, *hand_over, now),
        Op::Begin { owner, context } => life::begin(&mut next, owner, context, now),
        Op::SubagentStart { owner, context } => {
            subagent::start(&mut next, owner, context, now);
            Outcome::Done
        }
        Op::Post { owner, resources, call, context } => {
            life::post(&mut next, owner, resources, call.as_ref(), context, now)
        }
        Op::End { owner, how, context } => life::end(&mut next, owner, how, context, now),
        Op::EndSession { session, context } => life::end_session(&mut next, session, context, now),
        Op::Fate { process, standing } => {
            next.standings.retain(|(one, _)| one != process);
            next.standings.push((*process, *standing));
            Outcome::Done
        }
        Op::Check { resource } => check(&next, resource, now),
        Op::CheckFence { resource, fence } => {
            let lease = next.leases.iter().find(|lease| {
                lease.is_live(now)
                    && lease.fence == Some(*fence)
                    && lease.resource.contains_or_is(resource)
            });
            Outcome::FenceLeft(lease.map(|lease| lease.expires - now))
        }
        Op::Reap => reap(&mut next, now),
        Op::OldUpsert(row) => old_upsert(&mut next, row),
        Op::OldDelete { session } => {
            next.remove(|lease| lease.owner.session == *session);
            Outcome::Done
        }
    };
    (next, outcome)
}

/// Whether the operation is a write transaction of ours.
fn writes(op: &Op) -> bool {
    match op {
        Op::Acquire { .. }
        | Op::Release { .. }
        | Op::Begin { .. }
        | Op::SubagentStart { .. }
        | Op::Post { .. }
        | Op::End { .. }
        | Op::EndSession { .. }
        | Op::Reap => true,
        Op::Open { .. }
        | Op::Fate { .. }
        | Op::Check { .. }
        | Op::CheckFence { .. }
        | Op::OldUpsert(_)
        | Op::OldDelete { .. } => false,
    }
}

/// R12: a clock that stepped back must not make a lease immortal: what remains is at most one TTL.
/// It is rewritten, not recomputed at each look, for a lease that always has one TTL left never
/// ends.
fn correct_clock(state: &mut State, now: Millis) {
    for lease in &mut state.leases {
        lease.expires = lease.expires.min(now + lease.ttl);
    }
}

/// R7 and R14: the first open upgrades a legacy database. The first after a boot begins a
/// generation; so does the first of a new database, and one that finds the count half used up.
fn open(state: &mut State, boot: &str, now: Millis) -> Outcome {
    let form = state.legacy.take();
    for lease in state.leases.iter_mut().filter(|_| form.is_some()) {
        lease.owner.session = without_alias(&lease.owner.session);
        // A row that the third engine marked keeps its mark's meaning wherever it stands.
        lease.migrated = form == Some(Form::First) || lease.owner.epoch == RESERVED_EPOCH;
        if lease.migrated {
            lease.owner.epoch = String::new();
        }
    }
    if state.boot.as_deref() != Some(boot) || state.count >= Fence::RENEW_AT {
        let minutes = now.div_euclid(60_000);
        state.generation = minutes.max(state.generation + 1);
        state.count = 0;
        state.boot = Some(boot.to_owned());
    }
    Outcome::Opened { upgraded: form.is_some() }
}

/// R4: removes all that is dead. R11: who let a lease expire finds a note, once somebody takes it.
fn reap(state: &mut State, now: Millis) -> Outcome {
    let dead: Vec<Lease> =
        state.leases.iter().filter(|lease| !lease.is_live(now)).cloned().collect();
    for lease in dead.iter().filter(|lease| lease.fence.is_some()) {
        note::leave(state, &lease.owner, &lease.resource, now);
    }
    Outcome::Reaped(state.remove(|lease| !lease.is_live(now)))
}

/// The live leases that overlap a resource.
fn check(state: &State, resource: &Resource, now: Millis) -> Outcome {
    let held = |lease: &&Lease| lease.is_live(now) && lease.resource.overlaps(resource);
    Outcome::Held(state.leases.iter().filter(held).cloned().collect())
}

/// What an old engine's upsert means to us. A row that it renews (same session, same `acquired`,
/// and no other epoch) stays whose it is; otherwise what we knew of the row is void: a fresh lease
/// without fence. The first engine leaves the epoch that it finds, which is then a stranger's, so
/// one that did not change counts as none; one that did was named by an engine that knows epochs.
fn old_upsert(state: &mut State, row: &OldRow) -> Outcome {
    let mut lease = Lease::of_old_engine(row);
    let held = state.get(&row.resource);
    if state.legacy.is_some() {
        let column = held.map(|held| held.owner.epoch.clone()).unwrap_or_default();
        lease.owner.epoch = row.epoch.clone().unwrap_or(column);
    } else if let Some(held) = held {
        let epoch = row.epoch.as_ref().unwrap_or(&held.owner.epoch);
        let same_epoch = *epoch == held.owner.epoch;
        if same_epoch && held.owner.session == row.session && held.acquired == row.acquired {
            // A TTL of ours stays; one that the old engine gave itself is what it says now.
            let ttl = if held.fence.is_some() { held.ttl } else { lease.ttl };
            let Lease { agent, expires, note, .. } = lease;
            lease = Lease { agent, expires, ttl, note, ..held.clone() };
        } else if same_epoch {
            lease.owner.epoch = String::new();
        }
    }
    if state.legacy.is_none() {
        lease.owner.session = without_alias(&lease.owner.session);
        if lease.owner.epoch == RESERVED_EPOCH {
            lease.owner.epoch = String::new();
        }
    }
    state.put(lease);
    Outcome::Done
}

/// An old engine may have stored a session by its alias.
fn without_alias(session: &str) -> String {
    Owner::session_name(session).unwrap_or_else(|_| session.to_owned())
}

impl Lease {
    /// The lease that an old engine's row is: without fence, and with the TTL that it gave itself.
    pub(crate) fn of_old_engine(row: &OldRow) -> Self {
        Self {
            resource: row.resource.clone(),
            owner: Owner {
                session: row.session.clone(),
                epoch: row.epoch.clone().unwrap_or_default(),
            },
            agent: row.agent.clone(),
            acquired: row.acquired,
            expires: row.expires,
            ttl: row.expires - row.acquired,
            fence: None,
            migrated: false,
            note: row.note.clone(),
            used: 0,
            calls: Vec::new(),
            kept: false,
            process: None,
        }
    }
}
