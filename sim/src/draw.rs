//! Draws what is run from one number: the scenario, how often somebody else goes on, what goes
//! wrong, and which kinds of operations and faults there are at all. Runs that draw from few kinds
//! go deeper into those than runs that draw from all.

mod tales;

use leasehold_model::{
    CallState, Context, End, Form, OldRow, Op, Owner, Process, Resource, Running, ShellCall,
    Sighting, Standing, Terms,
};
use rand_chacha::ChaCha8Rng;
use rand_chacha::rand_core::{Rng as _, SeedableRng as _};

use crate::config::{Beginning, Config, Trouble};
use crate::machine::START_MS;
use crate::run::{Controls, Course, Fault, Loss, Mishap, Run};
use crate::scenario::{Journal, Program, Scenario, Start, Step};

/// The times to live that are asked for, in milliseconds.
const TTL_MS: i64 = 5000;

/// After this what is remembered of turns and the long dead is forgotten, in milliseconds.
const DAY_AND_MORE_MS: i64 = 25 * 3600 * 1000;

/// What was drawn from one number.
#[derive(Clone, Debug)]
pub struct Drawn {
    /// The number.
    pub seed: u64,
    /// What happens.
    pub scenario: Scenario,
    /// What goes wrong.
    pub faults: Vec<Fault>,
    per_mille: u32,
    checks_integrity: bool,
}

impl Drawn {
    /// Draws everything from this number.
    pub fn from_seed(seed: u64) -> Self {
        Self::within(&Config::default(), seed)
    }

    /// Draws from this number what is not asked for.
    pub fn within(config: &Config, seed: u64) -> Self {
        let mut dice = Dice(ChaCha8Rng::seed_from_u64(seed));
        let scenario = scenario(&mut dice, config);
        let faults = faults(&mut dice, &scenario, config);
        let per_mille = *dice.one_of(&[20, 300, 1000]);
        let checks_integrity = !faults.is_empty() || dice.below(8) == 0;
        Self { seed, scenario, faults, per_mille, checks_integrity }
    }

    /// How it is run.
    pub fn run(&self) -> Run<'_> {
        Run {
            scenario: &self.scenario,
            course: Course::Random { seed: self.seed, per_mille: self.per_mille },
            faults: self.faults.clone(),
            seed: self.seed,
            keeps_trace: false,
            keeps_choices: false,
            checks_integrity: self.checks_integrity,
            controls: Controls::default(),
        }
    }
}

struct Dice(ChaCha8Rng);

impl Dice {
    fn below(&mut self, end: u32) -> u32 {
        self.0.next_u32() % end
    }

    fn is(&mut self, percent: u32) -> bool {
        self.below(100) < percent
    }

    fn one_of<'a, T>(&mut self, all: &'a [T]) -> &'a T {
        let end = u32::try_from(all.len()).unwrap_or(u32::MAX);
        &all[self.below(end) as usize]
    }
}

/// A sort of operation.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Deed {
    Acquire,
    Release,
    Check,
    Reap,
    CheckFence,
    Begin,
    SubagentStart,
    Post,
    End,
    EndSession,
}

/// How often each sort is asked for in the runs that have it, beside the others.
const DEEDS: [(Deed, usize); 10] = [
    (Deed::Acquire, 8),
    (Deed::Release, 2),
    (Deed::Check, 1),
    (Deed::Reap, 1),
    (Deed::CheckFence, 1),
    (Deed::Begin, 3),
    (Deed::SubagentStart, 2),
    (Deed::Post, 1),
    (Deed::End, 3),
    (Deed::EndSession, 1),
];
/// The first so many are not about the lives of turns and sub-agents.
const LIFELESS: usize = 5;

/// Which kinds of things there are in one run.
struct Swarm {
    sessions: Vec<&'static str>,
    epochs: Vec<&'static str>,
    paths: Vec<&'static str>,
    lives: bool,
    /// The sorts of operations, each as often as it is to come.
    deeds: Vec<Deed>,
    old_engines: bool,
    /// How many processes of a hundred go through a tale.
    tales: u32,
    waits: bool,
    /// The lengths above which the log is emptied, in bytes; none where nobody does that.
    tidies: Vec<u64>,
    context: Context,
    /// The agents' processes that calls are seen in, and that may die.
    agents: Vec<Process>,
}

fn scenario(dice: &mut Dice, config: &Config) -> Scenario {
    let journal = if dice.is(75) { Journal::Log } else { Journal::Rollback };
    let journal = config.journal.unwrap_or(journal);
    let sort = *dice.one_of(&BEGINNINGS);
    let start = start(dice, config.start.unwrap_or(sort));
    let boots = if dice.is(20) { 2 } else { 1 };
    let swarm = swarm(dice, &start, boots);
    let mut old_rows = 0;
    let boots = (0..boots).map(|boot| {
        let processes = match dice.below(10) {
            0 | 1 => 1,
            2..9 => 2 + dice.below(3),
            _ => 2 + dice.below(7),
        };
        let processes = config.processes.unwrap_or(processes);
        // Few processes have time for more.
        let length = match processes {
            1 => 4 + dice.below(9),
            2 | 3 => 1 + dice.below(6),
            _ => 1 + dice.below(3),
        };
        let old_engines = swarm.old_engines && boot == 0;
        (0..processes)
            .map(|_| {
                if dice.is(swarm.tales) {
                    return tales::tale(dice, &swarm);
                }
                program(dice, &swarm, length, old_engines.then_some(&mut old_rows))
            })
            .collect()
    });
    let boots = boots.collect();
    let full_sync = dice.is(30);
    let full_sync = config.full_sync.unwrap_or(full_sync);
    let patience_ms = *dice.one_of(&[10_000, 10_000, 200, 0]);
    let (abandons, powersafe_overwrite) = (dice.is(50), dice.is(75));
    Scenario { start, journal, full_sync, abandons, powersafe_overwrite, patience_ms, boots }
}

/// The database at the start is one of these, each as often.
const BEGINNINGS: [Beginning; 10] = {
    let mut all = [Beginning::Ready; 10];
    all[0] = Beginning::Empty;
    all[1] = Beginning::Legacy;
    all[2] = Beginning::Legacy;
    all
};

fn start(dice: &mut Dice, sort: Beginning) -> Start {
    match sort {
        Beginning::Empty => Start::Empty,
        Beginning::Ready => Start::Ready,
        Beginning::Legacy => {
            let form = *dice.one_of(&[Form::First, Form::Second, Form::Third]);
            let rows = (0..dice.below(4)).map(|number| OldRow {
                resource: Resource::new(["/r/a", "/r/a/x", "/r/b", "/r/c"][number as usize % 4]),
                session: (*dice.one_of(&["s1", "s2"])).to_owned(),
                epoch: (form != Form::First).then(|| (*dice.one_of(&["", "t1"])).to_owned()),
                agent: "old".to_owned(),
                acquired: START_MS - 1000,
                expires: START_MS + 60_000,
                note: None,
            });
            Start::Legacy(form, rows.collect())
        }
    }
}

fn swarm(dice: &mut Dice, start: &Start, boots: usize) -> Swarm {
    let sessions = ["s1", "s2", "s3"][..=(dice.below(3) as usize)].to_vec();
    let all = ["t1", "t2", "agent:a", "agent:b", ""];
    let epochs: Vec<_> = all.into_iter().filter(|_| dice.is(50)).collect();
    let old_engines = *start != Start::Empty && dice.is(25);
    let all = ["/r/a", "/r/a/x", "/r", "/r/b", "/r/a!", "/r/_"];
    let paths: Vec<_> = all.into_iter().filter(|_| dice.is(45)).collect();
    let lives = dice.is(60);
    let sorts = &DEEDS[..if lives { DEEDS.len() } else { LIFELESS }];
    let sorts: Vec<_> =
        sorts.iter().filter(|(deed, _)| *deed == Deed::Acquire || dice.is(50)).collect();
    let deeds = sorts.into_iter().flat_map(|(deed, times)| vec![*deed; *times]).collect();
    Swarm {
        sessions,
        epochs: if epochs.is_empty() { vec!["t1"] } else { epochs },
        paths: if paths.is_empty() { vec!["/r/a"] } else { paths },
        lives,
        deeds,
        old_engines,
        tales: if lives && dice.is(40) { 40 } else { 0 },
        waits: dice.is(30),
        tidies: if dice.is(50) { vec![0, 4096, 16 * 1024] } else { Vec::new() },
        context: Context { minted: dice.is(15), begins: dice.is(30), sighting: None },
        // Who is dead outlives a loss of power, and the model has it in the state that does not.
        agents: if boots == 1 && dice.is(25) { (1..=3).map(Process).collect() } else { Vec::new() },
    }
}

fn program(
    dice: &mut Dice,
    swarm: &Swarm,
    length: u32,
    mut old_rows: Option<&mut usize>,
) -> Program {
    let mut program = Program::new();
    for _ in 0..length {
        if swarm.waits && dice.is(25) {
            program.push(Step::Wait(*dice.one_of(&[1, TTL_MS - 1, TTL_MS, TTL_MS + 1])));
        }
        if !swarm.tidies.is_empty() && dice.is(30) {
            program.push(Step::Tidy(*dice.one_of(&swarm.tidies)));
        }
        let old = old_rows.as_deref_mut().filter(|_| dice.is(20));
        program.push(Step::Ask(Box::new(match old {
            Some(rows) => old_engine(dice, swarm, rows),
            // Readers have to look for what those wrote.
            None if swarm.old_engines && dice.is(20) => {
                Op::Check { resource: Resource::new(dice.one_of::<&str>(&swarm.paths)) }
            }
            None => operation(dice, swarm),
        })));
    }
    program
}

/// Each path is written once by old engines: to the store two of their writes between two looks
/// are one.
fn old_engine(dice: &mut Dice, swarm: &Swarm, rows: &mut usize) -> Op {
    let session = (*dice.one_of(&swarm.sessions)).to_owned();
    let Some(path) = swarm.paths.get(*rows).filter(|_| dice.is(70)) else {
        return Op::OldDelete { session };
    };
    *rows += 1;
    Op::OldUpsert(OldRow {
        resource: Resource::new(path),
        session,
        epoch: None,
        agent: "old".to_owned(),
        acquired: START_MS + i64::from(dice.below(3)),
        expires: START_MS + i64::from(dice.below(3)) * TTL_MS,
        note: None,
    })
}

fn operation(dice: &mut Dice, swarm: &Swarm) -> Op {
    let owner = owner(dice, swarm);
    let mut context = swarm.context.clone();
    if !swarm.agents.is_empty() {
        let process = *dice.one_of(&swarm.agents);
        if dice.is(12) {
            let standing = *dice.one_of(&[Standing::Gone, Standing::Gone, Standing::Unknown]);
            return Op::Fate { process, standing };
        }
        let call = *dice.one_of(&[None, Some("c1"), Some("c2")]);
        let (certain, call) = (dice.is(60), call.map(str::to_owned));
        context.sighting = dice.is(80).then_some(Sighting { process, certain, call });
    }
    let one_path = |dice: &mut Dice| Resource::new(dice.one_of::<&str>(&swarm.paths));
    match *dice.one_of(&swarm.deeds) {
        Deed::Acquire => {
            let resources = (0..=dice.below(2)).map(|_| one_path(dice)).collect();
            let trees = if dice.is(8) { vec![one_path(dice)] } else { Vec::new() };
            let note = dice.is(10).then(|| "a note".to_owned());
            let terms = Terms { agent: "test".to_owned(), ttl: TTL_MS, note };
            let call = (swarm.lives && dice.is(25)).then(|| shell_call(dice));
            Op::Acquire { owner, resources, trees, terms, call, context }
        }
        Deed::Release => Op::Release { owner, hand_over: dice.is(50) },
        Deed::Check => Op::Check { resource: one_path(dice) },
        Deed::Reap => Op::Reap,
        Deed::CheckFence => Op::CheckFence {
            resource: one_path(dice),
            fence: leasehold_model::Fence::new(START_MS / 60_000, 1),
        },
        Deed::Begin => Op::Begin { owner, context },
        Deed::SubagentStart => {
            let id = dice.one_of(&["a", "b"]);
            Op::SubagentStart { owner: Owner::subagent(&owner.session, id), context }
        }
        Deed::Post => Op::Post {
            owner,
            resources: vec![one_path(dice)],
            call: dice.is(60).then(|| ((*dice.one_of(&["c1", "c2"])).to_owned(), call_state(dice))),
            context,
        },
        Deed::End => Op::End { owner, how: end(dice), context },
        Deed::EndSession => Op::EndSession { session: owner.session, context },
    }
}

fn owner(dice: &mut Dice, swarm: &Swarm) -> Owner {
    let (session, epoch) = (*dice.one_of(&swarm.sessions), *dice.one_of(&swarm.epochs));
    Owner { session: session.to_owned(), epoch: epoch.to_owned() }
}

fn shell_call(dice: &mut Dice) -> ShellCall {
    ShellCall { id: (*dice.one_of(&["c1", "c2"])).to_owned(), background: dice.is(50) }
}

fn call_state(dice: &mut Dice) -> CallState {
    match dice.below(4) {
        0 => CallState::GoesOn(Some("task".to_owned())),
        1 => CallState::GoesOn(None),
        _ => CallState::Ended,
    }
}

fn end(dice: &mut Dice) -> End {
    match dice.below(3) {
        0 => End::Interrupt,
        1 => End::Stop(None),
        _ => End::Stop(Some(Running {
            subagents: if dice.is(50) { vec!["a".to_owned()] } else { Vec::new() },
            shells: if dice.is(40) { vec!["task".to_owned()] } else { Vec::new() },
        })),
    }
}

/// What goes wrong, somewhere among the points that such a scenario has.
fn faults(dice: &mut Dice, scenario: &Scenario, config: &Config) -> Vec<Fault> {
    if dice.is(40) {
        return Vec::new();
    }
    let calls: usize = scenario.boots.iter().flatten().map(|program| program.len() + 1).sum();
    let points = u32::try_from(40 * calls).unwrap_or(u32::MAX);
    let processes = u32::try_from(scenario.boots[0].len()).unwrap_or(1);
    let all = config.faults.clone().unwrap_or(Trouble::ALL.map(|(_, sort)| sort).to_vec());
    let mut sorts: Vec<Trouble> = all.iter().copied().filter(|_| dice.is(50)).collect();
    if sorts.is_empty() {
        sorts = all;
    }
    if sorts.is_empty() {
        return Vec::new();
    }
    // Processes die more often than disks.
    sorts.extend(sorts.clone().into_iter().filter(|sort| *sort == Trouble::Kill));
    let mut faults: Vec<Fault> = (0..=dice.below(3))
        .map(|_| {
            let what = match *dice.one_of(&sorts) {
                Trouble::Kill => Mishap::Kill(dice.below(processes) as usize),
                Trouble::Pause => Mishap::Pause(*dice.one_of(&[1, TTL_MS, TTL_MS + 1, 20_000])),
                Trouble::Clock => {
                    Mishap::Clock(*dice.one_of(&[-60_000, -1, 1, TTL_MS, DAY_AND_MORE_MS]))
                }
                Trouble::Error => Mishap::Error,
                Trouble::Full => Mishap::Full,
                Trouble::Power => Mishap::PowerLoss(*dice.one_of(&[
                    Loss::KeepsAll,
                    Loss::DropsAll,
                    Loss::TossesCoins,
                    Loss::TossesCoins,
                ])),
            };
            Fault { at: 1 + u64::from(dice.below(points)), kind: None, what }
        })
        .collect();
    faults.sort_by_key(|fault| fault.at);
    faults
}
