//! Situations that runs must have been in, or they have shown little.

use leasehold_model::{Lease, Op, Outcome, State};

use crate::history::Call;
use crate::process::{Failure, Made};
use crate::scenario::Start;

/// A rare situation.
#[derive(
    Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, serde::Serialize, serde::Deserialize,
)]
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
    /// A write did not fit on the disk.
    DiskFull,
    /// Somebody rebuilt the index of the log while others had it open.
    Recovered,
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
    /// Leases of a dead agent were taken over.
    Reclaimed,
    /// A turn ended that a later one had superseded.
    LateEnd,
    /// At least four processes opened a database of an old engine.
    ManyUpgrades,
    /// An old engine wrote to the file.
    OldEngine,
    /// A lease expired at the very millisecond of a decision about it.
    ExpiresNow,
}

impl Rare {
    /// All of them, in the order of the table.
    pub const ALL: [Self; 21] = [
        Self::Waited,
        Self::TimedOut,
        Self::KilledInLog,
        Self::KilledInWrite,
        Self::InDoubt,
        Self::PowerAfterGrant,
        Self::Dropped,
        Self::Torn,
        Self::DiskFailed,
        Self::DiskFull,
        Self::Recovered,
        Self::ClockBack,
        Self::Busy,
        Self::Stale,
        Self::Lost,
        Self::Released,
        Self::Reclaimed,
        Self::LateEnd,
        Self::ManyUpgrades,
        Self::OldEngine,
        Self::ExpiresNow,
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
            Self::DiskFull => "the disk was full",
            Self::Recovered => "the log recovered beside others that had it open",
            Self::ClockBack => "the clock stepped back",
            Self::Busy => "refused: busy",
            Self::Stale => "refused: stale",
            Self::Lost => "told of a lost lease",
            Self::Released => "released",
            Self::Reclaimed => "a dead agent's lease taken over",
            Self::LateEnd => "the end of a turn that was superseded",
            Self::ManyUpgrades => "at least four first openers of an old database",
            Self::OldEngine => "an old engine wrote",
            Self::ExpiresNow => "a wanted lease expired at that very millisecond",
        }
    }
}

/// What a call says of the situations that it was in.
pub(crate) fn of_call(made: &Made) -> Option<Rare> {
    let is_read = matches!(made.call.op, Op::Check { .. } | Op::CheckFence { .. });
    match (&made.error, made.call.answer.as_ref().map(|answer| &answer.outcome)) {
        (Some(Failure::Store("busy", _)), _) => Some(Rare::TimedOut),
        (Some(Failure::Store(..)), _) => Some(Rare::DiskFailed),
        (Some(Failure::Killed), _) if made.decided.is_some() && !is_read => Some(Rare::InDoubt),
        (_, Some(Outcome::Reclaimed(..))) => Some(Rare::Reclaimed),
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

/// What a call is about in this state of the database.
pub(crate) fn of_state(before: &State, call: &Call) -> Option<Rare> {
    match &call.op {
        Op::Acquire { owner, resources, .. } => {
            let ends_now = |lease: &&Lease| lease.expires == call.now && lease.owner != *owner;
            let mut ending = before.leases.iter().filter(ends_now);
            ending
                .any(|lease| resources.iter().any(|wanted| wanted.overlaps(&lease.resource)))
                .then_some(Rare::ExpiresNow)
        }
        Op::End { owner, .. } => {
            let turn = before.turns.iter().find(|turn| turn.owner == *owner);
            turn.filter(|turn| turn.retired).map(|_| Rare::LateEnd)
        }
        _ => None,
    }
}

/// Whether several processes opened a database of an old engine.
pub(crate) fn of_openers(start: &Start, made: &[Made]) -> Option<Rare> {
    let opens = made.iter().filter(|one| matches!(one.call.op, Op::Open { .. }));
    let is_legacy = matches!(start, Start::Legacy(..));
    (is_legacy && opens.count() >= 4).then_some(Rare::ManyUpgrades)
}

/// Whether a call was granted what it asked for.
pub(crate) fn is_grant(made: &Made) -> bool {
    let outcome = made.call.answer.as_ref().map(|answer| &answer.outcome);
    matches!(outcome, Some(Outcome::Acquired(_) | Outcome::Reclaimed(..)))
}
