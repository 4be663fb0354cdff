//! Some racers are killed at random moments: at most one holds the file, the others are told the
//! truth, and the database goes on.

use std::error::Error;

use super::barrier::{self, Answer};
use super::one_file::{holders, payload, session};
use super::{Race, Report, Ring, Troubles};

pub(super) fn run(race: &Race) -> Result<Report, Box<dyn Error>> {
    let ring = Ring::new()?;
    let bar = race.progress();
    let mut random = race.random();
    let (mut at_most_one, mut killed, mut busy) = (0, 0, 0);
    let (mut wrong, mut errors) = (Troubles::default(), Troubles::default());
    for round in 0..race.rounds {
        let payloads: Vec<String> =
            (0..race.racers).map(|racer| payload(&ring, round, racer)).collect();
        let answers = barrier::run(&race.binary, ring.path(), &payloads, Some(&mut random))?;
        let holders = holders(&ring, round)?;
        let mut winners = Vec::new();
        let mut survivors = 0;
        for (racer, answer) in answers.into_iter().enumerate() {
            survivors += usize::from(answer != Answer::Killed);
            match answer {
                Answer::Granted => winners.push(session(round, racer)),
                Answer::Refused(words) => {
                    busy += 1;
                    if !holders.iter().any(|holder| words.contains(holder)) {
                        wrong.add(format!("round {round}: {holders:?} holds, but: {words}"));
                    }
                }
                Answer::Killed => killed += 1,
                Answer::Failed(how) => errors.add(format!("round {round}: {how}")),
            }
        }
        // Who was killed may hold the file or not; who was told that it does, does. And somebody
        // holds it if anybody lived to ask.
        let told = winners.is_empty() || winners == holders;
        if told && holders.len() <= 1 && (survivors == 0 || holders.len() == 1) {
            at_most_one += 1;
        } else {
            wrong.words.push(format!("round {round}: {winners:?} won, {holders:?} holds"));
        }
        bar.inc(1);
    }
    bar.finish_and_clear();
    ring.close()?;
    let rounds = race.rounds;
    Ok(Report {
        line: format!(
            "rounds={rounds} at_most_one={at_most_one} killed={killed} busy={busy} \
             wrong_holder={} errors={}",
            wrong.count, errors.count
        ),
        right: at_most_one == rounds && wrong.count == 0 && errors.count == 0,
        troubles: [wrong.words, errors.words].concat(),
    })
}
