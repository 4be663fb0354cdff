//! What must hold in every run, whatever is asked, by whom, in which order, on which clock.
//!
//! Goal: state the rules once more, in other words than the model's and its invariants', so that a
//! mistake in one of the three stands out.
//! Method: random walks (`common/random.rs`) are played, then each property reads the record. The
//! seed is fixed; `walks.rs` shows that the walks reach what the properties speak of.

mod common;
#[path = "common/random.rs"]
mod random;
#[path = "common/rules.rs"]
mod rules;

use std::collections::{BTreeMap, BTreeSet};

use leasehold_model::{Grant, Lease, Millis, Op, Outcome, Released, Resource, check_step, step};
use proptest::prelude::*;
use random::{Seen, always, is_our_write};
use rules::{fences, inherits, is_left_to, live, overlap, reach};

#[test]
fn every_step_keeps_the_invariants() {
    always(|walk| {
        for Seen { before, op, now, after, outcome } in walk.play() {
            let checked = check_step(&before, &op, &outcome, &after, now);
            prop_assert_eq!(checked, Ok(()), "{:?}", op);
        }
        Ok(())
    });
}

#[test]
fn fences_only_grow_over_the_whole_run() {
    always(|walk| {
        let mut last = 0;
        for seen in walk.play() {
            let known = fences(&seen.before);
            let new: Vec<i64> = fences(&seen.after).difference(&known).copied().collect();
            prop_assert!(new.iter().all(|fence| *fence > last), "{:?} after {}", new, last);
            last = new.last().copied().unwrap_or(last);
            let fenced = seen.after.leases.iter().filter(|lease| lease.fence.is_some());
            prop_assert_eq!(fenced.count(), fences(&seen.after).len(), "a fence stands twice");
            let grants = matches!(seen.outcome, Outcome::Acquired(_));
            prop_assert!(grants || new.is_empty(), "only a grant gives a fence");
        }
        Ok(())
    });
}

#[test]
fn a_grant_repeated_at_once_changes_nothing() {
    always(|walk| {
        for Seen { op, now, after, outcome, .. } in walk.play() {
            if matches!(outcome, Outcome::Acquired(_)) {
                prop_assert_eq!(step(&after, &op, now), (after, outcome));
            }
        }
        Ok(())
    });
}

#[test]
fn neither_order_nor_duplicates_matter() {
    always(|walk| {
        for Seen { before, op, now, after, outcome } in walk.play() {
            let Op::Acquire { owner, resources, terms } = op else { continue };
            for turn in 0..resources.len() {
                let mut other = resources.clone();
                other.rotate_left(turn);
                other.extend(resources.iter().rev().cloned());
                other.dedup();
                let other =
                    Op::Acquire { owner: owner.clone(), resources: other, terms: terms.clone() };
                prop_assert_eq!(step(&before, &other, now), (after.clone(), outcome.clone()));
            }
        }
        Ok(())
    });
}

#[test]
fn an_acquire_is_refused_by_exactly_the_live_foreign_leases_in_its_way() {
    always(|walk| {
        for Seen { before, op, now, after, outcome } in walk.play() {
            let Op::Acquire { owner, resources, .. } = op else { continue };
            let reach = reach(&before, now, &owner, &resources);
            let in_the_way = |lease: &&Lease| {
                reach.iter().any(|wanted| overlap(wanted, &lease.resource))
                    && lease.owner != owner
                    && !inherits(&owner, lease)
            };
            let expected: Vec<String> =
                live(&before, now).filter(in_the_way).map(|lease| lease.resource.path()).collect();
            let named: Vec<String> = match &outcome {
                Outcome::Busy(busy) => {
                    prop_assert!(!busy.holders.is_empty());
                    prop_assert!(
                        busy.holders.iter().all(|holder| after.leases.contains(holder)),
                        "named as it stands"
                    );
                    busy.holders.iter().map(|lease| lease.resource.path()).collect()
                }
                Outcome::Acquired(_) => Vec::new(),
                other => return Err(TestCaseError::fail(format!("{other:?}"))),
            };
            prop_assert_eq!(named, expected);
        }
        Ok(())
    });
}

#[test]
fn what_is_granted_overlaps_no_stranger_not_even_an_old_engines_row() {
    always(|walk| {
        for Seen { before, now, after, outcome, .. } in walk.play() {
            if !matches!(outcome, Outcome::Acquired(_)) {
                continue;
            }
            let known = fences(&before);
            let new = |lease: &&Lease| lease.fence.is_some_and(|fence| !known.contains(&fence.0));
            for lease in after.leases.iter().filter(new) {
                let stranger = live(&after, now).find(|other| {
                    other.owner != lease.owner && overlap(&other.resource, &lease.resource)
                });
                prop_assert_eq!(stranger, None, "beside {:?}", lease);
            }
        }
        Ok(())
    });
}

#[test]
fn what_is_held_goes_on_and_what_is_not_is_new() {
    always(|walk| {
        for Seen { before, op, now, after, outcome } in walk.play() {
            let (Op::Acquire { owner, resources, terms }, Outcome::Acquired(grants)) =
                (op, outcome)
            else {
                continue;
            };
            let last = fences(&before).last().copied().unwrap_or(0);
            for Grant { resource, fence, acquired, expires } in &grants {
                prop_assert_eq!(*expires, now + terms.ttl);
                match live(&before, now).find(|lease| lease.resource == *resource) {
                    Some(held) if held.owner == owner && held.fence.is_some() => {
                        prop_assert_eq!((Some(*fence), *acquired), (held.fence, held.acquired));
                    }
                    Some(old) => {
                        prop_assert!(old.owner == owner || inherits(&owner, old), "{:?}", old);
                        prop_assert!(fence.0 > last);
                        prop_assert_eq!(*acquired, old.acquired, "adopted, or never fenced");
                    }
                    None => prop_assert!(fence.0 > last && *acquired == now),
                }
            }
            let asked: BTreeSet<String> = resources.iter().map(Resource::path).collect();
            let granted = grants.iter().map(|grant| grant.resource.path()).collect();
            prop_assert_eq!(&asked, &granted, "all, and nothing else");
            let before: BTreeSet<String> =
                before.leases.iter().map(|lease| lease.resource.path()).collect();
            let appeared = after.leases.iter().map(|lease| lease.resource.path());
            let unasked = appeared.filter(|path| !before.contains(path) && !asked.contains(path));
            prop_assert_eq!(unasked.count(), 0);
        }
        Ok(())
    });
}

#[test]
fn nobody_touches_another_owners_live_lease() {
    always(|walk| {
        for Seen { before, op, now, after, .. } in walk.play() {
            let may_touch = |lease: &Lease| match &op {
                Op::Acquire { owner, .. } => lease.owner == *owner || inherits(owner, lease),
                Op::Release { owner, hand_over } => {
                    lease.owner == *owner || (*hand_over && is_left_to(owner, lease))
                }
                Op::HandOver { owner } => is_left_to(owner, lease),
                Op::EndSession { session } | Op::OldDelete { session } => {
                    lease.owner.session == *session
                }
                Op::OldUpsert(row) => lease.resource == row.resource,
                // The upgrade takes the mark off, and flags the row instead.
                Op::Open { .. } => before.legacy.is_some(),
                Op::Check { .. } | Op::CheckFence { .. } | Op::Reap => false,
            };
            for lease in live(&before, now).filter(|lease| !may_touch(lease)) {
                let ttl_from_now = if is_our_write(&op) { now + lease.ttl } else { Millis::MAX };
                let expires = lease.expires.min(ttl_from_now);
                let expected = Lease { expires, ..lease.clone() };
                prop_assert!(after.leases.contains(&expected), "{:?} touched {:?}", op, lease);
            }
        }
        Ok(())
    });
}

#[test]
fn nothing_lives_longer_than_its_last_renewal_is_worth() {
    always(|walk| {
        let mut ends: BTreeMap<String, Millis> = BTreeMap::new();
        for Seen { before, op, now, after, outcome } in walk.play_forward() {
            for lease in &before.leases {
                ends.entry(lease.resource.path()).or_insert(lease.expires);
            }
            match (&op, &outcome) {
                (Op::Acquire { terms, .. }, Outcome::Acquired(grants)) => {
                    let granted = grants.iter().map(|grant| grant.resource.path());
                    let adopted = before.leases.iter().filter(|lease| {
                        let now_fenced = |left: &Lease| left.fence.is_some();
                        lease.migrated && after.get(&lease.resource).is_some_and(now_fenced)
                    });
                    for path in granted.chain(adopted.map(|lease| lease.resource.path())) {
                        ends.insert(path, now + terms.ttl);
                    }
                }
                (Op::OldUpsert(row), _) => {
                    ends.insert(row.resource.path(), row.expires);
                }
                _ => {}
            }
            for lease in live(&after, now) {
                prop_assert!(now < ends[&lease.resource.path()], "{:?} at {}", lease, now);
            }
        }
        Ok(())
    });
}

#[test]
fn after_a_write_nothing_has_more_than_its_ttl_left() {
    always(|walk| {
        for Seen { before, op, now, after, .. } in walk.play() {
            let reads = matches!(op, Op::Check { .. } | Op::CheckFence { .. });
            prop_assert!(!reads || before == after, "a read changes nothing");
            let immortal = |lease: &&Lease| lease.expires - now > lease.ttl;
            let found = after.leases.iter().find(immortal);
            prop_assert!(!is_our_write(&op) || found.is_none(), "{:?} left {:?}", op, found);
        }
        Ok(())
    });
}

#[test]
fn a_release_tells_what_went_and_a_second_one_finds_nothing() {
    always(|walk| {
        for Seen { before, op, now, after, outcome } in walk.play() {
            let (Op::Release { owner, .. } | Op::HandOver { owner }) = &op else { continue };
            let others = live(&after, now).any(|lease| lease.owner.session == owner.session);
            let none = if others { Released::EpochMismatch } else { Released::Absent };
            let went = live(&before, now).count() - live(&after, now).count();
            let told = if went > 0 { Released::Count(went) } else { none };
            prop_assert_eq!(outcome, Outcome::Released(told));
            prop_assert_eq!(step(&after, &op, now), (after, Outcome::Released(none)));
        }
        Ok(())
    });
}

#[test]
fn an_owner_that_released_holds_nothing() {
    always(|walk| {
        for Seen { op, after, .. } in walk.play() {
            let left = after.leases.iter().find(|lease| match &op {
                Op::Release { owner, hand_over } => {
                    lease.owner == *owner || (*hand_over && is_left_to(owner, lease))
                }
                Op::HandOver { owner } => is_left_to(owner, lease),
                Op::EndSession { session } => lease.owner.session == *session,
                _ => false,
            });
            prop_assert_eq!(left, None, "{:?}", op);
        }
        Ok(())
    });
}

#[test]
fn a_step_is_a_function() {
    always(|walk| {
        prop_assert_eq!(walk.play(), walk.play());
        Ok(())
    });
}
