//! Shows that leasehold's lock is right, and what it costs: real processes that race, mutants that
//! must die, and a bench.

pub mod bench;
pub mod draw;
mod executor;
pub mod history;
mod machine;
pub mod many;
pub mod mutants;
mod oracle;
mod process;
pub mod race;
pub mod rare;
pub mod run;
pub mod scenario;
mod vfs;
pub mod words;
