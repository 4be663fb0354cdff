//! Which operations are tried: all of the model's, on few names and paths, so that they meet.

use leasehold_model::{
    Fence, FileId, Form, Millis, OldRow, Op, Owner, RESERVED_EPOCH, Resource, State, Terms, step,
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
    let fences: Vec<Fence> = state.leases.iter().filter_map(|lease| lease.fence).collect();
    let fences = [fences, vec![Fence(1)]].concat();
    let acquire = (owner(), proptest::collection::vec(path(), 1..4), terms())
        .prop_map(|(owner, resources, terms)| Op::Acquire { owner, resources, terms });
    let release =
        (owner(), any::<bool>()).prop_map(|(owner, hand_over)| Op::Release { owner, hand_over });
    let check_fence =
        (path(), select(fences)).prop_map(|(resource, fence)| Op::CheckFence { resource, fence });
    let mut all = vec![
        (10, acquire.boxed()),
        (4, release.boxed()),
        (1, owner().prop_map(|owner| Op::HandOver { owner }).boxed()),
        (1, session().prop_map(|session| Op::EndSession { session }).boxed()),
        (2, path().prop_map(|resource| Op::Check { resource }).boxed()),
        (2, check_fence.boxed()),
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
    (path(), sessions, select(epochs), since, length).prop_map(
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

fn owner() -> impl Strategy<Value = Owner> {
    let sessions = select(vec!["s1", "s2", "s3", "Agent/s1"]);
    let epochs = select(vec!["", "t1", "t2", "agent:a"]);
    (sessions, epochs).prop_map(|(session, epoch)| Owner::new(session, epoch).expect("a good name"))
}

fn path() -> impl Strategy<Value = Resource> {
    // `ab`, `a!` and `a0` sort around what lies below `a`.
    let paths = ["/r", "/r/a", "/r/a/x", "/r/ab", "/r/a!", "/r/a0", "/r/h1", "/r/h2"];
    select(paths.to_vec()).prop_map(|path| {
        let resource = Resource::new(path);
        if path.starts_with("/r/h") { resource.with_file(FileId(1)) } else { resource }
    })
}

fn terms() -> impl Strategy<Value = Terms> {
    (select(vec![1000, 5000, 20_000]), any::<bool>()).prop_map(|(ttl, noted)| Terms {
        agent: "test".to_owned(),
        ttl,
        note: noted.then(|| "a note".to_owned()),
    })
}
