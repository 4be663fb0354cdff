//! The binary: a hook call goes straight to its answer, everything else to the command line.

use std::env;
use std::process::ExitCode;

use leasehold::cli;
use leasehold::hook::{self, HookArgs};

fn main() -> ExitCode {
    let args: Vec<_> = env::args_os().collect();
    // The command line's parser would cost the hook more than its decision does.
    if let [_, command, rest @ ..] = &args[..]
        && command == "hook"
        && let Some(hook_args) = HookArgs::quick(rest)
    {
        hook::run(&hook_args);
    }
    cli::run(args)
}
