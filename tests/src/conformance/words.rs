//! The store's words for the model's, and back.

use std::sync::{Arc, Mutex};

use leasehold::lease;
use leasehold::owner;
use leasehold::process::{self, ProcessId, Processes};
use leasehold::store;
use leasehold_model::{
    Call, CallState, Context, End, Outcome, Owner, Process, Running, ShellCall, Sighting, Standing,
};

/// What the operating system is said to say of processes.
#[derive(Clone, Debug, Default)]
pub(super) struct Fates(Arc<Mutex<Vec<(Process, Standing)>>>);

impl Fates {
    pub(super) fn set(&self, process: Process, standing: Standing) {
        self.0.lock().expect("no panic").push((process, standing));
    }
}

impl Processes for Fates {
    fn standing(&self, process: &ProcessId) -> process::Standing {
        let fates = self.0.lock().expect("no panic");
        let last = fates.iter().rev().find(|(one, _)| one.0 == process.pid());
        match last.map_or(Standing::Alive, |(_, standing)| *standing) {
            Standing::Alive => process::Standing::Alive,
            Standing::Gone => process::Standing::Gone,
            Standing::Unknown => process::Standing::Unknown,
        }
    }
}

fn process_id(process: Process) -> ProcessId {
    ProcessId::from_text(&format!("boot namespace {} 1", process.0)).expect("a process")
}

pub(super) fn process_of_text(text: &str) -> Process {
    Process(ProcessId::from_text(text).expect("a process").pid())
}

pub(super) fn context(context: &Context) -> store::Context {
    let Context { minted, begins, sighting } = context;
    let sighting = sighting.as_ref().map(|sighting| {
        let Sighting { process, certain, call } = sighting;
        process::Sighting { process: process_id(*process), certain: *certain, call: call.clone() }
    });
    store::Context { minted: *minted, begins: *begins, sighting }
}

pub(super) fn shell_call(call: &ShellCall) -> store::ShellCall {
    store::ShellCall { id: call.id.clone(), background: call.background }
}

pub(super) fn call(call: &lease::Call) -> Call {
    Call { id: call.id.clone(), background: call.background, task: call.task.clone() }
}

pub(super) fn call_state(state: &CallState) -> store::CallState {
    match state {
        CallState::Ended => store::CallState::Ended,
        CallState::GoesOn(task) => store::CallState::GoesOn(task.clone()),
    }
}

pub(super) fn end(how: &End) -> store::End {
    match how {
        End::Stop(running) => store::End::Stop(running.as_ref().map(|running| {
            let Running { subagents, shells } = running;
            store::Running { subagents: subagents.clone(), shells: shells.clone() }
        })),
        End::Interrupt => store::End::Interrupt,
    }
}

pub(super) fn owner(owner: &owner::Owner) -> Owner {
    Owner { session: owner.session().to_owned(), epoch: owner.epoch().to_owned() }
}

/// An answer without what the store does not say of notes: when a lease was lost, and whose it was
/// where a client names no turn.
pub(super) fn as_told(outcome: Outcome) -> Outcome {
    let plain = |mut notes: Vec<leasehold_model::Note>| {
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
