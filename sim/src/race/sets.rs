//! Racers that want overlapping sets of paths, checked after the fact against the model: whoever
//! was granted would have been in the order of the fences, and whoever was refused would be still.

use std::collections::BTreeSet;
use std::error::Error;

use leasehold_model::{Context, Op, Outcome, Owner, Resource, State, Terms, step};
use rand_chacha::ChaCha8Rng;
use rand_chacha::rand_core::Rng as _;

use super::barrier::{self, Answer};
use super::{Race, Report, Ring, Troubles};

/// Names that are equal, inside each other, or only look alike.
const NAMES: [&str; 7] = ["a", "a/x", "a/y", "ab", "a!", "b", "b/x/z"];
/// The model's clock stands still.
const NOW_MS: i64 = 1_800_000_000_000;

/// What one racer wants.
struct Wish {
    session: String,
    names: BTreeSet<&'static str>,
}

pub(super) fn run(race: &Race) -> Result<Report, Box<dyn Error>> {
    let ring = Ring::new()?;
    let bar = race.progress();
    let mut random = race.random();
    let (mut granted, mut busy) = (0, 0);
    let (mut violations, mut errors) = (Troubles::default(), Troubles::default());
    for round in 0..race.rounds {
        let wishes: Vec<Wish> =
            (0..race.racers).map(|racer| Wish::draw(&mut random, round, racer)).collect();
        let payloads: Vec<String> = wishes.iter().map(|wish| wish.payload(&ring, round)).collect();
        let answers = barrier::run(&race.binary, ring.path(), &payloads, None)?;
        let (mut winners, mut losers) = (Vec::new(), Vec::new());
        for (wish, answer) in wishes.iter().zip(answers) {
            match answer {
                Answer::Granted => winners.push(wish),
                Answer::Refused(_) => losers.push(wish),
                other => errors.add(format!("round {round}: {other:?}")),
            }
        }
        granted += winners.len();
        busy += losers.len();
        if let Err(why) = agree_with_model(&ring, round, &mut winners, &losers) {
            violations.add(format!("round {round}: {why}"));
        }
        bar.inc(1);
    }
    bar.finish_and_clear();
    ring.close()?;
    Ok(Report {
        line: format!(
            "rounds={} granted={granted} busy={busy} violations={} errors={}",
            race.rounds, violations.count, errors.count
        ),
        right: violations.count == 0 && errors.count == 0 && granted > 0 && busy > 0,
        troubles: [violations.words, errors.words].concat(),
    })
}

impl Wish {
    fn draw(random: &mut ChaCha8Rng, round: usize, racer: usize) -> Self {
        let count = 1 + random.next_u32() % 3;
        let mut draw = || NAMES[random.next_u32() as usize % NAMES.len()];
        Self {
            session: format!("{racer:02}-{round:05}"),
            names: (0..count).map(|_| draw()).collect(),
        }
    }

    fn payload(&self, ring: &Ring, round: usize) -> String {
        let root = ring.path().display();
        let file = |name| format!("*** Add File: {round}/{name}\\n+x\\n");
        let files = self.names.iter().map(file).collect::<Vec<_>>().concat();
        format!(
            r#"{{"session_id":"{}","cwd":"{root}","turn_id":"t","model":"m",
                "hook_event_name":"PreToolUse","tool_name":"apply_patch",
                "tool_input":{{"command":"*** Begin Patch\n{files}*** End Patch\n"}}}}"#,
            self.session
        )
    }

    fn op(&self) -> Result<Op, String> {
        let owner = Owner::new(&self.session, "t").map_err(|error| format!("{error:?}"))?;
        let resources = self.names.iter().map(|name| Resource::new(name)).collect();
        let terms = Terms { agent: "codex".to_owned(), ttl: 1000, note: None };
        let context = Context::default();
        Ok(Op::Acquire { owner, resources, trees: Vec::new(), terms, call: None, context })
    }
}

/// Replays the round in the model, the winners in the order of their fences.
fn agree_with_model(
    ring: &Ring,
    round: usize,
    winners: &mut [&Wish],
    losers: &[&Wish],
) -> Result<(), String> {
    let mut store = ring.store().map_err(|error| error.to_string())?;
    let (leases, _) = store.leases().map_err(|error| error.to_string())?;
    let of_round = |session: &str| {
        leases.iter().filter(|lease| lease.owner.session() == session).collect::<Vec<_>>()
    };
    for wish in winners.iter() {
        let root = ring.path().join(round.to_string());
        let wanted: BTreeSet<_> = wish.names.iter().map(|name| root.join(name)).collect();
        let held: BTreeSet<_> =
            of_round(&wish.session).iter().map(|lease| lease.path.clone()).collect();
        if wanted != held {
            return Err(format!("{} was granted {wanted:?} and holds {held:?}", wish.session));
        }
    }
    for wish in losers {
        if let [lease, ..] = of_round(&wish.session)[..] {
            return Err(format!("{} was refused and holds {}", wish.session, lease.resource));
        }
    }
    winners.sort_by_key(|wish| of_round(&wish.session).iter().map(|lease| lease.fence).min());
    let open = Op::Open { boot: "boot".to_owned() };
    let mut state = step(&State::empty(), &open, NOW_MS).0;
    for wish in winners {
        let (next, outcome) = step(&state, &wish.op()?, NOW_MS);
        if !matches!(outcome, Outcome::Acquired(_)) {
            return Err(format!("{} was granted, but the model says {outcome:?}", wish.session));
        }
        state = next;
    }
    for wish in losers {
        let (_, outcome) = step(&state, &wish.op()?, NOW_MS);
        if !matches!(outcome, Outcome::Busy(_)) {
            return Err(format!("{} was refused, but the model says {outcome:?}", wish.session));
        }
    }
    Ok(())
}
