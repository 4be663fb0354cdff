//! leasehold keeps AI coding agents that share one checkout from writing the same file at once.
//!
//! It runs as the hook of the agent: before a tool call that writes, it takes a lease on every file
//! that the call will write, all of them or none. `ARCHITECTURE.md` tells how the parts go
//! together; the rules (R1 …) are those of the crate `leasehold-model`.

pub mod cli;
pub mod client;
pub mod clock;
mod counter;
mod decision;
mod demo;
pub mod event;
pub mod hook;
pub mod intent;
pub mod lease;
pub mod machine;
pub mod owner;
pub mod payload;
pub mod process;
mod refusal;
pub mod resource;
pub mod settings;
pub mod store;
pub mod text;
