//! `leasehold begin-turn`.

use super::output::{self, shown};
use super::{Exit, Failure};
use crate::counter::Entry;
use crate::owner::Owner;
use crate::store::{Context, LOG_BYTES_AT_REST, Released};

#[derive(Debug, clap::Args)]
pub(super) struct Args {
    /// The conversation.
    #[arg(long)]
    session: String,
    /// The turn that begins.
    #[arg(long)]
    epoch: String,
}

pub(super) fn run(args: &Args) -> Result<Exit, Failure> {
    let settings = super::settings()?;
    let owner = Owner::new(&args.session, &args.epoch)
        .map_err(|error| Failure::usage(error.to_string()))?;
    if !owner.is_tokened_main_thread() {
        let text = "--epoch names a turn: neither nothing nor a sub-agent (`agent:…`) begins one";
        return Err(Failure::usage(text));
    }
    let mut store = super::store(&settings)?;
    let begun = store.begin(&owner, &Context::default())?;
    // The begin stands; a log that cannot be emptied only costs time.
    let _ = store.tidy(LOG_BYTES_AT_REST);
    let count = match begun.released {
        Released::Count(count) => count,
        Released::EpochMismatch | Released::Absent => 0,
    };
    let entry = Entry {
        event: "begin",
        outcome: "released",
        scope: Some("epoch"),
        count: Some(count),
        ..Entry::default()
    };
    output::count(&settings, Some(&owner), entry);
    let who = shown(owner.session());
    output::lines(&[
        format!("BEGUN {} by {who}", shown(owner.epoch())),
        format!("  {count} lease(s) of earlier turns were given back"),
    ]);
    Ok(Exit::Done)
}
