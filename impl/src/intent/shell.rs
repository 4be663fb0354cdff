//! What a shell script writes, told before it runs.
//!
//! `bash` reads the text, `walk` goes through it as the shell would, and asks its caller what the
//! programs do that it comes to. Nothing is run, and the disk is only looked at.

pub mod bash;
mod braces;
mod builtins;
pub mod cmd;
mod control;
pub mod disk;
mod expand;
pub mod field;
pub mod findings;
mod glob;
pub mod invocation;
pub mod place;
pub mod powershell;
mod scope;
pub mod site;
pub mod walk;

#[cfg(test)]
mod tests;
