//! The tables. SQL texts that name columns live here and beside the operation that runs them.

/// What `user_version` holds for today's form.
pub(super) const VERSION: i64 = 2;

/// The columns of the first engine. Every engine that may still run on the file writes these.
pub(super) const LEGACY_COLUMNS: [&str; 8] =
    ["resource", "session", "agent", "host", "cwd", "acquired", "expires", "note"];

/// The table as the first engine made it. `resource` is the path as text, times are seconds since
/// 1970. New databases get it too, so that an old engine finds what it knows.
pub(super) const LEGACY_TABLE: &str = "
CREATE TABLE leases(
    resource TEXT PRIMARY KEY,
    session  TEXT NOT NULL,
    agent    TEXT NOT NULL,
    host     TEXT NOT NULL,
    cwd      TEXT,
    acquired REAL NOT NULL,
    expires  REAL NOT NULL,
    note     TEXT
)";

/// The columns that came later, each with a default so that an old engine's insert still works.
///
/// The `seen_*` columns are copies of the old ones, made when this engine last wrote or looked at
/// the row. Where they differ, an old engine has been there, and what this engine knew of the row
/// no longer counts.
pub(super) const ADDED_COLUMNS: [(&str, &str); 14] = [
    ("epoch", "TEXT NOT NULL DEFAULT ''"),
    ("key", "BLOB"),
    ("device", "INTEGER"),
    ("fence", "INTEGER"),
    ("ttl_ms", "INTEGER"),
    ("migrated", "INTEGER NOT NULL DEFAULT 0"),
    ("used", "INTEGER NOT NULL DEFAULT 0"),
    ("calls", "TEXT"),
    ("kept", "INTEGER NOT NULL DEFAULT 0"),
    ("process", "TEXT"),
    ("seen_session", "TEXT"),
    ("seen_epoch", "TEXT"),
    ("seen_acquired", "REAL"),
    ("seen_expires", "REAL"),
];

/// Which rows an old engine has written since this one last looked. It is also the condition of the
/// index `leases_unseen`, so asking costs one look at an index that is nearly always empty.
pub(super) const UNSEEN: &str = "seen_session IS NOT session OR seen_epoch IS NOT epoch \
     OR seen_acquired IS NOT acquired OR seen_expires IS NOT expires";

/// The indices that decisions use; the one row that belongs to the whole database: the boot in
/// which the generation of fences began, that generation, the grants in it, the latest time that a
/// row was written at, and how many turns and sub-agents have started (R8, R9, R12, R14); and what
/// is remembered of turns, sub-agents, processes and lost leases (R8, R9, R11, R13).
pub(super) fn additions() -> String {
    format!(
        "CREATE INDEX IF NOT EXISTS leases_by_key ON leases(key);
         CREATE INDEX IF NOT EXISTS leases_by_owner ON leases(session, epoch);
         CREATE INDEX IF NOT EXISTS leases_by_expiry ON leases(expires);
         CREATE INDEX IF NOT EXISTS leases_unseen ON leases(resource) WHERE {UNSEEN};
         CREATE TABLE IF NOT EXISTS leasehold(
             id         INTEGER PRIMARY KEY CHECK (id = 0),
             boot       TEXT,
             generation INTEGER NOT NULL,
             granted    INTEGER NOT NULL,
             clock_ms   INTEGER NOT NULL,
             starts     INTEGER NOT NULL DEFAULT 0
         );
         CREATE TABLE IF NOT EXISTS turns(
             session TEXT NOT NULL,
             epoch   TEXT NOT NULL,
             started INTEGER NOT NULL,
             at_ms   INTEGER NOT NULL,
             process TEXT,
             over    INTEGER NOT NULL,
             retired INTEGER NOT NULL,
             PRIMARY KEY (session, epoch)
         ) WITHOUT ROWID;
         CREATE TABLE IF NOT EXISTS subagents(
             session  TEXT NOT NULL,
             epoch    TEXT NOT NULL,
             started  INTEGER NOT NULL,
             announced INTEGER NOT NULL DEFAULT 0,
             at_ms    INTEGER NOT NULL,
             listed   INTEGER NOT NULL DEFAULT 0,
             in_doubt INTEGER NOT NULL DEFAULT 0,
             process  TEXT,
             PRIMARY KEY (session, epoch)
         ) WITHOUT ROWID;
         CREATE TABLE IF NOT EXISTS sightings(
             session  TEXT NOT NULL,
             process  TEXT NOT NULL,
             at_ms    INTEGER NOT NULL,
             call     TEXT,
             believed INTEGER NOT NULL
         );
         CREATE INDEX IF NOT EXISTS sightings_by_session ON sightings(session);
         CREATE TABLE IF NOT EXISTS notes(
             session    TEXT NOT NULL,
             epoch      TEXT NOT NULL,
             resource   TEXT NOT NULL,
             key        BLOB NOT NULL,
             at_ms      INTEGER NOT NULL,
             by_agent   TEXT,
             by_session TEXT,
             by_ms      INTEGER,
             told       INTEGER NOT NULL DEFAULT 0
         );
         CREATE INDEX IF NOT EXISTS notes_by_session ON notes(session);
         INSERT OR IGNORE INTO leasehold VALUES (0, NULL, 0, 0, 0, 0);
         PRAGMA user_version = {VERSION};"
    )
}

/// The tables beside that of leases. Who misses one of them while it decides makes it again.
pub(super) const TABLES: [&str; 5] = ["leasehold", "turns", "subagents", "sightings", "notes"];

/// A point in time as the table holds it.
#[expect(clippy::cast_precision_loss, reason = "exact up to the year 287396")]
pub(super) fn seconds(ms: i64) -> f64 {
    ms as f64 / 1000.0
}

/// A point in time from the table, to the nearest millisecond. What is no number counts as 0.
#[expect(clippy::cast_possible_truncation, reason = "the cast saturates, which is what is wanted")]
pub(super) fn millis(seconds: f64) -> i64 {
    (seconds * 1000.0).round() as i64
}
