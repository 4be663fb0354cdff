//! SQLite's operating system, made of the simulated machine; and the switch between virtual
//! processes, which happens inside its calls. All unsafe code of this crate is in
//! this file and in that of the open files below it.
//!
//! Each call comes to a point of the machine first ([`enter`]), where another process may go on
//! before it has any effect. Nothing of the machine is borrowed across that.
#![expect(unsafe_code, reason = "SQLite calls back through C")]

mod file;

use std::cell::Cell;
use std::ffi::{CStr, c_char, c_int, c_void};
use std::ptr;
use std::sync::Once;

use corosensei::Yielder;
use rusqlite::ffi;

use crate::machine;
use crate::machine::course::Verdict;
use crate::machine::files::OpenAs;
use crate::machine::kind::Kind;
use crate::machine::locks::Handle;

/// One page of shared memory, in machine words for their alignment.
pub(crate) struct Page(Box<[Cell<u64>]>);

const PAGE_BYTES: usize = 32 * 1024;

impl Default for Page {
    fn default() -> Self {
        Self(vec![Cell::new(0); PAGE_BYTES / 8].into_boxed_slice())
    }
}

impl Page {
    /// The page as it is now.
    pub(crate) fn copy(&self) -> Self {
        Self(self.0.clone())
    }

    /// Makes it what another is, at the place where it is.
    pub(crate) fn fill_from(&self, other: &Self) {
        for (cell, value) in self.0.iter().zip(other.0.iter()) {
            cell.set(value.get());
        }
    }

    fn address(&self) -> *mut c_void {
        self.0.as_ptr().cast_mut().cast()
    }
}

thread_local! {
    /// The way out of the virtual process that runs.
    static WAY_OUT: Cell<*const Yielder<(), ()>> = const { Cell::new(ptr::null()) };
}

/// Runs what a virtual process does, on its own stack.
pub(crate) fn on_own_stack(yielder: &Yielder<(), ()>, body: impl FnOnce()) {
    /// However the body ends: the yielder goes with its stack.
    struct Closed;
    impl Drop for Closed {
        fn drop(&mut self) {
            WAY_OUT.set(ptr::null());
        }
    }
    WAY_OUT.set(yielder);
    let _closed = Closed;
    body();
}

/// Lets somebody else go on. Returns when this process may.
fn suspend() {
    let way_out = WAY_OUT.replace(ptr::null());
    assert!(!way_out.is_null(), "only a virtual process can wait for another");
    // SAFETY: it points to the yielder of the coroutine that this runs on: a coroutine sets it when
    // it begins, and again below each time that it goes on, and whenever it is left it is null. The
    // yielder lives as long as the coroutine's stack.
    unsafe { &*way_out }.suspend(());
    WAY_OUT.set(way_out);
}

/// Comes to a point: somebody else may go on first. False where the call fails, without effect.
pub(crate) fn enter(kind: Kind, handle: Option<Handle>, detail: u64) -> bool {
    pass(machine::with(|machine| machine.point(kind, handle, detail)))
}

/// Is about to ask the store: where lock spans are what is ordered, the first one of the call
/// begins here.
pub(crate) fn before_call() {
    pass(machine::with(machine::Machine::before_call));
}

/// Waits for so long in the machine's time, as a process that means to.
pub(crate) fn sleep(micros: u64) -> bool {
    pass(machine::with(|machine| machine.sleep(micros)))
}

fn pass(verdict: Verdict) -> bool {
    match verdict {
        Verdict::Go => true,
        Verdict::Fail => false,
        Verdict::Suspend { fails } => {
            suspend();
            !fails && !machine::with(|machine| machine.is_killed())
        }
    }
}

/// Makes the simulated machine what SQLite runs on in this whole program, from now on.
pub(crate) fn install() {
    static INSTALLED: Once = Once::new();
    INSTALLED.call_once(|| {
        let vfs = Box::leak(Box::new(VFS));
        // SAFETY: the structure is complete, and it is never freed.
        let done = unsafe { ffi::sqlite3_vfs_register(vfs, 1) };
        assert_eq!(done, ffi::SQLITE_OK, "SQLite takes the simulated machine");
    });
}

/// SQLite's random numbers begin anew, with those of the machine. They are the one thing that a run
/// would inherit from the run before it.
pub(crate) fn forget_randomness() {
    // SAFETY: with no buffer SQLite writes nowhere; it is the documented way to reset it.
    unsafe { ffi::sqlite3_randomness(0, ptr::null_mut()) };
}

#[expect(clippy::cast_possible_truncation, clippy::cast_possible_wrap, reason = "a few bytes")]
const FILE_BYTES: c_int = size_of::<file::File>() as c_int;

const VFS: ffi::sqlite3_vfs = ffi::sqlite3_vfs {
    iVersion: 2,
    szOsFile: FILE_BYTES,
    mxPathname: 512,
    pNext: ptr::null_mut(),
    zName: c"leasehold-sim".as_ptr(),
    pAppData: ptr::null_mut(),
    xOpen: Some(open),
    xDelete: Some(delete),
    xAccess: Some(access),
    xFullPathname: Some(full_pathname),
    xDlOpen: None,
    xDlError: None,
    xDlSym: None,
    xDlClose: None,
    xRandomness: Some(randomness),
    xSleep: Some(sleep_micros),
    xCurrentTime: None,
    xGetLastError: None,
    xCurrentTimeInt64: Some(current_time),
    xSetSystemCall: None,
    xGetSystemCall: None,
    xNextSystemCall: None,
};

/// A name as SQLite gives it; none where it gives none.
///
/// # Safety
/// Where there is one, it ends with a zero, and nobody changes it during the call that it is for.
unsafe fn text<'a>(text: *const c_char) -> Option<&'a str> {
    if text.is_null() {
        return None;
    }
    // SAFETY: it is not null, and the rest is the caller's promise.
    unsafe { CStr::from_ptr(text) }.to_str().ok()
}

unsafe extern "C" fn open(
    _vfs: *mut ffi::sqlite3_vfs,
    name: ffi::sqlite3_filename,
    file: *mut ffi::sqlite3_file,
    flags: c_int,
    out_flags: *mut c_int,
) -> c_int {
    let file = file.cast::<file::File>();
    // SAFETY: SQLite has made room for `szOsFile` bytes there, which is what a `File` takes.
    // Without methods it does not close a file that could not be opened.
    unsafe { (&raw mut (*file).base.pMethods).write(ptr::null()) };
    // SAFETY: SQLite's names end with a zero, and it keeps them while the file is open.
    let name = unsafe { text(name) };
    if !enter(Kind::Open, None, 0) {
        return ffi::SQLITE_CANTOPEN;
    }
    let has = |flag: c_int| flags & flag != 0;
    let log = has(ffi::SQLITE_OPEN_WAL);
    let journal = has(ffi::SQLITE_OPEN_MAIN_JOURNAL);
    let role = if log {
        "wal"
    } else if journal {
        "journal"
    } else {
        "db"
    };
    let how = OpenAs {
        role,
        creates: has(ffi::SQLITE_OPEN_CREATE),
        syncs_names: log || journal,
        deleted_on_close: has(ffi::SQLITE_OPEN_DELETEONCLOSE),
    };
    let (handle, shared) =
        machine::with(|machine| (machine.open_file(name, how), machine.has_shared_memory()));
    let Some(handle) = handle else { return ffi::SQLITE_CANTOPEN };
    let methods =
        if shared { &raw const file::METHODS } else { &raw const file::METHODS_OF_JOURNAL };
    // SAFETY: the room for a `File` is still there: SQLite waits for this call.
    unsafe {
        (&raw mut (*file).handle).write(handle);
        (&raw mut (*file).base.pMethods).write(methods);
    }
    if !out_flags.is_null() {
        // SAFETY: it is not null, so it is SQLite's place for this answer.
        unsafe { out_flags.write(flags) };
    }
    ffi::SQLITE_OK
}

/// An offset or a length, as SQLite gives it.
fn unsigned(value: ffi::sqlite3_int64) -> u64 {
    u64::try_from(value).unwrap_or(0)
}

fn length(value: c_int) -> usize {
    usize::try_from(value).unwrap_or(0)
}

unsafe extern "C" fn delete(
    _vfs: *mut ffi::sqlite3_vfs,
    name: *const c_char,
    syncs_names: c_int,
) -> c_int {
    // SAFETY: SQLite's names end with a zero, and it keeps them during the call.
    let name = unsafe { text(name) }.unwrap_or_default();
    if !enter(Kind::Delete, None, 0) {
        return ffi::SQLITE_IOERR_DELETE;
    }
    let was_there = machine::with(|machine| machine.disk.unlink(name, syncs_names != 0));
    if was_there { ffi::SQLITE_OK } else { ffi::SQLITE_IOERR_DELETE_NOENT }
}

unsafe extern "C" fn access(
    _vfs: *mut ffi::sqlite3_vfs,
    name: *const c_char,
    flags: c_int,
    answer: *mut c_int,
) -> c_int {
    // SAFETY: SQLite's names end with a zero, and it keeps them during the call.
    let name = unsafe { text(name) }.unwrap_or_default();
    if !enter(Kind::Access, None, 0) {
        return ffi::SQLITE_IOERR_ACCESS;
    }
    let found = machine::with(|machine| {
        // An empty file does not count as there, as on Unix.
        let empty_counts = flags != ffi::SQLITE_ACCESS_EXISTS;
        let disk = &machine.disk;
        disk.find(name).is_some_and(|inode| empty_counts || disk.len(inode) > 0)
    });
    // SAFETY: SQLite always names a place for this answer.
    unsafe { answer.write(c_int::from(found)) };
    ffi::SQLITE_OK
}

unsafe extern "C" fn full_pathname(
    _vfs: *mut ffi::sqlite3_vfs,
    name: *const c_char,
    room: c_int,
    out: *mut c_char,
) -> c_int {
    // SAFETY: SQLite asks for the full name of a name, which ends with a zero.
    let bytes = unsafe { CStr::from_ptr(name) }.to_bytes_with_nul();
    if bytes.len() > length(room) {
        return ffi::SQLITE_CANTOPEN;
    }
    // SAFETY: there is room for `room` bytes, in a buffer of SQLite's that the name is not in.
    unsafe { ptr::copy_nonoverlapping(bytes.as_ptr().cast(), out, bytes.len()) };
    ffi::SQLITE_OK
}

/// No point: SQLite holds a mutex of the whole program around this.
unsafe extern "C" fn randomness(
    _vfs: *mut ffi::sqlite3_vfs,
    amount: c_int,
    out: *mut c_char,
) -> c_int {
    let bytes = machine::with(|machine| machine.randomness(length(amount)));
    // SAFETY: there is room for `amount` bytes, in a buffer of SQLite's. It may never have been
    // written to, so nothing of it is borrowed.
    unsafe { ptr::copy_nonoverlapping(bytes.as_ptr(), out.cast(), bytes.len()) };
    amount
}

unsafe extern "C" fn sleep_micros(_vfs: *mut ffi::sqlite3_vfs, micros: c_int) -> c_int {
    pass(machine::with(|machine| machine.wait_for_lock(unsigned(micros.into()))));
    micros
}

/// The wall clock in SQLite's days of milliseconds, counted from a noon in November 4714 before our
/// era.
unsafe extern "C" fn current_time(
    _vfs: *mut ffi::sqlite3_vfs,
    out: *mut ffi::sqlite3_int64,
) -> c_int {
    const UNIX_EPOCH_MS: i64 = 210_866_760_000_000;
    let now = UNIX_EPOCH_MS.saturating_add(machine::with(|machine| machine.now_ms()));
    // SAFETY: SQLite always names a place for this answer.
    unsafe { out.write(now) };
    ffi::SQLITE_OK
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::executor;

    #[test]
    fn there_is_no_way_out_but_for_the_process_that_runs() {
        let mut lane = Some(executor::lane(Box::new(suspend)));
        assert!(!executor::resume(&mut lane));
        assert!(WAY_OUT.get().is_null(), "it waits");
        assert!(executor::resume(&mut lane));
        assert!(WAY_OUT.get().is_null(), "it has ended");
    }
}
