//! What is asked once more when a run is over.

use std::collections::BTreeSet;

use leasehold_model::{Context, Op, Owner, Resource, Terms};

use crate::scenario::{Scenario, Step};

/// So many owners are asked for in the end.
const OWNERS_MAX: usize = 6;

/// What shows, in the end, what the database knows beside leases: each owner asks for all paths and
/// gives them back, and then each session is over.
pub(crate) fn of(scenario: &Scenario) -> Vec<Op> {
    let steps = scenario.boots.iter().flatten().flatten();
    let asked: Vec<&Op> = steps.filter_map(asked).collect();
    let owners: BTreeSet<&Owner> = asked.iter().filter_map(|op| owner(op)).collect();
    let sessions: BTreeSet<&String> = owners.iter().map(|owner| &owner.session).collect();
    let paths: BTreeSet<&Resource> = asked.iter().flat_map(|op| paths(op)).collect();
    let mut questions = Vec::new();
    for owner in owners.into_iter().take(OWNERS_MAX).filter(|_| !paths.is_empty()) {
        questions.push(Op::Acquire {
            owner: owner.clone(),
            resources: paths.iter().map(|path| (*path).clone()).collect(),
            trees: Vec::new(),
            terms: Terms { agent: "audit".to_owned(), ttl: 1000, note: None },
            call: None,
            context: Context::default(),
        });
        questions.push(Op::Release { owner: owner.clone(), hand_over: true });
    }
    let over =
        |session: &String| Op::EndSession { session: session.clone(), context: Context::default() };
    questions.extend(sessions.into_iter().map(over));
    questions
}

fn asked(step: &Step) -> Option<&Op> {
    match step {
        Step::Ask(op) => Some(op),
        Step::Wait(_) | Step::Tidy(_) => None,
    }
}

fn owner(op: &Op) -> Option<&Owner> {
    match op {
        Op::Acquire { owner, .. }
        | Op::Release { owner, .. }
        | Op::Begin { owner, .. }
        | Op::SubagentStart { owner, .. }
        | Op::Post { owner, .. }
        | Op::End { owner, .. } => Some(owner),
        _ => None,
    }
}

fn paths(op: &Op) -> &[Resource] {
    match op {
        Op::Acquire { resources, .. } | Op::Post { resources, .. } => resources,
        Op::Check { resource } | Op::CheckFence { resource, .. } => std::slice::from_ref(resource),
        Op::OldUpsert(row) => std::slice::from_ref(&row.resource),
        _ => &[],
    }
}
