//! R1 and R7 in words of their own, without the model's.

use std::collections::BTreeSet;

use leasehold_model::{Lease, Millis, Owner, Resource, State};

/// R1 in words of its own: by the text of the paths, and by the one file that has two names.
pub(crate) fn overlap(a: &Resource, b: &Resource) -> bool {
    let (a, b) = (a.path(), b.path());
    let inside = |inner: &str, outer: &str| inner.starts_with(&format!("{outer}/"));
    let names = ["/r/b", "/q"];
    a == b
        || inside(&a, &b)
        || inside(&b, &a)
        || (names.contains(&a.as_str()) && names.contains(&b.as_str()))
}

/// R7 in words of its own: a migrated row goes to its session's named epochs.
pub(crate) fn inherits(owner: &Owner, lease: &Lease) -> bool {
    lease.migrated && lease.owner.session == owner.session && !owner.epoch.is_empty()
}

/// R7: to the main thread's epochs also what it did not ask for.
pub(crate) fn is_left_to(owner: &Owner, lease: &Lease) -> bool {
    inherits(owner, lease) && !owner.epoch.starts_with("agent:")
}

pub(crate) fn live(state: &State, now: Millis) -> impl Iterator<Item = &Lease> {
    state.leases.iter().filter(move |lease| lease.expires > now)
}

pub(crate) fn fences(state: &State) -> BTreeSet<i64> {
    state.leases.iter().filter_map(|lease| lease.fence).map(|fence| fence.0).collect()
}

/// R7: what the owner asks for, and the live rows that would be handed over with it, and so on.
pub(crate) fn reach(
    before: &State,
    now: Millis,
    owner: &Owner,
    asked: &[Resource],
) -> Vec<Resource> {
    let mut reach = asked.to_vec();
    loop {
        let more: Vec<Resource> = live(before, now)
            .filter(|lease| inherits(owner, lease) && !reach.contains(&lease.resource))
            .map(|lease| lease.resource.clone())
            .filter(|row| reach.iter().any(|reached| overlap(reached, row)))
            .collect();
        if more.is_empty() {
            return reach;
        }
        reach.extend(more);
    }
}
