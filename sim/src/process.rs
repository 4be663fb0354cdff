//! One virtual process: the production store on the simulated machine, asked in the model's words.

use std::cell::RefCell;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::Path;
use std::time::Duration;

use leasehold::clock::Clock;
use leasehold::process::{ProcessId, Processes, Standing};
use leasehold::resource::{self, Resource as StoreResource};
use leasehold::store::relic;
use leasehold::store::{Damaged, Options, Store, StoreError, Sync};
use leasehold_model::{Lease, Millis, Op, Outcome, Resource};
use rusqlite::{Connection, ErrorCode, TransactionBehavior};

use crate::history::{Answer, Call};
use crate::machine;
use crate::machine::kind::Kind;
use crate::scenario::{Program, Scenario, Step};
use crate::words::{self, Places};
use crate::{told, vfs};

/// The name of the database on the simulated disk.
pub(crate) const DATABASE: &str = "leases.db";

/// The database that the simulated processes share is about paths below this one, which is nowhere.
const ROOT: &str = "/leasehold-simulated";

thread_local! {
    static CALLS: RefCell<Vec<Made>> = const { RefCell::new(Vec::new()) };
    /// What went wrong where nobody asked for anything.
    static CHORES: RefCell<Vec<Failure>> = const { RefCell::new(Vec::new()) };
    static KNOWN: RefCell<Vec<(Resource, StoreResource)>> = const { RefCell::new(Vec::new()) };
}

/// A call as it was made, with what only the machine knows of it.
#[derive(Clone, Debug)]
pub(crate) struct Made {
    pub(crate) call: Call,
    /// The instant at which it held the lock; none where it never did.
    pub(crate) decided: Option<u64>,
    /// What the store said was wrong.
    pub(crate) error: Option<Failure>,
    /// For how long it waited, in microseconds.
    pub(crate) waited: u64,
    /// Whether the database was kept with a write-ahead log when it was over.
    pub(crate) has_log: bool,
}

/// How a call failed.
#[derive(Clone, Debug)]
pub(crate) enum Failure {
    /// The store says so: its class, and its text.
    Store(&'static str, String),
    /// The process was killed.
    Killed,
    /// It panicked.
    Panic(String),
}

impl From<StoreError> for Failure {
    fn from(error: StoreError) -> Self {
        Self::Store(error.class(), error.to_string())
    }
}

/// The machine's clock.
struct MachineClock;

impl Clock for MachineClock {
    fn now_ms(&self) -> i64 {
        machine::with(machine::Machine::read_clock)
    }

    fn pause(&self, span: Duration) {
        vfs::sleep(u64::try_from(span.as_micros()).unwrap_or(u64::MAX));
    }
}

/// What the machine says of the agents' processes.
struct MachineProcesses;

impl Processes for MachineProcesses {
    fn standing(&self, process: &ProcessId) -> Standing {
        words::standing(machine::with(|machine| {
            machine.standing(leasehold_model::Process(process.pid()))
        }))
    }
}

/// The tree of the resources, which is on no disk.
#[derive(Clone, Copy)]
pub(crate) struct Nowhere;

impl Places for Nowhere {
    fn resource(&self, wanted: &Resource) -> StoreResource {
        let known = KNOWN.with_borrow(|known| {
            known.iter().find(|(one, _)| one == wanted).map(|(_, found)| found.clone())
        });
        known.unwrap_or_else(|| {
            let path = self.spelling(wanted);
            let found = resource::resolve(Path::new(&path), None).expect("a path");
            let [one] = <[_; 1]>::try_from(found).expect("no link is there");
            KNOWN.with_borrow_mut(|known| known.push((wanted.clone(), one.clone())));
            one
        })
    }

    fn spelling(&self, wanted: &Resource) -> String {
        format!("{ROOT}{}", wanted.path())
    }

    fn name(&self, spelling: &str) -> Resource {
        Resource::new(spelling.strip_prefix(ROOT).unwrap_or(spelling))
    }
}

/// How the processes of a scenario open the store during this boot.
pub(crate) fn options(scenario: &Scenario, boot: usize) -> Options {
    Options {
        clock: Box::new(MachineClock),
        processes: Box::new(MachineProcesses),
        boot: Some(boot_name(boot)),
        busy_timeout: Duration::from_millis(scenario.patience_ms),
        sync: if scenario.full_sync { Sync::Full } else { Sync::Normal },
        length_of: |path| {
            let name = path.to_string_lossy();
            machine::with(|machine| {
                machine.disk.find(&name).map_or(0, |inode| machine.disk.len(inode) as u64)
            })
        },
        damaged: Damaged::Report,
    }
}

/// The name of a boot.
pub(crate) fn boot_name(boot: usize) -> String {
    format!("boot-{boot}")
}

/// Takes the calls that were made.
pub(crate) fn take_calls() -> Vec<Made> {
    CALLS.take()
}

/// Takes what went wrong where nobody asked for anything.
pub(crate) fn take_chores() -> Vec<Failure> {
    CHORES.take()
}

/// Runs one process.
pub(crate) fn run(number: usize, program: &Program, scenario: &Scenario, boot: usize) {
    let process = Process { number, scenario, boot };
    let Some(mut store) = process.open() else { return };
    for step in program {
        match step {
            Step::Wait(span_ms) => {
                let micros = u64::try_from(*span_ms).unwrap_or(0).saturating_mul(1000);
                if !vfs::sleep(micros) {
                    return;
                }
            }
            Step::Tidy(bytes) => {
                let tidied = catch_unwind(AssertUnwindSafe(|| store.tidy(*bytes)));
                if machine::with(|machine| machine.is_killed()) {
                    return;
                }
                let failure = match tidied {
                    Ok(Ok(())) => continue,
                    Ok(Err(error)) => error.into(),
                    Err(panic) => Failure::Panic(panic_text(&*panic)),
                };
                CHORES.with_borrow_mut(|chores| chores.push(failure));
            }
            Step::Ask(op) => {
                let went_on = process.ask(op, || match &**op {
                    Op::OldUpsert(_) | Op::OldDelete { .. } => process.old_engine(op),
                    Op::Fate { process, standing } => {
                        machine::with(|machine| {
                            machine.read_clock();
                            machine.set_fate(*process, *standing);
                        });
                        Ok(Outcome::Done)
                    }
                    _ => Ok(words::ask(&mut store, &Nowhere, op)?),
                });
                if went_on.is_none() {
                    return;
                }
            }
        }
    }
    if scenario.abandons {
        vfs::enter(Kind::Exit, None, 0);
    }
}

/// Opens the store when all is over, reads what is in it, and asks once more.
pub(crate) fn audit(scenario: &Scenario, boot: usize, asked: &[Op]) -> Option<Vec<Lease>> {
    let process = Process { number: usize::MAX, scenario, boot };
    let mut store = process.open()?;
    let (rows, _) = store.leases().ok()?;
    machine::with(machine::Machine::take_decided);
    for op in asked {
        process.ask(op, || Ok(words::ask(&mut store, &Nowhere, op)?));
    }
    Some(rows.iter().map(|row| words::lease(&Nowhere, row)).collect())
}

struct Process<'s> {
    number: usize,
    scenario: &'s Scenario,
    boot: usize,
}

impl Process<'_> {
    fn open(&self) -> Option<Store> {
        let op = Op::Open { boot: boot_name(self.boot) };
        let mut opened = None;
        self.ask(&op, || {
            let options = options(self.scenario, self.boot);
            opened = Some(Store::open(Path::new(DATABASE), options)?);
            // Whether it was this process that upgraded is not told.
            Ok(Outcome::Opened { upgraded: false })
        })?;
        opened
    }

    /// An engine of the time before, on the same file.
    fn old_engine(&self, op: &Op) -> Result<Outcome, Failure> {
        let done = (|| {
            let mut connection = Connection::open(DATABASE)?;
            connection.busy_timeout(Duration::from_millis(self.scenario.patience_ms))?;
            let tx = connection.transaction_with_behavior(TransactionBehavior::Immediate)?;
            machine::with(machine::Machine::read_clock);
            match op {
                Op::OldUpsert(row) => words::old_upsert(&tx, &Nowhere, row)?,
                Op::OldDelete { session } => relic::delete(&tx, session)?,
                _ => {}
            }
            tx.commit()
        })();
        done.map_err(|error: rusqlite::Error| {
            let is_busy = matches!(
                error.sqlite_error_code(),
                Some(ErrorCode::DatabaseBusy | ErrorCode::FileLockingProtocolFailed)
            );
            Failure::Store(if is_busy { "busy" } else { "io" }, error.to_string())
        })?;
        Ok(Outcome::Done)
    }

    /// Makes a call and writes it down. None where the process does not go on after it.
    fn ask(&self, op: &Op, call: impl FnOnce() -> Result<Outcome, Failure>) -> Option<()> {
        vfs::before_call();
        let (invoked, since) = machine::with(|machine| {
            machine.take_decided();
            (machine.instant(), machine.slept())
        });
        machine::with(|machine| machine.note(|| told::op(op)));
        let result = catch_unwind(AssertUnwindSafe(call));
        let (killed, decided, at) = machine::with(|machine| {
            (machine.is_killed(), machine.take_decided(), machine.instant())
        });
        let (outcome, error) = match result {
            _ if killed => (None, Some(Failure::Killed)),
            Ok(Ok(outcome)) => (Some(outcome), None),
            Ok(Err(error)) => (None, Some(error)),
            Err(panic) => (None, Some(Failure::Panic(panic_text(&*panic)))),
        };
        let goes_on = match &error {
            None => true,
            Some(Failure::Store(class, _)) => *class == "busy" && !matches!(op, Op::Open { .. }),
            Some(_) => false,
        };
        machine::with(|machine| {
            machine.note(|| match (&outcome, &error) {
                (Some(outcome), _) => format!("-> {}", told::outcome(outcome)),
                (None, Some(Failure::Store(class, _))) => format!("-> error: {class}"),
                _ => "-> never answered".to_owned(),
            });
        });
        let now: Millis = decided.map_or(0, |decided| decided.now_ms);
        let answer = outcome.map(|outcome| Answer { at, outcome });
        let call = Call { process: self.number, op: op.clone(), now, invoked, answer };
        let decided = decided.map(|decided| decided.at);
        let (waited, has_log) = machine::with(|machine| {
            (machine.slept().saturating_sub(since), machine.disk.has_log(DATABASE))
        });
        let made = Made { call, decided, error, waited, has_log };
        CALLS.with_borrow_mut(|calls| calls.push(made));
        goes_on.then_some(())
    }
}

fn panic_text(panic: &(dyn std::any::Any + Send)) -> String {
    let text = panic.downcast_ref::<String>().map(String::as_str);
    text.or_else(|| panic.downcast_ref::<&str>().copied()).unwrap_or("a panic").to_owned()
}
