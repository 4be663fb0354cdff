//! The mutants as the simulator sees them: how many schedules it takes until each is found.

use std::error::Error;
use std::path::Path;
use std::process::ExitStatus;
use std::time::Duration;

use super::child::{self, Told};
use super::patch::Patch;
use super::tree::{Applied, PATIENCE, Tree};
use super::{chosen, progress};

/// How a mutant is looked for.
struct Look {
    /// How the simulator is built, and where it is then.
    build: &'static str,
    built: &'static str,
    /// So often, each time with so many schedules at most.
    tries: u32,
    schedules: u64,
    /// After so long it counts as endless.
    patience: Duration,
}

/// A quick build matters more than quick runs: most mutants are found within a few.
const USUAL: Look = Look {
    build: "cargo build --quiet -p leasehold-sim",
    built: "debug/leasehold-sim",
    tries: 9,
    schedules: 3000,
    patience: PATIENCE,
};

/// Those that are rare take many.
fn look(patch: &Patch) -> Look {
    let Some(schedules) = patch.rare else { return USUAL };
    Look {
        build: "cargo build --quiet --profile sim -p leasehold-sim",
        built: "sim/leasehold-sim",
        tries: 3,
        schedules,
        patience: Duration::from_hours(1),
    }
}

/// Plants each mutant on a copy of the tree in this folder, and lets the simulator look for it.
/// Prints a line for each. True when each that it should see is found, and of those that it cannot
/// see (their patches say why), none is.
///
/// # Errors
/// A patch that cannot be read, and a tree in which the simulator finds something without any.
pub fn run(root: &Path, folder: &Path, only: &[String]) -> Result<bool, Box<dyn Error>> {
    let patches = chosen(root, only)?;
    child::end_with_this_program()?;
    let tree = Tree::copy(root, folder)?;
    let bar = progress(patches.len() + 1);
    bar.set_message("without a mutant");
    finds_nothing(&tree)?;
    bar.inc(1);
    let (mut found, mut unseen, mut wrong) = (0, 0, 0);
    for patch in &patches {
        bar.set_message(format!("{}: {}", patch.mutant, patch.what));
        let fate = plant(&tree, patch)?;
        let says = match (&fate, &patch.unseen) {
            (Hunt::Broken(why), _) => format!("BROKEN: {why}"),
            (Hunt::Endless, _) => {
                format!("ENDLESS: not done after {} s", look(patch).patience.as_secs())
            }
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

/// A simulator that finds something in the tree as it is would find it with every mutant.
fn finds_nothing(tree: &Tree) -> Result<(), Box<dyn Error>> {
    match hunt(tree, &Look { tries: 1, ..USUAL })? {
        Hunt::Nothing(_) => Ok(()),
        other => Err(format!("without any mutant the simulator says {other:?}").into()),
    }
}

/// What came of looking for one mutant.
#[derive(Debug, PartialEq, Eq)]
enum Hunt {
    /// More than half of the tries found it.
    Found(String),
    /// They did not.
    Nothing(String),
    /// A run that had to be ended. A slow machine ends so too, and so it shows nothing.
    Endless,
    /// It is no mutant, or the simulator does not say what it found.
    Broken(String),
}

fn plant(tree: &Tree, patch: &Patch) -> Result<Hunt, Box<dyn Error>> {
    if let Applied::No(why) = tree.apply(patch)? {
        return Ok(Hunt::Broken(why));
    }
    let hunt = hunt(tree, &look(patch))?;
    tree.revert(patch)?;
    Ok(hunt)
}

fn hunt(tree: &Tree, look: &Look) -> Result<Hunt, Box<dyn Error>> {
    let Look { build, built, tries, schedules, patience } = look;
    if let Some(why) = tree.build(build)? {
        return Ok(Hunt::Broken(why));
    }
    let simulator = tree.built(built);
    let hunt = format!("{} hunt --tries {tries} --schedules {schedules}", simulator.display());
    Ok(tree.output(&hunt, *patience)?.map_or(Hunt::Endless, |told| came_of(&told)))
}

/// What the simulator found. Whoever crashes has noticed something, if it says so.
fn came_of(told: &Told) -> Hunt {
    let mut lines = told.text.lines();
    if let Some(line) = lines.clone().rfind(|line| line.starts_with("found=")) {
        let line = line.to_owned();
        return if told.status.success() { Hunt::Found(line) } else { Hunt::Nothing(line) };
    }
    let crash = lines.find(|line| line.contains("panicked at") || line.contains("Assertion"));
    if crash.is_some() || is_signal(told.status) {
        return Hunt::Found(format!("a crash: {}", crash.unwrap_or(&told.status.to_string())));
    }
    Hunt::Broken(format!("the simulator ends with {} and does not say why", told.status))
}

#[cfg(unix)]
fn is_signal(status: ExitStatus) -> bool {
    std::os::unix::process::ExitStatusExt::signal(&status).is_some()
}

/// This platform has codes only.
#[cfg(not(unix))]
fn is_signal(_: ExitStatus) -> bool {
    false
}
