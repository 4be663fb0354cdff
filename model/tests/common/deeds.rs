//! What happens in a random walk: a few sessions on a few overlapping paths.
//!
//! There are three sessions under five spellings, two turns and two sub-agents, two shell calls,
//! two processes, six paths. A walk is a crowd or one session at work. In a crowd all of that
//! meets, and leases are short. One session at work has longer ones and one client, whose habits do
//! not change.

use leasehold_model::{
    CallState, Context, End, Form, Millis, OldRow, Op, Owner, Process, RESERVED_EPOCH, Resource,
    Running, ShellCall, Sighting, Standing, State,
};
use proptest::collection::vec;
use proptest::option;
use proptest::prelude::*;
use proptest::sample::{select, subsequence};

use super::{Deed, Move, Walk};
use crate::common::{old_row, resource, terms, with_epoch};

const SESSIONS: [&str; 5] = ["s1", "agent/s1", "s2", "Agent/AGENT/s2", "s3"];
const EPOCHS: [&str; 5] = ["", "t1", "t2", "agent:a", "agent:b"];
const SUBAGENTS: [&str; 2] = ["a", "b"];
const CALLS: [&str; 2] = ["c1", "c2"];
const TASK: &str = "task";
/// The last two are two names of one file.
const PATHS: [&str; 6] = ["/r", "/r/a", "/r/a/x", "/r/ab", "/r/b#7", "/q#7"];

/// What kind of walk it is.
#[derive(Clone, Debug)]
struct Style {
    sessions: Vec<&'static str>,
    epochs: Vec<&'static str>,
    paths: Vec<&'static str>,
    ttls: std::ops::Range<Millis>,
    /// How often the clock jumps and steps back, of a hundred moves.
    jumps: u32,
    /// How often an old engine writes, of a hundred moves.
    old_engines: u32,
    /// Whether the client names no turns, and whether it marks its sub-agents.
    clients: Vec<(bool, bool)>,
}

fn crowd() -> Style {
    Style {
        sessions: SESSIONS.to_vec(),
        epochs: EPOCHS.to_vec(),
        paths: PATHS.to_vec(),
        ttls: 1..20,
        jumps: 10,
        old_engines: 5,
        clients: vec![(false, false), (false, true), (true, false)],
    }
}

fn at_work(client: (bool, bool), epochs: &[&'static str]) -> Style {
    Style {
        sessions: vec!["s1", "s1", "s1", "s1", "s1", "s1", "agent/s1", "s2"],
        epochs: epochs.to_vec(),
        paths: vec!["/r", "/r/a", "/r/a/x", "/r/ab", "/r/b#7", "/q#7", "/p"],
        ttls: 20..100,
        jumps: 3,
        old_engines: 1,
        clients: vec![client],
    }
}

pub(super) fn walks() -> impl Strategy<Value = Walk> {
    let named = ["t1", "t1", "t1", "t2", "t2", "agent:a", "agent:b"];
    let unnamed = ["", "", "", "agent:a", "agent:b"];
    let style = prop_oneof![
        3 => Just(crowd()),
        1 => Just(at_work((false, false), &named)),
        3 => Just(at_work((false, true), &named)),
        3 => Just(at_work((true, false), &unnamed)),
    ];
    let open = Just(Move { clock: 0, deed: Deed::Ours(Op::Open { boot: "boot 1".to_owned() }) });
    let chunks = style.prop_flat_map(|style| {
        let single = moves(&style).prop_map(|one| vec![one]);
        vec(prop_oneof![60 => single.boxed(), 1 => scenes(&style).boxed()], 1..80)
    });
    (chunks, starts(), open).prop_map(|(chunks, start, open)| {
        let moves = [vec![open]].into_iter().chain(chunks).flatten().collect();
        Walk { start, moves }
    })
}

/// Short stories, of which one alone is seldom told by chance: a sub-agent that an interrupt may
/// have killed, a call that outlives its turn, a sub-agent that is listed no more.
fn scenes(style: &Style) -> impl Strategy<Value = Vec<Move>> + use<> {
    let names = (select(style.sessions.clone()), select(&PATHS), select(vec!["t1", "t2"]));
    (names, contexts(style), 0..4_usize, 0..3_i64).prop_map(
        |((session, path, turn), context, which, clock)| {
            let next = if turn == "t1" { "t2" } else { "t1" };
            let owner = |epoch: &str| Owner::new(session, epoch).expect("a good name");
            let begin = |epoch: &str| Op::Begin { owner: owner(epoch), context: context.clone() };
            let acquire = |epoch: &str, call: Option<ShellCall>| Op::Acquire {
                trees: Vec::new(),
                owner: owner(epoch),
                resources: vec![resource(path)],
                terms: terms(20),
                call,
                context: context.clone(),
            };
            let stop = |epoch: &str, subagents: Vec<String>| Op::End {
                owner: owner(epoch),
                how: End::Stop(Some(Running { subagents, shells: Vec::new() })),
                context: context.clone(),
            };
            let shell = ShellCall { id: CALLS[0].to_owned(), background: true };
            let post = Op::Post {
                owner: owner(turn),
                resources: vec![resource(path)],
                call: Some((shell.id.clone(), CallState::Ended)),
                context: context.clone(),
            };
            let kept = [begin(turn), acquire(turn, Some(shell)), begin(next)];
            let story = match which {
                0 => vec![begin(turn), acquire("agent:a", None), begin(next), acquire(next, None)],
                1 => kept.into_iter().chain([post]).collect(),
                2 => kept.into_iter().chain([stop(next, Vec::new())]).collect(),
                _ => vec![
                    begin(turn),
                    acquire("agent:a", None),
                    stop(turn, vec!["a".to_owned()]),
                    stop(turn, Vec::new()),
                ],
            };
            let moves = story.into_iter().map(|op| Move { clock, deed: Deed::Ours(op) });
            moves.collect()
        },
    )
}

fn starts() -> impl Strategy<Value = State> {
    let form = select(vec![Form::First, Form::Second, Form::Third]);
    let legacy = (form, vec(old_rows(), 1..6)).prop_map(|(form, rows)| {
        let rows: Vec<OldRow> = rows
            .into_iter()
            .map(|(row, ttl)| fitting(form, OldRow { expires: 3 * ttl, ..row }))
            .collect();
        State::legacy(form, &rows)
    });
    prop_oneof![1 => Just(State::empty()), 3 => legacy]
}

/// The row as a database of that form can hold it.
fn fitting(form: Form, row: OldRow) -> OldRow {
    match form {
        Form::First => OldRow { epoch: None, ..row },
        Form::Third if row.epoch.is_none() => with_epoch(row, RESERVED_EPOCH),
        Form::Second | Form::Third => row,
    }
}

fn moves(style: &Style) -> impl Strategy<Value = Move> + use<> {
    let jumps = style.jumps;
    let clock = prop_oneof![
        30 => Just(0),
        50 => 1..6_i64,
        jumps => 20..60_i64,
        jumps => -30..0_i64,
    ];
    (clock, deeds(style)).prop_map(|(clock, deed)| Move { clock, deed })
}

fn deeds(style: &Style) -> impl Strategy<Value = Deed> + use<> {
    let old = style.old_engines;
    let renew =
        (resources(style), 1..20_i64).prop_map(|(resource, ttl)| Deed::OldRenew(resource, ttl));
    prop_oneof![
        90 => ours(style).prop_map(Deed::Ours).boxed(),
        old => old_rows().prop_map(|(row, ttl)| Deed::OldWrite(row, ttl)).boxed(),
        old => renew,
    ]
}

fn ours(style: &Style) -> impl Strategy<Value = Op> + use<> {
    let release = (owners(style), any::<bool>())
        .prop_map(|(owner, hand_over)| Op::Release { owner, hand_over });
    let delete = owners(style).prop_map(|owner| Op::OldDelete { session: owner.session });
    let boot = select(vec!["boot 1", "boot 2"]);
    let standing = select(vec![Standing::Alive, Standing::Gone, Standing::Gone, Standing::Unknown]);
    let fate =
        (processes(), standing).prop_map(|(process, standing)| Op::Fate { process, standing });
    prop_oneof![
        16 => acquires(style).boxed(),
        4 => release.boxed(),
        14 => events(style).boxed(),
        3 => fate.boxed(),
        1 => delete.boxed(),
        1 => resources(style).prop_map(|resource| Op::Check { resource }),
        1 => Just(Op::Reap),
        1 => boot.prop_map(|boot| Op::Open { boot: boot.to_owned() }),
    ]
}

fn acquires(style: &Style) -> impl Strategy<Value = Op> + use<> {
    let call = (select(&CALLS), any::<bool>())
        .prop_map(|(id, background)| ShellCall { id: id.to_owned(), background });
    (
        owners(style),
        vec(resources(style), 1..3),
        style.ttls.clone(),
        option::weighted(0.5, call),
        contexts(style),
    )
        .prop_map(|(owner, resources, ttl, call, context)| {
            let terms = terms(ttl);
            Op::Acquire { owner, resources, trees: Vec::new(), terms, call, context }
        })
}

/// What a client's hook tells of turns, sub-agents and calls.
fn events(style: &Style) -> impl Strategy<Value = Op> + use<> {
    let begin =
        (owners(style), contexts(style)).prop_map(|(owner, context)| Op::Begin { owner, context });
    let start = (select(style.sessions.clone()), select(&SUBAGENTS), contexts(style)).prop_map(
        |(session, id, context)| {
            let owner = Owner::new(session, &format!("agent:{id}")).expect("a good name");
            Op::SubagentStart { owner, context }
        },
    );
    let task = option::of(Just(TASK.to_owned()));
    let state = prop_oneof![Just(CallState::Ended), task.prop_map(CallState::GoesOn)];
    let call = option::of((select(&CALLS).prop_map(str::to_owned), state));
    let post = (owners(style), vec(resources(style), 0..3), call, contexts(style))
        .prop_map(|(owner, resources, call, context)| Op::Post { owner, resources, call, context });
    let end = (owners(style), ends(), contexts(style)).prop_map(|(owner, how, context)| Op::End {
        owner,
        how,
        context,
    });
    let end_session = (owners(style), contexts(style))
        .prop_map(|(owner, context)| Op::EndSession { session: owner.session, context });
    prop_oneof![
        5 => begin.boxed(),
        9 => start.boxed(),
        5 => post.boxed(),
        7 => end.boxed(),
        2 => end_session.boxed(),
    ]
}

fn ends() -> impl Strategy<Value = End> {
    let texts = |names: Vec<&str>| names.into_iter().map(str::to_owned).collect();
    let running = (subsequence(&SUBAGENTS, 0..=2), subsequence(&[TASK], 0..=1)).prop_map(
        move |(subagents, shells)| Running { subagents: texts(subagents), shells: texts(shells) },
    );
    prop_oneof![
        4 => running.prop_map(|running| End::Stop(Some(running))),
        1 => Just(End::Stop(None)),
        1 => Just(End::Interrupt),
    ]
}

fn contexts(style: &Style) -> impl Strategy<Value = Context> + use<> {
    let call = option::of(select(&CALLS).prop_map(str::to_owned));
    let sighting = (processes(), prop::bool::weighted(0.7), call)
        .prop_map(|(process, certain, call)| Sighting { process, certain, call });
    let kind = select(style.clients.clone());
    (kind, option::weighted(0.55, sighting)).prop_map(|((minted, begins), sighting)| Context {
        minted,
        begins,
        sighting,
    })
}

fn processes() -> impl Strategy<Value = Process> {
    select(vec![Process(1), Process(2)])
}

fn owners(style: &Style) -> impl Strategy<Value = Owner> + use<> {
    (select(style.sessions.clone()), select(style.epochs.clone()))
        .prop_map(|(session, epoch)| Owner::new(session, epoch).expect("a good name"))
}

fn resources(style: &Style) -> impl Strategy<Value = Resource> + use<> {
    select(style.paths.clone()).prop_map(resource)
}

/// A row of an old engine that begins at 0, and how long it lasts.
fn old_rows() -> impl Strategy<Value = (OldRow, Millis)> {
    let epoch = prop_oneof![2 => Just(None), 1 => select(&EPOCHS).prop_map(Some)];
    (select(vec!["s1", "s2"]), select(&PATHS), epoch, 1..20_i64).prop_map(
        |(session, path, epoch, ttl)| {
            let row = old_row(session, path, 0, 0);
            (epoch.iter().fold(row, |row, epoch| with_epoch(row, epoch)), ttl)
        },
    )
}
