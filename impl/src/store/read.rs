//! The questions that change nothing.

use std::collections::BTreeMap;

use rusqlite::{CachedStatement, Connection, Transaction, params};

use super::own::Own;
use super::row::{COLUMNS, StoredLease};
use super::write::Write;
use super::{Options, Store, StoreError};
use crate::lease::Lease;
use crate::resource::{self, Resource};

impl Store {
    /// The live leases that overlap any of these resources, by resource; none means free.
    ///
    /// # Errors
    /// [`StoreError`] where the database cannot be read.
    pub fn check(&mut self, resources: &[Resource]) -> Result<Vec<Lease>, StoreError> {
        self.run(|connection, options| {
            let tx = snapshot(connection, options)?;
            let now_ms = options.clock.now_ms();
            let met = Met::find(&tx, resources)?;
            Ok(met.leases().filter(|lease| lease.is_live(now_ms)).cloned().collect())
        })
    }

    /// R14: the milliseconds left to a live lease with this fence that equals or contains the
    /// resource, or none.
    ///
    /// # Errors
    /// [`StoreError`] where the database cannot be read.
    pub fn check_fence(
        &mut self,
        resource: &Resource,
        fence: i64,
    ) -> Result<Option<i64>, StoreError> {
        self.run(|connection, options| {
            let tx = snapshot(connection, options)?;
            let now_ms = options.clock.now_ms();
            let mut above = Met::default();
            above.at_or_above(&tx, resource)?;
            let lease =
                above.leases().find(|lease| lease.fence == Some(fence) && lease.is_live(now_ms));
            Ok(lease.map(|lease| lease.expires_ms - now_ms))
        })
    }

    /// All leases by resource, the dead ones that nobody has met yet among them, and the moment at
    /// which that was so.
    ///
    /// # Errors
    /// [`StoreError`] where the database cannot be read.
    pub fn leases(&mut self) -> Result<(Vec<Lease>, i64), StoreError> {
        self.run(|connection, options| {
            let tx = snapshot(connection, options)?;
            let mut statement =
                tx.prepare(&format!("SELECT {COLUMNS} FROM leases ORDER BY resource"))?;
            let rows = statement.query_map([], StoredLease::read)?;
            let leases =
                rows.map(|row| row.map(|stored| stored.lease)).collect::<Result<_, _>>()?;
            Ok((leases, options.clock.now_ms()))
        })
    }
}

/// One moment of the database in which all that old engines wrote is settled. That nothing is left
/// to settle must be seen in the very snapshot that is read: an old engine may write in between.
fn snapshot<'c>(
    connection: &'c Connection,
    options: &Options,
) -> rusqlite::Result<Transaction<'c>> {
    for _ in 0..SETTLED_AT_MOST {
        let tx = connection.unchecked_transaction()?;
        if !Own::read(&tx)?.is_some_and(|own| own.has_unseen) {
            return Ok(tx);
        }
        drop(tx);
        Write::settle_only(connection, options)?;
    }
    // Old engines that write faster than this one looks are read as they stand: a reader that
    // waits for them to pause might wait for ever.
    connection.unchecked_transaction()
}

/// How often a reader settles what old engines write while it looks.
const SETTLED_AT_MOST: usize = 16;

/// The leases that a set of resources meets: at them, above them, below them, or on the same file
/// by another name. Found by point look-ups and one range each, never by reading all rows.
#[derive(Default)]
pub(super) struct Met {
    rows: BTreeMap<String, StoredLease>,
}

impl Met {
    /// Everything that overlaps one of the resources.
    pub(super) fn find(connection: &Connection, resources: &[Resource]) -> rusqlite::Result<Self> {
        let mut met = Self::default();
        for resource in resources {
            met.add(connection, resource)?;
        }
        Ok(met)
    }

    /// Everything that overlaps one more resource.
    pub(super) fn add(
        &mut self,
        connection: &Connection,
        resource: &Resource,
    ) -> rusqlite::Result<()> {
        self.at_or_above(connection, resource)?;
        self.below(connection, resource)?;
        self.by_spelling(connection, resource)?;
        self.by_file(connection, resource)
    }

    /// The rows, by resource.
    pub(super) fn rows(&self) -> impl Iterator<Item = &StoredLease> {
        self.rows.values()
    }

    /// The leases, by resource.
    fn leases(&self) -> impl Iterator<Item = &Lease> {
        self.rows.values().map(|row| &row.lease)
    }

    /// At the resource itself and at each of its ancestors: one look-up each.
    fn at_or_above(
        &mut self,
        connection: &Connection,
        resource: &Resource,
    ) -> rusqlite::Result<()> {
        let mut statement = connection.prepare_cached(AT_KEY)?;
        self.take(connection, &mut statement, params![resource.key.as_bytes()])?;
        for ancestor in resource.key.ancestors() {
            self.take(connection, &mut statement, params![ancestor])?;
        }
        Ok(())
    }

    /// Below the resource: one range.
    fn below(&mut self, connection: &Connection, resource: &Resource) -> rusqlite::Result<()> {
        let (low, high) = resource.key.descendants_range();
        self.take(connection, &mut connection.prepare_cached(BELOW_KEY)?, params![low, high])
    }

    /// Under the same text: to an old engine that is the same resource, and the table holds one row
    /// for it, wherever the path led when that was written.
    fn by_spelling(
        &mut self,
        connection: &Connection,
        resource: &Resource,
    ) -> rusqlite::Result<()> {
        let mut statement = connection.prepare_cached(BY_RESOURCE)?;
        self.take(connection, &mut statement, params![resource::spelling(&resource.path)])
    }

    /// On the same file by another name. Only a file with several links can have one; then the
    /// leases on its device are compared by what their paths lead to at this moment, for a stored
    /// number may belong to another file by now.
    fn by_file(&mut self, connection: &Connection, resource: &Resource) -> rusqlite::Result<()> {
        let Some(file) = resource.hard_linked else { return Ok(()) };
        let mut statement = connection
            .prepare_cached(&format!("SELECT {COLUMNS} FROM leases WHERE device = ?1"))?;
        let rows = statement.query_map(params![file.dev.cast_signed()], StoredLease::read)?;
        for row in rows {
            let row = row?;
            if resource::file_id(&row.lease.path) == Some(file) {
                self.rows.insert(row.lease.resource.clone(), row);
            }
        }
        Ok(())
    }

    /// Takes in the rows that a look-up names. It names them by number, which the index alone can
    /// answer; most look-ups name none.
    fn take(
        &mut self,
        connection: &Connection,
        look_up: &mut CachedStatement<'_>,
        parameters: impl rusqlite::Params,
    ) -> rusqlite::Result<()> {
        for rowid in look_up.query_map(parameters, |row| row.get::<_, i64>(0))? {
            let row = connection
                .prepare_cached(&format!("SELECT {COLUMNS} FROM leases WHERE rowid = ?1"))?
                .query_row(params![rowid?], StoredLease::read)?;
            self.rows.insert(row.lease.resource.clone(), row);
        }
        Ok(())
    }
}

/// The look-up of one key.
const AT_KEY: &str = "SELECT rowid FROM leases WHERE key = ?1";

/// The look-up of one path as text.
const BY_RESOURCE: &str = "SELECT rowid FROM leases WHERE resource = ?1";

/// The range over everything below one key.
const BELOW_KEY: &str = "SELECT rowid FROM leases WHERE key >= ?1 AND key < ?2";

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::*;
    use crate::store::schema::UNSEEN;

    /// The plan that SQLite makes of a statement, one line a step.
    fn plan(store: &Store, sql: &str) -> Vec<String> {
        let explain = format!("EXPLAIN QUERY PLAN {sql}");
        let mut statement = store.connection.prepare(&explain).unwrap();
        for index in 1..=statement.parameter_count() {
            statement.raw_bind_parameter(index, b"/a".as_slice()).unwrap();
        }
        let mut rows = statement.raw_query();
        let mut steps = Vec::new();
        while let Some(row) = rows.next().unwrap() {
            steps.push(row.get(3).unwrap());
        }
        steps
    }

    /// Goal: what decides on an overlap is a look-up or a range in an index, never all rows.
    #[test]
    fn overlaps_are_looked_up_and_never_scanned() {
        let folder = tempfile::tempdir().unwrap();
        let options = Options::of_machine(Duration::from_secs(1));
        let store = Store::open(&folder.path().join("leases.db"), options).unwrap();
        let by_key = "SEARCH leases USING COVERING INDEX leases_by_key";
        assert_eq!(plan(&store, AT_KEY), [format!("{by_key} (key=?)")]);
        assert_eq!(plan(&store, BELOW_KEY), [format!("{by_key} (key>? AND key<?)")]);
        let spelled = plan(&store, BY_RESOURCE);
        assert_eq!(
            spelled,
            ["SEARCH leases USING COVERING INDEX sqlite_autoindex_leases_1 (resource=?)"]
        );
        let unseen = format!("SELECT 1 FROM leases INDEXED BY leases_unseen WHERE {UNSEEN}");
        assert_eq!(plan(&store, &unseen), ["SCAN leases USING INDEX leases_unseen"]);
        let owned = plan(&store, "DELETE FROM leases WHERE session = ?1 AND epoch = ?2");
        let by_owner = "SEARCH leases USING INDEX leases_by_owner (session=? AND epoch=?)";
        assert_eq!(owned, [by_owner]);
    }
}
