//! Shows that leasehold's lock is right: mutants that must die, and what a call costs.

pub mod bench;
pub mod mutants;
