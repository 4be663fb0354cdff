//! What a run begins with: the disk, and the model's view of it.

use std::cell::RefCell;
use std::path::Path;

use leasehold::store::Store;
use leasehold_model::{Op, State, step};

use crate::machine::disk::Disk;
use crate::machine::{self, Setup};
use crate::process::{self, DATABASE, Nowhere};
use crate::scenario::{Journal, Scenario, Start};
use crate::{vfs, words};

thread_local! {
    /// Disks that are used again and again, as they are at the start.
    static READY: RefCell<Vec<((Start, Journal), Disk)>> = const { RefCell::new(Vec::new()) };
}

/// The model at the start.
pub(crate) fn state_at_start(start: &Start) -> State {
    match start {
        Start::Empty => State::empty(),
        Start::Ready => {
            let open = Op::Open { boot: process::boot_name(0) };
            step(&State::empty(), &open, machine::START_MS).0
        }
        Start::Legacy(form, rows) => State::legacy(*form, rows),
    }
}

/// The disk at the start.
pub(super) fn disk_at_start(start: &Start, journal: Journal) -> Disk {
    let wanted = (start.clone(), journal);
    let known = READY.with_borrow(|ready| {
        ready.iter().find(|(one, _)| *one == wanted).map(|(_, disk)| disk.clone())
    });
    known.unwrap_or_else(|| {
        let disk = make_disk(start, journal);
        if !matches!(start, Start::Legacy(_, rows) if !rows.is_empty()) {
            READY.with_borrow_mut(|ready| ready.push((wanted, disk.clone())));
        }
        disk
    })
}

/// Makes the database at the start, on a machine of its own.
fn make_disk(start: &Start, journal: Journal) -> Disk {
    let no_shared_memory = journal == Journal::Rollback;
    machine::boot(Setup { no_shared_memory, ..Setup::default() });
    // What is written here, such as the salts of the log, goes into every run that begins with it.
    vfs::forget_randomness();
    match start {
        Start::Empty => {}
        Start::Ready => {
            let scenario = Scenario {
                start: Start::Empty,
                journal,
                full_sync: false,
                abandons: false,
                powersafe_overwrite: false,
                patience_ms: 0,
                boots: Vec::new(),
            };
            let options = process::options(&scenario, 0);
            Store::open(Path::new(DATABASE), options).expect("a new database");
        }
        Start::Legacy(form, rows) => {
            let connection = words::make_legacy(Path::new(DATABASE), *form);
            for row in rows {
                words::old_upsert(&connection, &Nowhere, row).expect("a row of an old engine");
            }
        }
    }
    machine::with(|machine| std::mem::take(&mut machine.disk))
}
