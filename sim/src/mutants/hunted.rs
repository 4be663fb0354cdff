//! The mutants as the simulator sees them: how many schedules it takes until each is found.

use std::error::Error;
use std::path::Path;
use std::time::Duration;

use super::patch::Patch;
use super::tree::{Applied, PATIENCE, Tree};
use super::{chosen, progress};

/// How the simulator is built and asked. A quick build matters more than quick runs: most mutants
/// are found within a few.
const BUILD: &str = "cargo build --quiet -p leasehold-sim";
/// A build from nothing takes long on a busy machine.
const BUILD_PATIENCE: Duration = Duration::from_mins(30);
const TRIES: &str = "9";
const SCHEDULES: &str = "3000";

/// Plants each mutant and lets the simulator look for it. Prints a line for each. True when each
/// that it should see is found, and of those that it cannot see (their patches say why), none is.
///
/// # Errors
/// A patch that cannot be read, and a tree that does not build without any.
pub fn run(root: &Path, only: &[String]) -> Result<bool, Box<dyn Error>> {
    let patches = chosen(root, only)?;
    let tree = Tree::copy(root)?;
    let bar = progress(patches.len());
    let (mut found, mut unseen, mut wrong) = (0, 0, 0);
    for patch in &patches {
        bar.set_message(format!("{}: {}", patch.mutant, patch.what));
        let fate = plant(&tree, patch)?;
        let says = match (&fate, &patch.unseen) {
            (Hunt::Broken(why), _) => format!("BROKEN: {why}"),
            (Hunt::Found(line), None) => format!("found: {line}"),
            (Hunt::Nothing(_), Some(why)) => format!("not seen: {why}"),
            (Hunt::Nothing(line), None) => format!("NOT FOUND: {line}"),
            (Hunt::Found(line), Some(why)) => format!("FOUND, though: {why}: {line}"),
        };
        match (fate, patch.unseen.is_some()) {
            (Hunt::Found(_), false) => found += 1,
            (Hunt::Nothing(_), true) => unseen += 1,
            _ => wrong += 1,
        }
        bar.suspend(|| println!("{:<5} {} — {says}", patch.mutant, patch.what));
        bar.inc(1);
    }
    bar.finish_and_clear();
    println!("mutants={} found={found} unseen={unseen} wrong={wrong}", patches.len());
    Ok(wrong == 0)
}

/// What came of looking for one mutant.
enum Hunt {
    /// More than half of the tries found it.
    Found(String),
    Nothing(String),
    /// It is no mutant.
    Broken(String),
}

fn plant(tree: &Tree, patch: &Patch) -> Result<Hunt, Box<dyn Error>> {
    if let Applied::No(why) = tree.apply(patch)? {
        return Ok(Hunt::Broken(why));
    }
    let hunt = hunt(tree)?;
    tree.revert(patch)?;
    Ok(hunt)
}

fn hunt(tree: &Tree) -> Result<Hunt, Box<dyn Error>> {
    let (built, text) = tree.output(BUILD, BUILD_PATIENCE)?.ok_or("the build does not end")?;
    if !built {
        let first = text.lines().find(|line| line.starts_with("error")).unwrap_or_default();
        return Ok(Hunt::Broken(first.to_owned()));
    }
    let hunt = tree.built("debug/leasehold-sim");
    let hunt = format!("{} hunt --tries {TRIES} --schedules {SCHEDULES}", hunt.display());
    let Some((found, text)) = tree.output(&hunt, PATIENCE)? else {
        return Ok(Hunt::Found("a run that never ends".to_owned()));
    };
    let line = text.lines().rfind(|line| line.contains("found=")).unwrap_or("a crash").to_owned();
    // Whoever crashes says nothing, and was noticed.
    let noticed = found || !text.contains("found=");
    Ok(if noticed { Hunt::Found(line) } else { Hunt::Nothing(line) })
}
