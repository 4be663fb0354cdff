//! What the end-to-end tests share: a sandbox in which the real binary runs, and what it is fed.
//!
//! A test makes a [`Sandbox`](sandbox::Sandbox), runs hook calls and commands in it, and compares
//! the bytes of each answer and the rows of the database. Nothing outside the sandbox is touched.

#![expect(clippy::missing_panics_doc, reason = "a helper panics where its test is to fail")]

pub mod agent;
pub mod binary;
pub mod call;
pub mod case;
pub mod claude;
pub mod conformance;
pub mod engine;
pub mod outcome;
pub mod payload;
pub mod row;
pub mod sandbox;
pub mod story;
#[cfg(unix)]
pub mod user;
