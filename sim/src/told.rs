//! Operations and answers in words, for people who read a schedule or a fault.
//!
//! What is rare is left as Rust prints it.

use leasehold_model::{Busy, Context, Grant, Lease, Op, Outcome, Owner, Resource};

/// An operation.
pub fn op(op: &Op) -> String {
    match op {
        Op::Acquire { owner, resources, trees, terms, call, context } => {
            let trees = if trees.is_empty() {
                String::new()
            } else {
                format!(", with the trees {}", paths(trees))
            };
            let call = call.as_ref().map(|call| format!(", in {call:?}")).unwrap_or_default();
            let (paths, owner, ttl_ms) = (paths(resources), name(owner), terms.ttl);
            format!("acquire {paths} for {owner}, {ttl_ms} ms{trees}{call}{}", known(context))
        }
        Op::Release { owner, hand_over: false } => format!("release {}", name(owner)),
        Op::Release { owner, hand_over: true } => {
            format!("release {} and what was migrated", name(owner))
        }
        Op::Begin { owner, context } => format!("begin {}{}", name(owner), known(context)),
        Op::End { owner, how, context } => {
            format!("end {} by {how:?}{}", name(owner), known(context))
        }
        Op::Check { resource } => format!("check {}", resource.path()),
        Op::CheckFence { resource, fence } => {
            format!("check {} with fence {}", resource.path(), fence.0)
        }
        Op::Reap => "reap".to_owned(),
        rare => format!("{rare:?}"),
    }
}

/// An answer.
pub fn outcome(outcome: &Outcome) -> String {
    match outcome {
        Outcome::Acquired(grants) => format!("acquired {}", list(grants, grant)),
        Outcome::Reclaimed(grants, from) => {
            format!("acquired {}, reclaimed from {}", list(grants, grant), list(from, lease))
        }
        Outcome::Busy(Busy { holders }) => format!("busy: {}", list(holders, lease)),
        Outcome::Held(holders) if holders.is_empty() => "free".to_owned(),
        Outcome::Held(holders) => format!("held: {}", list(holders, lease)),
        rare => format!("{rare:?}"),
    }
}

/// What was answered, and what would have been right: in words, and in full where words leave out
/// the difference.
pub fn beside(answer: &Outcome, right: &[Outcome]) -> String {
    let words = outcome(answer);
    let all: Vec<String> = right.iter().map(outcome).collect();
    let both = format!("\n  store: {words}\n  model: {}", all.join(", or "));
    if !all.contains(&words) {
        return both;
    }
    format!("{both}\n  in full\n  store: {answer:?}\n  model: {right:?}")
}

/// What is leased in some states of which one is right.
pub fn leases<'s>(states: impl IntoIterator<Item = &'s [Lease]>) -> String {
    let one = |leases: &[Lease]| {
        if leases.is_empty() { "nothing".to_owned() } else { list(leases, lease) }
    };
    states.into_iter().map(one).collect::<Vec<_>>().join(", or ")
}

/// An owner.
fn name(owner: &Owner) -> String {
    let Owner { session, epoch } = owner;
    if epoch.is_empty() { session.clone() } else { format!("{session}/{epoch}") }
}

fn paths(resources: &[Resource]) -> String {
    list(resources, Resource::path)
}

/// What a hook knows; nothing where it knows nothing.
fn known(context: &Context) -> String {
    if *context == Context::default() { String::new() } else { format!(", {context:?}") }
}

/// A grant.
pub fn grant(grant: &Grant) -> String {
    let Grant { resource, fence, acquired, expires } = grant;
    format!("{} (fence {}, {acquired} to {expires})", resource.path(), fence.0)
}

fn lease(lease: &Lease) -> String {
    let fence = lease.fence.map_or("no fence".to_owned(), |fence| format!("fence {}", fence.0));
    let (path, owner) = (lease.resource.path(), name(&lease.owner));
    format!("{path} of {owner} ({fence}, {} to {})", lease.acquired, lease.expires)
}

fn list<T>(items: &[T], word: impl Fn(&T) -> String) -> String {
    items.iter().map(word).collect::<Vec<_>>().join(" and ")
}
