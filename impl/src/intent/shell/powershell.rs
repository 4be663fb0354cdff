//! Reads scripts of PowerShell, and tells what they write.
//!
//! A script is read once into its statements, and these are followed in their order: variables,
//! the present directory, loops over known lists, functions and script blocks. Whatever is not
//! followed is unknown, and an unknown name is no target.

mod bind;
mod command;
mod compute;
mod dotnet;
mod effects;
mod evaluate;
mod expression;
mod find;
mod follow;
mod invoke;
mod names;
mod parameters;
pub(crate) mod paths;
mod scan;
mod state;
mod statement;
mod syntax;
mod table;
#[cfg(test)]
mod tests;

pub use crate::intent::shell::site::{Outcome, Site};

/// Reads a script that runs at a site.
pub fn read(script: &str, site: &Site<'_>) -> Outcome {
    let mut reader = state::Reader::new(*site, script.len());
    let block = reader.parse(script);
    reader.block(&block, &mut Vec::new());
    reader.outcome
}

impl state::Reader<'_> {
    /// Reads the statements of a script.
    fn parse(&mut self, script: &str) -> syntax::Block {
        let mut parser = scan::Parser::new(script);
        let block = parser.script();
        if parser.deep {
            self.note("Brackets nest too deeply: what follows them was not read.");
        }
        block
    }
}
