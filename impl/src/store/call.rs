//! R10: shell calls, which may outlive their turn.

use rusqlite::params;

use super::schema::millis;
use super::write::Write;
use crate::lease::Call;
use crate::owner::Owner;

/// So many calls are remembered of a lease; the first gives way.
pub const CALLS_MAX: usize = 32;

/// How the end of an owner treats calls that have no end yet.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Foreground {
    /// They go on: the turn has ended and they have not.
    GoesOn,
    /// They have ended with the owner.
    Ends,
}

/// The calls as the table holds them; none for none.
pub(super) fn to_text(calls: &[Call]) -> Option<String> {
    if calls.is_empty() { None } else { serde_json::to_string(calls).ok() }
}

/// The calls of a row. A text that is none of ours tells of no call.
pub(super) fn from_text(text: Option<&str>) -> Vec<Call> {
    text.and_then(|text| serde_json::from_str(text).ok()).unwrap_or_default()
}

/// A lease that shell calls write.
pub(super) struct Called {
    rowid: i64,
    owner: Owner,
    pub(super) process: Option<String>,
    calls: Vec<Call>,
    kept: bool,
    is_live: bool,
}

impl Called {
    /// Whether it is of the same thread: that sub-agent, or the main thread in whatever turn. A
    /// post event may carry a later turn than its call, and some clients' call ids are not unique.
    pub(super) fn is_of_thread(&self, owner: &Owner) -> bool {
        is_of_thread(&self.owner, owner)
    }
}

/// The same of two owners.
pub(super) fn is_of_thread(one: &Owner, owner: &Owner) -> bool {
    let of_main = !one.is_subagent() && !owner.is_subagent();
    one == owner || (of_main && one.session() == owner.session())
}

impl Write<'_> {
    /// The end of an owner: its leases go, but for those that a shell call still writes. Tells how
    /// many live ones went.
    pub(super) fn end_owner(
        &mut self,
        owner: &Owner,
        foreground: Foreground,
    ) -> rusqlite::Result<usize> {
        let mut live = self.give_back(
            "session = ?1 AND epoch = ?2 AND calls IS NULL",
            params![owner.session(), owner.epoch()],
        )?;
        for mut lease in self.called(owner.session(), Some(owner.epoch()))? {
            match foreground {
                Foreground::Ends => lease.calls.retain(|call| call.background),
                Foreground::GoesOn => {
                    lease.calls.iter_mut().for_each(|call| call.background = true);
                }
            }
            lease.kept = true;
            live += self.put_called(&lease)?;
        }
        Ok(live)
    }

    /// The end of those calls of a session: what was only kept for them goes. Tells how many live
    /// leases went.
    pub(super) fn end_calls(
        &mut self,
        session: &str,
        ended: &dyn Fn(&Called, &Call) -> bool,
    ) -> rusqlite::Result<usize> {
        let mut live = 0;
        for mut lease in self.called(session, None)? {
            let calls = std::mem::take(&mut lease.calls);
            let before = calls.len();
            lease.calls = calls.into_iter().filter(|call| !ended(&lease, call)).collect();
            if lease.calls.len() < before {
                live += self.put_called(&lease)?;
            }
        }
        Ok(live)
    }

    /// A shell call has become a task in the background.
    pub(super) fn call_goes_on(
        &mut self,
        owner: &Owner,
        id: &str,
        task: Option<&String>,
    ) -> rusqlite::Result<()> {
        for mut lease in self.called(owner.session(), None)? {
            if !lease.is_of_thread(owner) {
                continue;
            }
            if let Some(call) = lease.calls.iter_mut().find(|call| call.id == id) {
                call.background = true;
                call.task = task.cloned().or(call.task.take());
                self.put_called(&lease)?;
            }
        }
        Ok(())
    }

    /// The leases of a session, or of one owner, that shell calls write.
    fn called(&self, session: &str, epoch: Option<&str>) -> rusqlite::Result<Vec<Called>> {
        let mut statement = self.tx.prepare_cached(
            "SELECT rowid, process, calls, kept, CAST(expires AS REAL), epoch FROM leases
             WHERE session = ?1 AND (?2 IS NULL OR epoch = ?2) AND calls IS NOT NULL
             ORDER BY resource",
        )?;
        let rows = statement.query_map(params![session, epoch], |row| {
            Ok(Called {
                rowid: row.get(0)?,
                process: row.get(1)?,
                calls: from_text(row.get::<_, Option<String>>(2)?.as_deref()),
                kept: row.get(3)?,
                is_live: self.now_ms < millis(row.get(4)?),
                owner: Owner::stored(session.to_owned(), row.get(5)?),
            })
        })?;
        rows.collect()
    }

    /// Writes the calls of a lease; one that was only kept for them goes with the last, which
    /// counts if it was live.
    fn put_called(&self, lease: &Called) -> rusqlite::Result<usize> {
        if lease.kept && lease.calls.is_empty() {
            self.delete(lease.rowid)?;
            return Ok(usize::from(lease.is_live));
        }
        self.tx
            .prepare_cached("UPDATE leases SET calls = ?2, kept = ?3 WHERE rowid = ?1")?
            .execute(params![lease.rowid, to_text(&lease.calls), lease.kept])?;
        Ok(0)
    }
}
