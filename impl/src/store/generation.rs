//! R14: the generation of fences, which no loss of power can repeat.
//!
//! Ordinary commits are not synced, so the last grants before a loss of power may be forgotten, and
//! their fences with them. So the first open after a boot begins a generation that is higher than
//! any before, and that one commit is synced before a fence of it is given out.

use rusqlite::{Transaction, params};

/// Bits of the count within a generation. With the minutes since 1970 above them, a fence stays
/// below 2^53, which every JSON reader keeps exact.
const COUNT_BITS: u32 = 24;

/// An open that finds this many grants in the generation begins the next one.
pub(super) const RENEW_AT: i64 = 1 << (COUNT_BITS - 1);

/// The fence of grant number `count`, from 1, in a generation.
pub(super) fn fence(generation: i64, count: i64) -> i64 {
    (generation << COUNT_BITS) + count
}

/// Whether the generation that stands in the database serves this boot.
pub(super) fn is_current(stored: Option<&str>, boot: Option<&str>, granted: i64) -> bool {
    boot.is_some() && stored == boot && granted < RENEW_AT
}

/// Begins the next generation. The caller commits with `synchronous=FULL`. `skip` leaves room for
/// generations that a lost database may have used in the same minute.
pub(super) fn begin(
    tx: &Transaction<'_>,
    boot: Option<&str>,
    now_ms: i64,
    skip: i64,
) -> rusqlite::Result<()> {
    let minutes = now_ms.div_euclid(60_000);
    tx.execute(
        "UPDATE leasehold
         SET generation = max(generation + 1, ?1) + ?2, granted = 0, boot = ?3 WHERE id = 0",
        params![minutes, skip, boot],
    )?;
    Ok(())
}
