//! All racers want one file: one gets it, the others are told who.

use std::error::Error;

use super::barrier::{self, Answer};
use super::{Race, Report, Ring, Troubles};

pub(super) fn run(race: &Race) -> Result<Report, Box<dyn Error>> {
    let ring = Ring::new()?;
    let bar = race.progress();
    let (mut one_winner, mut busy) = (0, 0);
    let (mut wrong, mut errors) = (Troubles::default(), Troubles::default());
    for round in 0..race.rounds {
        let payloads: Vec<String> =
            (0..race.racers).map(|racer| payload(&ring, round, racer)).collect();
        let answers = barrier::run(&race.binary, ring.path(), &payloads, None)?;
        let holders = holders(&ring, round)?;
        let mut winners = Vec::new();
        for (racer, answer) in answers.into_iter().enumerate() {
            match answer {
                Answer::Granted => winners.push(session(round, racer)),
                Answer::Refused(words) => {
                    busy += 1;
                    if !(holders.len() == 1 && words.contains(&holders[0])) {
                        wrong.add(format!("round {round}: {holders:?} holds, but: {words}"));
                    }
                }
                other => errors.add(format!("round {round}: {other:?}")),
            }
        }
        if winners.len() == 1 && winners == holders {
            one_winner += 1;
        } else {
            wrong.words.push(format!("round {round}: {winners:?} won, {holders:?} holds"));
        }
        bar.inc(1);
    }
    bar.finish_and_clear();
    ring.close()?;
    let rounds = race.rounds;
    let right = one_winner == rounds && wrong.count == 0 && errors.count == 0;
    Ok(Report {
        line: format!(
            "rounds={rounds} one_winner={one_winner} busy={busy} wrong_holder={} errors={}",
            wrong.count, errors.count
        ),
        right,
        troubles: [wrong.words, errors.words].concat(),
    })
}

/// A racer's session, all of which a refusal shows.
pub(super) fn session(round: usize, racer: usize) -> String {
    format!("{racer:02}-{round:05}")
}

/// A write of the round's file.
pub(super) fn payload(ring: &Ring, round: usize, racer: usize) -> String {
    let root = ring.path().display();
    let session = session(round, racer);
    format!(
        r#"{{"session_id":"{session}","cwd":"{root}","prompt_id":"p","hook_event_name":"PreToolUse",
            "tool_name":"Write","tool_input":{{"file_path":"{root}/file-{round}","content":"x"}}}}"#
    )
}

/// The sessions that hold the round's file.
pub(super) fn holders(ring: &Ring, round: usize) -> Result<Vec<String>, Box<dyn Error>> {
    let file = leasehold::resource::resolve(&ring.path().join(format!("file-{round}")), None)?;
    let leases = ring.store()?.check(&file)?;
    Ok(leases.iter().map(|lease| lease.owner.session().to_owned()).collect())
}
