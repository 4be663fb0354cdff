//! Goal: the rules hold over every history, not only over those that somebody thought of.
//! Method: random histories of sessions, clocks, boots and old engines; after each step the
//! invariants, and properties that are written here without the help of the checker.

mod common;

use common::{owner, resource};
use leasehold_model::{
    Fence, Form, Lease, Millis, OldRow, Op, Outcome, Owner, RESERVED_EPOCH, Released, Resource,
    State, Terms, check_step, step,
};
use proptest::prelude::*;
use proptest::sample::{select, subsequence};

const SESSIONS: [&str; 3] = ["s1", "s2", "s3"];
const EPOCHS: [&str; 4] = ["", "t1", "t2", "agent:a"];
const PATHS: [&str; 6] = ["/a", "/a/b", "/a/b/c", "/a/bc@1", "/d@1", "/e"];

fn owners() -> impl Strategy<Value = Owner> {
    (select(&SESSIONS), select(&EPOCHS)).prop_map(|(s, e)| owner(&format!("{s}#{e}")))
}

fn wanted() -> impl Strategy<Value = Vec<Resource>> {
    subsequence(&PATHS, 1..=3).prop_map(|paths| paths.into_iter().map(resource).collect())
}

fn old_rows() -> impl Strategy<Value = OldRow> {
    let epoch = select(vec![None, Some(""), Some("t1"), Some(RESERVED_EPOCH)]);
    (select(&PATHS), select(&SESSIONS), epoch, 80..120_i64, 0..20_i64).prop_map(
        |(path, session, epoch, acquired, ttl)| OldRow {
            expires: acquired + ttl,
            acquired,
            epoch: epoch.map(str::to_owned),
            ..common::old_row(session, path)
        },
    )
}

fn acquires() -> impl Strategy<Value = Op> {
    (owners(), wanted(), 1..20_i64).prop_map(|(owner, resources, ttl)| Op::Acquire {
        owner,
        resources,
        terms: Terms { agent: "agent".to_owned(), ttl, note: None },
    })
}

fn ops() -> impl Strategy<Value = Op> {
    let session = || select(&SESSIONS).prop_map(str::to_owned);
    prop_oneof![
        10 => acquires(),
        4 => (owners(), any::<bool>())
            .prop_map(|(owner, hand_over)| Op::Release { owner, hand_over }),
        1 => owners().prop_map(|owner| Op::HandOver { owner }),
        1 => session().prop_map(|session| Op::EndSession { session }),
        1 => select(&PATHS).prop_map(|path| Op::Check { resource: resource(path) }),
        1 => (select(&PATHS), 1..9_i64).prop_map(|(path, count)| Op::CheckFence {
            resource: resource(path),
            fence: Fence::new(1, count),
        }),
        1 => Just(Op::Reap),
        1 => select(vec!["boot", "other"]).prop_map(|boot| Op::Open { boot: boot.to_owned() }),
        2 => old_rows().prop_map(Op::OldUpsert),
        1 => session().prop_map(|session| Op::OldDelete { session }),
    ]
}

fn starts() -> impl Strategy<Value = State> {
    let form = select(vec![None, Some(Form::First), Some(Form::Second), Some(Form::Third)]);
    (form, prop::collection::vec(old_rows(), 0..4)).prop_map(|(form, rows)| {
        let Some(form) = form else { return State::empty() };
        let rows: Vec<OldRow> = rows
            .into_iter()
            .map(|row| OldRow {
                epoch: row.epoch.filter(|epoch| match form {
                    Form::First => false,
                    Form::Second => epoch != RESERVED_EPOCH,
                    Form::Third => true,
                }),
                ..row
            })
            .collect();
        State::legacy(form, &rows)
    })
}

/// A history: where it starts, and each operation with what the clock did before it.
fn histories() -> impl Strategy<Value = (State, Vec<(Millis, Op)>)> {
    let clock = prop_oneof![3 => 0..2_i64, 3 => 1..12_i64, 1 => -30..0_i64];
    (starts(), prop::collection::vec((clock, ops()), 1..40))
}

/// One step of a history, with all that a property may want to know of it.
struct Seen<'a> {
    before: &'a State,
    op: &'a Op,
    outcome: &'a Outcome,
    after: &'a State,
    now: Millis,
}

fn replay(
    history: &(State, Vec<(Millis, Op)>),
    mut look: impl FnMut(&Seen<'_>) -> Result<(), TestCaseError>,
) -> Result<(), TestCaseError> {
    let mut now = 100;
    let first = Op::Open { boot: "boot".to_owned() };
    let mut state = history.0.clone();
    for (tick, op) in std::iter::once(&(0, first)).chain(&history.1) {
        now += tick;
        let (after, outcome) = step(&state, op, now);
        if let Err(broken) = check_step(&state, op, &outcome, &after, now) {
            return Err(TestCaseError::fail(format!("{broken:?} after {op:?}")));
        }
        look(&Seen { before: &state, op, outcome: &outcome, after: &after, now })?;
        state = after;
    }
    Ok(())
}

/// The lease as the next write of ours sees it.
fn corrected(lease: &Lease, now: Millis) -> Lease {
    Lease { expires: lease.expires.min(now + lease.ttl), ..lease.clone() }
}

/// The session in whose name an operation of ours, or an old delete, acts.
fn actor(op: &Op) -> Option<&str> {
    match op {
        Op::Acquire { owner, .. } | Op::Release { owner, .. } | Op::HandOver { owner } => {
            Some(&owner.session)
        }
        Op::EndSession { session } | Op::OldDelete { session } => Some(session),
        _ => None,
    }
}

fn writes(op: &Op) -> bool {
    matches!(op, Op::Reap | Op::EndSession { .. } | Op::HandOver { .. })
        || matches!(op, Op::Acquire { .. } | Op::Release { .. })
}

/// The leases of other owners that stand in the way of an acquire, by the words of R1 and R7.
fn in_the_way(seen: &Seen<'_>, owner: &Owner, resources: &[Resource]) -> Vec<Lease> {
    let inherits = |lease: &Lease| {
        lease.migrated && lease.owner.session == owner.session && !owner.epoch.is_empty()
    };
    let leases = seen.before.leases.iter().map(|lease| corrected(lease, seen.now));
    leases
        .filter(|lease| seen.now < lease.expires && lease.owner != *owner && !inherits(lease))
        .filter(|lease| resources.iter().any(|wanted| wanted.overlaps(&lease.resource)))
        .collect()
}

proptest! {
    #![proptest_config(ProptestConfig {
        cases: 256,
        failure_persistence: None,
        ..Default::default()
    })]

    /// R14.
    #[test]
    fn fences_of_new_grants_grow(history in histories()) {
        let mut last = None;
        replay(&history, |seen| {
            let old: Vec<Fence> = seen.before.leases.iter().filter_map(|l| l.fence).collect();
            let mut new: Vec<Fence> = seen.after.leases.iter().filter_map(|l| l.fence).collect();
            new.retain(|fence| !old.contains(fence));
            new.sort();
            prop_assert!(new.first().is_none_or(|fence| Some(*fence) > last), "{new:?} {last:?}");
            last = last.max(new.last().copied());
            Ok(())
        })?;
    }

    /// R3.
    #[test]
    fn the_same_acquire_at_once_changes_nothing(history in histories()) {
        replay(&history, |seen| {
            if let Outcome::Acquired(_) = seen.outcome {
                let (again, outcome) = step(seen.after, seen.op, seen.now);
                prop_assert_eq!(&outcome, seen.outcome);
                prop_assert_eq!(&again.leases, &seen.after.leases);
            }
            Ok(())
        })?;
    }

    /// R2.
    #[test]
    fn the_order_and_number_of_the_wanted_do_not_matter(history in histories(), by in 0..3_usize) {
        replay(&history, |seen| {
            if let Op::Acquire { owner, resources, terms } = seen.op {
                let mut resources = [resources.clone(), resources.clone()].concat();
                resources.rotate_left(by);
                resources.reverse();
                let op = Op::Acquire { owner: owner.clone(), resources, terms: terms.clone() };
                let (after, outcome) = step(seen.before, &op, seen.now);
                prop_assert_eq!(&after, seen.after);
                prop_assert_eq!(&outcome, seen.outcome);
            }
            Ok(())
        })?;
    }

    /// R1, R5.
    #[test]
    fn a_refusal_names_exactly_who_is_in_the_way(history in histories()) {
        replay(&history, |seen| {
            if let Op::Acquire { owner, resources, .. } = seen.op {
                let expected = in_the_way(seen, owner, resources);
                let named = match seen.outcome {
                    Outcome::Busy(busy) => busy.holders.clone(),
                    _ => Vec::new(),
                };
                prop_assert_eq!(named, expected);
            }
            Ok(())
        })?;
    }

    /// R6.
    #[test]
    fn no_session_removes_anothers_live_lease(history in histories()) {
        replay(&history, |seen| {
            if !matches!(seen.op, Op::OldUpsert(_) | Op::Open { .. }) {
                for lease in &seen.before.leases {
                    let foreign = actor(seen.op) != Some(lease.owner.session.as_str());
                    let seen_lease = corrected(lease, seen.now);
                    let kept = seen.after.get(&lease.resource);
                    if foreign && seen_lease.is_live(seen.now) {
                        let expected = if writes(seen.op) { &seen_lease } else { lease };
                        prop_assert_eq!(kept, Some(expected));
                    }
                }
            }
            Ok(())
        })?;
    }

    /// R12.
    #[test]
    fn after_a_write_nothing_has_more_than_its_ttl_left(history in histories(), back in 0..50_i64) {
        replay(&history, |seen| {
            for now in [seen.now, seen.now - back, seen.now + back] {
                let (after, _) = step(seen.after, &Op::Reap, now);
                prop_assert!(after.leases.iter().all(|lease| lease.expires - now <= lease.ttl));
            }
            let bounded = seen.after.leases.iter().all(|l| l.expires - seen.now <= l.ttl);
            prop_assert!(!writes(seen.op) || bounded);
            Ok(())
        })?;
    }

    /// R6.
    #[test]
    fn a_second_release_finds_nothing(history in histories()) {
        replay(&history, |seen| {
            if matches!(seen.op, Op::Release { .. } | Op::HandOver { .. } | Op::EndSession { .. }) {
                let (again, outcome) = step(seen.after, seen.op, seen.now);
                prop_assert!(matches!(
                    outcome,
                    Outcome::Released(Released::Absent | Released::EpochMismatch)
                ));
                prop_assert_eq!(&again, seen.after);
            }
            Ok(())
        })?;
    }
}
