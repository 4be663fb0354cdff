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

use leasehold_model::{
    Context, Grant, Lease, Millis, Op, Outcome, Owner, Resource, State, check_step, step,
};
use proptest::prelude::*;
use random::{Seen, always, is_our_write};
use rules::{
    context, fences, grants, inherits, is_handed_down, is_orphan, is_subagent, is_turn, live,
    meant, named, overlap, reach, yields,
};

/// R8: the lease was a turn's that this write supersedes, which then no longer holds it, but for
/// what is kept.
fn is_superseded(after: &State, lease: &Lease, by: &Owner, context: &Context) -> bool {
    let kept = after.get(&lease.resource).is_some_and(|left| left.owner == lease.owner);
    let retired = after.turns.iter().any(|turn| turn.retired && turn.owner == lease.owner);
    (context.begins || context.minted) && lease.owner.session == by.session && retired && !kept
}

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
            prop_assert!(grants(&seen.outcome) || new.is_empty(), "only a grant gives a fence");
        }
        Ok(())
    });
}

#[test]
fn a_grant_repeated_at_once_changes_nothing() {
    always(|walk| {
        for Seen { op, now, after, outcome, .. } in walk.play() {
            // The second time nothing is left to reclaim.
            let (Outcome::Acquired(grants) | Outcome::Reclaimed(grants, _)) = outcome else {
                continue;
            };
            prop_assert_eq!(step(&after, &op, now), (after, Outcome::Acquired(grants)));
        }
        Ok(())
    });
}

#[test]
fn neither_order_nor_duplicates_matter() {
    always(|walk| {
        for Seen { before, op, now, after, outcome } in walk.play() {
            let Op::Acquire { owner, resources, trees, terms, call, context } = op else {
                continue;
            };
            for turn in 0..resources.len() {
                let mut other = resources.clone();
                other.rotate_left(turn);
                other.extend(resources.iter().rev().cloned());
                other.dedup();
                let other = Op::Acquire {
                    trees: trees.clone(),
                    owner: owner.clone(),
                    resources: other,
                    terms: terms.clone(),
                    call: call.clone(),
                    context: context.clone(),
                };
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
            let Op::Acquire { owner, resources, context, .. } = op else { continue };
            let owner = meant(&after, &owner, &context);
            let comes_along = |lease: &Lease| {
                inherits(&owner, lease) || is_handed_down(&before, lease, &owner, &context)
            };
            let reach = reach(&before, now, &resources, comes_along);
            let in_the_way = |lease: &&Lease| {
                reach.iter().any(|wanted| overlap(wanted, &lease.resource))
                    && lease.owner != owner
                    && !comes_along(lease)
                    && !is_orphan(&before, lease)
                    && !yields(&after, lease, &owner, &context)
                    && !is_superseded(&after, lease, &owner, &context)
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
                Outcome::Acquired(_) | Outcome::Reclaimed(..) => Vec::new(),
                Outcome::Stale | Outcome::Lost(_) => continue,
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
            if !grants(&outcome) {
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
            let Op::Acquire { owner, resources, terms, context, .. } = op else { continue };
            let (Outcome::Acquired(grants) | Outcome::Reclaimed(grants, _)) = outcome else {
                continue;
            };
            let owner = meant(&after, &owner, &context);
            let goes_on = |lease: &Lease| {
                let handed_down = is_handed_down(&before, lease, &owner, &context);
                lease.owner == owner || inherits(&owner, lease) || handed_down
            };
            let last = fences(&before).last().copied().unwrap_or(0);
            for Grant { resource, fence, acquired, expires } in &grants {
                prop_assert_eq!(*expires, now + terms.ttl);
                match live(&before, now).find(|lease| lease.resource == *resource) {
                    Some(held) if held.owner == owner && held.fence.is_some() => {
                        prop_assert_eq!((Some(*fence), *acquired), (held.fence, held.acquired));
                    }
                    Some(old) if goes_on(old) && !is_orphan(&before, old) => {
                        prop_assert!(fence.0 > last);
                        prop_assert_eq!(*acquired, old.acquired, "adopted, or never fenced");
                    }
                    _ => prop_assert!(fence.0 > last && *acquired == now),
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
fn nothing_lives_longer_than_its_last_renewal_is_worth() {
    always(|walk| {
        let mut ends: BTreeMap<String, Millis> = BTreeMap::new();
        for Seen { before, op, now, after, outcome } in walk.play_forward() {
            for lease in &before.leases {
                ends.entry(lease.resource.path()).or_insert(lease.expires);
            }
            if let Op::OldUpsert(row) = &op {
                ends.insert(row.resource.path(), row.expires);
            }
            let events = matches!(op, Op::Begin { .. } | Op::Post { .. }) || grants(&outcome);
            let owner = named(&op).filter(|_| events);
            let owner = owner.map(|owner| meant(&after, owner, &context(&op)));
            for lease in after.leases.iter().filter(|_| owner.is_some()) {
                let path = lease.resource.path();
                // R11: what is renewed was live, and its owner's, or its sub-agent's main thread's.
                let alive = ends.get(&path).is_none_or(|end| now < *end);
                let mine = owner.as_ref().is_some_and(|owner| {
                    let of_main = is_subagent(owner) && is_turn(&lease.owner);
                    lease.owner == *owner || (of_main && lease.owner.session == owner.session)
                });
                let granted = lease.fence.is_some_and(|one| !fences(&before).contains(&one.0));
                if (alive && mine) || granted {
                    ends.insert(path, now + lease.ttl);
                }
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
fn a_step_is_a_function() {
    always(|walk| {
        prop_assert_eq!(walk.play(), walk.play());
        Ok(())
    });
}
