//! The random walks themselves: that they reach what the properties speak of.
//!
//! Goal: a property that holds because nothing ever happens is found out.
//! Method: the walks of `properties.rs`, the same ones, are played and what they came across is
//! counted by name.

mod common;
#[path = "common/random.rs"]
mod random;
#[path = "common/rules.rs"]
mod rules;

use std::cell::RefCell;
use std::collections::BTreeMap;

use leasehold_model::{CallState, End, Grant, Lease, Op, Outcome, Released};
use random::{Seen, always, is_our_write};
use rules::{
    context, grants, is_elsewhere, is_handed_down, is_orphan, is_subagent, is_turn, live, meant,
};

/// How often each thing was seen, by names.
type Sights = BTreeMap<&'static str, usize>;

fn note(sights: &mut Sights, name: &'static str, seen: bool) {
    *sights.entry(name).or_default() += usize::from(seen);
}

/// What a walk came across of the engine's own rules.
fn engine(seen: &[Seen], into: &mut Sights) {
    for Seen { before, op, now, after, outcome } in seen {
        let fell = before.leases.len() > after.leases.len();
        let handed_over = |old: &Lease| {
            let kept = after.get(&old.resource).is_some_and(|left| left.migrated);
            old.migrated && old.is_live(*now) && !kept
        };
        let unflagged = before.leases.iter().any(handed_over);
        let mut saw = |name, seen: bool| note(into, name, seen);
        saw("an upgrade", *outcome == Outcome::Opened { upgraded: true });
        saw("another boot", before.boot.is_some() && before.boot != after.boot);
        match (op, outcome) {
            (Op::Acquire { terms, .. }, Outcome::Acquired(grants)) => {
                let goes_on = |grant: &Grant| grant.expires - terms.ttl > grant.acquired;
                saw("a renewal", grants.iter().any(goes_on));
                saw("a new grant", !grants.iter().all(goes_on));
                saw("an adoption", unflagged);
            }
            (Op::Acquire { .. }, Outcome::Busy(_)) => {
                saw("a refusal", true);
                saw("a refusal that removed the dead", fell);
            }
            (Op::Release { .. }, Outcome::Released(answer)) => {
                saw("a release", matches!(answer, Released::Count(_)));
                saw("a mismatch", *answer == Released::EpochMismatch);
                saw("nothing to release", *answer == Released::Absent);
                saw("a release that handed over", unflagged);
            }
            (Op::Begin { .. }, _) => saw("a begin that took over", unflagged),
            (Op::OldUpsert(row), _) => {
                let held = before.get(&row.resource).and_then(|lease| lease.fence);
                let left = after.get(&row.resource).and_then(|lease| lease.fence);
                saw("an old renewal of ours", held.is_some() && left.is_some());
                saw("an old takeover of ours", held.is_some() && left.is_none());
            }
            _ => {}
        }
        let shortened = |lease: &Lease| {
            after.get(&lease.resource).is_some_and(|left| left.expires < lease.expires)
        };
        saw("a corrected clock", is_our_write(op) && before.leases.iter().any(shortened));
    }
}

/// What it came across of acquires as a hook makes them.
fn writes(seen: &[Seen], into: &mut Sights) {
    for Seen { before, op, now, after, outcome } in seen {
        let Op::Acquire { owner, context, .. } = op else { continue };
        let owner = meant(after, owner, context);
        let mut saw = |name, seen: bool| note(into, name, seen);
        saw("a stale refusal", *outcome == Outcome::Stale);
        saw("a denial by a note", matches!(outcome, Outcome::Lost(_)));
        saw("a reclaim", matches!(outcome, Outcome::Reclaimed(..)));
        let began = is_turn(&owner) && after.turns.len() > before.turns.len();
        saw("a begin by a write", began && context.begins);
        saw("a turn minted by a write", began && context.minted);
        let stands = |lease: &Lease| after.leases.contains(lease);
        let refused = matches!(outcome, Outcome::Busy(_));
        let orphan = |lease: &&Lease| is_orphan(before, lease) && !stands(lease);
        saw("a refusal that reclaimed", refused && live(before, *now).any(|one| orphan(&one)));
        let by = |lease: &Lease| after.get(&lease.resource).map(|left| left.owner.clone());
        let handed_down = |lease: &Lease| {
            is_handed_down(before, lease, &owner, context) && by(lease).as_ref() == Some(&owner)
        };
        saw("a hand-down", grants(outcome) && live(before, *now).any(handed_down));
        let in_doubt = |lease: &Lease| {
            after.subagents.iter().any(|one| one.owner == lease.owner && one.in_doubt)
        };
        let yielded = |lease: &Lease| {
            in_doubt(lease)
                && lease.owner.session == owner.session
                && by(lease).as_ref() != Some(&lease.owner)
        };
        saw("a yield", grants(outcome) && live(before, *now).any(yielded));
        let of_main = |lease: &Lease| {
            let later = after.get(&lease.resource).is_some_and(|one| one.expires > lease.expires);
            is_subagent(&owner)
                && is_turn(&lease.owner)
                && by(lease).as_ref() == Some(&lease.owner)
                && later
        };
        saw("a sub-agent that renews its main thread's", live(before, *now).any(of_main));
        let kept = |lease: &Lease| lease.kept && lease.owner == owner;
        saw("a kept lease that is held again", grants(outcome) && live(before, *now).any(kept));
    }
}

/// What it came across of begins, ends and posts.
fn events(seen: &[Seen], into: &mut Sights) {
    for Seen { before, op, now, after, outcome } in seen {
        let mut saw = |name, seen: bool| note(into, name, seen);
        let newly_kept =
            |lease: &&Lease| lease.kept && before.get(&lease.resource).is_some_and(|old| !old.kept);
        let keeps = after.leases.iter().any(|lease| newly_kept(&lease));
        let gone = |lease: &&Lease| after.get(&lease.resource).is_none();
        let context = context(op);
        let spared = |session: &str| {
            live(after, *now).any(|lease| {
                let elsewhere = is_elsewhere(before, session, lease.process, &context);
                lease.owner.session == session && elsewhere
            })
        };
        match (op, outcome) {
            (Op::Begin { owner, .. }, Outcome::Begun(begun, released, notes)) => {
                let known = before.turns.iter().any(|turn| turn.owner == *begun);
                saw("a begin that superseded", matches!(released, Released::Count(_)));
                saw("a begin that kept", keeps);
                saw("a begin of the running turn", known && is_turn(begun));
                saw("a minted turn", owner != begun && !known);
                saw("a begin that went on with a minted turn", owner != begun && known);
                let unretired = |turn: &leasehold_model::Turn| turn.owner == *begun && turn.retired;
                saw("a begin that took its retirement back", before.turns.iter().any(unretired));
                saw("a begin that told a note", !notes.is_empty());
                let doubted = |list: &[leasehold_model::Subagent]| {
                    list.iter().filter(|one| one.in_doubt).count()
                };
                let more = doubted(&after.subagents) > doubted(&before.subagents);
                saw("a begin that doubted", more);
                saw("a begin that spared a process", is_turn(begun) && spared(&begun.session));
            }
            (Op::End { how, owner, .. }, _) => {
                saw("an end that kept", keeps);
                let gone: Vec<&Lease> = live(before, *now).filter(gone).collect();
                let unlisted = |one: &Lease| is_subagent(&one.owner) && one.owner != *owner;
                match how {
                    End::Stop(Some(_)) => {
                        saw("an unlisted end", gone.iter().any(|one| unlisted(one)));
                        saw("a kept lease that a list ended", gone.iter().any(|one| one.kept));
                    }
                    End::Stop(None) => saw("a Stop without a list", !gone.is_empty()),
                    End::Interrupt => saw("an interrupt", !gone.is_empty()),
                }
            }
            (Op::EndSession { session, .. }, _) => {
                saw("a session whose other process was spared", spared(session));
            }
            (Op::Post { call, .. }, Outcome::Posted(taken, notes)) => {
                saw("a post that told a note", !notes.is_empty());
                saw("a post that found another holder", !taken.is_empty());
                let ended = matches!(call, Some((_, CallState::Ended)));
                let kept = live(before, *now).filter(gone).any(|lease| lease.kept);
                saw("a kept lease that its post ended", ended && kept);
            }
            (Op::SubagentStart { owner, .. }, _) => {
                let known = before.subagents.iter().any(|one| one.owner == *owner);
                saw("a sub-agent that started again", known);
            }
            _ => {}
        }
    }
}

#[test]
fn the_walks_see_all_that_the_properties_speak_of() {
    let all = RefCell::new(Sights::new());
    always(|walk| {
        let seen = walk.play();
        for look in [engine, writes, events] {
            look(&seen, &mut all.borrow_mut());
        }
        Ok(())
    });
    let all = all.into_inner();
    let rare: Vec<_> = all.iter().filter(|(_, count)| **count < 20).collect();
    assert!(rare.is_empty(), "seldom or never seen: {rare:?}");
    assert_eq!(all.len(), 44, "{all:?}");
}
