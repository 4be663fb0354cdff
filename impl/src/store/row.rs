//! One row of the table, read.

use rusqlite::{Row as SqlRow, types::ValueRef};

use super::call;
use super::schema::millis;
use crate::lease::Lease;
use crate::owner::Owner;
use crate::resource;

/// The columns that [`StoredLease::read`] expects, in its order.
pub(super) const COLUMNS: &str = "rowid, resource, session, epoch, agent, host, cwd, \
     acquired, expires, ttl_ms, fence, migrated, note, key, used, calls, kept, process";

/// A lease with what only the store needs to know of it.
#[derive(Clone, Debug)]
pub(super) struct StoredLease {
    pub(super) rowid: i64,
    pub(super) key: Vec<u8>,
    pub(super) lease: Lease,
}

impl StoredLease {
    /// Reads a row of [`COLUMNS`]. Old engines and hands may have written anything into it, so no
    /// value of the wrong type is an error.
    pub(super) fn read(row: &SqlRow<'_>) -> rusqlite::Result<Self> {
        let resource = text(row.get_ref(1)?).unwrap_or_default();
        let lease = Lease {
            path: resource::path_of_spelling(&resource),
            resource,
            owner: Owner::stored(
                text(row.get_ref(2)?).unwrap_or_default(),
                text(row.get_ref(3)?).unwrap_or_default(),
            ),
            agent: text(row.get_ref(4)?).unwrap_or_default(),
            host: text(row.get_ref(5)?).unwrap_or_default(),
            cwd: text(row.get_ref(6)?),
            acquired_ms: millis(number(row.get_ref(7)?)),
            expires_ms: millis(number(row.get_ref(8)?)),
            ttl_ms: integer(row.get_ref(9)?).unwrap_or(0),
            fence: integer(row.get_ref(10)?),
            migrated: integer(row.get_ref(11)?) == Some(1),
            note: text(row.get_ref(12)?),
            used: integer(row.get_ref(14)?).unwrap_or(0),
            calls: call::from_text(text(row.get_ref(15)?).as_deref()),
            kept: integer(row.get_ref(16)?) == Some(1),
            process: text(row.get_ref(17)?),
        };
        let key = match row.get_ref(13)? {
            ValueRef::Blob(bytes) | ValueRef::Text(bytes) => bytes.to_vec(),
            _ => Vec::new(),
        };
        Ok(Self { rowid: row.get(0)?, key, lease })
    }
}

/// A text, with what is not UTF-8 in it replaced.
pub(super) fn text(value: ValueRef<'_>) -> Option<String> {
    match value {
        ValueRef::Text(bytes) | ValueRef::Blob(bytes) => {
            Some(String::from_utf8_lossy(bytes).into_owned())
        }
        ValueRef::Integer(number) => Some(number.to_string()),
        ValueRef::Real(number) => Some(number.to_string()),
        ValueRef::Null => None,
    }
}

/// A number; a text that is none counts as 0, and so as long dead.
fn number(value: ValueRef<'_>) -> f64 {
    match value {
        ValueRef::Real(number) => number,
        #[expect(clippy::cast_precision_loss, reason = "seconds, far below 2^53")]
        ValueRef::Integer(number) => number as f64,
        _ => 0.0,
    }
}

/// A whole number, if it is one.
fn integer(value: ValueRef<'_>) -> Option<i64> {
    match value {
        ValueRef::Integer(number) => Some(number),
        _ => None,
    }
}
