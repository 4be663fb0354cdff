//! What SQLite asks of an open file.
#![expect(unsafe_code, reason = "SQLite calls back through C")]

use std::ffi::{c_int, c_void};
use std::ptr;
use std::slice;

use rusqlite::ffi;

use super::{PAGE_BYTES, Page, enter, length, unsigned};
use crate::machine;
use crate::machine::files::SlotLock;
use crate::machine::kind::Kind;
use crate::machine::locks::{Handle, Level};

/// An open file, as SQLite holds it.
#[repr(C)]
pub(super) struct File {
    pub(super) base: ffi::sqlite3_file,
    pub(super) handle: Handle,
}

/// With shared memory.
pub(super) static METHODS: ffi::sqlite3_io_methods =
    ffi::sqlite3_io_methods { iVersion: 2, ..PLAIN };
/// Without: SQLite keeps a rollback journal then.
pub(super) static METHODS_OF_JOURNAL: ffi::sqlite3_io_methods = PLAIN;

const PLAIN: ffi::sqlite3_io_methods = ffi::sqlite3_io_methods {
    iVersion: 1,
    xClose: Some(close),
    xRead: Some(read),
    xWrite: Some(write),
    xTruncate: Some(truncate),
    xSync: Some(sync),
    xFileSize: Some(file_size),
    xLock: Some(lock),
    xUnlock: Some(unlock),
    xCheckReservedLock: Some(check_reserved_lock),
    xFileControl: Some(file_control),
    xSectorSize: Some(sector_size),
    xDeviceCharacteristics: Some(device_characteristics),
    xShmMap: Some(shm_map),
    xShmLock: Some(shm_lock),
    xShmBarrier: Some(shm_barrier),
    xShmUnmap: Some(shm_unmap),
    xFetch: None,
    xUnfetch: None,
};

/// The handle of an open file.
///
/// # Safety
/// It was opened by `open`, and is not closed yet.
unsafe fn handle(file: *mut ffi::sqlite3_file) -> Handle {
    // SAFETY: `open` makes a `File` of it and writes its handle, and nobody changes that.
    unsafe { (*file.cast::<File>()).handle }
}

unsafe extern "C" fn close(file: *mut ffi::sqlite3_file) -> c_int {
    // SAFETY: SQLite asks this only of a file that is open.
    let handle = unsafe { handle(file) };
    machine::with(|machine| machine.close_file(handle));
    ffi::SQLITE_OK
}

fn place(offset: ffi::sqlite3_int64) -> usize {
    usize::try_from(offset).unwrap_or(0)
}

unsafe extern "C" fn read(
    file: *mut ffi::sqlite3_file,
    buffer: *mut c_void,
    amount: c_int,
    offset: ffi::sqlite3_int64,
) -> c_int {
    // SAFETY: SQLite asks this only of a file that is open.
    let handle = unsafe { handle(file) };
    if !enter(Kind::Read, Some(handle), unsigned(offset)) {
        return ffi::SQLITE_IOERR_READ;
    }
    let (buffer, amount) = (buffer.cast::<u8>(), length(amount));
    machine::with(|machine| {
        let Some((disk, inode)) = machine.file(handle) else { return ffi::SQLITE_IOERR_READ };
        let there = disk.read(inode, place(offset), amount);
        // SAFETY: there is room for `amount` bytes, and no more are there. The buffer is SQLite's,
        // not the disk's. It may never have been written to, so nothing of it is borrowed.
        unsafe { ptr::copy_nonoverlapping(there.as_ptr(), buffer, there.len()) };
        if there.len() == amount {
            return ffi::SQLITE_OK;
        }
        // SAFETY: the rest of the same room. SQLite wants zeros for what lies behind the end.
        unsafe { buffer.add(there.len()).write_bytes(0, amount - there.len()) };
        ffi::SQLITE_IOERR_SHORT_READ
    })
}

unsafe extern "C" fn write(
    file: *mut ffi::sqlite3_file,
    bytes: *const c_void,
    amount: c_int,
    offset: ffi::sqlite3_int64,
) -> c_int {
    // SAFETY: SQLite asks this only of a file that is open.
    let handle = unsafe { handle(file) };
    let goes_on = enter(Kind::Write, Some(handle), unsigned(offset));
    // SAFETY: SQLite has filled so many bytes there, and changes none of them during the call.
    let bytes = unsafe { slice::from_raw_parts(bytes.cast::<u8>(), length(amount)) };
    if !goes_on {
        let is_full = machine::with(|machine| machine.fill_up(handle, place(offset), bytes));
        return if is_full { ffi::SQLITE_FULL } else { ffi::SQLITE_IOERR_WRITE };
    }
    change(handle, ffi::SQLITE_IOERR_WRITE, |disk, inode| disk.write(inode, place(offset), bytes))
}

/// Changes the file behind a handle, if there is one.
fn change(
    handle: Handle,
    error: c_int,
    how: impl FnOnce(&mut machine::disk::Disk, machine::disk::Inode),
) -> c_int {
    let done = machine::with(|machine| machine.file(handle).map(|(disk, inode)| how(disk, inode)));
    if done.is_some() { ffi::SQLITE_OK } else { error }
}

unsafe extern "C" fn truncate(file: *mut ffi::sqlite3_file, size: ffi::sqlite3_int64) -> c_int {
    // SAFETY: SQLite asks this only of a file that is open.
    let handle = unsafe { handle(file) };
    if !enter(Kind::Truncate, Some(handle), unsigned(size)) {
        return ffi::SQLITE_IOERR_TRUNCATE;
    }
    change(handle, ffi::SQLITE_IOERR_TRUNCATE, |disk, inode| disk.truncate(inode, place(size)))
}

unsafe extern "C" fn sync(file: *mut ffi::sqlite3_file, _flags: c_int) -> c_int {
    // SAFETY: SQLite asks this only of a file that is open.
    let handle = unsafe { handle(file) };
    if !enter(Kind::Sync, Some(handle), 0) {
        return ffi::SQLITE_IOERR_FSYNC;
    }
    change(handle, ffi::SQLITE_IOERR_FSYNC, machine::disk::Disk::sync)
}

unsafe extern "C" fn file_size(
    file: *mut ffi::sqlite3_file,
    size: *mut ffi::sqlite3_int64,
) -> c_int {
    // SAFETY: SQLite asks this only of a file that is open.
    let handle = unsafe { handle(file) };
    if !enter(Kind::Size, Some(handle), 0) {
        return ffi::SQLITE_IOERR_FSTAT;
    }
    let found = machine::with(|machine| machine.file(handle).map(|(disk, inode)| disk.len(inode)));
    let Some(bytes) = found else { return ffi::SQLITE_IOERR_FSTAT };
    // SAFETY: SQLite always names a place for this answer.
    unsafe { size.write(i64::try_from(bytes).unwrap_or(i64::MAX)) };
    ffi::SQLITE_OK
}

fn level(level: c_int) -> Level {
    match level {
        ffi::SQLITE_LOCK_NONE => Level::None,
        ffi::SQLITE_LOCK_SHARED => Level::Shared,
        ffi::SQLITE_LOCK_RESERVED => Level::Reserved,
        ffi::SQLITE_LOCK_PENDING => Level::Pending,
        _ => Level::Exclusive,
    }
}

unsafe extern "C" fn lock(file: *mut ffi::sqlite3_file, wanted: c_int) -> c_int {
    // SAFETY: SQLite asks this only of a file that is open.
    let handle = unsafe { handle(file) };
    if !enter(Kind::Lock, Some(handle), unsigned(wanted.into())) {
        return ffi::SQLITE_IOERR_LOCK;
    }
    granted(machine::with(|machine| machine.lock(handle, level(wanted))))
}

fn granted(granted: bool) -> c_int {
    if granted { ffi::SQLITE_OK } else { ffi::SQLITE_BUSY }
}

unsafe extern "C" fn unlock(file: *mut ffi::sqlite3_file, to: c_int) -> c_int {
    // SAFETY: SQLite asks this only of a file that is open.
    let handle = unsafe { handle(file) };
    if enter(Kind::Unlock, Some(handle), unsigned(to.into())) {
        machine::with(|machine| machine.unlock(handle, level(to)));
    }
    ffi::SQLITE_OK
}

unsafe extern "C" fn check_reserved_lock(
    file: *mut ffi::sqlite3_file,
    reserved: *mut c_int,
) -> c_int {
    // SAFETY: SQLite asks this only of a file that is open.
    let handle = unsafe { handle(file) };
    if !enter(Kind::Reserved, Some(handle), 0) {
        return ffi::SQLITE_IOERR_CHECKRESERVEDLOCK;
    }
    let is_reserved = machine::with(|machine| machine.is_reserved(handle));
    // SAFETY: SQLite always names a place for this answer.
    unsafe { reserved.write(c_int::from(is_reserved)) };
    ffi::SQLITE_OK
}

unsafe extern "C" fn file_control(
    _file: *mut ffi::sqlite3_file,
    _what: c_int,
    _argument: *mut c_void,
) -> c_int {
    ffi::SQLITE_NOTFOUND
}

unsafe extern "C" fn sector_size(_file: *mut ffi::sqlite3_file) -> c_int {
    4096
}

/// What SQLite takes for granted on Unix, where the machine does: with it, SQLite writes and syncs
/// less. A loss of power never touches more than what was written, so the promise is kept. Nothing
/// else is promised: with more, SQLite would skip syncs that other disks need.
unsafe extern "C" fn device_characteristics(_file: *mut ffi::sqlite3_file) -> c_int {
    let powersafe = machine::with(|machine| machine.disk.is_powersafe);
    if powersafe { ffi::SQLITE_IOCAP_POWERSAFE_OVERWRITE } else { 0 }
}

unsafe extern "C" fn shm_map(
    file: *mut ffi::sqlite3_file,
    page: c_int,
    size: c_int,
    makes: c_int,
    out: *mut *mut c_void,
) -> c_int {
    // SAFETY: SQLite asks this only of a file that is open.
    let handle = unsafe { handle(file) };
    if length(size) > PAGE_BYTES || !enter(Kind::ShmMap, Some(handle), unsigned(page.into())) {
        return ffi::SQLITE_IOERR_SHMMAP;
    }
    let address = machine::with(|machine| {
        machine.map(handle, length(page), makes != 0).map_or(ptr::null_mut(), Page::address)
    });
    // SAFETY: SQLite always names a place for this answer. The page stays where it is for as long
    // as somebody has it mapped.
    unsafe { out.write(address) };
    ffi::SQLITE_OK
}

unsafe extern "C" fn shm_lock(
    file: *mut ffi::sqlite3_file,
    first: c_int,
    count: c_int,
    flags: c_int,
) -> c_int {
    // SAFETY: SQLite asks this only of a file that is open.
    let handle = unsafe { handle(file) };
    let (kind, how) = if flags & ffi::SQLITE_SHM_UNLOCK != 0 {
        (Kind::ShmUnlock, SlotLock::Release)
    } else if flags & ffi::SQLITE_SHM_SHARED != 0 {
        (Kind::ShmLock, SlotLock::Share)
    } else {
        (Kind::ShmLock, SlotLock::Exclude)
    };
    let slots = length(first)..length(first + count);
    // Which slots, and whether alone, in one number.
    let detail = slots.start as u64 + 16 * slots.end as u64 + 256 * u64::from(how as u8);
    if !enter(kind, Some(handle), detail) {
        return ffi::SQLITE_IOERR_SHMLOCK;
    }
    granted(machine::with(|machine| machine.lock_slots(handle, slots, how)))
}

unsafe extern "C" fn shm_barrier(file: *mut ffi::sqlite3_file) {
    // SAFETY: SQLite asks this only of a file that is open.
    let handle = unsafe { handle(file) };
    // It cannot fail: who is dead goes on, and what it says then is not heard.
    enter(Kind::ShmBarrier, Some(handle), 0);
}

unsafe extern "C" fn shm_unmap(file: *mut ffi::sqlite3_file, _deletes: c_int) -> c_int {
    // SAFETY: SQLite asks this only of a file that is open.
    let handle = unsafe { handle(file) };
    if enter(Kind::ShmUnmap, Some(handle), 0) {
        machine::with(|machine| machine.unmap(handle));
    }
    ffi::SQLITE_OK
}
