//! All states of a small world: three sessions of two turns each on a directory and two files in
//! it, all that they can ask of the model, and a clock that steps as it likes. Every move from
//! every state is checked against the invariants, up to a number of moves.
//!
//! States that differ in nothing that counts are visited once: see `space/key.rs`.

mod key;
mod search;
mod world;

use indicatif::{ProgressBar, ProgressStyle};
use leasehold_model::step;

pub use search::{Broken, Deed, Level, Search, Step};
pub use world::{Clock, Move};

/// Visits all states that so many moves lead to and prints a line a move. True where no invariant
/// broke; else the shortest way there is printed.
pub fn run(depth: usize) -> bool {
    let bar = progress();
    let mut search = Search::new(step);
    let broken = (0..depth).find_map(|_| {
        match search.deepen(&bar) {
            Ok(level) => bar.suspend(|| println!("{level}")),
            Err(broken) => return Some(broken),
        }
        None
    });
    bar.finish_and_clear();
    if let Some(broken) = &broken {
        print!("{broken}");
    }
    let (states, transitions) = (search.states(), search.transitions());
    let violations = usize::from(broken.is_some());
    println!("depth={depth} states={states} transitions={transitions} violations={violations}");
    broken.is_none()
}

/// A bar on standard error; hidden where that is no terminal.
fn progress() -> ProgressBar {
    let style = ProgressStyle::with_template("{bar:30} {pos}/{len} states, {eta} left");
    let bar = ProgressBar::new(1);
    bar.set_style(style.unwrap_or_else(|_| ProgressStyle::default_bar()));
    bar
}
