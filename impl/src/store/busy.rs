//! R5: the words for who is in the way of an acquire.

use super::row::StoredLease;
use crate::lease::Lease;
use crate::owner::Owner;
use crate::resource::{self, FileId, Key, Resource};

/// A refusal names this many holders and counts the rest (R5).
pub const CONFLICTS_NAMED_MAX: usize = 8;

/// R5: who is in the way.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Busy {
    /// The first conflicts by resource, at most eight.
    pub conflicts: Vec<Conflict>,
    /// How many more there are.
    pub more: usize,
}

/// A live lease of another owner that overlaps what was asked for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Conflict {
    /// The lease in the way.
    pub lease: Lease,
    /// What was asked for, as a path.
    pub wanted: String,
    /// How the two meet.
    pub overlap: Overlap,
    /// The holder is the caller's own session: an earlier turn, a sub-agent, a background task.
    pub own_session: bool,
}

/// How a lease meets a resource.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Overlap {
    /// It is on the same path.
    Same,
    /// It is on a directory above.
    Above,
    /// It is on something below.
    Below,
    /// It is on the same file by another name.
    OtherName,
    /// It overlaps a row from before epochs that the caller would take over (R7).
    Inherited,
}

/// A row as a resource that can be looked up.
pub(super) fn as_resource(row: &StoredLease) -> Option<(i64, Resource)> {
    let key = Key::from_bytes(row.key.clone())?;
    let file = resource::file_id(&row.lease.path);
    let path = row.lease.path.clone();
    let dev = file.map(|file| file.dev);
    Some((
        row.rowid,
        Resource { key, path, dev, hard_linked: resource::linked_file_id(&row.lease.path) },
    ))
}

/// R5: the refusal, with the first of the rows that are in the way.
pub(super) fn busy(owner: &Owner, asked: &[Resource], rows: &[StoredLease]) -> Busy {
    let conflicts = rows.iter().take(CONFLICTS_NAMED_MAX).map(|row| {
        let (resource, overlap) = meeting(asked, row);
        Conflict {
            lease: row.lease.clone(),
            wanted: resource.map_or_else(String::new, |wanted| resource::spelling(&wanted.path)),
            overlap,
            own_session: row.lease.owner.session() == owner.session(),
        }
    });
    Busy { conflicts: conflicts.collect(), more: rows.len().saturating_sub(CONFLICTS_NAMED_MAX) }
}

/// The first of the wanted resources that a row meets, and how.
fn meeting<'w>(wanted: &'w [Resource], row: &StoredLease) -> (Option<&'w Resource>, Overlap) {
    let held = Key::from_bytes(row.key.clone());
    let by_path = |resource: &Resource| {
        let held = held.as_ref()?;
        if resource.key == *held || resource::spelling(&resource.path) == row.lease.resource {
            Some(Overlap::Same)
        } else if held.contains(&resource.key) {
            Some(Overlap::Above)
        } else if resource.key.contains(held) {
            Some(Overlap::Below)
        } else {
            None
        }
    };
    let met = wanted.iter().find_map(|resource| Some((resource, by_path(resource)?)));
    match met {
        Some((resource, overlap)) => (Some(resource), overlap),
        None => {
            match wanted.iter().find(|one| one.hard_linked.is_some_and(|file| is_on(row, file))) {
                Some(resource) => (Some(resource), Overlap::OtherName),
                None => (wanted.first(), Overlap::Inherited),
            }
        }
    }
}

/// Whether a row's path leads to this file.
fn is_on(row: &StoredLease, file: FileId) -> bool {
    resource::file_id(&row.lease.path) == Some(file)
}
