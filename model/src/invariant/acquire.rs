//! What an acquire may do to leases, answer by answer.

use super::change::Change;
use super::{Violation, ensure};
use crate::{Busy, Context, Grant, Lease, Note, Op, Outcome, Owner, Resource, Standing};

/// One acquire and what it did.
struct Asked<'a> {
    step: &'a Change<'a>,
    /// Who asks. A client without turn ids does not name it.
    owner: Owner,
    /// What is to be leased, and the trees that must be free.
    wanted: Vec<Resource>,
    context: &'a Context,
}

pub(super) fn check(step: &Change<'_>, op: &Op, outcome: &Outcome) -> Result<(), Violation> {
    let Op::Acquire { owner, resources, trees, context, .. } = op else { return Ok(()) };
    let retired = step.before.turns.iter().any(|turn| turn.retired && turn.owner == *owner);
    ensure("R8", retired == (*outcome == Outcome::Stale), || {
        format!("{op:?} of a turn that is retired: {retired}, was answered {outcome:?}")
    })?;
    let owner = step.meant(owner, context);
    if let Outcome::Acquired(grants) | Outcome::Reclaimed(grants, _) = outcome {
        let all = resources.iter().all(|wanted| is_granted(step, &owner, wanted, grants));
        ensure("R2", all, || format!("{op:?} was granted in part"))?;
    }
    let wanted = [&resources[..], trees].concat();
    let asked = Asked { step, owner, wanted, context };
    match outcome {
        Outcome::Stale => step.only("R8", |_, _| false),
        Outcome::Lost(notes) => asked.lost(notes),
        Outcome::Busy(busy) => asked.busy(busy),
        Outcome::Acquired(_) => asked.granted(&[]),
        Outcome::Reclaimed(_, reclaimed) => {
            ensure("R13", !reclaimed.is_empty(), || "nothing was reclaimed".to_owned())?;
            asked.granted(reclaimed)
        }
        _ => ensure("R2", false, || format!("{op:?} was answered {outcome:?}")),
    }
}

/// R2: whether the resource is the owner's now, and the answer says so.
fn is_granted(step: &Change<'_>, owner: &Owner, wanted: &Resource, grants: &[Grant]) -> bool {
    step.after.get(wanted).is_some_and(|lease| {
        let told = |grant: &Grant| grant.resource.is(wanted) && Some(grant.fence) == lease.fence;
        lease.owner == *owner
            && lease.is_live(step.now)
            && !lease.migrated
            && !lease.kept
            && grants.iter().any(told)
    })
}

impl Asked<'_> {
    fn is_wanted(&self, resource: &Resource) -> bool {
        self.wanted.iter().any(|wanted| wanted.overlaps(resource))
    }

    /// What was asked for, and what came with it: what another owner had before and has no more.
    fn reach(&self) -> Vec<Resource> {
        let mut reach = self.wanted.clone();
        let mut next = 0;
        while let Some(near) = reach.get(next).cloned() {
            let came_along = |(old, new): (Lease, Option<&Lease>)| {
                let other = old.owner != self.owner && (new.is_none() || self.is_granted(new));
                (other && old.resource.overlaps(&near)).then_some(old.resource)
            };
            for resource in self.step.touched().filter_map(came_along) {
                if !reach.contains(&resource) {
                    reach.push(resource);
                }
            }
            next += 1;
        }
        reach
    }

    /// R4: nothing that is dead stands in the way of what was asked for any more.
    fn none_dead(&self) -> Result<(), Violation> {
        let dead =
            |lease: &&Lease| self.is_wanted(&lease.resource) && !lease.is_live(self.step.now);
        let left = self.step.after.leases.iter().find(dead);
        ensure("R4", left.is_none(), || format!("{left:?} was met, and is dead"))
    }

    /// R8: a write may begin its turn, and then the older ones give back theirs, whatever the
    /// answer is.
    fn is_superseded(&self, old: &Lease, new: Option<&Lease>) -> bool {
        (self.context.begins || self.context.minted)
            && self.step.is_superseded(&old.owner, &self.owner, self.context)
            && (Change::is_ended(old, new) || self.is_granted(new))
    }

    /// R13: its process is proven to be gone, and no shell call of it may live on.
    fn is_reclaimable(&self, lease: &Lease) -> bool {
        let gone = |process| self.step.before.standing(process) == Standing::Gone;
        lease.owner != self.owner && lease.calls.is_empty() && lease.process.is_some_and(gone)
    }

    /// The lease was granted by this step.
    fn is_granted(&self, new: Option<&Lease>) -> bool {
        let first = crate::Fence::new(self.step.before.generation, self.step.before.count + 1);
        new.is_some_and(|new| new.owner == self.owner && new.fence >= Some(first))
    }

    /// R11: what is told was lost, is told once, and nothing is leased.
    fn lost(&self, notes: &[Note]) -> Result<(), Violation> {
        let Change { before, after, .. } = self.step;
        let real = |note: &Note| {
            note.owner == self.owner
                && note.taken.is_some()
                && self.is_wanted(&note.resource)
                && before.notes.iter().any(|one| one.taken == note.taken)
                && !after.notes.contains(note)
        };
        ensure("R11", !notes.is_empty() && notes.iter().all(real), || format!("told {notes:?}"))?;
        self.step.only("R11", |old, new| self.is_superseded(old, new))
    }

    /// R2, R5: nothing changed but the dead, and every holder named is one.
    fn busy(&self, busy: &Busy) -> Result<(), Violation> {
        let Change { after, now, .. } = *self.step;
        self.step.only("R2", |old, new| {
            let gone = !old.is_live(now) || self.is_reclaimable(old);
            self.is_superseded(old, new) || (gone && new.is_none())
        })?;
        self.none_dead()?;
        let real = !busy.holders.is_empty()
            && busy.holders.iter().all(|holder| {
                after.get(&holder.resource) == Some(holder)
                    && holder.is_live(now)
                    && holder.owner != self.owner
            });
        ensure("R5", real, || format!("{busy:?} names no real holder"))
    }

    /// R1–R4, R9, R11, R13: a grant takes nothing but what is its owner's, what is dead, and what
    /// some rule gives it.
    fn granted(&self, reclaimed: &[Lease]) -> Result<(), Violation> {
        let Change { after, now, .. } = *self.step;
        self.none_dead()?;
        let other = |lease: &&Lease| self.is_wanted(&lease.resource) && lease.owner != self.owner;
        let left = after.leases.iter().find(other);
        ensure("R1", left.is_none(), || format!("granted to {:?} over {left:?}", self.owner))?;
        let untold = |note: &&Note| {
            note.owner == self.owner && note.taken.is_some() && self.is_wanted(&note.resource)
        };
        let untold = after.notes.iter().find(untold);
        ensure("R11", untold.is_none(), || format!("granted, and {untold:?} was not told"))?;
        let reach = self.reach();
        for old in self.step.old() {
            let new = self.step.new_of(&old);
            if old.owner == self.owner && old.is_live(now) {
                self.own(&old, new)?;
            } else if new != Some(&old) {
                let rule = self.broken(&old, new, reclaimed, &reach);
                ensure(rule.unwrap_or_default(), rule.is_none(), || format!("{old:?}: {new:?}"))?;
            }
        }
        let told = |lease: &Lease| {
            let had = self.step.old().any(|old| old == *lease);
            had && lease.is_live(now) && self.is_reclaimable(lease)
        };
        ensure("R13", reclaimed.iter().all(told), || format!("reclaimed {reclaimed:?}"))?;
        let unasked =
            self.step.appeared().find(|new| !self.wanted.iter().any(|one| one.is(&new.resource)));
        ensure("R2", unasked.is_none(), || format!("{unasked:?} was not asked for"))
    }

    /// R3, R11: what the owner held live it holds still, since when it did, and renewed.
    fn own(&self, old: &Lease, new: Option<&Lease>) -> Result<(), Violation> {
        let goes_on = |new: &&Lease| {
            (new.fence == old.fence || old.fence.is_none())
                && (&new.owner, new.acquired) == (&old.owner, old.acquired)
        };
        let new = new.filter(goes_on);
        ensure("R3", new.is_some(), || format!("{old:?} does not go on"))?;
        let renewed = new.is_some_and(|new| new.expires >= self.step.now + new.ttl - new.ttl / 4);
        ensure("R11", renewed, || format!("{old:?} was not renewed"))
    }

    /// The rule that is broken by what became of a lease that is dead or another owner's.
    fn broken(
        &self,
        old: &Lease,
        new: Option<&Lease>,
        reclaimed: &[Lease],
        reach: &[Resource],
    ) -> Option<&'static str> {
        let by_right = new.is_none() || self.is_granted(new);
        let (owner, session) = (&old.owner, &self.owner.session);
        let is_main = owner.session == *session && owner.is_tokened_main_thread();
        if self.is_superseded(old, new) {
            return None;
        }
        if !old.is_live(self.step.now) {
            // R11: never renewed; R3: a new grant.
            let fresh = new.is_none_or(|new| new.acquired == self.step.now);
            return (!by_right || !fresh).then_some("R4");
        }
        if is_main && self.owner.is_subagent() && self.step.is_renewed(old, new) {
            return None;
        }
        if !reach.iter().any(|near| near.overlaps(&old.resource)) {
            return Some("R1");
        }
        if by_right && self.is_reclaimable(old) {
            return (!reclaimed.contains(old)).then_some("R13");
        }
        let same = self.is_granted(new) && new.is_some_and(|new| new.acquired == old.acquired);
        if old.migrated && owner.session == *session && !self.owner.epoch.is_empty() {
            return (!same).then_some("R7");
        }
        if is_main && self.owner.is_subagent() {
            return (!same || !self.is_handed_down(old)).then_some("R9");
        }
        let in_doubt = |one: &crate::Subagent| one.owner == *owner && one.in_doubt;
        let yields = self.owner.is_tokened_main_thread()
            && owner.session == *session
            && self.step.after.subagents.iter().any(in_doubt)
            && !self.step.is_elsewhere(session, old.process, self.context);
        if yields {
            return (!by_right || !old.calls.is_empty()).then_some("R9");
        }
        Some("R1")
    }

    /// R9: a sub-agent may have what its main thread has not used since its latest start.
    fn is_handed_down(&self, old: &Lease) -> bool {
        let started = self.step.after.subagents.iter().find(|one| one.owner == self.owner);
        started.is_some_and(|one| one.announced && old.used < one.started)
            && !old.kept
            && old.calls.is_empty()
            && !self.step.is_elsewhere(&old.owner.session, old.process, self.context)
    }
}
