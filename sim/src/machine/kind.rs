//! The points at which another virtual process may go on.

use serde::{Deserialize, Serialize};

/// What a virtual process is about to do. Each is one call that SQLite makes of its operating
/// system, but for the first and the last.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub enum Kind {
    /// The process begins.
    Start,
    /// A file is opened.
    Open,
    /// A file is read.
    Read,
    /// A file is written.
    Write,
    /// A file is cut.
    Truncate,
    /// A file is put on the disk.
    Sync,
    /// A file's length is asked for.
    Size,
    /// A file is locked.
    Lock,
    /// A lock on a file is lowered.
    Unlock,
    /// It is asked whether somebody prepares a write.
    Reserved,
    /// A file's name is taken away.
    Delete,
    /// It is asked whether there is such a file.
    Access,
    /// Shared memory is mapped.
    ShmMap,
    /// A slot of the shared memory is locked.
    ShmLock,
    /// A slot of the shared memory is unlocked.
    ShmUnlock,
    /// What was written to shared memory becomes visible.
    ShmBarrier,
    /// Shared memory is given back.
    ShmUnmap,
    /// The process waits.
    Sleep,
    /// The process ends without closing anything: what it still does counts for nothing.
    Exit,
    /// The process ends.
    End,
}

impl Kind {
    /// The name in a trace.
    pub fn name(self) -> &'static str {
        match self {
            Self::Start => "start",
            Self::Open => "open",
            Self::Read => "read",
            Self::Write => "write",
            Self::Truncate => "truncate",
            Self::Sync => "sync",
            Self::Size => "size",
            Self::Lock => "lock",
            Self::Unlock => "unlock",
            Self::Reserved => "reserved?",
            Self::Delete => "delete",
            Self::Access => "exists?",
            Self::ShmMap => "shm map",
            Self::ShmLock => "shm lock",
            Self::ShmUnlock => "shm unlock",
            Self::ShmBarrier => "shm barrier",
            Self::ShmUnmap => "shm unmap",
            Self::Sleep => "sleep",
            Self::Exit => "exit",
            Self::End => "end",
        }
    }

    /// Whether others may see that it was done, in the files, the locks or the shared memory.
    pub fn shows(self) -> bool {
        !matches!(self, Self::Read | Self::Size | Self::Reserved | Self::Access | Self::Sleep)
    }

    /// Whether an operating system may say that it failed.
    pub fn can_fail(self) -> bool {
        matches!(
            self,
            Self::Open
                | Self::Read
                | Self::Write
                | Self::Truncate
                | Self::Sync
                | Self::Size
                | Self::Delete
                | Self::ShmMap
        )
    }
}
