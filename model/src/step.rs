//! The rules, one function each.

use crate::{
    Busy, Fence, Form, Grant, Lease, Millis, OldRow, Op, Outcome, Owner, RESERVED_EPOCH, Released,
    Resource, SWEEP_AFTER_MS, SWEEP_MAX, State, Terms,
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
        Op::Acquire { owner, resources, terms } => acquire(&mut next, owner, resources, terms, now),
        Op::Release { owner, hand_over } => release(&mut next, owner, *hand_over, now),
        Op::HandOver { owner } => hand_over(&mut next, owner, now),
        Op::EndSession { session } => end_session(&mut next, session, now),
        Op::Check { resource } => check(&next, resource, now),
        Op::CheckFence { resource, fence } => {
            let lease = next.leases.iter().find(|lease| {
                lease.is_live(now)
                    && lease.fence == Some(*fence)
                    && lease.resource.contains_or_is(resource)
            });
            Outcome::FenceLeft(lease.map(|lease| lease.expires - now))
        }
        Op::Reap => Outcome::Reaped(next.remove(|lease| !lease.is_live(now))),
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
        | Op::HandOver { .. }
        | Op::EndSession { .. }
        | Op::Reap => true,
        Op::Open { .. }
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

/// R1–R5: all of the resources, or none.
fn acquire(
    state: &mut State,
    owner: &Owner,
    resources: &[Resource],
    terms: &Terms,
    now: Millis,
) -> Outcome {
    let mut wanted = resources.to_vec();
    wanted.sort_by_key(Resource::path);
    wanted.dedup_by(|a, b| a.is(b));
    // R7: what is handed over must not overlap a stranger's lease either: it counts as asked for.
    let heir = |lease: &Lease| {
        lease.migrated && lease.owner.session == owner.session && !owner.epoch.is_empty()
    };
    let reach = with_inheritance(state, &wanted, |lease| heir(lease) && lease.is_live(now));
    let meets = |lease: &Lease| reach.iter().any(|resource| resource.overlaps(&lease.resource));

    // R4: what is dead and in the way goes, whatever the answer will be.
    sweep(state, now);
    state.remove(|lease| !lease.is_live(now) && meets(lease));

    // R1, R5: a live lease of another owner is in the way, unless R7 hands it over.
    let in_the_way = |lease: &&Lease| meets(lease) && lease.owner != *owner && !heir(lease);
    let holders: Vec<Lease> = state.leases.iter().filter(in_the_way).cloned().collect();
    if !holders.is_empty() {
        return Outcome::Busy(Busy { holders });
    }

    // R7: the migrated rows that are in the way become this owner's.
    let inherited: Vec<Lease> =
        state.leases.iter().filter(|lease| meets(lease) && heir(lease)).cloned().collect();
    for old in inherited {
        let fence = Some(state.next_fence());
        let adopted = Lease { owner: owner.clone(), fence, migrated: false, ..old };
        state.put(on_terms(adopted, terms, now));
    }
    let grants = wanted.into_iter().map(|resource| grant(state, owner, resource, terms, now));
    Outcome::Acquired(grants.collect())
}

/// The wanted resources, and those of the leases that come with them, and so on.
fn with_inheritance(
    state: &State,
    wanted: &[Resource],
    comes_along: impl Fn(&Lease) -> bool,
) -> Vec<Resource> {
    let mut reach = wanted.to_vec();
    let mut next = 0;
    while let Some(resource) = reach.get(next).cloned() {
        for lease in state.leases.iter().filter(|lease| comes_along(lease)) {
            if resource.overlaps(&lease.resource) && !reach.contains(&lease.resource) {
                reach.push(lease.resource.clone());
            }
        }
        next += 1;
    }
    reach
}

/// R3: what the owner holds live is renewed and keeps its fence; anything else is a new grant. (A
/// row of an old engine has no fence to keep.)
fn grant(
    state: &mut State,
    owner: &Owner,
    resource: Resource,
    terms: &Terms,
    now: Millis,
) -> Grant {
    let held = state.get(&resource).cloned();
    let lease = match held {
        Some(lease) if lease.fence.is_some() => Lease { migrated: false, ..lease },
        Some(lease) => Lease { migrated: false, fence: Some(state.next_fence()), ..lease },
        None => Lease {
            resource,
            owner: owner.clone(),
            agent: String::new(),
            acquired: now,
            expires: now,
            ttl: 0,
            fence: Some(state.next_fence()),
            migrated: false,
            note: None,
        },
    };
    let lease = on_terms(lease, terms, now);
    state.put(lease.clone());
    let fence = lease.fence.expect("every granted lease has a fence");
    Grant { resource: lease.resource, fence, acquired: lease.acquired, expires: lease.expires }
}

/// A lease renewed now, on these terms. No note leaves the old one.
fn on_terms(lease: Lease, terms: &Terms, now: Millis) -> Lease {
    Lease {
        agent: terms.agent.clone(),
        expires: now + terms.ttl,
        ttl: terms.ttl,
        note: terms.note.clone().or(lease.note),
        ..lease
    }
}

/// R4: what has been dead for long goes too, a few at a time, the longest dead first.
fn sweep(state: &mut State, now: Millis) {
    let mut dead: Vec<(Millis, String)> = state
        .leases
        .iter()
        .filter(|lease| lease.expires < now - SWEEP_AFTER_MS)
        .map(|lease| (lease.expires, lease.resource.path()))
        .collect();
    dead.sort();
    dead.truncate(SWEEP_MAX);
    state.remove(|lease| dead.iter().any(|(_, path)| *path == lease.resource.path()));
}

/// R6 and R7: exactly the leases of this owner, and, where it hands over, the migrated rows.
fn release(state: &mut State, owner: &Owner, hand_over: bool, now: Millis) -> Outcome {
    let mine = |lease: &Lease| lease.owner == *owner || (hand_over && left_to(owner, lease));
    Outcome::Released(give_back(state, &owner.session, mine, now))
}

/// R7: what nobody adopted goes when the session's first named turn begins.
fn hand_over(state: &mut State, owner: &Owner, now: Millis) -> Outcome {
    Outcome::Released(give_back(state, &owner.session, |lease| left_to(owner, lease), now))
}

/// R7: the migrated rows of a session are left to its named main thread. A fresh lease without an
/// epoch never is: not then, and not years later.
fn left_to(owner: &Owner, lease: &Lease) -> bool {
    owner.is_tokened_main_thread() && lease.migrated && lease.owner.session == owner.session
}

/// The end of a session frees all of it.
fn end_session(state: &mut State, session: &str, now: Millis) -> Outcome {
    let mine = |lease: &Lease| lease.owner.session == session;
    Outcome::Released(give_back(state, session, mine, now))
}

/// Removes leases of a session. Dead ones go silently: only what was held counts as given back.
fn give_back(
    state: &mut State,
    session: &str,
    mine: impl Fn(&Lease) -> bool,
    now: Millis,
) -> Released {
    let count = state.remove(|lease| mine(lease) && lease.is_live(now));
    state.remove(mine);
    let holds_more =
        state.leases.iter().any(|lease| lease.owner.session == session && lease.is_live(now));
    match count {
        0 if holds_more => Released::EpochMismatch,
        0 => Released::Absent,
        count => Released::Count(count),
    }
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
        }
    }
}
