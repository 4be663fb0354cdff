//! The random walks themselves: that they reach what the properties speak of.
//!
//! Goal: a property that holds because nothing ever happens is found out.
//! Method: the walks of `properties.rs`, the same ones, are played and what they came across is
//! counted by name.

mod common;
#[path = "common/random.rs"]
mod random;

use std::cell::RefCell;
use std::collections::BTreeMap;

use leasehold_model::{Grant, Lease, Op, Outcome, Released};
use random::{Seen, always, is_our_write};

/// What a walk came across, by names.
fn sights(seen: &[Seen], into: &mut BTreeMap<&'static str, usize>) {
    for Seen { before, op, now, after, outcome } in seen {
        let fell = before.leases.len() > after.leases.len();
        let handed_over = |old: &Lease| {
            let kept = after.get(&old.resource).is_some_and(|left| left.migrated);
            old.migrated && old.is_live(*now) && !kept
        };
        let unflagged = before.leases.iter().any(handed_over);
        let mut saw = |name, seen: bool| *into.entry(name).or_default() += usize::from(seen);
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
            (Op::HandOver { .. }, _) => saw("a begin that took over", unflagged),
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

#[test]
fn the_walks_see_all_that_the_properties_speak_of() {
    let all = RefCell::new(BTreeMap::new());
    always(|walk| {
        sights(&walk.play(), &mut all.borrow_mut());
        Ok(())
    });
    let all = all.into_inner();
    assert_eq!(all.len(), 15, "{all:?}");
    let rare: Vec<_> = all.iter().filter(|(_, count)| **count < 20).collect();
    assert!(rare.is_empty(), "seldom or never seen: {rare:?}");
}
