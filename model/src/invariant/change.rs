//! What a step did to the leases.

use super::{Violation, ensure};
use crate::{Call, Context, Lease, Millis, Owner, Process, REMEMBERED_MS, Standing, State, Turn};

/// The two states of a step.
pub(super) struct Change<'a> {
    pub(super) before: &'a State,
    pub(super) after: &'a State,
    pub(super) now: Millis,
}

impl Change<'_> {
    /// R12: the leases before, as the clock's correction leaves them.
    pub(super) fn old(&self) -> impl Iterator<Item = Lease> {
        self.before.leases.iter().map(|lease| {
            let expires = lease.expires.min(self.now + lease.ttl);
            Lease { expires, ..lease.clone() }
        })
    }

    /// The lease that stands now where an old one stood.
    pub(super) fn new_of(&self, old: &Lease) -> Option<&Lease> {
        self.after.get(&old.resource)
    }

    /// The leases that are not as they were, and what they are now.
    pub(super) fn touched(&self) -> impl Iterator<Item = (Lease, Option<&Lease>)> {
        self.old().filter_map(|old| {
            let new = self.new_of(&old);
            (new != Some(&old)).then_some((old, new))
        })
    }

    /// The leases that stand where none stood.
    pub(super) fn appeared(&self) -> impl Iterator<Item = &Lease> {
        self.after.leases.iter().filter(|lease| self.before.get(&lease.resource).is_none())
    }

    /// Every lease is as it was, but for those that may be what they are now; none appeared.
    pub(super) fn only(
        &self,
        rule: &'static str,
        may: impl Fn(&Lease, Option<&Lease>) -> bool,
    ) -> Result<(), Violation> {
        for (old, new) in self.touched() {
            ensure(rule, may(&old, new), || format!("{old:?} became {new:?}"))?;
        }
        let appeared = self.appeared().next();
        ensure(rule, appeared.is_none(), || format!("{appeared:?} came from nowhere"))
    }

    /// R11: the live lease goes on, and nothing is changed but its expiry, and whose process it is
    /// by now (R13).
    pub(super) fn is_renewed(&self, old: &Lease, new: Option<&Lease>) -> bool {
        let process = new.and_then(|new| new.process).or(old.process);
        let is_due = old.expires < self.now + old.ttl - old.ttl / 4;
        let expires = if is_due { self.now + old.ttl } else { old.expires };
        let renewed = Lease { expires, process, ..old.clone() };
        old.is_live(self.now) && new == Some(&renewed)
    }

    /// R10: the lease went with its owner, or is kept for calls that it had.
    pub(super) fn is_ended(old: &Lease, new: Option<&Lease>) -> bool {
        new.is_none_or(|new| {
            let known = |id: &str| old.calls.iter().any(|call| call.id == id);
            let calls = new.calls.clone();
            new.kept
                && calls.iter().all(|call| known(&call.id))
                && *new == Lease { kept: true, calls, ..old.clone() }
        })
    }

    /// Calls of the lease came to an end and nothing else changed, or it was only kept for them.
    pub(super) fn is_without_calls(
        old: &Lease,
        new: Option<&Lease>,
        ended: impl Fn(&Call) -> bool,
    ) -> bool {
        let left: Vec<Call> = old.calls.iter().filter(|call| !ended(call)).cloned().collect();
        match new {
            None => old.kept && left.is_empty(),
            Some(new) => *new == Lease { calls: left, ..old.clone() },
        }
    }

    /// R8: a turn that an event of a later one supersedes: of the same session, and retired now.
    pub(super) fn is_superseded(&self, owner: &Owner, by: &Owner, context: &Context) -> bool {
        owner.session == by.session
            && owner.is_tokened_main_thread()
            && owner != by
            && self.after.turns.iter().any(|turn| turn.owner == *owner && turn.retired)
            && (!self.lives_elsewhere(owner, context) || self.is_forgotten(owner))
    }

    /// R8: whether this turn has been silent for so long that nobody knows its process any more.
    fn is_forgotten(&self, owner: &Owner) -> bool {
        let long_ago = self.now - REMEMBERED_MS;
        self.before.turns.iter().any(|turn| turn.owner == *owner && turn.at < long_ago)
    }

    /// R8: whether a process other than the event's, proven alive, has begun this turn or holds a
    /// lease of it.
    pub(super) fn lives_elsewhere(&self, owner: &Owner, context: &Context) -> bool {
        let turns = self.before.turns.iter().filter(|turn| turn.owner == *owner);
        let leases = self.before.leases.iter().filter(|lease| lease.owner == *owner);
        let subagents = self.before.subagents.iter().filter(|one| one.owner == *owner);
        turns
            .map(|turn| turn.process)
            .chain(leases.map(|lease| lease.process))
            .chain(subagents.map(|one| one.process))
            .any(|process| self.is_elsewhere(&owner.session, process, context))
    }

    /// Whether this is a process other than the event's that is known to be an agent's and alive.
    pub(super) fn is_elsewhere(
        &self,
        session: &str,
        process: Option<Process>,
        context: &Context,
    ) -> bool {
        let (Some(process), Some(sighting)) = (process, &context.sighting) else { return false };
        let believed = |state: &State| {
            state
                .sightings
                .iter()
                .any(|seen| seen.session == session && seen.process == process && seen.believed)
        };
        process != sighting.process
            && believed(self.before)
            && believed(self.after)
            && self.before.standing(process) == Standing::Alive
    }

    /// R8: the owner that an event means: a client without turn ids the latest turn of its lane.
    pub(super) fn meant(&self, named: &Owner, context: &Context) -> Owner {
        let of_lane = |turn: &&Turn| {
            turn.owner.session == named.session
                && !turn.retired
                && !self.is_elsewhere(&named.session, turn.process, context)
        };
        let own = context.sighting.as_ref().map(|sighting| sighting.process);
        let latest = self.after.turns.iter().filter(of_lane).max_by_key(|turn| {
            // Its own process's first.
            (own.is_some() && turn.process == own, turn.started)
        });
        match latest {
            Some(turn) if context.minted && named.epoch.is_empty() => turn.owner.clone(),
            _ => named.clone(),
        }
    }
}
