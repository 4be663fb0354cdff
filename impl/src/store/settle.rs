//! What old engines wrote on the same file since this one last looked.
//!
//! An old engine does not know this engine's columns: its upsert leaves them as they were, which
//! may be a stranger's epoch, fence and flag. So before each decision the rows that it touched are
//! read by the columns that it does know. (Trusting what stands there is mutant M25.)

use std::path::Path;

use rusqlite::{Transaction, params};

use super::row::text;
use super::schema::{UNSEEN, millis};
use crate::owner::{RESERVED_EPOCH, session_name};
use crate::resource;

/// A row as an old engine left it.
struct Unseen {
    rowid: i64,
    resource: String,
    session: String,
    epoch: String,
    cwd: Option<String>,
    acquired: f64,
    expires: f64,
    seen_session: Option<String>,
    seen_epoch: Option<String>,
    seen_acquired: Option<f64>,
    ttl_ms: Option<i64>,
    fence: Option<i64>,
}

/// Reads such rows and makes them ours. Returns the latest moment from which one of them counts its
/// TTL, so that the clock's correction (R12) knows of it; `i64::MIN` where there was none.
pub(super) fn old_engines_rows(tx: &Transaction<'_>) -> rusqlite::Result<i64> {
    let mut latest_ms = i64::MIN;
    for row in unseen(tx)? {
        let ttl_ms = if row.is_renewal() { renewed(tx, &row)? } else { fresh(tx, &row)? };
        latest_ms = latest_ms.max(millis(row.expires).saturating_sub(ttl_ms));
    }
    Ok(latest_ms)
}

impl Unseen {
    /// How long the row lasts by its own columns.
    fn own_ttl_ms(&self) -> i64 {
        millis(self.expires).saturating_sub(millis(self.acquired))
    }

    /// The old engine only renewed a lease: it stays whose it is.
    fn is_renewal(&self) -> bool {
        self.seen_session.as_ref() == Some(&self.session)
            && self.seen_epoch.as_ref() == Some(&self.epoch)
            && self.seen_acquired == Some(self.acquired)
    }

    /// The epoch that the old engine meant. The first engine leaves the epoch that it finds, which
    /// is then a stranger's, so one that did not change counts as none. Nobody but an upgrade marks
    /// a row as migrated, whatever it writes (R7).
    fn meant_epoch(&self) -> &str {
        if self.seen_epoch.as_ref() == Some(&self.epoch) || self.epoch == RESERVED_EPOCH {
            ""
        } else {
            &self.epoch
        }
    }
}

fn unseen(tx: &Transaction<'_>) -> rusqlite::Result<Vec<Unseen>> {
    // The casts make numbers of what is none: a text would sort as later than every moment.
    let mut statement = tx.prepare_cached(&format!(
        "SELECT rowid, resource, session, epoch, cwd, CAST(acquired AS REAL),
                CAST(expires AS REAL), seen_session, seen_epoch, seen_acquired, ttl_ms, fence
         FROM leases INDEXED BY leases_unseen WHERE {UNSEEN}"
    ))?;
    let rows = statement.query_map([], |row| {
        // Whatever an old engine or a hand wrote there, it must not stop every decision.
        let some_text = |column| row.get_ref(column).map(text);
        Ok(Unseen {
            rowid: row.get(0)?,
            resource: some_text(1)?.unwrap_or_default(),
            session: some_text(2)?.unwrap_or_default(),
            epoch: some_text(3)?.unwrap_or_default(),
            cwd: some_text(4)?,
            acquired: row.get(5)?,
            expires: row.get(6)?,
            seen_session: some_text(7)?,
            seen_epoch: some_text(8)?,
            seen_acquired: row.get(9)?,
            ttl_ms: row.get(10)?,
            fence: row.get(11)?,
        })
    })?;
    rows.collect()
}

/// A TTL of ours stays; one that the old engine gave itself is what its columns say now.
fn renewed(tx: &Transaction<'_>, row: &Unseen) -> rusqlite::Result<i64> {
    let ttl_ms = match (row.fence, row.ttl_ms) {
        (Some(_), Some(ours_ms)) => ours_ms,
        _ => row.own_ttl_ms(),
    };
    tx.prepare_cached(
        "UPDATE leases SET expires = ?2, seen_expires = ?2, ttl_ms = ?3 WHERE rowid = ?1",
    )?
    .execute(params![row.rowid, row.expires, ttl_ms])?;
    Ok(ttl_ms)
}

fn fresh(tx: &Transaction<'_>, row: &Unseen) -> rusqlite::Result<i64> {
    let ttl_ms = row.own_ttl_ms();
    let place = resource::key_of_spelling(&row.resource, row.cwd.as_deref().map(Path::new));
    let (key, _path, device) = place;
    tx.prepare_cached(
        "UPDATE leases
         SET session = ?8, epoch = ?2, key = ?3, device = ?4, fence = NULL, ttl_ms = ?5,
             migrated = 0, used = 0, calls = NULL, kept = 0, process = NULL,
             acquired = ?6, expires = ?7,
             seen_session = ?8, seen_epoch = ?2, seen_acquired = ?6, seen_expires = ?7
         WHERE rowid = ?1",
    )?
    .execute(params![
        row.rowid,
        row.meant_epoch(),
        key.as_bytes(),
        device.map(u64::cast_signed),
        ttl_ms,
        row.acquired,
        row.expires,
        session_name(&row.session).unwrap_or_else(|_| row.session.clone()),
    ])?;
    Ok(ttl_ms)
}
