//! The binary: a hook call goes straight to its answer, everything else to the command line.

use std::env;
use std::ffi::OsString;
use std::process::ExitCode;

use leasehold::cli;
use leasehold::event::Kind;
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
    // R15: clients take a 2 after a life-cycle event for an order, so a spoilt command line is only
    // told there.
    let is_life_cycle =
        |arg: &OsString| arg.to_str().is_some_and(|name| Kind::of(name).is_life_cycle());
    let forgiven =
        args.get(1).is_some_and(|command| command == "hook") && args[2..].iter().any(is_life_cycle);
    let exit = cli::run(args);
    if forgiven { ExitCode::SUCCESS } else { exit }
}
