//! Reads scripts of the command interpreter of Windows, and tells what they write.
//!
//! A script is read once into its commands, and these are followed in their order. What `%NAME%`
//! stands for is looked up as the interpreter does it: when a line begins, not in between.

mod commands;
mod files;
mod follow;
mod parse;
mod scan;
#[cfg(test)]
mod tests;

pub use crate::intent::shell::site::{Outcome, Site};

/// Reads a script that runs at a site.
pub fn read(script: &str, site: &Site<'_>) -> Outcome {
    let mut parser = parse::Parser::new(script);
    let lines = parser.lines();
    let mut reader = follow::Reader::new(site, script.len());
    if parser.deep {
        reader.note("Brackets nest too deeply: what follows them was not read.");
    }
    reader.lines(&lines);
    reader.outcome
}
