//! `leasehold release-session`.

use super::output::{self, shown};
use super::{Exit, Failure};
use crate::counter::Entry;
use crate::owner::Owner;
use crate::store::{HandOver, LOG_BYTES_AT_REST, Released};

#[derive(Debug, clap::Args)]
pub(super) struct Args {
    /// The conversation.
    #[arg(long)]
    session: String,
    /// The turn. Without it: only the session's leases that were taken without an epoch.
    #[arg(long, default_value = "", hide_default_value = true)]
    epoch: String,
}

pub(super) fn run(args: &Args) -> Result<Exit, Failure> {
    let settings = super::settings()?;
    let owner = Owner::new(&args.session, &args.epoch)
        .map_err(|error| Failure::usage(error.to_string()))?;
    let mut store = super::store(&settings)?;
    let released = store.release(&owner, HandOver::Migrated)?;
    // The release stands; a log that cannot be emptied only costs time.
    let _ = store.tidy(LOG_BYTES_AT_REST);
    let (outcome, count, detail) = match released {
        Released::Count(count) => ("released", count, None),
        Released::EpochMismatch => {
            let detail = format!(
                "  session {} holds leases, but none of this epoch: nothing was released",
                shown(owner.session())
            );
            ("epoch-mismatch", 0, Some(detail))
        }
        Released::Absent => {
            ("absent", 0, Some(format!("  session {} holds no lease", shown(owner.session()))))
        }
    };
    let entry = Entry {
        event: "release",
        outcome,
        scope: Some("epoch"),
        count: Some(count),
        ..Entry::default()
    };
    output::count(&settings, Some(&owner), entry);
    let first = format!("RELEASED {count}");
    output::lines(&[vec![first], detail.into_iter().collect()].concat());
    Ok(Exit::Done)
}
