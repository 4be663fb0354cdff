//! How many drawn schedules it takes until something is found: asked of a tree with a mutant.

use std::collections::BTreeMap;

use indicatif::ProgressBar;

use crate::draw::Drawn;
use crate::run::run;

/// The seeds of two tries lie so far apart.
const APART: u64 = 10_000_000;

/// Tries so often, each time with so many schedules at most, and prints a line. True when more than
/// half of the tries found something. The first try that finds nothing is the last one, if it is
/// the first of all.
pub fn hunt(tries: u64, schedules: u64) -> bool {
    let bar = ProgressBar::new_spinner();
    let mut counts = Vec::new();
    let mut oracles = BTreeMap::<&str, u64>::new();
    let mut made = 0;
    for number in 0..tries {
        bar.set_message(format!("try {} of {tries}", number + 1));
        made += 1;
        let found = (1..=schedules).find_map(|count| {
            bar.tick();
            let report = run(&Drawn::from_seed(number * APART + count).run());
            report.violation.map(|violation| (count, violation.oracle))
        });
        if let Some((count, oracle)) = found {
            counts.push(count);
            *oracles.entry(oracle).or_default() += 1;
        } else if number == 0 {
            break;
        }
    }
    bar.finish_and_clear();
    // A try that found nothing took longer than any that did.
    counts.sort_unstable();
    let median = usize::try_from(made / 2).ok().and_then(|middle| counts.get(middle));
    let by: Vec<String> = oracles.iter().map(|(name, times)| format!("{name}×{times}")).collect();
    println!(
        "found={} tries={made} median={} by={}",
        counts.len(),
        median.map_or("none".to_owned(), u64::to_string),
        if by.is_empty() { "none".to_owned() } else { by.join("+") },
    );
    median.is_some()
}
