//! `leasehold demo`: two recorded agents on one file, as lanes that a person can follow.
//!
//! Every step runs the real binary on a database in a temporary folder, and is checked: an answer
//! that is not the expected one ends the demonstration.

mod agent;
mod stage;

use std::io;

use crate::cli::Exit;
use crate::clock::{Clock as _, SystemClock};
use crate::store::relic::{self, Relic};
use agent::{Agent, Answer};
use stage::Stage;

/// How many agents race for one file at the end.
const RACERS: usize = 8;
/// The session that the old database's rows belong to, and its turn of today.
const CLAUDE: (&str, &str) = ("5b0e3c9a-demo", "prompt-2");
/// The other agent's.
const CODEX: (&str, &str) = ("01a22e52-demo", "turn-9");

/// Shows the demonstration.
pub(crate) fn run() -> io::Result<Exit> {
    let mut stage = Stage::open()?;
    let played = play(&mut stage);
    played.map_err(|error| io::Error::other(format!("step {}: {error}", stage.steps() + 1)))?;
    stage.close()?;
    Ok(Exit::Done)
}

fn play(stage: &mut Stage) -> io::Result<()> {
    let claude = Agent::claude(CLAUDE.0, CLAUDE.1);
    let codex = Agent::codex(CODEX.0, CODEX.1);
    stage.heading("Two agents share one checkout.");
    Stage::lanes(&claude, &codex);
    one_file(stage, &claude, &codex)?;
    stage.heading("A database from before epochs is upgraded.");
    Stage::lanes(&claude, &codex);
    old_database(stage, &claude, &codex)?;
    stage.heading("Eight agents write cart.py at the same moment.");
    race(stage)
}

/// A lease, a refusal, a late Stop, a foreign release, and the hand-over.
fn one_file(stage: &mut Stage, claude: &Agent, codex: &Agent) -> io::Result<()> {
    let got = stage.write(claude, "cart.py")?;
    stage.step(claude, "writes cart.py", "leased", got == Answer::Allowed, &got)?;

    let got = stage.write(codex, "cart.py")?;
    let named = got.refused_by(&claude.as_holder());
    stage.step(codex, "writes cart.py", "BUSY: claude 5b0e3c9a", named, &got)?;

    let got = stage.write(codex, "api.py")?;
    stage.step(codex, "writes api.py", "leased", got == Answer::Allowed, &got)?;

    let before = stage.leases("cart.py")?;
    stage.stop(&Agent::claude(CLAUDE.0, "prompt-1"))?;
    let got = stage.leases("cart.py")?;
    let same = got.len() == 1 && got == before;
    stage.step(claude, "late Stop of prompt-1", "no change", same, &got)?;

    let said = stage.release(CODEX.0, CLAUDE.1)?;
    let got = stage.leases("cart.py")?;
    let same = said == "RELEASED 0" && got == before;
    stage.step(codex, "releases prompt-2", "no change", same, &(&said, &got))?;

    stage.stop(claude)?;
    let got = stage.leases("cart.py")?;
    stage.step(claude, "Stop of prompt-2", "cart.py is free", got.is_empty(), &got)?;

    let got = stage.write(codex, "cart.py")?;
    stage.step(codex, "writes cart.py", "leased", got == Answer::Allowed, &got)?;

    let got = stage.write(claude, "cart.py")?;
    let named = got.refused_by(&codex.as_holder());
    stage.step(claude, "writes cart.py", "BUSY: codex 01a22e52", named, &got)
}

/// Rows from before epochs are handed over once; a fresh lease without an epoch never is.
fn old_database(stage: &mut Stage, claude: &Agent, codex: &Agent) -> io::Result<()> {
    stage.use_database("old.db");
    let (one, two) = (stage.spelling("one.py")?, stage.spelling("two.py")?);
    let now_ms = SystemClock.now_ms();
    let row = |resource| Relic {
        resource,
        session: CLAUDE.0,
        acquired_ms: now_ms - 60_000,
        expires_ms: now_ms + 600_000,
    };
    relic::make(&stage.database(), &[row(&one), row(&two)]).map_err(io::Error::other)?;

    let got = stage.write(codex, "one.py")?;
    let named = got.refused_by("old-engine (session 5b0e3c9a)");
    stage.step(codex, "writes one.py", "BUSY: the old row", named, &got)?;

    let old = stage.leases("one.py")?;
    let answer = stage.write(claude, "one.py")?;
    let got = stage.leases("one.py")?;
    let adopted = answer == Answer::Allowed
        && matches!((&old[..], &got[..]), ([old], [new]) if old["migrated"] == true
            && new["migrated"] == false
            && new["epoch"] == CLAUDE.1
            && new["acquired"] == old["acquired"]
            && new["fence"].is_i64());
    stage.step(claude, "writes one.py", "adopts the row", adopted, &(&answer, &got))?;

    let said = stage.acquire(CLAUDE.0, "", "new.py")?;
    let leased = said.starts_with("ACQUIRED 1 ");
    stage.step(claude, "leases new.py, no epoch", "leased", leased, &said)?;

    let fresh = stage.leases("new.py")?;
    let got = stage.write(claude, "new.py")?;
    let named = got.refused_by("a caller without a turn of this same session (cli)");
    stage.step(claude, "writes new.py", "BUSY: not this turn's", named, &got)?;

    let said = stage.release(CLAUDE.0, CLAUDE.1)?;
    let left = [stage.leases("one.py")?, stage.leases("two.py")?].concat();
    let freed = said == "RELEASED 2" && left.is_empty();
    stage.step(claude, "releases prompt-2", "both old rows go", freed, &(&said, &left))?;

    let got = stage.leases("new.py")?;
    let same = got.len() == 1 && got == fresh;
    stage.step(claude, "still holds new.py", "untouched", same, &got)
}

/// Real processes that start together.
fn race(stage: &mut Stage) -> io::Result<()> {
    stage.use_database("race.db");
    let racer = |number| Agent::claude(&format!("racer-{number:02}-demo"), "prompt-1");
    let racers: Vec<Agent> = (1..=RACERS).map(racer).collect();
    let answers = stage.write_together(&racers, "cart.py")?;
    let held = stage.leases("cart.py")?;
    let winner = racers.iter().find(|racer| held.len() == 1 && held[0]["session"] == racer.session);
    let winner = winner.ok_or_else(|| io::Error::other(format!("cart.py is held by {held:?}")))?;
    let busy = format!("BUSY: {}", winner.label());
    for (racer, answer) in racers.iter().zip(&answers) {
        let what = format!("{} writes", racer.label());
        if racer.session == winner.session {
            stage.step(racer, &what, "leased", *answer == Answer::Allowed, answer)?;
        } else {
            let named = answer.refused_by(&winner.as_holder());
            stage.step(racer, &what, &busy, named, answer)?;
        }
    }
    Ok(())
}
