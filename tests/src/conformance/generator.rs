//! Which operations are tried: all of the model's, on few names and paths, so that they meet. Half
//! of the names are of what is there: most rules tell what becomes of something that went before.

use leasehold_model::{
    CallState, Context, End, Fence, FileId, Form, Millis, OldRow, Op, Owner, Process,
    RESERVED_EPOCH, Resource, Running, ShellCall, Sighting, Standing, State, Terms, step,
};
use proptest::prelude::*;
use proptest::sample::select;
use proptest::strategy::Union;
use proptest_state_machine::ReferenceStateMachine;

use super::schedule::{Start, Step};

/// The moment at which runs start, in milliseconds since 1970.
const START_MS: Millis = 1_800_000_000_000;

/// The model's state in the course of a run.
#[derive(Clone, Debug)]
pub struct Scene {
    /// How the run began.
    pub start: Start,
    /// Where it stands.
    pub state: State,
    /// The clock.
    pub now_ms: Millis,
}

/// The rules as a reference machine.
#[derive(Debug)]
pub struct Rules;

impl ReferenceStateMachine for Rules {
    type State = Scene;
    type Transition = Step;

    fn init_state() -> BoxedStrategy<Scene> {
        let forms = select(vec![Form::First, Form::Second, Form::Third]);
        let legacy = forms.prop_flat_map(|form| {
            proptest::collection::vec(legacy_row(form), 0..5)
                .prop_map(move |rows| Start::Legacy(form, rows))
        });
        prop_oneof![Just(Start::Empty), legacy]
            .prop_map(|start| Scene { state: start.state(), start, now_ms: START_MS })
            .boxed()
    }

    fn transitions(scene: &Scene) -> BoxedStrategy<Step> {
        let now_ms = scene.now_ms;
        let state = scene.state.clone();
        let clock = prop_oneof![
            6 => select(vec![0, 1, 999, 1000, 4000, 5000, 20_000]),
            1 => select(vec![-1, -1000, -6000, -3_600_000]),
            1 => select(vec![90_000_000, 86_400_001]),
        ];
        clock
            .prop_flat_map(move |step_ms| {
                let at_ms = now_ms + step_ms;
                (Just(at_ms), operation(&state, at_ms), any::<bool>())
            })
            .prop_map(|(at_ms, op, look)| Step { at_ms, op, look })
            .boxed()
    }

    fn apply(mut scene: Scene, step_taken: &Step) -> Scene {
        scene.state = step(&scene.state, &step_taken.op, step_taken.at_ms).0;
        scene.now_ms = step_taken.at_ms;
        scene
    }

    fn preconditions(scene: &Scene, step_taken: &Step) -> bool {
        let opened = scene.state.boot.is_some();
        match &step_taken.op {
            Op::Open { .. } => true,
            // An old engine of the first form has no epoch to name, and no file before the first.
            Op::OldUpsert(row) => {
                opened
                    || match scene.state.legacy {
                        None => false,
                        Some(Form::First) => row.epoch.is_none(),
                        Some(_) => true,
                    }
            }
            Op::OldDelete { .. } => opened || scene.state.legacy.is_some(),
            _ => opened,
        }
    }
}

fn operation(state: &State, at_ms: Millis) -> BoxedStrategy<Op> {
    let open = select(vec!["boot-1", "boot-2"]).prop_map(|boot| Op::Open { boot: boot.into() });
    if state.boot.is_none() {
        if state.legacy.is_none() {
            return open.boxed();
        }
        return prop_oneof![3 => open, 1 => old_engine(at_ms), 1 => old_delete()].boxed();
    }
    let known = Known::of(state);
    let fences: Vec<Fence> = state.leases.iter().filter_map(|lease| lease.fence).collect();
    let fences = [fences, vec![Fence(1)]].concat();
    let paths = proptest::collection::vec(known.path(), 1..4);
    let call = proptest::option::weighted(0.3, shell_call());
    let trees = proptest::collection::vec(known.path(), 0..2);
    let trees = prop_oneof![5 => Just(Vec::new()), 1 => trees];
    let acquire = (known.owner(), paths, trees, terms(), call, known.context()).prop_map(
        |(owner, resources, trees, terms, call, context)| Op::Acquire {
            owner,
            resources,
            trees,
            terms,
            call,
            context,
        },
    );
    let release = (known.owner(), any::<bool>())
        .prop_map(|(owner, hand_over)| Op::Release { owner, hand_over });
    let check_fence = (known.path(), select(fences))
        .prop_map(|(resource, fence)| Op::CheckFence { resource, fence });
    let mut all = vec![
        (12, acquire.boxed()),
        (2, release.boxed()),
        (14, life(&known)),
        (1, session_end(&known).boxed()),
        (2, fate(&known).boxed()),
        (1, known.path().prop_map(|resource| Op::Check { resource }).boxed()),
        (1, check_fence.boxed()),
        (1, Just(Op::Reap).boxed()),
        (1, open.boxed()),
        (2, old_engine(at_ms).boxed()),
        (1, old_delete().boxed()),
    ];
    if !state.leases.is_empty() {
        all.push((1, old_renewal(state).boxed()));
    }
    Union::new_weighted(all).boxed()
}

/// An old engine's renewal of a row that is there.
fn old_renewal(state: &State) -> impl Strategy<Value = Op> + use<> {
    let leases = state.leases.clone();
    (select(leases), any::<bool>()).prop_map(|(lease, names_epoch)| {
        Op::OldUpsert(OldRow {
            epoch: names_epoch.then(|| lease.owner.epoch.clone()),
            resource: lease.resource,
            session: lease.owner.session,
            agent: "old".to_owned(),
            acquired: lease.acquired,
            expires: lease.expires + 5000,
            note: None,
        })
    })
}

fn old_engine(at_ms: Millis) -> impl Strategy<Value = Op> + use<> {
    let epochs = vec![None, Some(""), Some("t1"), Some("t2"), Some(RESERVED_EPOCH)];
    // Without an alias: until the store looks at the row, its session is what the old engine wrote.
    old_row(vec!["s1", "s2"], epochs, at_ms).prop_map(Op::OldUpsert)
}

fn old_delete() -> impl Strategy<Value = Op> {
    session().prop_map(|session| Op::OldDelete { session })
}

fn legacy_row(form: Form) -> impl Strategy<Value = OldRow> {
    let epochs = match form {
        Form::First => vec![None],
        Form::Second => vec![Some(""), Some("t1")],
        Form::Third => vec![Some(""), Some("t1"), Some(RESERVED_EPOCH)],
    };
    old_row(vec!["s1", "s2", "agent/s1"], epochs, START_MS)
}

fn old_row(
    sessions: Vec<&'static str>,
    epochs: Vec<Option<&'static str>>,
    at_ms: Millis,
) -> impl Strategy<Value = OldRow> {
    let sessions = select(sessions);
    let since = select(vec![-5000, 0, 3000]);
    let length = select(vec![0, 1000, 20_000, 90_000_000]);
    let paths = Known::default().path();
    (paths, sessions, select(epochs), since, length).prop_map(
        move |(resource, session, epoch, since, length)| OldRow {
            resource,
            session: session.to_owned(),
            epoch: epoch.map(str::to_owned),
            agent: "old".to_owned(),
            acquired: at_ms + since,
            expires: at_ms + since + length,
            note: None,
        },
    )
}

fn session() -> impl Strategy<Value = String> {
    select(vec!["s1", "s2", "s3"]).prop_map(str::to_owned)
}

/// The events of a turn's life.
fn life(known: &Known) -> BoxedStrategy<Op> {
    let caller = || (known.owner(), known.context());
    let begin = caller().prop_map(|(owner, context)| Op::Begin { owner, context });
    let start = (session(), subagent(), known.context()).prop_map(|(session, id, context)| {
        Op::SubagentStart { owner: Owner::subagent(&session, &id), context }
    });
    let call = proptest::option::of((call_id(), call_state()));
    let resources = proptest::collection::vec(known.path(), 0..3);
    let post = (caller(), resources, call).prop_map(|((owner, context), resources, call)| {
        Op::Post { owner, resources, call, context }
    });
    let end = (caller(), end()).prop_map(|((owner, context), how)| Op::End { owner, how, context });
    prop_oneof![5 => begin, 2 => start, 3 => post, 4 => end].boxed()
}

fn session_end(known: &Known) -> impl Strategy<Value = Op> + use<> {
    (session(), known.context()).prop_map(|(session, context)| Op::EndSession { session, context })
}

fn fate(known: &Known) -> impl Strategy<Value = Op> + use<> {
    let standings = select(vec![Standing::Alive, Standing::Gone, Standing::Unknown]);
    (known.process(), standings).prop_map(|(process, standing)| Op::Fate { process, standing })
}

fn end() -> impl Strategy<Value = End> {
    let subagents = proptest::collection::vec(subagent(), 0..2);
    let shells = proptest::collection::vec(task(), 0..2);
    let running = (subagents, shells).prop_map(|(subagents, shells)| Running { subagents, shells });
    prop_oneof![
        3 => proptest::option::of(running).prop_map(End::Stop),
        1 => Just(End::Interrupt),
    ]
}

fn shell_call() -> impl Strategy<Value = ShellCall> {
    (call_id(), any::<bool>()).prop_map(|(id, background)| ShellCall { id, background })
}

fn call_id() -> impl Strategy<Value = String> {
    select(vec!["c1", "c2"]).prop_map(str::to_owned)
}

fn call_state() -> impl Strategy<Value = CallState> {
    let goes_on = proptest::option::of(task()).prop_map(CallState::GoesOn);
    prop_oneof![Just(CallState::Ended), goes_on]
}

fn task() -> impl Strategy<Value = String> {
    select(vec!["task-1", "task-2"]).prop_map(str::to_owned)
}

fn subagent() -> impl Strategy<Value = String> {
    select(vec!["a", "b"]).prop_map(str::to_owned)
}

/// What is there to be named.
#[derive(Default)]
struct Known {
    owners: Vec<Owner>,
    paths: Vec<Resource>,
    processes: Vec<Process>,
}

impl Known {
    fn of(state: &State) -> Self {
        let owners = state.leases.iter().map(|lease| &lease.owner);
        let owners = owners
            .chain(state.turns.iter().map(|turn| &turn.owner))
            .chain(state.subagents.iter().map(|one| &one.owner))
            .chain(state.notes.iter().map(|note| &note.owner));
        let lost = state.notes.iter().map(|note| &note.resource);
        Self {
            owners: owners.filter_map(named).collect(),
            paths: state.leases.iter().map(|lease| &lease.resource).chain(lost).cloned().collect(),
            processes: state.leases.iter().filter_map(|lease| lease.process).collect(),
        }
    }

    fn owner(&self) -> impl Strategy<Value = Owner> + use<> {
        let usual = ["s1", "s1", "s2", "s3", "Agent/s1"].iter().flat_map(|session| {
            ["", "t1", "t2", "t3", "agent:a", "agent:b"]
                .iter()
                .map(|epoch| Owner::new(session, epoch).expect("a good name"))
        });
        or_known(usual.collect(), &self.owners)
    }

    fn path(&self) -> impl Strategy<Value = Resource> + use<> {
        // `ab`, `a!` and `a0` sort around what lies below `a`.
        let paths = ["/r", "/r/a", "/r/a/x", "/r/ab", "/r/a!", "/r/a0", "/r/h1", "/r/h2"];
        let usual = paths.iter().map(|path| {
            let resource = Resource::new(path);
            if path.starts_with("/r/h") { resource.with_file(FileId(1)) } else { resource }
        });
        or_known(usual.collect(), &self.paths)
    }

    fn process(&self) -> impl Strategy<Value = Process> + use<> {
        or_known((1..=6).map(Process).collect(), &self.processes)
    }

    fn context(&self) -> impl Strategy<Value = Context> + use<> {
        let certain = proptest::bool::weighted(0.4);
        let sighting = (self.process(), certain, proptest::option::of(call_id()))
            .prop_map(|(process, certain, call)| Sighting { process, certain, call });
        let sighting = proptest::option::of(sighting);
        (any::<bool>(), any::<bool>(), sighting).prop_map(|(minted, begins, sighting)| Context {
            minted,
            begins,
            sighting,
        })
    }
}

/// An owner as its client names it: one that names no turns never says a minted one.
fn named(owner: &Owner) -> Option<Owner> {
    let epoch = if owner.epoch.starts_with("minted:") { "" } else { &owner.epoch };
    Owner::new(&owner.session, epoch).ok()
}

/// One of the usual values, or of those that are there, if any: as likely.
fn or_known<T: Clone + std::fmt::Debug + 'static>(
    usual: Vec<T>,
    known: &[T],
) -> impl Strategy<Value = T> + use<T> {
    let known = known.iter().cycle().take(usual.len()).cloned().collect();
    select([usual, known].concat())
}

fn terms() -> impl Strategy<Value = Terms> {
    (select(vec![1000, 5000, 20_000]), any::<bool>()).prop_map(|(ttl, noted)| Terms {
        agent: "test".to_owned(),
        ttl,
        note: noted.then(|| "a note".to_owned()),
    })
}
