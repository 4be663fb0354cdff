//! Plants mutants: real faults, each as a patch on a copy of the tree, each of which a check must
//! find. Production code carries no switch for them.
//!
//! A patch in `sim/mutants/` begins with lines of the form `Key: value`:
//! `Mutant` (its number in the table of mutants), `What` (the fault in a few words) and one or more
//! `Check` (a command that passes on the tree as it is, and must fail with the fault in it).

mod child;
pub mod hunted;
mod patch;
mod tree;

use std::collections::BTreeSet;
use std::error::Error;
use std::fmt;
use std::path::Path;
use std::time::Instant;

use indicatif::{ProgressBar, ProgressStyle};

use patch::Patch;
use tree::{Applied, Tree, Verdict};

/// What became of one mutant.
struct Row {
    mutant: String,
    what: String,
    fate: Fate,
    seconds: f64,
}

/// How a mutant ended.
enum Fate {
    /// This check found it, with the tests that failed.
    Killed(String),
    /// No check found it.
    Survived,
    /// It is no mutant: its patch no longer applies, or what comes of it does not compile.
    Broken(String),
}

/// Plants every mutant that `only` names (all, when that is empty) on a copy of the tree in this
/// folder, and prints the table, a line as each ends. True when every one was killed.
///
/// # Errors
/// A patch that cannot be read, or a check that fails without any mutant.
pub fn run(root: &Path, folder: &Path, only: &[String]) -> Result<bool, Box<dyn Error>> {
    let patches = chosen(root, only)?;
    child::end_with_this_program()?;
    let tree = Tree::copy(root, folder)?;
    let checks: BTreeSet<&String> = patches.iter().flat_map(|patch| &patch.checks).collect();
    let bar = progress(2 * checks.len() + patches.len());
    all_pass(&tree, &checks, &bar)?;
    let mut rows = Vec::new();
    for patch in &patches {
        bar.set_message(format!("{}: {}", patch.mutant, patch.what));
        let row = plant(&tree, patch)?;
        bar.suspend(|| println!("{row}"));
        rows.push(row);
        bar.inc(1);
    }
    // A fault that was not taken out would have killed the mutants after it.
    all_pass(&tree, &checks, &bar)?;
    bar.finish_and_clear();
    Ok(report(&rows))
}

/// The mutants of these names, or all.
fn chosen(root: &Path, only: &[String]) -> Result<Vec<Patch>, Box<dyn Error>> {
    let mut patches = Patch::load_all(&root.join("sim/mutants"))?;
    let is_known = |name: &&String| patches.iter().any(|patch| patch.mutant == **name);
    let unknown: Vec<&str> =
        only.iter().filter(|name| !is_known(name)).map(String::as_str).collect();
    if !unknown.is_empty() {
        return Err(format!("no mutant is called {}: see sim/mutants", unknown.join(", ")).into());
    }
    patches.retain(|patch| only.is_empty() || only.contains(&patch.mutant));
    Ok(patches)
}

/// Runs the checks on the tree as it is.
fn all_pass(
    tree: &Tree,
    checks: &BTreeSet<&String>,
    bar: &ProgressBar,
) -> Result<(), Box<dyn Error>> {
    for check in checks {
        bar.set_message(format!("without a mutant: {check}"));
        match tree.check(check)? {
            Verdict::Passed => bar.inc(1),
            Verdict::Killed(how) | Verdict::Broken(how) => {
                return Err(format!("`{check}` fails without any mutant: {how}").into());
            }
        }
    }
    Ok(())
}

/// Plants one mutant, runs its checks until one fails, and takes it out again.
fn plant(tree: &Tree, patch: &Patch) -> Result<Row, Box<dyn Error>> {
    let started = Instant::now();
    let fate = match tree.apply(patch)? {
        Applied::No(why) => Fate::Broken(why),
        Applied::Yes => {
            let fate = fate(tree, patch)?;
            tree.revert(patch)?;
            fate
        }
    };
    let seconds = started.elapsed().as_secs_f64();
    Ok(Row { mutant: patch.mutant.clone(), what: patch.what.clone(), fate, seconds })
}

/// Runs the checks of the mutant that is planted until one fails.
fn fate(tree: &Tree, patch: &Patch) -> Result<Fate, Box<dyn Error>> {
    for check in &patch.checks {
        match tree.check(check)? {
            Verdict::Passed => {}
            Verdict::Killed(how) => return Ok(Fate::Killed(format!("{check}: {how}"))),
            Verdict::Broken(why) => return Ok(Fate::Broken(why)),
        }
    }
    Ok(Fate::Survived)
}

fn progress(steps: usize) -> ProgressBar {
    let style = ProgressStyle::with_template("{bar:20} {pos}/{len} {msg}");
    let bar = ProgressBar::new(steps as u64);
    bar.set_style(style.unwrap_or_else(|_| ProgressStyle::default_bar()));
    bar
}

impl fmt::Display for Row {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:<5} {:>5.1} s  {} — ", self.mutant, self.seconds, self.what)?;
        match &self.fate {
            Fate::Killed(how) => write!(f, "killed by {how}"),
            Fate::Survived => f.write_str("SURVIVED"),
            Fate::Broken(why) => write!(f, "BROKEN: {why}"),
        }
    }
}

/// Prints the last line of the table: how many were killed. Those that were not are named again.
fn report(rows: &[Row]) -> bool {
    let (mut killed, mut survived, mut broken) = (0, 0, 0);
    for row in rows {
        match row.fate {
            Fate::Killed(_) => {
                killed += 1;
                continue;
            }
            Fate::Survived => survived += 1,
            Fate::Broken(_) => broken += 1,
        }
        println!("not killed: {row}");
    }
    println!("mutants={} killed={killed} survived={survived} broken={broken}", rows.len());
    killed == rows.len()
}
