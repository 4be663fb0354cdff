//! Plants mutants: real faults, each as a patch on a copy of the tree, each of which a check must
//! find. Production code carries no switch for them.
//!
//! A patch in `sim/mutants/` begins with lines of the form `Key: value`:
//! `Mutant` (its number in the table of mutants), `What` (the fault in a few words) and one or more
//! `Check` (a command that passes on the tree as it is, and must fail with the fault in it).

mod patch;
mod tree;

use std::collections::BTreeSet;
use std::error::Error;
use std::path::Path;
use std::time::Instant;

use indicatif::{ProgressBar, ProgressStyle};

use patch::Patch;
use tree::{Tree, Verdict};

/// What became of one mutant.
struct Row {
    mutant: String,
    what: String,
    /// The check that found it, with the tests that failed; none when it lives.
    killed_by: Option<String>,
    seconds: f64,
}

/// Plants every mutant whose name begins with one of `only` (all, when that is empty) and prints
/// the table. True when every one was killed.
///
/// # Errors
/// A patch that cannot be read or no longer applies, a check that fails without any mutant, or a
/// mutant that does not compile.
pub fn run(root: &Path, only: &[String]) -> Result<bool, Box<dyn Error>> {
    let mut patches = Patch::load_all(&root.join("sim/mutants"))?;
    patches.retain(|patch| only.is_empty() || only.contains(&patch.mutant));
    if patches.is_empty() {
        return Err("no mutant has this name: look into sim/mutants".into());
    }
    let tree = Tree::copy(root)?;
    let checks: BTreeSet<&String> = patches.iter().flat_map(|patch| &patch.checks).collect();
    let bar = progress(2 * checks.len() + patches.len());
    all_pass(&tree, &checks, &bar)?;
    let mut rows = Vec::new();
    for patch in &patches {
        bar.set_message(format!("{}: {}", patch.mutant, patch.what));
        rows.push(plant(&tree, patch)?);
        bar.inc(1);
    }
    // A fault that was not taken out would have killed the mutants after it.
    all_pass(&tree, &checks, &bar)?;
    bar.finish_and_clear();
    Ok(report(&rows))
}

/// Runs the checks on the tree as it is.
fn all_pass(
    tree: &Tree,
    checks: &BTreeSet<&String>,
    bar: &ProgressBar,
) -> Result<(), Box<dyn Error>> {
    for check in checks {
        bar.set_message(format!("without a mutant: {check}"));
        if let Verdict::Killed(how) = tree.check(check)? {
            return Err(format!("`{check}` fails without any mutant: {how}").into());
        }
        bar.inc(1);
    }
    Ok(())
}

/// Plants one mutant, runs its checks until one fails, and takes it out again.
fn plant(tree: &Tree, patch: &Patch) -> Result<Row, Box<dyn Error>> {
    let started = Instant::now();
    tree.apply(patch)?;
    let mut killed_by = None;
    for check in &patch.checks {
        if let Verdict::Killed(how) = tree.check(check)? {
            killed_by = Some(format!("{check}: {how}"));
            break;
        }
    }
    tree.revert(patch)?;
    let seconds = started.elapsed().as_secs_f64();
    Ok(Row { mutant: patch.mutant.clone(), what: patch.what.clone(), killed_by, seconds })
}

fn progress(steps: usize) -> ProgressBar {
    let style = ProgressStyle::with_template("{bar:20} {pos}/{len} {msg}");
    let bar = ProgressBar::new(steps as u64);
    bar.set_style(style.unwrap_or_else(|_| ProgressStyle::default_bar()));
    bar
}

/// Prints the table, and its last line: how many were killed.
fn report(rows: &[Row]) -> bool {
    for row in rows {
        let verdict = match &row.killed_by {
            Some(how) => format!("killed by {how}"),
            None => "SURVIVED".to_owned(),
        };
        println!("{:<5} {:>5.1} s  {} — {verdict}", row.mutant, row.seconds, row.what);
    }
    let killed = rows.iter().filter(|row| row.killed_by.is_some()).count();
    println!("mutants={} killed={killed} survived={}", rows.len(), rows.len() - killed);
    killed == rows.len()
}
