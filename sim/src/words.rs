//! The store's words for the model's, and back: the same questions to both, and answers that can be
//! compared. It is all that the checks know of the store's types.

use std::path::Path;
use std::sync::{Arc, Mutex};

use leasehold::lease;
use leasehold::owner;
use leasehold::process::{self, ProcessId, Processes};
use leasehold::resource::Resource as StoreResource;
use leasehold::store::relic::{self, OldWrite};
use leasehold::store::{self, Acquired, HandOver, Request, Store, StoreError};
use leasehold_model::{
    Busy, Call, CallState, Context, End, Fence, Form, Grant, Lease, Note, OldRow, Op, Outcome,
    Owner, Process, Released, Resource, Running, ShellCall, Sighting, Standing, Taken,
};
use rusqlite::Connection;

/// How the model's resources are called in the world of the store.
pub trait Places {
    /// The store's resource.
    fn resource(&self, wanted: &Resource) -> StoreResource;
    /// The text by which old engines know it.
    fn spelling(&self, wanted: &Resource) -> String;
    /// The model's name of what the store calls so.
    fn name(&self, spelling: &str) -> Resource;
}

/// What the operating system is said to say of processes.
#[derive(Clone, Debug, Default)]
pub struct Fates(Arc<Mutex<Vec<(Process, Standing)>>>);

impl Fates {
    /// From now on the operating system says this of the process.
    ///
    /// # Panics
    /// When another thread has.
    pub fn set(&self, process: Process, standing: Standing) {
        self.0.lock().expect("no panic").push((process, standing));
    }
}

impl Processes for Fates {
    fn standing(&self, process: &ProcessId) -> process::Standing {
        let fates = self.0.lock().expect("no panic");
        let last = fates.iter().rev().find(|(one, _)| one.0 == process.pid());
        standing(last.map_or(Standing::Alive, |(_, standing)| *standing))
    }
}

/// What the operating system says of a process.
pub fn standing(standing: Standing) -> process::Standing {
    match standing {
        Standing::Alive => process::Standing::Alive,
        Standing::Gone => process::Standing::Gone,
        Standing::Unknown => process::Standing::Unknown,
    }
}

fn process_id(process: Process) -> ProcessId {
    ProcessId::from_text(&format!("boot namespace {} 1", process.0)).expect("a process")
}

fn process_of_text(text: &str) -> Process {
    Process(ProcessId::from_text(text).expect("a process").pid())
}

fn context_of(context: &Context) -> store::Context {
    let Context { minted, begins, sighting } = context;
    let sighting = sighting.as_ref().map(|sighting| {
        let Sighting { process, certain, call } = sighting;
        process::Sighting { process: process_id(*process), certain: *certain, call: call.clone() }
    });
    store::Context { minted: *minted, begins: *begins, sighting }
}

fn shell_call(call: &ShellCall) -> store::ShellCall {
    store::ShellCall { id: call.id.clone(), background: call.background }
}

fn call(call: &lease::Call) -> Call {
    Call { id: call.id.clone(), background: call.background, task: call.task.clone() }
}

fn call_state(state: &CallState) -> store::CallState {
    match state {
        CallState::Ended => store::CallState::Ended,
        CallState::GoesOn(task) => store::CallState::GoesOn(task.clone()),
    }
}

fn end(how: &End) -> store::End {
    match how {
        End::Stop(running) => store::End::Stop(running.as_ref().map(|running| {
            let Running { subagents, shells } = running;
            store::Running { subagents: subagents.clone(), shells: shells.clone() }
        })),
        End::Interrupt => store::End::Interrupt,
    }
}

fn owner_told(owner: &owner::Owner) -> Owner {
    Owner { session: owner.session().to_owned(), epoch: owner.epoch().to_owned() }
}

/// An answer without what the store does not say of notes: when a lease was lost, and whose it was
/// where a client names no turn.
pub fn as_told(outcome: Outcome) -> Outcome {
    let plain = |mut notes: Vec<Note>| {
        for note in &mut notes {
            note.at = 0;
            note.told = true;
            note.owner.epoch.clear();
        }
        notes
    };
    match outcome {
        Outcome::Lost(notes) => Outcome::Lost(plain(notes)),
        Outcome::Begun(owner, released, notes) => Outcome::Begun(owner, released, plain(notes)),
        Outcome::Posted(taken, notes) => Outcome::Posted(taken, plain(notes)),
        other => other,
    }
}

/// Asks the store for what the model's operation says, and tells the answer as the model would.
///
/// # Errors
/// What the store says is wrong.
///
/// # Panics
/// On an operation that is not the store's: an open, what old engines do, the fate of a process.
pub fn ask(store: &mut Store, places: &impl Places, op: &Op) -> Result<Outcome, StoreError> {
    match op {
        Op::Acquire { owner, resources, trees, terms, call, context } => {
            let resource = |one| places.resource(one);
            let request = Request {
                owner: owner_of(owner),
                resources: resources.iter().map(resource).collect(),
                trees: trees.iter().map(resource).collect(),
                ttl_ms: terms.ttl,
                agent: terms.agent.clone(),
                host: "test".to_owned(),
                cwd: None,
                note: terms.note.clone(),
                call: call.as_ref().map(shell_call),
                context: context_of(context),
            };
            Ok(acquired(places, &request.owner, store.acquire(&request)?))
        }
        Op::Release { owner, hand_over } => {
            let hand_over = if *hand_over { HandOver::Migrated } else { HandOver::Nothing };
            Ok(released(store.release(&owner_of(owner), hand_over)?))
        }
        Op::Check { resource } => {
            let held = store.check(&[places.resource(resource)])?;
            Ok(Outcome::Held(held.iter().map(|one| lease(places, one)).collect()))
        }
        Op::CheckFence { resource, fence } => {
            Ok(Outcome::FenceLeft(store.check_fence(&places.resource(resource), fence.0)?))
        }
        Op::Reap => Ok(Outcome::Reaped(store.reap()?)),
        _ => live(store, places, op),
    }
}

/// The events of a turn's and a session's life.
fn live(store: &mut Store, places: &impl Places, op: &Op) -> Result<Outcome, StoreError> {
    match op {
        Op::Begin { owner, context } => {
            let begun = store.begin(&owner_of(owner), &context_of(context))?;
            let owner = owner_told(&begun.owner);
            let notes = notes(places, &owner, &begun.lost);
            Ok(Outcome::Begun(owner, released_of(begun.released), notes))
        }
        Op::SubagentStart { owner, context } => {
            store.start_subagent(&owner_of(owner), &context_of(context))?;
            Ok(Outcome::Done)
        }
        Op::Post { owner, resources, call, context } => {
            let written: Vec<_> = resources.iter().map(|one| places.resource(one)).collect();
            let state = call.as_ref().map(|(id, state)| (id, call_state(state)));
            let call = state.as_ref().map(|(id, state)| (id.as_str(), state));
            let posted = store.post(&owner_of(owner), &written, call, &context_of(context))?;
            let taken = posted.taken.iter().map(|one| lease(places, one)).collect();
            Ok(Outcome::Posted(taken, notes(places, owner, &posted.lost)))
        }
        Op::End { owner, how, context } => {
            Ok(released(store.end(&owner_of(owner), &end(how), &context_of(context))?))
        }
        Op::EndSession { session, context } => {
            Ok(released(store.end_session(session, &context_of(context))?))
        }
        _ => panic!("{op:?} is no operation of the store"),
    }
}

/// A lease as the model has it.
pub fn lease(places: &impl Places, lease: &lease::Lease) -> Lease {
    Lease {
        resource: places.name(&lease.resource),
        owner: owner_told(&lease.owner),
        agent: lease.agent.clone(),
        acquired: lease.acquired_ms,
        expires: lease.expires_ms,
        ttl: lease.ttl_ms,
        fence: lease.fence.map(Fence),
        migrated: lease.migrated,
        note: lease.note.clone(),
        used: lease.used,
        calls: lease.calls.iter().map(call).collect(),
        kept: lease.kept,
        process: lease.process.as_deref().map(process_of_text),
    }
}

/// What an owner is told, as far as the store says it. The rest is as the model has it.
fn notes(places: &impl Places, owner: &Owner, lost: &[store::Lost]) -> Vec<Note> {
    let note = |one: &store::Lost| Note {
        owner: owner.clone(),
        resource: places.name(&one.resource),
        at: 0,
        taken: Some(Taken {
            agent: one.agent.clone(),
            session: one.session.clone(),
            at: one.taken_ms,
        }),
        told: true,
    };
    lost.iter().map(note).collect()
}

fn acquired(places: &impl Places, owner: &owner::Owner, answer: Acquired) -> Outcome {
    match answer {
        Acquired::Granted { grants, reclaimed } => {
            let grants = grants.into_iter().map(|grant| Grant {
                resource: places.name(&grant.resource),
                fence: Fence(grant.fence),
                acquired: grant.acquired_ms,
                expires: grant.expires_ms,
            });
            let grants = grants.collect();
            if reclaimed.is_empty() {
                return Outcome::Acquired(grants);
            }
            let reclaimed = reclaimed.iter().map(|one| lease(places, one)).collect();
            Outcome::Reclaimed(grants, reclaimed)
        }
        Acquired::Stale => Outcome::Stale,
        Acquired::Lost(lost) => Outcome::Lost(notes(places, &owner_told(owner), &lost)),
        Acquired::Busy(busy) => {
            assert_eq!(busy.more, 0, "the tree has too few paths for more");
            let holders = busy.conflicts.iter().map(|conflict| lease(places, &conflict.lease));
            Outcome::Busy(Busy { holders: holders.collect() })
        }
    }
}

fn owner_of(owner: &Owner) -> owner::Owner {
    owner::Owner::new(&owner.session, &owner.epoch).expect("a good name")
}

fn released(answer: store::Released) -> Outcome {
    Outcome::Released(released_of(answer))
}

fn released_of(answer: store::Released) -> Released {
    match answer {
        store::Released::Count(count) => Released::Count(count),
        store::Released::EpochMismatch => Released::EpochMismatch,
        store::Released::Absent => Released::Absent,
    }
}

/// Makes a database as an old engine left it, without rows, and leaves it open.
///
/// # Panics
/// Where it cannot be made: nothing can be tested then.
pub fn make_legacy(database: &Path, form: Form) -> Connection {
    relic::make(database, &[]).expect("a legacy database");
    let connection = Connection::open(database).expect("an old engine opens the file");
    if form != Form::First {
        relic::add_epochs(&connection).expect("the second form");
    }
    connection
}

/// What the engines before this one run to take or renew a lease.
///
/// # Errors
/// What SQLite says.
pub fn old_upsert(
    connection: &Connection,
    places: &impl Places,
    row: &OldRow,
) -> rusqlite::Result<()> {
    let write = OldWrite {
        resource: &places.spelling(&row.resource),
        session: &row.session,
        epoch: row.epoch.as_deref(),
        agent: &row.agent,
        acquired_ms: row.acquired,
        expires_ms: row.expires,
        note: row.note.as_deref(),
    };
    relic::write(connection, &write)
}
