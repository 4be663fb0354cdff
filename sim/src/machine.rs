//! The machine that virtual processes run on: its disk, locks, shared memory, clock and randomness,
//! and who goes on when.
//!
//! All virtual processes share one thread of the operating system, and each call that SQLite makes
//! of its operating system comes here. The first thing that happens there is a *point*: it has a
//! number, a plan may let another process go on, and something may go wrong. Nothing else is left
//! to chance, so the same plan gives the same run, byte by byte.

pub(crate) mod course;
pub(crate) mod disk;
pub(crate) mod fault;
pub(crate) mod files;
pub(crate) mod kind;
pub(crate) mod locks;
pub(crate) mod plan;
mod span;
mod trace;

use std::cell::RefCell;
use std::collections::BTreeSet;

use leasehold_model::{Millis, Process, Standing};
use rand_chacha::ChaCha8Rng;
use rand_chacha::rand_core::{Rng as _, SeedableRng as _};

use crate::rare::Rare;
use crate::vfs::Page;
use disk::{Disk, Inode, Loss};
use fault::Fault;
use kind::Kind;
use locks::{FileLocks, Handle, SlotLocks};
use plan::{Plan, Preemption, Stale};
pub use trace::{Choice, Event, Point};

/// When runs begin, in milliseconds since 1970.
pub(crate) const START_MS: Millis = 1_800_000_000_000;

/// How long it takes until the next boot, in microseconds.
const REBOOT_MICROS: u64 = 1_000_000;

thread_local! {
    static MACHINE: RefCell<Machine> = RefCell::new(Machine::new(Setup::default()));
}

/// What a machine is like.
#[derive(Clone, Debug, Default)]
pub(crate) struct Setup {
    /// The files at the start.
    pub(crate) disk: Disk,
    /// Where its randomness comes from.
    pub(crate) seed: u64,
    /// Whether it has no shared memory, so that SQLite keeps a rollback journal.
    pub(crate) no_shared_memory: bool,
    /// Whether a list of all points is kept.
    pub(crate) keeps_trace: bool,
    /// Whether it is listed who could have gone on at each point.
    pub(crate) keeps_choices: bool,
    /// What is broken in it on purpose.
    pub(crate) controls: Controls,
}

/// A machine that breaks its promises, to show that it would be noticed.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Controls {
    /// Locks on files are granted to everybody.
    pub no_file_locks: bool,
    /// Locks on shared memory are granted to everybody.
    pub no_slot_locks: bool,
    /// The disk says that it has synced, and has not.
    pub lying_disk: bool,
}

/// A reading of the clock: each write transaction reads it once, when it holds the lock.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Decided {
    /// The instant of the run.
    pub(crate) at: u64,
    /// What the clock said.
    pub(crate) now_ms: Millis,
}

/// How a virtual process stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Life {
    Ready,
    /// It waits until this moment of the machine, in microseconds.
    Parked(u64),
    Ended,
    /// It was killed, and what it still does to reach its end counts for nothing.
    Killed,
    /// It was killed and has reached its end.
    Gone,
}

/// A file that a process has open.
struct Open {
    inode: Inode,
    name: &'static str,
    process: usize,
    deleted_on_close: Option<String>,
}

/// What belongs to a file beside its bytes.
#[derive(Default)]
struct Shared {
    locks: FileLocks,
    slots: SlotLocks,
    pages: Vec<Page>,
    attached: Vec<Handle>,
}

/// The state of one run.
pub(crate) struct Machine {
    pub(crate) disk: Disk,
    shared: Vec<Shared>,
    open: Vec<Option<Open>>,
    lives: Vec<Life>,
    /// Who runs; none outside of a run, where nothing is a point.
    running: Option<usize>,
    plan: Plan,
    faults: Vec<Fault>,
    rng: ChaCha8Rng,
    points: u64,
    /// How many there were when the processes of this boot began.
    points_before: u64,
    /// What each process has done last: what it was about to do at its last point.
    done: Vec<Option<Kind>>,
    micros: u64,
    skew_ms: Millis,
    instant: u64,
    /// When each process last read the clock, and what it read; the last one is nobody's.
    decided: Vec<Option<Decided>>,
    /// For how long each process has waited by its own will, in microseconds.
    slept: Vec<u64>,
    hash: u64,
    no_shared_memory: bool,
    /// Where lock spans are what is ordered: who has begun a call's first one, and no lock yet.
    ahead: Option<BTreeSet<usize>>,
    controls: Controls,
    trace: Option<Vec<Event>>,
    pub(crate) choices: Option<Vec<Choice>>,
    /// Where another than the usual process went on, and what went wrong.
    pub(crate) taken: Vec<Preemption>,
    pub(crate) struck: Vec<Fault>,
    pub(crate) stale: Option<Stale>,
    pub(crate) endless: bool,
    /// Who has the write lock.
    writer: Option<usize>,
    /// The power is about to go.
    power: Option<Loss>,
    /// How many changes were not synced when the power went.
    pub(crate) unsynced: u32,
    /// The processes whose next write does not fit.
    full: BTreeSet<usize>,
    /// What the operating system says of the agents' processes, and since which instant.
    fates: Vec<(u64, Process, Standing)>,
    /// What was seen on the way, for the table of rare situations.
    pub(crate) seen: BTreeSet<Rare>,
}

impl Machine {
    fn new(setup: Setup) -> Self {
        Self {
            disk: setup.disk,
            shared: Vec::new(),
            open: Vec::new(),
            lives: Vec::new(),
            running: None,
            plan: Plan::listed(&[]),
            faults: Vec::new(),
            rng: ChaCha8Rng::seed_from_u64(setup.seed),
            points: 0,
            points_before: 0,
            done: Vec::new(),
            micros: 0,
            skew_ms: 0,
            instant: 0,
            decided: vec![None],
            slept: Vec::new(),
            hash: 0xcbf2_9ce4_8422_2325,
            no_shared_memory: setup.no_shared_memory,
            ahead: None,
            controls: setup.controls,
            trace: setup.keeps_trace.then(Vec::new),
            choices: setup.keeps_choices.then(Vec::new),
            taken: Vec::new(),
            struck: Vec::new(),
            stale: None,
            endless: false,
            writer: None,
            power: None,
            unsynced: 0,
            full: BTreeSet::new(),
            fates: Vec::new(),
            seen: BTreeSet::new(),
        }
    }

    /// Lets processes begin, by this plan and with these faults in the order of their points.
    pub(crate) fn begin(&mut self, processes: usize, plan: Plan, faults: Vec<Fault>) {
        self.lives = vec![Life::Ready; processes];
        self.points_before = self.points;
        self.done = vec![None; processes];
        self.decided = vec![None; processes + 1];
        self.slept = vec![0; processes];
        self.running = (processes > 0).then_some(0);
        self.plan = plan;
        self.faults = faults;
    }

    /// All have ended. Gives what is left of the plan and the faults, for the next boot.
    pub(crate) fn finish(&mut self) -> (Plan, Vec<Fault>) {
        self.running = None;
        // A machine takes a while to come up again.
        self.micros = self.micros.saturating_add(REBOOT_MICROS);
        let plan = std::mem::replace(&mut self.plan, Plan::listed(&[]));
        (plan, std::mem::take(&mut self.faults))
    }

    /// The process whose turn it is.
    pub(crate) fn running(&self) -> Option<usize> {
        self.running
    }

    /// A killed process that has not reached its end.
    pub(crate) fn undrained(&self) -> Option<usize> {
        self.lives.iter().position(|life| *life == Life::Killed)
    }

    /// Lets a killed process run to its end. Gives who is running otherwise.
    pub(crate) fn drain(&mut self, process: usize) -> Option<usize> {
        self.running.replace(process)
    }

    /// It has reached it.
    pub(crate) fn drained(&mut self, process: usize, running: Option<usize>) {
        self.lives[process] = Life::Gone;
        self.running = running;
    }

    /// Whether the process that runs was killed.
    pub(crate) fn is_killed(&self) -> bool {
        self.running.is_some_and(|process| self.lives[process] == Life::Killed)
    }

    /// The wall clock, in milliseconds since 1970.
    pub(crate) fn now_ms(&self) -> Millis {
        let passed = (self.micros / 1000).cast_signed();
        START_MS.saturating_add(passed).saturating_add(self.skew_ms)
    }

    /// For how long the process that runs has waited by its own will, in microseconds.
    pub(crate) fn slept(&self) -> u64 {
        self.running.map_or(0, |process| self.slept[process])
    }

    /// Reads the clock for a decision.
    pub(crate) fn read_clock(&mut self) -> Millis {
        let now_ms = self.now_ms();
        let at = self.instant();
        if !self.is_killed() {
            let slot = self.slot();
            self.decided[slot] = Some(Decided { at, now_ms });
        }
        now_ms
    }

    /// What the process that runs last decided, and when.
    pub(crate) fn take_decided(&mut self) -> Option<Decided> {
        let slot = self.slot();
        self.decided[slot].take()
    }

    /// From now on the operating system says this of an agent's process.
    pub(crate) fn set_fate(&mut self, process: Process, standing: Standing) {
        let at = self.instant();
        self.fates.push((at, process, standing));
    }

    /// What the operating system said of an agent's process when this call read the clock. The
    /// store looks a moment later, and by then more may be gone; but its decision belongs to one
    /// instant.
    pub(crate) fn standing(&self, process: Process) -> Standing {
        let at = self.decided[self.slot()].map_or(u64::MAX, |decided| decided.at);
        let known = self.fates.iter().rev().find(|(since, one, _)| *one == process && *since < at);
        known.map_or(Standing::Alive, |(_, _, standing)| *standing)
    }

    /// Whether the write that has just failed did not fit.
    pub(crate) fn take_full(&mut self) -> bool {
        self.running.is_some_and(|process| self.full.remove(&process))
    }

    fn slot(&self) -> usize {
        self.running.unwrap_or(self.decided.len() - 1)
    }

    /// The next instant of the run.
    pub(crate) fn instant(&mut self) -> u64 {
        self.instant += 1;
        self.instant
    }

    /// A number that two runs share only if they are the same.
    pub(crate) fn hash(&self) -> u64 {
        self.hash
    }

    /// How many points there were.
    pub(crate) fn points(&self) -> u64 {
        self.points
    }

    /// The points, if they are kept.
    pub(crate) fn take_trace(&mut self) -> Vec<Event> {
        self.trace.take().unwrap_or_default()
    }

    /// Writes something down for people, if points are kept.
    pub(crate) fn note(&mut self, text: impl FnOnce() -> String) {
        if let (Some(process), Some(trace)) = (self.running, &mut self.trace) {
            trace.push(Event::Note { process, text: text() });
        }
    }

    /// Writes down who has the write lock, if points are kept.
    fn note_lock(&mut self, held: bool) {
        let Some(process) = self.running else { return };
        self.writer = held.then_some(process);
        if let Some(trace) = &mut self.trace {
            trace.push(Event::WriteLock { process, held });
        }
    }

    /// The write lock goes with a process that is killed. True where it had it.
    fn drop_lock(&mut self, process: usize) -> bool {
        let had_it = self.writer == Some(process);
        if had_it {
            self.writer = None;
            if let Some(trace) = &mut self.trace {
                trace.push(Event::WriteLock { process, held: false });
            }
        }
        had_it
    }

    /// So many bytes of the machine's randomness.
    pub(crate) fn randomness(&mut self, amount: usize) -> Vec<u8> {
        let mut bytes = vec![0; amount];
        self.rng.fill_bytes(&mut bytes);
        bytes
    }
}

/// Does something with the machine. Nothing in it may come to a point.
pub(crate) fn with<T>(what: impl FnOnce(&mut Machine) -> T) -> T {
    MACHINE.with_borrow_mut(what)
}

/// Begins with a new machine.
pub(crate) fn boot(setup: Setup) {
    with(|machine| *machine = Machine::new(setup));
}
