//! `leasehold demo`: two recorded agents on one file, as lanes that a person can follow.
//!
//! Every step runs the real binary on a database in a temporary folder, and is checked: an answer
//! that is not the expected one ends the demonstration.

mod stage;

use std::io;

use crate::cli::Exit;
use crate::clock::{Clock as _, SystemClock};
use crate::store::relic::{self, Relic};
use stage::{Agent, Answer, Stage};

/// How many agents race for one file at the end.
const RACERS: usize = 8;

/// Shows the demonstration.
pub(crate) fn run() -> io::Result<Exit> {
    let mut stage = Stage::open()?;
    let claude = Agent::claude("5b0e3c9a-demo", "prompt-2");
    let codex = Agent::codex("01a22e52-demo", "turn-9");
    Stage::heading("Two agents share one checkout.");
    one_file(&mut stage, &claude, &codex)?;
    Stage::heading("A database from before epochs is upgraded.");
    old_database(&mut stage)?;
    Stage::heading("Eight agents want one file at the same moment.");
    race(&mut stage)?;
    stage.close()?;
    Ok(Exit::Done)
}

/// A lease, a refusal, a late Stop, a foreign release, and the hand-over.
fn one_file(stage: &mut Stage, claude: &Agent, codex: &Agent) -> io::Result<()> {
    let answer = stage.write(claude, "cart.py")?;
    stage.step(claude, "writes cart.py", "leased", answer == Answer::Allowed)?;

    let answer = stage.write(codex, "cart.py")?;
    let refused = answer.refused_by("claude (session 5b0e3c9a)");
    stage.step(codex, "writes cart.py", "BUSY: held by claude 5b0e3c9a", refused)?;

    let answer = stage.write(codex, "api.py")?;
    stage.step(codex, "writes api.py instead", "leased", answer == Answer::Allowed)?;

    let old_turn = Agent::claude("5b0e3c9a-demo", "prompt-1");
    stage.stop(&old_turn)?;
    let held = stage.holders("cart.py")? == ["5b0e3c9a-demo"];
    stage.step(claude, "late Stop of an older turn", "changes nothing", held)?;

    let said = stage.release("somebody-else", "prompt-2")?;
    let untouched = said == "RELEASED 0" && stage.holders("cart.py")? == ["5b0e3c9a-demo"];
    stage.step(codex, "a stranger releases", "changes nothing", untouched)?;

    stage.stop(claude)?;
    let free = stage.holders("cart.py")?.is_empty();
    stage.step(claude, "Stop of this turn", "cart.py is free", free)?;

    let answer = stage.write(codex, "cart.py")?;
    stage.step(codex, "writes cart.py", "leased", answer == Answer::Allowed)?;

    let answer = stage.write(claude, "cart.py")?;
    let refused = answer.refused_by("codex (session 01a22e52)");
    stage.step(claude, "writes cart.py again", "BUSY: held by codex 01a22e52", refused)
}

/// Rows from before epochs are handed over once; a fresh lease without an epoch never is.
fn old_database(stage: &mut Stage) -> io::Result<()> {
    stage.use_database("old.db");
    let (one, other) = (stage.spelling("one.py")?, stage.spelling("other.py")?);
    let now_ms = SystemClock.now_ms();
    let row = |resource| Relic {
        resource,
        session: "5b0e3c9a-demo",
        acquired_ms: now_ms - 60_000,
        expires_ms: now_ms + 600_000,
    };
    relic::make(&stage.database(), &[row(&one), row(&other)]).map_err(io::Error::other)?;
    let claude = Agent::claude("5b0e3c9a-demo", "prompt-2");
    let codex = Agent::codex("01a22e52-demo", "turn-9");

    let answer = stage.write(&codex, "one.py")?;
    let refused = answer.refused_by("old-engine");
    stage.step(&codex, "writes one.py", "BUSY: no row was lost", refused)?;

    let answer = stage.write(&claude, "one.py")?;
    stage.step(&claude, "writes its old one.py", "adopted", answer == Answer::Allowed)?;

    let fresh = stage.acquire("5b0e3c9a-demo", "", "fresh.py")?;
    stage.step(&claude, "leases fresh.py, no epoch", "leased", fresh.starts_with("ACQUIRED 1"))?;

    let said = stage.release("5b0e3c9a-demo", "prompt-2")?;
    let both = said == "RELEASED 2" && stage.holders("other.py")?.is_empty();
    stage.step(&claude, "releases its turn", "one.py and old other.py go", both)?;

    let kept = stage.holders("fresh.py")? == ["5b0e3c9a-demo"];
    stage.step(&claude, "and its fresh lease", "is untouched", kept)
}

/// Real processes that start together.
fn race(stage: &mut Stage) -> io::Result<()> {
    stage.use_database("race.db");
    let agents: Vec<Agent> = (0..RACERS)
        .map(|racer| Agent::claude(&format!("racer-{racer}-demo"), "prompt-1"))
        .collect();
    let answers = stage.write_together(&agents, "cart.py")?;
    let holders = stage.holders("cart.py")?;
    let holder = holders.first().map_or("nobody", String::as_str);
    let mut won = 0;
    for (agent, answer) in agents.iter().zip(&answers) {
        let expected = if *answer == Answer::Allowed {
            won += 1;
            holders == [agent.session()]
        } else {
            answer.refused_by(&format!("session {}", &holder[..holder.len().min(8)]))
        };
        let what = if *answer == Answer::Allowed { "wins" } else { "BUSY, is told who" };
        stage.step(agent, "writes cart.py", what, expected)?;
    }
    stage.step(&agents[0], "winners among eight", "exactly one", won == 1)
}
