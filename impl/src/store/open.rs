//! Opening: a connection with the settings that the rules need, on a database of today's form.

use std::fs;
use std::path::Path;
use std::time::Duration;

use rusqlite::config::DbConfig;
use rusqlite::{Connection, ErrorCode, OpenFlags};

use super::own::Own;
use super::schema::VERSION;
use super::{Options, StoreError, Sync, generation, upgrade};

/// How long to wait before the write-ahead log is asked for again: longer each time, up to this.
const LOG_RETRY_MIN: Duration = Duration::from_millis(2);
const LOG_RETRY_MAX: Duration = Duration::from_millis(50);

/// More than the store has statements.
const STATEMENTS_KEPT: usize = 128;

/// A connection that is ready for decisions.
pub(super) fn ready_connection(path: &Path, options: &Options) -> Result<Connection, StoreError> {
    make_directory(path)?;
    let sqlite = |error: rusqlite::Error| StoreError::of_sqlite(&error, path);
    let connection = connect(path, options).map_err(sqlite)?;
    if is_ready(&connection, options).map_err(|error| error.at(path))? {
        set_sync(&connection, options.sync).map_err(sqlite)?;
    } else {
        upgrade::run(&connection, options, path).map_err(|error| error.at(path))?;
    }
    Ok(connection)
}

/// The state directory is made on first use, for its owner only.
fn make_directory(path: &Path) -> Result<(), StoreError> {
    let Some(directory) = path.parent().filter(|parent| !parent.as_os_str().is_empty()) else {
        return Ok(());
    };
    if directory.is_dir() {
        return Ok(());
    }
    let mut builder = fs::DirBuilder::new();
    builder.recursive(true);
    #[cfg(unix)]
    std::os::unix::fs::DirBuilderExt::mode(&mut builder, 0o700);
    builder.create(directory).map_err(|error| StoreError::directory(directory, &error))
}

fn connect(path: &Path, options: &Options) -> rusqlite::Result<Connection> {
    let flags = OpenFlags::SQLITE_OPEN_READ_WRITE
        | OpenFlags::SQLITE_OPEN_CREATE
        | OpenFlags::SQLITE_OPEN_NO_MUTEX;
    let connection = Connection::open_with_flags(path, flags)?;
    connection.busy_timeout(options.busy_timeout)?;
    // A begin alone uses more statements than are kept unless it is asked for.
    connection.set_prepared_statement_cache_capacity(STATEMENTS_KEPT);
    // The last connection to close would copy the log back and wait for the disk, in the middle of
    // somebody's write call, and so would a commit that finds the log long. `empty_log` does that.
    connection.execute_batch("PRAGMA wal_autocheckpoint=0")?;
    connection.set_db_config(DbConfig::SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, true)?;
    Ok(connection)
}

/// Sets when a commit of this connection counts.
pub(super) fn set_sync(connection: &Connection, sync: Sync) -> rusqlite::Result<()> {
    let level = match sync {
        Sync::Normal if has_log(connection)? => "NORMAL",
        // NORMAL syncs a rollback journal together with its header. A loss of power before that may
        // leave the header without one of the pages that it promises, and a page of zeros can pass
        // for it: the rollback would write it over a good one.
        Sync::Normal => "FULL",
        // With a rollback journal FULL does not sync the directory that the journal is taken from,
        // so that a loss of power brings it back and undoes the commit. With a log the two are the
        // same.
        Sync::Full => "EXTRA",
    };
    connection.execute_batch(&format!("PRAGMA synchronous={level}"))
}

fn has_log(connection: &Connection) -> rusqlite::Result<bool> {
    let mode: String = connection.query_row("PRAGMA journal_mode", [], |row| row.get(0))?;
    Ok(mode == "wal")
}

/// Why a database cannot be made ready.
pub(super) enum NotReady {
    /// SQLite says so.
    Sqlite(rusqlite::Error),
    /// A newer program has been here.
    Newer(i64),
    /// It is a database, of something else.
    Foreign,
}

impl From<rusqlite::Error> for NotReady {
    fn from(error: rusqlite::Error) -> Self {
        Self::Sqlite(error)
    }
}

impl NotReady {
    pub(super) fn at(self, path: &Path) -> StoreError {
        match self {
            Self::Sqlite(error) => StoreError::of_sqlite(&error, path),
            Self::Newer(version) => StoreError::newer(path, version),
            Self::Foreign => StoreError::foreign(path),
        }
    }
}

/// The form of the database as `user_version` tells it.
pub(super) fn version(connection: &Connection) -> Result<i64, NotReady> {
    let version = connection.query_row("PRAGMA user_version", [], |row| row.get(0))?;
    if version > VERSION { Err(NotReady::Newer(version)) } else { Ok(version) }
}

/// Whether nothing is left to do: today's form, and a generation of fences of this boot.
pub(super) fn is_ready(connection: &Connection, options: &Options) -> Result<bool, NotReady> {
    if version(connection)? != VERSION {
        return Ok(false);
    }
    let own = match Own::read(connection) {
        // A table or an index is missing. Other programs count their forms from 1 too, so it is
        // theirs unless it has the table of leases.
        Err(error) if lacks_something(&error) => {
            upgrade::require_ours(connection)?;
            None
        }
        other => other?,
    };
    Ok(own.is_some_and(|own| {
        generation::is_current(own.boot.as_deref(), options.boot.as_deref(), own.granted)
    }))
}

/// Whether a statement names a table or an index that is not there.
pub(super) fn lacks_something(error: &rusqlite::Error) -> bool {
    error.sqlite_error_code() == Some(ErrorCode::Unknown)
}

/// Turns the write-ahead log on. While several processes open a new file together, this says BUSY
/// at once, whatever the time-out; so it is tried again until the time-out. An old engine that
/// keeps the file open can make it impossible, and that is no error: every journal mode is correct,
/// the log is only faster.
pub(super) fn use_log(connection: &Connection, options: &Options) -> rusqlite::Result<()> {
    // Of all waiting only the pauses below count, or each try would wait for its own time-out.
    connection.busy_timeout(Duration::ZERO)?;
    let mut waited = Duration::ZERO;
    let mut pause = LOG_RETRY_MIN;
    let done = loop {
        let mode =
            connection.query_row("PRAGMA journal_mode=WAL", [], |row| row.get::<_, String>(0));
        match mode {
            Ok(_) => break Ok(()),
            Err(error) if !is_busy(&error) => break Err(error),
            Err(_) if waited >= options.busy_timeout => break Ok(()),
            Err(_) => options.clock.pause(pause),
        }
        waited += pause;
        pause = (pause * 2).min(LOG_RETRY_MAX);
    };
    connection.busy_timeout(options.busy_timeout)?;
    done
}

fn is_busy(error: &rusqlite::Error) -> bool {
    matches!(error.sqlite_error_code(), Some(ErrorCode::DatabaseBusy | ErrorCode::DatabaseLocked))
}

/// Copies the log back into the database and empties it, if it is longer than this and nobody is in
/// the way. Who opens the database alone reads the whole log first, so it must not stay long; and
/// merely copied back it would stay, since nobody who opens it later knows that it was.
pub(super) fn empty_log(
    connection: &Connection,
    options: &Options,
    path: &Path,
    log_bytes_max: u64,
) -> Result<(), StoreError> {
    let mut log = path.as_os_str().to_owned();
    log.push("-wal");
    if (options.length_of)(Path::new(&log)) <= log_bytes_max {
        return Ok(());
    }
    // Not worth waiting for: the next one does it.
    let emptied = connection
        .busy_timeout(Duration::ZERO)
        .and_then(|()| connection.query_row("PRAGMA wal_checkpoint(TRUNCATE)", [], |_| Ok(())));
    match emptied {
        Err(error) if is_busy(&error) => Ok(()),
        other => other.map_err(|error| StoreError::of_sqlite(&error, path)),
    }
}
