//! Many first openers of one legacy database: all succeed, and no row is lost (R7).

use std::error::Error;

use leasehold::clock::{Clock as _, SystemClock};
use leasehold::store::relic::{self, Relic};

use super::barrier::{self, Answer};
use super::{Race, Report, Ring, Troubles};

/// How many rows the old engine left.
const ROWS: usize = 40;

pub(super) fn run(race: &Race) -> Result<Report, Box<dyn Error>> {
    let bar = race.progress();
    let mut failed = Troubles::default();
    let mut lost = Troubles::default();
    for wave in 0..race.rounds {
        let ring = Ring::new()?;
        let now_ms = SystemClock.now_ms();
        let names: Vec<String> = (0..ROWS)
            .map(|row| ring.path().join(format!("old-{row}")).display().to_string())
            .collect();
        let rows: Vec<Relic<'_>> = names
            .iter()
            .map(|resource| Relic {
                resource,
                session: "old",
                acquired_ms: now_ms - 1000,
                expires_ms: now_ms + 3_600_000,
            })
            .collect();
        relic::make(&ring.database(), &rows)?;
        let payloads: Vec<String> = (0..race.racers).map(|racer| payload(&ring, racer)).collect();
        for answer in barrier::run(&race.binary, ring.path(), &payloads, None)? {
            if answer != Answer::Granted {
                failed.add(format!("wave {wave}: {answer:?}"));
            }
        }
        let (leases, _) = ring.store()?.leases()?;
        for name in &names {
            let kept = leases.iter().any(|lease| {
                lease.resource == *name && lease.migrated && lease.acquired_ms == now_ms - 1000
            });
            if !kept {
                lost.add(format!("wave {wave}: {name} is not as it was"));
            }
        }
        let granted = leases.iter().filter(|lease| lease.fence.is_some()).count();
        if granted != race.racers {
            lost.add(format!("wave {wave}: {granted} leases of {} racers", race.racers));
        }
        ring.close()?;
        bar.inc(1);
    }
    bar.finish_and_clear();
    Ok(Report {
        line: format!(
            "waves={} openers={} failed={} rows_lost={}",
            race.rounds,
            race.rounds * race.racers,
            failed.count,
            lost.count
        ),
        right: failed.count == 0 && lost.count == 0,
        troubles: [failed.words, lost.words].concat(),
    })
}

/// A write of the racer's own file.
fn payload(ring: &Ring, racer: usize) -> String {
    let root = ring.path().display();
    format!(
        r#"{{"session_id":"opener-{racer}","cwd":"{root}","prompt_id":"p",
            "hook_event_name":"PreToolUse","tool_name":"Write",
            "tool_input":{{"file_path":"{root}/new-{racer}","content":"x"}}}}"#
    )
}
