//! R1–R5: all of the resources, or none.

use crate::{
    Busy, CALLS_MAX, Call, Context, Grant, Lease, Millis, Outcome, Owner, Process, Resource,
    SWEEP_AFTER_MS, SWEEP_EVERY, SWEEP_MAX, ShellCall, State, Terms, life, note, process, subagent,
    turn,
};

/// What is asked for.
pub(crate) struct Ask<'a> {
    pub(crate) owner: &'a Owner,
    pub(crate) resources: &'a [Resource],
    pub(crate) trees: &'a [Resource],
    pub(crate) terms: &'a Terms,
    pub(crate) call: Option<&'a ShellCall>,
    pub(crate) context: &'a Context,
}

/// The caller once it is known who that is.
struct Caller<'a> {
    owner: Owner,
    process: Option<Process>,
    ask: &'a Ask<'a>,
    now: Millis,
}

/// Leases all of the resources, or none.
pub(crate) fn acquire(state: &mut State, ask: &Ask<'_>, now: Millis) -> Outcome {
    let mut owner = turn::meant(state, ask.owner, ask.context);
    // R8: decided before all else, and under the same lock.
    if turn::is_retired(state, &owner) {
        return Outcome::Stale;
    }
    let sighting = ask.context.sighting.as_ref();
    let process = process::believe(state, &owner.session, sighting, now);
    if ask.context.minted && owner.epoch.is_empty() {
        owner = turn::begun(state, &owner, ask.context);
        turn::supersede(state, &owner, ask.context, now);
    } else if turn::begins(state, &owner, ask.context, ask.terms.ttl, now) {
        turn::supersede(state, &owner, ask.context, now);
    }
    turn::goes_on(state, &owner, ask.context, now);
    subagent::heard(state, &owner, ask.context, now);
    let mut wanted = ask.resources.to_vec();
    wanted.sort_by_key(Resource::path);
    wanted.dedup_by(|a, b| a.is(b));
    // R11: what was lost is told before anything is leased on it again.
    // R16: a tree that is moved or removed must be free like what is leased.
    let asked = [&wanted[..], ask.trees].concat();
    let lost = note::take(state, &owner, &asked);
    if !lost.is_empty() {
        return Outcome::Lost(lost);
    }
    Caller { owner, process, ask, now }.acquire(state, &wanted, &asked)
}

impl Caller<'_> {
    fn acquire(&self, state: &mut State, wanted: &[Resource], asked: &[Resource]) -> Outcome {
        let (owner, now) = (&self.owner, self.now);
        // R7, R9: what is handed over must not overlap a stranger's lease either, so it counts as
        // asked for.
        let heirs: Vec<Resource> = state
            .leases
            .iter()
            .filter(|lease| self.is_heir(state, lease))
            .map(|lease| lease.resource.clone())
            .collect();
        let is_heir = |lease: &Lease| heirs.iter().any(|one| one.is(&lease.resource));
        let reach = with_inheritance(state, asked, is_heir);
        let meets = |lease: &Lease| reach.iter().any(|resource| resource.overlaps(&lease.resource));

        // R4, R13: what is dead and in the way goes, whatever the answer will be.
        let reclaimed = self.bury(state, meets);

        // R1, R5: a live lease of another owner is in the way, unless it is handed over or yields.
        let yields: Vec<Resource> = state
            .leases
            .iter()
            .filter(|lease| meets(lease) && subagent::yields(state, lease, owner, self.ask.context))
            .map(|lease| lease.resource.clone())
            .collect();
        let is_yielded = |lease: &Lease| yields.iter().any(|one| one.is(&lease.resource));
        let in_the_way = |lease: &&Lease| {
            meets(lease) && lease.owner != *owner && !is_heir(lease) && !is_yielded(lease)
        };
        let holders: Vec<Lease> = state.leases.iter().filter(in_the_way).cloned().collect();
        if !holders.is_empty() {
            return Outcome::Busy(Busy { holders });
        }
        for lease in state.leases.clone().iter().filter(|lease| is_yielded(lease)) {
            note::leave(state, &lease.owner, &lease.resource, now);
        }
        state.remove(is_yielded);

        let grants = self.take(state, wanted, is_heir, meets);
        // R11: every event of an owner renews all that it holds.
        life::renew(state, owner, self.process, self.ask.context, now);
        note::withdraw(state, owner, wanted);
        note::claim(state, owner, &self.ask.terms.agent, wanted, now);
        if reclaimed.is_empty() {
            Outcome::Acquired(grants)
        } else {
            Outcome::Reclaimed(grants, reclaimed)
        }
    }

    /// R7, R9: whether a live lease becomes this owner's where it is in the way.
    fn is_heir(&self, state: &State, lease: &Lease) -> bool {
        let owner = &self.owner;
        let migrated = lease.migrated
            && lease.is_live(self.now)
            && lease.owner.session == owner.session
            && !owner.epoch.is_empty();
        migrated || subagent::is_handed_down(state, lease, owner, self.ask.context, self.now)
    }

    /// R4: removes the dead. R13: and what a process held that is proven to be gone, unless a shell
    /// call of it may live on; those are told. R11: who let a lease expire finds a note.
    fn bury(&self, state: &mut State, meets: impl Fn(&Lease) -> bool) -> Vec<Lease> {
        let is_reclaimed = |state: &State, lease: &Lease| {
            lease.owner != self.owner
                && lease.calls.is_empty()
                && process::is_gone(state, lease.process)
        };
        let met = state.leases.iter().filter(|lease| meets(lease));
        let (dead, live): (Vec<Lease>, Vec<Lease>) =
            met.cloned().partition(|lease| !lease.is_live(self.now));
        let reclaimed: Vec<Lease> =
            live.into_iter().filter(|lease| is_reclaimed(state, lease)).collect();
        for lease in dead.iter().filter(|lease| lease.fence.is_some() && lease.owner != self.owner)
        {
            note::leave(state, &lease.owner, &lease.resource, self.now);
        }
        let goes = |lease: &Lease| dead.contains(lease) || reclaimed.contains(lease);
        state.remove(goes);
        reclaimed
    }

    /// Takes what is handed over and what was asked for.
    fn take(
        &self,
        state: &mut State,
        wanted: &[Resource],
        is_heir: impl Fn(&Lease) -> bool,
        meets: impl Fn(&Lease) -> bool,
    ) -> Vec<Grant> {
        let granted_before = state.count;
        let handed_over = |lease: &&Lease| meets(lease) && is_heir(lease);
        let inherited: Vec<Lease> = state.leases.iter().filter(handed_over).cloned().collect();
        for old in inherited {
            let fence = Some(state.next_fence());
            let (owner, process) = (self.owner.clone(), self.process);
            let adopted = Lease { owner, fence, migrated: false, process, ..old };
            state.put(self.on_terms(adopted));
        }
        let grants = wanted.iter().map(|resource| self.grant(state, resource)).collect();
        let starts = state.starts;
        let own = state.leases.iter_mut().filter(|lease| lease.owner == self.owner);
        for lease in own.filter(|lease| meets(lease)) {
            lease.used = starts;
        }
        if granted_before / SWEEP_EVERY != state.count / SWEEP_EVERY {
            sweep(state, self.now);
        }
        grants
    }

    /// R3: what the owner holds live is renewed and keeps its fence; anything else is a new grant.
    /// (A row of an old engine has no fence to keep.)
    fn grant(&self, state: &mut State, resource: &Resource) -> Grant {
        let held = state.get(resource).cloned();
        let lease = match held {
            Some(lease) if lease.fence.is_some() => lease,
            Some(lease) => Lease { migrated: false, fence: Some(state.next_fence()), ..lease },
            None => Lease {
                resource: resource.clone(),
                owner: self.owner.clone(),
                agent: String::new(),
                acquired: self.now,
                expires: self.now,
                ttl: 0,
                fence: Some(state.next_fence()),
                migrated: false,
                note: None,
                used: 0,
                calls: Vec::new(),
                kept: false,
                process: self.process,
            },
        };
        let lease = self.written_by_the_call(self.on_terms(lease));
        state.put(lease.clone());
        let fence = lease.fence.expect("every granted lease has a fence");
        Grant { resource: lease.resource, fence, acquired: lease.acquired, expires: lease.expires }
    }

    /// A lease renewed now, on these terms. No note leaves the old one.
    fn on_terms(&self, lease: Lease) -> Lease {
        let terms = self.ask.terms;
        Lease {
            agent: terms.agent.clone(),
            expires: self.now + terms.ttl,
            ttl: terms.ttl,
            note: terms.note.clone().or(lease.note),
            ..lease
        }
    }

    /// R10: what a shell call writes carries its id. A turn that goes on after its end keeps what a
    /// call still writes, and holds again what it asks for.
    fn written_by_the_call(&self, mut lease: Lease) -> Lease {
        if let Some(ShellCall { id, background }) = self.ask.call {
            if let Some(known) = lease.calls.iter_mut().find(|call| call.id == *id) {
                known.background |= background;
            } else {
                if lease.calls.len() == CALLS_MAX {
                    lease.calls.remove(0);
                }
                lease.calls.push(Call { id: id.clone(), background: *background, task: None });
            }
        }
        Lease { kept: false, ..lease }
    }
}

/// What is asked for, and the resources of the leases that come with it, and so on.
fn with_inheritance(
    state: &State,
    asked: &[Resource],
    comes_along: impl Fn(&Lease) -> bool,
) -> Vec<Resource> {
    let mut reach = asked.to_vec();
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

/// R4: what has been dead for long goes too, some at a time, the longest dead first.
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
