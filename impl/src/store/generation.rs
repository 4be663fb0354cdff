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

/// Begins the next generation. The caller commits with `synchronous=EXTRA`. `skip` leaves room for
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

#[cfg(test)]
mod tests {
    use std::cell::RefCell;
    use std::path::Path;
    use std::time::Duration;

    use rusqlite::Connection;
    use rusqlite::trace::{TraceEvent, TraceEventCodes};

    use super::*;
    use crate::store::{Options, upgrade};

    thread_local! {
        static RAN: RefCell<Vec<String>> = const { RefCell::new(Vec::new()) };
    }

    #[expect(clippy::needless_pass_by_value, reason = "the signature is rusqlite's")]
    fn note(event: TraceEvent<'_>) {
        if let TraceEvent::Stmt(_, sql) = event {
            RAN.with_borrow_mut(|ran| ran.push(sql.to_owned()));
        }
    }

    fn options(boot: &str) -> Options {
        Options { boot: Some(boot.to_owned()), ..Options::of_machine(Duration::from_secs(1)) }
    }

    /// The statements that begin a generation, on a new database and then after another boot.
    fn statements_of(connection: &Connection, boot: &str) -> Vec<String> {
        RAN.take();
        upgrade::run(connection, &options(boot), Path::new("leases.db"))
            .unwrap_or_else(|_| panic!("run"));
        RAN.take()
    }

    /// Goal: the commit that begins a generation is synced, in a new database and after a boot, and
    /// ordinary commits after it are not.
    #[test]
    fn the_generation_is_on_the_disk_before_its_fences_are_given_out() {
        let folder = tempfile::tempdir().unwrap();
        let mut connection = Connection::open(folder.path().join("leases.db")).unwrap();
        connection.trace_v2(TraceEventCodes::SQLITE_TRACE_STMT, Some(note)).unwrap();
        for boot in ["boot-1", "boot-2"] {
            let ran = statements_of(&connection, boot);
            let at = |what: &str| ran.iter().position(|sql| sql.contains(what)).expect(what);
            let full = at("synchronous=EXTRA");
            let set = at("SET generation");
            let commit = at("COMMIT");
            let normal = at("synchronous=NORMAL");
            assert!(full < set && set < commit && commit < normal, "{ran:#?}");
        }
    }

    /// Goal: only this boot's generation with room left is current.
    #[test]
    fn another_boot_or_a_full_count_begins_the_next_generation() {
        assert!(is_current(Some("b"), Some("b"), 0));
        assert!(!is_current(Some("a"), Some("b"), 0));
        assert!(!is_current(None, Some("b"), 0));
        assert!(!is_current(None, None, 0), "an unknown boot is a new one");
        assert!(is_current(Some("b"), Some("b"), RENEW_AT - 1));
        assert!(!is_current(Some("b"), Some("b"), RENEW_AT));
    }

    /// Goal: the last fence of a generation is below the first of the next, and exact as a double.
    #[test]
    fn fences_grow_over_generations_and_stay_below_2_to_53() {
        assert!(fence(7, (1 << COUNT_BITS) - 1) < fence(8, 1));
        let minutes_in_the_year_2900 = 489_000_000;
        assert!(fence(minutes_in_the_year_2900, 1) < 1 << 53);
    }
}
