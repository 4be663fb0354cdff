//! The locks of one database file: the five levels on the file itself, and the eight slots of the
//! shared memory that the write-ahead log is used with.

/// Who asks for a lock: one open file of one virtual process.
pub(crate) type Handle = usize;

/// How much of a file is locked, from none to all.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) enum Level {
    /// Not at all.
    #[default]
    None,
    /// For reading, beside others.
    Shared,
    /// For a write that is being prepared.
    Reserved,
    /// For a write that waits until the readers are gone.
    Pending,
    /// For a write.
    Exclusive,
}

/// The locks on a file, by the bytes that the Unix VFS locks.
#[derive(Clone, Debug, Default)]
pub(crate) struct FileLocks {
    shared: Vec<Handle>,
    reserved: Option<Handle>,
    pending: Option<Handle>,
    exclusive: Option<Handle>,
}

impl FileLocks {
    /// How much of the file this one has locked.
    pub(crate) fn level(&self, handle: Handle) -> Level {
        if self.exclusive == Some(handle) {
            Level::Exclusive
        } else if self.pending == Some(handle) {
            Level::Pending
        } else if self.reserved == Some(handle) {
            Level::Reserved
        } else if self.shared.contains(&handle) {
            Level::Shared
        } else {
            Level::None
        }
    }

    /// Raises a lock; false where somebody is in the way.
    pub(crate) fn lock(&mut self, handle: Handle, wanted: Level) -> bool {
        let has = self.level(handle);
        if has >= wanted {
            return true;
        }
        let others = |holder: Option<Handle>| holder.is_some_and(|one| one != handle);
        match wanted {
            Level::None => true,
            Level::Shared => {
                let free = !others(self.pending) && !others(self.exclusive);
                if free {
                    self.shared.push(handle);
                }
                free
            }
            Level::Reserved => {
                let free = !others(self.reserved) && !others(self.exclusive);
                if free {
                    self.reserved = Some(handle);
                }
                free
            }
            Level::Pending | Level::Exclusive => {
                // A rollback of a hot journal goes from shared to exclusive without the steps
                // between, as on Unix.
                if has >= Level::Reserved {
                    if others(self.pending) {
                        return false;
                    }
                    self.pending = Some(handle);
                }
                let free = !others(self.exclusive) && self.shared.iter().all(|one| *one == handle);
                if free {
                    self.exclusive = Some(handle);
                }
                free
            }
        }
    }

    /// Lowers a lock.
    pub(crate) fn unlock(&mut self, handle: Handle, to: Level) {
        for held in [&mut self.reserved, &mut self.pending, &mut self.exclusive] {
            held.take_if(|one| *one == handle);
        }
        if to == Level::None {
            self.shared.retain(|one| *one != handle);
        }
    }

    /// Whether somebody prepares a write.
    pub(crate) fn is_reserved(&self) -> bool {
        self.reserved.is_some() || self.pending.is_some() || self.exclusive.is_some()
    }
}

/// How many slots the shared memory has.
pub(crate) const SLOTS: usize = 8;

/// The locks on the shared memory.
#[derive(Clone, Debug, Default)]
pub(crate) struct SlotLocks([Slot; SLOTS]);

#[derive(Clone, Debug, Default)]
struct Slot {
    shared: Vec<Handle>,
    exclusive: Option<Handle>,
}

impl SlotLocks {
    /// Locks slots beside others; false where one is locked exclusively.
    pub(crate) fn share(&mut self, handle: Handle, slots: std::ops::Range<usize>) -> bool {
        let slots = &mut self.0[slots];
        let free = slots.iter().all(|slot| slot.exclusive.is_none_or(|one| one == handle));
        if free {
            for slot in slots {
                slot.shared.push(handle);
            }
        }
        free
    }

    /// Locks slots alone; false where anybody else has one of them.
    pub(crate) fn exclude(&mut self, handle: Handle, slots: std::ops::Range<usize>) -> bool {
        let slots = &mut self.0[slots];
        let free = slots.iter().all(|slot| {
            slot.exclusive.is_none_or(|one| one == handle)
                && slot.shared.iter().all(|one| *one == handle)
        });
        if free {
            for slot in slots {
                slot.exclusive = Some(handle);
            }
        }
        free
    }

    /// Gives slots back.
    pub(crate) fn release(&mut self, handle: Handle, slots: std::ops::Range<usize>) {
        for slot in &mut self.0[slots] {
            slot.shared.retain(|one| *one != handle);
            slot.exclusive.take_if(|one| *one == handle);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn readers_share_and_one_prepares_a_write() {
        let mut locks = FileLocks::default();
        assert!(locks.lock(1, Level::Shared) && locks.lock(2, Level::Shared));
        assert!(locks.lock(1, Level::Reserved));
        assert!(!locks.lock(2, Level::Reserved) && locks.is_reserved());
        assert!(locks.lock(3, Level::Shared), "a reserved lock lets readers in");
    }

    #[test]
    fn a_pending_write_lets_no_more_readers_in_and_waits_for_those_there() {
        let mut locks = FileLocks::default();
        assert!(locks.lock(1, Level::Shared) && locks.lock(2, Level::Shared));
        assert!(locks.lock(1, Level::Reserved));
        assert!(!locks.lock(1, Level::Exclusive));
        assert!(!locks.lock(3, Level::Shared));
        locks.unlock(2, Level::None);
        assert!(locks.lock(1, Level::Exclusive));
        locks.unlock(1, Level::Shared);
        assert!(locks.lock(3, Level::Shared) && !locks.is_reserved());
    }

    #[test]
    fn a_rollback_needs_the_readers_gone_but_leaves_no_pending_lock() {
        let mut locks = FileLocks::default();
        assert!(locks.lock(1, Level::Shared) && locks.lock(2, Level::Shared));
        assert!(!locks.lock(1, Level::Exclusive));
        assert!(locks.lock(3, Level::Shared));
    }

    #[test]
    fn a_slot_has_readers_or_one_writer() {
        let mut locks = SlotLocks::default();
        assert!(locks.share(1, 3..4) && locks.share(2, 3..4));
        assert!(!locks.exclude(1, 3..4) && locks.exclude(1, 0..1));
        assert!(!locks.share(2, 0..1) && !locks.exclude(2, 0..2));
        locks.release(2, 3..4);
        assert!(locks.exclude(1, 3..4));
        locks.release(1, 0..8);
        assert!(locks.exclude(2, 0..8));
    }
}
