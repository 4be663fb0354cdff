//! Situations that runs must have been in, or they have shown little.

use leasehold_model::{Op, Outcome};

use crate::process::{Failure, Made};

/// A rare situation.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Rare {
    /// A process had to wait for another one's lock.
    Waited,
    /// It waited in vain.
    TimedOut,
    /// A process was killed while it wrote the log, or put it on the disk.
    KilledInLog,
    /// A process was killed while it, or another one, had the file locked for a write.
    KilledInWrite,
    /// A call was never answered though it had the write lock.
    InDoubt,
    /// The power went while a grant had been answered.
    PowerAfterGrant,
    /// A loss of power took something away.
    Dropped,
    /// A loss of power left a part of a write.
    Torn,
    /// The disk failed, and the caller was told.
    DiskFailed,
    /// The clock stepped back.
    ClockBack,
    /// A call was refused, for another held what it asked for.
    Busy,
    /// A call came from a turn that a later one had superseded.
    Stale,
    /// An owner was told that it lost a lease.
    Lost,
    /// A lease was given back.
    Released,
    /// An old engine wrote to the file.
    OldEngine,
}

impl Rare {
    /// All of them, in the order of the table.
    pub const ALL: [Self; 15] = [
        Self::Waited,
        Self::TimedOut,
        Self::KilledInLog,
        Self::KilledInWrite,
        Self::InDoubt,
        Self::PowerAfterGrant,
        Self::Dropped,
        Self::Torn,
        Self::DiskFailed,
        Self::ClockBack,
        Self::Busy,
        Self::Stale,
        Self::Lost,
        Self::Released,
        Self::OldEngine,
    ];

    /// What the table calls it.
    pub fn name(self) -> &'static str {
        match self {
            Self::Waited => "waited for a lock",
            Self::TimedOut => "waited for a lock in vain",
            Self::KilledInLog => "killed while writing the log",
            Self::KilledInWrite => "killed while the file was locked for a write",
            Self::InDoubt => "never answered, with the write lock held",
            Self::PowerAfterGrant => "power lost after a grant was answered",
            Self::Dropped => "power lost, a write lost with it",
            Self::Torn => "power lost, a write torn",
            Self::DiskFailed => "the disk failed",
            Self::ClockBack => "the clock stepped back",
            Self::Busy => "refused: busy",
            Self::Stale => "refused: stale",
            Self::Lost => "told of a lost lease",
            Self::Released => "released",
            Self::OldEngine => "an old engine wrote",
        }
    }
}

/// What a call says of the situations that it was in.
pub(crate) fn of_call(made: &Made) -> Option<Rare> {
    match (&made.error, made.call.answer.as_ref().map(|answer| &answer.outcome)) {
        (Some(Failure::Store("busy", _)), _) => Some(Rare::TimedOut),
        (Some(Failure::Store(..)), _) => Some(Rare::DiskFailed),
        (Some(Failure::Killed), _) if made.decided.is_some() => Some(Rare::InDoubt),
        (_, Some(Outcome::Busy(_))) => Some(Rare::Busy),
        (_, Some(Outcome::Stale)) => Some(Rare::Stale),
        (_, Some(Outcome::Lost(_))) => Some(Rare::Lost),
        (_, Some(Outcome::Released(leasehold_model::Released::Count(_)))) => Some(Rare::Released),
        (_, Some(Outcome::Done)) if matches!(made.call.op, Op::OldUpsert(_)) => {
            Some(Rare::OldEngine)
        }
        _ => None,
    }
}

/// Whether a call was granted what it asked for.
pub(crate) fn is_grant(made: &Made) -> bool {
    let outcome = made.call.answer.as_ref().map(|answer| &answer.outcome);
    matches!(outcome, Some(Outcome::Acquired(_) | Outcome::Reclaimed(..)))
}
