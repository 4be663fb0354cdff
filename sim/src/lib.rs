//! Shows that leasehold's lock is right, and what it costs: the real SQLite under every schedule
//! that can be afforded, all states of a small world, real processes that race, mutants that must
//! die, and a bench.

// First: its macros stand in the place of the standard library's in all that follows.
#[macro_use]
pub mod output;

pub mod bench;
pub mod config;
pub mod draw;
mod executor;
pub mod explore;
pub mod history;
pub mod hunt;
pub mod lanes;
pub mod linear;
mod machine;
pub mod many;
pub mod mutants;
mod oracle;
pub mod pace;
pub mod picture;
mod process;
mod questions;
pub mod race;
pub mod rare;
pub mod replay;
pub mod run;
pub mod scenario;
pub mod schedule;
pub mod shrink;
pub mod space;
pub mod spans;
mod sync;
mod tally;
pub mod told;
mod vfs;
pub mod words;
pub mod workers;
