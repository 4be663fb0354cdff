//! The simulated disk: what programs see of a file, and what a loss of power would leave of it.

use std::collections::BTreeMap;

use rand_chacha::ChaCha8Rng;
use rand_chacha::rand_core::Rng as _;

/// What a disk writes wholly or not at all, in bytes.
pub(super) const SECTOR_BYTES: usize = 512;

/// Where the header of a database says which version of the format it is written and read by: 2 is
/// the one with a write-ahead log.
const HEADER_VERSIONS: std::ops::Range<usize> = 18..20;

/// Names a file for as long as somebody has it open, or it has a name.
pub(crate) type Inode = usize;

/// The files.
#[derive(Clone, Debug, Default)]
pub(crate) struct Disk {
    files: Vec<File>,
    names: BTreeMap<String, Inode>,
    /// The names that a loss of power cannot touch.
    durable_names: BTreeMap<String, Inode>,
    /// Whether it is kept what is not yet durable: runs that never lose power need not pay for it.
    keeps_durable: bool,
    /// Whether it promises that a write touches no byte beside those written.
    pub(crate) is_powersafe: bool,
    /// A control: a disk that says it has synced and has not.
    pub(crate) lies: bool,
}

#[derive(Clone, Debug, Default)]
struct File {
    bytes: Vec<u8>,
    durable: Vec<u8>,
    /// What came after the last sync, in order.
    unsynced: Vec<Change>,
    /// The first sync of a new journal or log also syncs the directory, as on Unix.
    syncs_names: bool,
}

#[derive(Clone, Debug)]
enum Change {
    Write { offset: usize, bytes: Vec<u8> },
    Truncate(usize),
}

/// What a loss of power does to what was not synced.
#[derive(Clone, Copy, Debug, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
pub enum Loss {
    /// The disk had written everything.
    KeepsAll,
    /// The disk had written nothing.
    DropsAll,
    /// Each change for itself: written, not written, or some of its sectors.
    TossesCoins,
    /// The disk had written everything but this one of the changes, counted from 0 over all files,
    /// and after them over the names that were given or taken away since the directory was synced.
    DropsOne(u32),
}

impl Disk {
    /// From now on a loss of power can be simulated; what is there is durable.
    pub(crate) fn keep_durable(&mut self) {
        self.keeps_durable = true;
        for file in &mut self.files {
            file.durable.clone_from(&file.bytes);
            file.unsynced.clear();
        }
        self.durable_names.clone_from(&self.names);
    }

    /// The machine is shut down in good order, and everything is written.
    pub(crate) fn shut_down(&mut self) {
        if self.keeps_durable && !self.lies {
            self.keep_durable();
        }
    }

    pub(crate) fn find(&self, name: &str) -> Option<Inode> {
        self.names.get(name).copied()
    }

    pub(crate) fn create(&mut self, name: Option<&str>, syncs_names: bool) -> Inode {
        self.files.push(File { syncs_names, ..File::default() });
        let inode = self.files.len() - 1;
        if let Some(name) = name {
            self.names.insert(name.to_owned(), inode);
        }
        inode
    }

    /// Takes a name away. Who has the file open keeps it.
    pub(crate) fn unlink(&mut self, name: &str, syncs_names: bool) -> bool {
        let was_there = self.names.remove(name).is_some();
        if syncs_names && !self.lies {
            self.durable_names.clone_from(&self.names);
        }
        was_there
    }

    /// The bytes of the files that have a name, in the order of the names.
    pub(crate) fn contents(&self) -> impl Iterator<Item = &[u8]> {
        self.names.values().map(|inode| &*self.files[*inode].bytes)
    }

    /// Whether this database is kept with a write-ahead log, as its header says.
    pub(crate) fn has_log(&self, name: &str) -> bool {
        let bytes = self.find(name).map(|inode| &self.files[inode].bytes);
        bytes.and_then(|bytes| bytes.get(HEADER_VERSIONS)) == Some(&[2, 2])
    }

    pub(crate) fn len(&self, inode: Inode) -> usize {
        self.files[inode].bytes.len()
    }

    /// So many bytes of the file, or fewer where it ends early.
    pub(crate) fn read(&self, inode: Inode, offset: usize, amount: usize) -> &[u8] {
        let bytes = &self.files[inode].bytes;
        let start = offset.min(bytes.len());
        &bytes[start..start.saturating_add(amount).min(bytes.len())]
    }

    pub(crate) fn write(&mut self, inode: Inode, offset: usize, bytes: &[u8]) {
        let file = &mut self.files[inode];
        put(&mut file.bytes, offset, bytes);
        if self.keeps_durable {
            file.unsynced.push(Change::Write { offset, bytes: bytes.to_vec() });
        }
    }

    pub(crate) fn truncate(&mut self, inode: Inode, length: usize) {
        let file = &mut self.files[inode];
        file.bytes.truncate(length);
        if self.keeps_durable {
            file.unsynced.push(Change::Truncate(length));
        }
    }

    /// What was written to the file is durable from now on.
    pub(crate) fn sync(&mut self, inode: Inode) {
        if !self.keeps_durable || self.lies {
            return;
        }
        let file = &mut self.files[inode];
        file.durable.clone_from(&file.bytes);
        file.unsynced.clear();
        if file.syncs_names {
            file.syncs_names = false;
            self.durable_names.clone_from(&self.names);
        }
    }

    /// The power goes, and comes back.
    pub(crate) fn lose_power(&mut self, loss: Loss, rng: &mut ChaCha8Rng) -> Remains {
        let mut remains = Remains::default();
        for file in &mut self.files {
            let mut bytes = std::mem::take(&mut file.durable);
            for change in file.unsynced.drain(..) {
                survive(&mut bytes, &change, loss, rng, &mut remains);
            }
            file.bytes = bytes;
        }
        let all: Vec<String> =
            self.names.keys().chain(self.durable_names.keys()).cloned().collect();
        for name in all {
            let changed = self.names.get(&name) != self.durable_names.get(&name);
            let keeps = match loss {
                Loss::KeepsAll => true,
                Loss::DropsAll => false,
                Loss::TossesCoins => rng.next_u32().is_multiple_of(2),
                Loss::DropsOne(number) => number != remains.changes,
            };
            remains.changes += u32::from(changed);
            remains.dropped += u32::from(changed && !keeps);
            let winner = if keeps { &self.names } else { &self.durable_names };
            match winner.get(&name).copied() {
                Some(inode) => self.names.insert(name.clone(), inode),
                None => self.names.remove(&name),
            };
            match self.names.get(&name).copied() {
                Some(inode) => self.durable_names.insert(name, inode),
                None => self.durable_names.remove(&name),
            };
        }
        self.keep_durable();
        remains
    }
}

/// What became of the changes that were not synced.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Remains {
    /// How many there were.
    pub(crate) changes: u32,
    /// How many were lost wholly.
    pub(crate) dropped: u32,
    /// How many were written in part.
    pub(crate) torn: u32,
}

fn survive(
    bytes: &mut Vec<u8>,
    change: &Change,
    loss: Loss,
    rng: &mut ChaCha8Rng,
    torn: &mut Remains,
) {
    let fate = match loss {
        Loss::KeepsAll => 0,
        Loss::DropsAll => 1,
        Loss::TossesCoins => rng.next_u32() % 3,
        Loss::DropsOne(number) => u32::from(number == torn.changes),
    };
    torn.changes += 1;
    match (change, fate) {
        (_, 1) => torn.dropped += 1,
        (Change::Truncate(length), _) => bytes.truncate(*length),
        (Change::Write { offset, bytes: written }, 0) => put(bytes, *offset, written),
        (Change::Write { offset, bytes: written }, _) => {
            torn.torn += 1;
            let mut at = 0;
            while at < written.len() {
                // Sectors lie where the disk has them, not where the write began.
                let room = SECTOR_BYTES - (offset + at) % SECTOR_BYTES;
                let end = (at + room).min(written.len());
                if rng.next_u32().is_multiple_of(2) {
                    put(bytes, offset + at, &written[at..end]);
                }
                at = end;
            }
        }
    }
}

fn put(bytes: &mut Vec<u8>, offset: usize, written: &[u8]) {
    let end = offset + written.len();
    if bytes.len() < end {
        bytes.resize(end, 0);
    }
    bytes[offset..end].copy_from_slice(written);
}

#[cfg(test)]
mod tests {
    use rand_chacha::rand_core::SeedableRng as _;

    use super::*;

    fn read(disk: &Disk, inode: Inode) -> Vec<u8> {
        disk.read(inode, 0, disk.len(inode)).to_vec()
    }

    /// A file of two sectors with `1`, synced, and then the second sector with `2`, not synced.
    fn half_synced() -> (Disk, Inode) {
        let mut disk = Disk::default();
        disk.keep_durable();
        let inode = disk.create(Some("f"), true);
        disk.write(inode, 0, &[1; 2 * SECTOR_BYTES]);
        disk.sync(inode);
        disk.write(inode, 256, &[2; SECTOR_BYTES]);
        (disk, inode)
    }

    #[test]
    fn what_was_synced_survives_and_the_rest_may_be_lost_or_torn() {
        let mut rng = ChaCha8Rng::seed_from_u64(1);
        let (mut disk, inode) = half_synced();
        disk.lose_power(Loss::DropsAll, &mut rng);
        assert_eq!(read(&disk, inode), [1; 2 * SECTOR_BYTES]);
        let (mut disk, inode) = half_synced();
        disk.lose_power(Loss::KeepsAll, &mut rng);
        assert_eq!(read(&disk, inode)[255..769], [&[1][..], &[2; SECTOR_BYTES], &[1]].concat());
        let mut torn = 0;
        for _ in 0..64 {
            let (mut disk, inode) = half_synced();
            disk.lose_power(Loss::TossesCoins, &mut rng);
            let bytes = read(&disk, inode);
            // The write lies in two sectors, so it is torn at 512 and nowhere else.
            assert!(bytes[256..512].iter().all(|byte| *byte == bytes[256]));
            assert!(bytes[512..768].iter().all(|byte| *byte == bytes[512]));
            torn += u32::from(bytes[256] != bytes[512]);
        }
        assert!(torn > 0);
    }

    #[test]
    fn a_name_is_durable_once_the_directory_is_synced() {
        let mut rng = ChaCha8Rng::seed_from_u64(1);
        let mut disk = Disk::default();
        disk.keep_durable();
        let log = disk.create(Some("log"), true);
        let other = disk.create(Some("other"), false);
        disk.sync(other);
        let mut lost = disk.clone();
        lost.lose_power(Loss::DropsAll, &mut rng);
        assert_eq!((lost.find("log"), lost.find("other")), (None, None));
        disk.sync(log);
        disk.unlink("other", false);
        disk.lose_power(Loss::DropsAll, &mut rng);
        assert_eq!((disk.find("log"), disk.find("other")), (Some(log), Some(other)));
        disk.unlink("other", true);
        disk.lose_power(Loss::DropsAll, &mut rng);
        assert_eq!(disk.find("other"), None);
    }

    #[test]
    fn each_change_of_a_name_can_be_the_one_that_is_lost() {
        let mut disk = Disk::default();
        let old = disk.create(Some("old"), false);
        disk.keep_durable();
        disk.unlink("old", false);
        let new = disk.create(Some("new"), false);
        disk.write(new, 0, b"a");
        let found = [0, 1, 2, 3].map(|number| {
            let mut lost = disk.clone();
            let mut rng = ChaCha8Rng::seed_from_u64(1);
            let remains = lost.lose_power(Loss::DropsOne(number), &mut rng);
            assert_eq!(remains.changes, 3);
            assert_eq!(remains.dropped, u32::from(number < 3));
            (lost.len(new), lost.find("new"), lost.find("old"))
        });
        let all = (1, Some(new), None);
        let one = [(0, Some(new), None), (1, None, None), (1, Some(new), Some(old)), all];
        assert_eq!(found, one);
    }

    #[test]
    fn a_lying_disk_keeps_nothing() {
        let (mut disk, inode) = half_synced();
        disk.lies = true;
        disk.sync(inode);
        disk.lose_power(Loss::DropsAll, &mut ChaCha8Rng::seed_from_u64(1));
        assert_eq!(read(&disk, inode), [1; 2 * SECTOR_BYTES]);
    }

    #[test]
    fn reading_ends_where_the_file_ends() {
        let mut disk = Disk::default();
        let inode = disk.create(None, false);
        disk.write(inode, 0, b"ab");
        assert_eq!(disk.read(inode, 1, 4), b"b");
        assert_eq!(disk.read(inode, 9, 4), b"");
        disk.truncate(inode, 1);
        assert_eq!(disk.len(inode), 1);
    }
}
