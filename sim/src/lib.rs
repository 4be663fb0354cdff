//! Shows that leasehold's lock is right, and what it costs: real processes that race, mutants that
//! must die, and a bench.

pub mod bench;
pub mod history;
pub mod mutants;
pub mod race;
