//! What the machine does for an open file, once the point before it is passed.

use rand_chacha::rand_core::Rng as _;

use super::disk::{Disk, Inode, SECTOR_BYTES};
use super::locks::{Handle, Level, SLOTS};
use super::{Machine, Open, Shared};
use crate::rare::Rare;
use crate::vfs::Page;

/// How a file is opened.
#[derive(Clone, Copy, Debug)]
pub(crate) struct OpenAs {
    /// What it is, in a trace.
    pub(crate) role: &'static str,
    /// Whether it is made where it is not there.
    pub(crate) creates: bool,
    /// Whether its first sync also syncs the directory.
    pub(crate) syncs_names: bool,
    /// Whether its name goes when it is closed.
    pub(crate) deleted_on_close: bool,
}

/// What becomes of slots.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum SlotLock {
    /// Locked beside others.
    Share,
    /// Locked alone.
    Exclude,
    /// Given back.
    Release,
}

/// The slot of the shared memory that a writer locks.
const WRITE_SLOT: usize = 0;
/// The slot of shared memory that is locked by who rebuilds the index of the log.
const RECOVER_SLOT: usize = 2;

impl Machine {
    /// Opens a file; none where there is no such file.
    pub(crate) fn open_file(&mut self, name: Option<&str>, open: OpenAs) -> Option<Handle> {
        let found = name.and_then(|name| self.disk.find(name));
        let inode = match found {
            Some(inode) => inode,
            None if open.creates || name.is_none() => self.disk.create(name, open.syncs_names),
            None => return None,
        };
        if self.shared.len() <= inode {
            self.shared.resize_with(inode + 1, Shared::default);
        }
        let deleted_on_close = name.filter(|_| open.deleted_on_close).map(str::to_owned);
        let process = self.running.unwrap_or(usize::MAX);
        let file = Open { inode, name: open.role, process, deleted_on_close };
        let free = self.open.iter().position(Option::is_none);
        let handle = free.unwrap_or_else(|| {
            self.open.push(None);
            self.open.len() - 1
        });
        self.open[handle] = Some(file);
        Some(handle)
    }

    /// Closes a file. A dead process closes what is no longer there.
    pub(crate) fn close_file(&mut self, handle: Handle) {
        let Some(open) = self.open.get_mut(handle).and_then(Option::take) else { return };
        self.forget(handle, open.inode);
        if let Some(name) = open.deleted_on_close.filter(|_| !self.is_killed()) {
            self.disk.unlink(&name, false);
        }
    }

    pub(super) fn inode(&self, handle: Handle) -> Option<Inode> {
        self.open.get(handle)?.as_ref().map(|open| open.inode)
    }

    /// The file behind a handle, with the disk that it is on.
    pub(crate) fn file(&mut self, handle: Handle) -> Option<(&mut Disk, Inode)> {
        let inode = self.inode(handle)?;
        Some((&mut self.disk, inode))
    }

    /// A write has failed. Where it did not fit on the disk, some of its sectors did, or none, and
    /// they stay there. False where it failed for another reason.
    pub(crate) fn fill_up(&mut self, handle: Handle, offset: usize, bytes: &[u8]) -> bool {
        if !self.take_full() {
            return false;
        }
        if let Some(inode) = self.inode(handle).filter(|_| !self.is_killed()) {
            let sectors = bytes.len().div_ceil(SECTOR_BYTES).max(1);
            let fit = self.rng.next_u32() as usize % sectors * SECTOR_BYTES;
            if fit > 0 {
                self.disk.write(inode, offset, &bytes[..fit]);
            }
        }
        true
    }

    /// Raises the lock on a file; false where somebody is in the way.
    pub(crate) fn lock(&mut self, handle: Handle, wanted: Level) -> bool {
        let granted =
            self.inode(handle).is_some_and(|inode| self.shared[inode].locks.lock(handle, wanted));
        self.mix(u64::from(granted));
        if granted && wanted == Level::Reserved {
            self.note_lock(true);
        }
        granted || self.controls.no_file_locks
    }

    /// Lowers it.
    pub(crate) fn unlock(&mut self, handle: Handle, to: Level) {
        if let Some(inode) = self.inode(handle) {
            let was_reserved = self.shared[inode].locks.is_reserved();
            self.shared[inode].locks.unlock(handle, to);
            if was_reserved && !self.shared[inode].locks.is_reserved() {
                self.note_lock(false);
            }
        }
    }

    /// Whether somebody prepares a write to the file.
    pub(crate) fn is_reserved(&self, handle: Handle) -> bool {
        self.inode(handle).is_some_and(|inode| self.shared[inode].locks.is_reserved())
    }

    /// A page of the shared memory, made if it is to be.
    pub(crate) fn map(&mut self, handle: Handle, page: usize, makes: bool) -> Option<&Page> {
        let inode = self.inode(handle)?;
        let shared = &mut self.shared[inode];
        if shared.attached.is_empty() {
            // The first to come finds it empty, whatever those before left.
            shared.pages.clear();
        }
        if !shared.attached.contains(&handle) {
            shared.attached.push(handle);
        }
        while makes && shared.pages.len() <= page {
            shared.pages.push(Page::default());
        }
        shared.pages.get(page)
    }

    /// Locks or unlocks slots of the shared memory; false where somebody is in the way.
    pub(crate) fn lock_slots(
        &mut self,
        handle: Handle,
        slots: std::ops::Range<usize>,
        how: SlotLock,
    ) -> bool {
        let Some(inode) = self.inode(handle) else { return false };
        let recovers = slots.contains(&RECOVER_SLOT) && how == SlotLock::Exclude;
        let is_write_lock = slots.contains(&WRITE_SLOT) && how != SlotLock::Share;
        let locks = &mut self.shared[inode].slots;
        let granted = match how {
            SlotLock::Share => locks.share(handle, slots),
            SlotLock::Exclude => locks.exclude(handle, slots),
            SlotLock::Release => {
                locks.release(handle, slots);
                true
            }
        };
        self.mix(u64::from(granted));
        if granted && recovers && self.shared[inode].attached.len() > 1 {
            self.seen.insert(Rare::Recovered);
        }
        if granted && is_write_lock {
            self.note_lock(how == SlotLock::Exclude);
        }
        granted || self.controls.no_slot_locks
    }

    /// Gives the shared memory back.
    pub(crate) fn unmap(&mut self, handle: Handle) {
        if let Some(inode) = self.inode(handle) {
            let shared = &mut self.shared[inode];
            shared.slots.release(handle, 0..SLOTS);
            shared.attached.retain(|one| *one != handle);
        }
    }

    /// Copies of all shared memory: a killed process still writes to it on the way to its end.
    pub(crate) fn copy_shared_memory(&self) -> Vec<Vec<Page>> {
        self.shared.iter().map(|shared| shared.pages.iter().map(Page::copy).collect()).collect()
    }

    /// Puts them back.
    pub(crate) fn restore_shared_memory(&mut self, copies: &[Vec<Page>]) {
        for (shared, copies) in self.shared.iter_mut().zip(copies) {
            for (page, copy) in shared.pages.iter_mut().zip(copies) {
                page.fill_from(copy);
            }
        }
    }

    /// Whether this machine has shared memory.
    pub(crate) fn has_shared_memory(&self) -> bool {
        !self.no_shared_memory
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::machine::Setup;
    use crate::machine::plan::Plan;

    #[test]
    fn a_full_disk_takes_some_of_the_sectors_or_none() {
        const LENGTH: usize = 3 * SECTOR_BYTES + 24;
        let mut machine = Machine::new(Setup::default());
        machine.begin(1, Plan::listed(&[]), Vec::new());
        let how = OpenAs { role: "db", creates: true, syncs_names: false, deleted_on_close: false };
        let handle = machine.open_file(Some("f"), how).expect("it is made");
        let inode = machine.inode(handle).expect("it is open");
        assert!(!machine.fill_up(handle, 0, &[1; LENGTH]), "another reason");
        let mut seen = [0; 4];
        for _ in 0..64 {
            machine.full.insert(0);
            assert!(machine.fill_up(handle, 0, &[1; LENGTH]));
            let length = machine.disk.len(inode);
            assert!(length.is_multiple_of(SECTOR_BYTES) && length < LENGTH);
            seen[length / SECTOR_BYTES] += 1;
            machine.disk.truncate(inode, 0);
        }
        assert!(seen.iter().all(|times| *times > 0), "{seen:?}");
    }
}
