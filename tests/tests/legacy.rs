//! Goal: a database of the first engine is taken over once (R7), in both directions: a named turn
//! inherits what stood there at the upgrade, and never anything that came later.
//!
//! Method: databases of the old forms are written by hand, then used through the engine on a clock
//! that the test sets, and through the real binary.

use std::path::{Path, PathBuf};

use leasehold::owner::RESERVED_EPOCH;
use leasehold::store::Released;
use leasehold::store::relic::{self, Relic};
use leasehold_tests::engine::{Engine, HandClock, holders, is_granted};
use leasehold_tests::sandbox::Sandbox;
use rusqlite::{Connection, params};

/// When the old rows were written, in milliseconds since 1970.
const THEN_MS: i64 = 1_796_126_400_000;
const TTL_MS: i64 = 1_800_000;

/// A database of the first form in which session `p` holds these paths.
fn first_form(sandbox: &Sandbox, paths: &[&Path], at_ms: i64) {
    sandbox.make_store();
    let rows: Vec<Relic<'_>> = paths
        .iter()
        .map(|path| Relic {
            resource: path.to_str().expect("a path in UTF-8"),
            session: "p",
            acquired_ms: at_ms,
            expires_ms: at_ms + TTL_MS,
        })
        .collect();
    relic::make(&sandbox.database(), &rows).expect("the old database");
}

/// The same with the column that came second, and with these epochs in it.
fn with_epochs(sandbox: &Sandbox, rows: &[(&Path, &str)]) {
    let paths: Vec<&Path> = rows.iter().map(|(path, _)| *path).collect();
    first_form(sandbox, &paths, THEN_MS);
    let connection = Connection::open(sandbox.database()).expect("a database");
    let column = "ALTER TABLE leases ADD COLUMN epoch TEXT NOT NULL DEFAULT ''";
    connection.execute_batch(column).expect("a column");
    for (path, epoch) in rows {
        let change = "UPDATE leases SET epoch = ?2 WHERE resource = ?1";
        let changed = connection.execute(change, params![path.to_str(), epoch]);
        assert_eq!(changed, Ok(1));
    }
}

/// A sandbox, and two files in its checkout.
fn two_files() -> (Sandbox, PathBuf, PathBuf) {
    let sandbox = Sandbox::new();
    let (a, b) = (sandbox.repo().join("a"), sandbox.repo().join("b"));
    (sandbox, a, b)
}

/// The engine a second after the old rows were written.
fn upgraded(sandbox: &Sandbox) -> (Engine, HandClock) {
    let clock = HandClock::at(THEN_MS + 1000);
    (Engine::open(&sandbox.database(), &clock, TTL_MS), clock)
}

#[test]
fn a_named_turn_adopts_what_it_asks_for_and_its_release_takes_the_rest() {
    let (sandbox, a, b) = two_files();
    first_form(&sandbox, &[&a, &b], THEN_MS);
    let (mut engine, _) = upgraded(&sandbox);
    assert!(engine.leases().iter().all(|lease| lease.migrated && lease.fence.is_none()));

    assert!(is_granted(&engine.acquire("p", "turn", &a)));
    let adopted = engine.lease(&a).expect("it is there");
    assert_eq!((adopted.owner.epoch(), adopted.acquired_ms), ("turn", THEN_MS));
    assert!(adopted.fence.is_some() && !adopted.migrated);
    assert!(engine.lease(&b).expect("nobody asked for it").migrated);

    assert_eq!(engine.release("p", "turn"), Released::Count(2));
    assert_eq!(engine.leases(), []);
}

#[test]
fn the_command_line_takes_over_an_old_database() {
    let (sandbox, a, b) = two_files();
    let clock = std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH);
    let now_ms = i64::try_from(clock.expect("after 1970").as_millis()).expect("a small number");
    first_form(&sandbox, &[&a, &b], now_ms);
    let run = |args: &[&str]| sandbox.cli(args).run();
    assert!(run(&["status"]).stdout.contains("(from before epochs)"));
    assert_eq!(run(&["acquire", "a", "--session", "q", "--epoch", "t"]).code, Some(7));
    assert_eq!(run(&["acquire", "a", "--session", "p", "--epoch", "t"]).code, Some(0));
    // Its own fresh lease without an epoch is not among what the named turn gives back.
    assert_eq!(run(&["acquire", "c", "--session", "p"]).code, Some(0));
    let released = run(&["release-session", "--session", "p", "--epoch", "t"]);
    assert_eq!(released.first_line(), "RELEASED 2");
    assert_eq!(sandbox.leased(), ["c"]);
}

#[test]
fn a_stranger_and_a_subagent_release_nothing_of_the_old_time() {
    let (sandbox, a, b) = two_files();
    first_form(&sandbox, &[&a, &b], THEN_MS);
    let (mut engine, _) = upgraded(&sandbox);
    assert_eq!(holders(&engine.acquire("q", "turn", &a)), ["p"]);
    assert_eq!(engine.release("q", "turn"), Released::Absent);
    assert_eq!(engine.release("p", "agent:x"), Released::EpochMismatch);
    assert_eq!(engine.leases().len(), 2);
    assert_eq!(engine.release("p", ""), Released::Count(2), "its own old caller may");
}

#[test]
fn a_fresh_lease_without_an_epoch_outlives_every_named_release() {
    let (sandbox, a, b) = two_files();
    first_form(&sandbox, &[&a], THEN_MS);
    let (mut engine, _) = upgraded(&sandbox);
    assert!(is_granted(&engine.acquire("p", "", &b)));
    assert_eq!(engine.release("p", "turn"), Released::Count(1), "the old row");
    for epoch in ["turn", "another", "agent:x"] {
        assert_eq!(engine.release("p", epoch), Released::EpochMismatch);
        assert_eq!(holders(&engine.acquire("p", epoch, &b)), ["p"], "nor is it inherited");
    }
    assert_eq!(engine.lease(&b).expect("it is there").owner.epoch(), "");
    assert_eq!(engine.release("p", ""), Released::Count(1));
}

#[test]
fn a_release_without_an_epoch_spares_every_named_lease() {
    let (sandbox, a, b) = two_files();
    first_form(&sandbox, &[&a], THEN_MS);
    let (mut engine, _) = upgraded(&sandbox);
    assert!(is_granted(&engine.acquire("p", "turn", &a)), "adopted");
    assert!(is_granted(&engine.acquire("p", "agent:x", &b)));
    assert_eq!(engine.release("p", ""), Released::EpochMismatch);
    assert_eq!(engine.leases().len(), 2);
}

#[test]
fn a_clock_set_back_makes_no_fresh_lease_an_old_one() {
    let (sandbox, a, b) = two_files();
    first_form(&sandbox, &[&a], THEN_MS);
    let (mut engine, clock) = upgraded(&sandbox);
    clock.set(THEN_MS - 3_600_000);
    assert!(is_granted(&engine.acquire("p", "", &b)), "older by the clock than the old row");
    drop(engine);
    let mut engine = Engine::open(&sandbox.database(), &clock, TTL_MS);
    assert_eq!(engine.release("p", "turn"), Released::Count(1));
    let left = engine.leases();
    assert_eq!((left.len(), &left[0].path), (1, &b));
    assert_eq!(engine.release("p", "turn"), Released::EpochMismatch);
}

#[test]
fn opening_again_marks_nothing() {
    let (sandbox, a, b) = two_files();
    first_form(&sandbox, &[&a], THEN_MS);
    let (mut engine, clock) = upgraded(&sandbox);
    assert!(is_granted(&engine.acquire("p", "", &b)));
    drop(engine);
    let mut engine = Engine::open(&sandbox.database(), &clock, TTL_MS);
    assert!(engine.lease(&a).expect("the old row").migrated);
    assert!(!engine.lease(&b).expect("the fresh one").migrated);
}

#[test]
fn an_empty_epoch_of_the_second_form_counts_as_fresh() {
    let (sandbox, a, b) = two_files();
    with_epochs(&sandbox, &[(&a, ""), (&b, "turn")]);
    let (mut engine, _) = upgraded(&sandbox);
    assert!(engine.leases().iter().all(|lease| !lease.migrated));
    assert_eq!(holders(&engine.acquire("p", "turn", &a)), ["p"]);
    assert_eq!(engine.release("p", "turn"), Released::Count(1), "what the old engine named");
    assert_eq!(engine.release("p", "turn"), Released::EpochMismatch);
    assert_eq!(engine.release("p", ""), Released::Count(1));
}

#[test]
fn the_mark_of_the_third_form_is_the_flag() {
    let (sandbox, a, b) = two_files();
    with_epochs(&sandbox, &[(&a, RESERVED_EPOCH), (&b, "")]);
    let (mut engine, _) = upgraded(&sandbox);
    let old = engine.lease(&a).expect("the old row");
    assert_eq!((old.owner.epoch(), old.migrated), ("", true));
    assert!(!engine.lease(&b).expect("the other").migrated);
    assert!(is_granted(&engine.acquire("p", "turn", &a)));
    assert_eq!(engine.lease(&a).expect("adopted").acquired_ms, THEN_MS);
    assert_eq!(engine.release("p", "turn"), Released::Count(1));
    assert_eq!(holders(&engine.acquire("p", "turn", &b)), ["p"], "the other is a caller's own");
}

#[test]
fn an_old_directory_over_the_wanted_file_is_adopted_as_it_is() {
    let sandbox = Sandbox::new();
    let directory = sandbox.repo().join("dir");
    let file = directory.join("file");
    first_form(&sandbox, &[&directory], THEN_MS);
    let (mut engine, _) = upgraded(&sandbox);
    assert_eq!(holders(&engine.acquire("q", "turn", &file)), ["p"]);
    assert!(is_granted(&engine.acquire("p", "turn", &file)));
    let rows = engine.leases();
    assert!(rows.iter().all(|row| row.owner.epoch() == "turn" && !row.migrated), "{rows:?}");
    assert_eq!(engine.lease(&directory).expect("adopted").acquired_ms, THEN_MS);
    assert_eq!(engine.release("p", "turn"), Released::Count(2));
}

/// Goal: who asks again for a path that leads elsewhere by now holds what it leads to now, and no
/// longer what it led to.
#[cfg(unix)]
#[test]
fn a_path_that_leads_elsewhere_is_another_resource() {
    for epochs in [false, true] {
        let sandbox = Sandbox::new();
        let [link, real] = ["link", "real"].map(|name| sandbox.repo().join(name));
        std::fs::create_dir(&real).expect("a folder");
        std::os::unix::fs::symlink(&real, &link).expect("a link");
        let path = link.join("f");
        if epochs {
            with_epochs(&sandbox, &[(&path, "")]);
        } else {
            first_form(&sandbox, &[&path], THEN_MS);
        }
        let (mut engine, _) = upgraded(&sandbox);
        assert_eq!(holders(&engine.acquire("q", "turn", &real.join("f"))), ["p"]);
        std::fs::remove_file(&link).expect("the link goes");
        std::fs::create_dir(&link).expect("a folder in its place");

        let epoch = if epochs { "" } else { "turn" };
        assert!(is_granted(&engine.acquire("p", epoch, &path)));
        assert_eq!(holders(&engine.acquire("q", "turn", &link)), ["p"], "found by its parent");
        assert!(is_granted(&engine.acquire("q", "turn", &real.join("f"))));
    }
}

#[test]
fn a_refused_turn_adopts_nothing() {
    let sandbox = Sandbox::new();
    let directory = sandbox.repo().join("dir");
    first_form(&sandbox, &[&directory.join("old")], THEN_MS);
    let (mut engine, _) = upgraded(&sandbox);
    assert!(is_granted(&engine.acquire("q", "turn", &directory.join("held"))));
    assert_eq!(holders(&engine.acquire("p", "turn", &directory)), ["q"]);
    let old = engine.lease(&directory.join("old")).expect("it is there");
    assert!(old.migrated && old.fence.is_none());
}

#[test]
fn the_first_engines_variables_are_honoured_after_ours() {
    let sandbox = Sandbox::new();
    let old = sandbox.root().join("old");
    let run = |call: leasehold_tests::call::Call| {
        let call = call.env("WORKSPACE_WRITE_LEASE_DB", old.join("leases.db"));
        let call = call.env("WORKSPACE_WRITE_LEASE_COUNTER", old.join("usage.jsonl"));
        call.env("WORKSPACE_WRITE_LEASE_TTL_SEC", "77").run()
    };
    let acquire = || sandbox.cli(&["acquire", "a", "--session", "s", "--json"]);
    let ours = run(acquire().env("LEASEHOLD_TTL_SEC", "99"));
    assert_eq!(ours.code, Some(0));
    assert!(sandbox.database().exists() && sandbox.counter().exists() && !old.exists());
    let bare = |call: leasehold_tests::call::Call| {
        call.without_env("LEASEHOLD_DB").without_env("LEASEHOLD_COUNTER")
    };
    assert_eq!(run(bare(acquire())).code, Some(0));
    assert!(old.join("usage.jsonl").exists());
    let status = run(bare(sandbox.cli(&["status", "--json"]))).json();
    assert_eq!(status["leases"][0]["ttl_sec"], 77.0);
    assert_eq!(sandbox.leases()[0].text("resource"), sandbox.file("a"));
}

/// A database as this engine made it before it knew turns: today's, with what came since taken out.
fn make_first_of_ours(sandbox: &Sandbox) {
    let database = Connection::open(sandbox.database()).expect("a database");
    for table in ["turns", "subagents", "sightings", "notes"] {
        database.execute_batch(&format!("DROP TABLE {table}")).expect("dropped");
    }
    for column in ["used", "calls", "kept", "process"] {
        let drop = format!("ALTER TABLE leases DROP COLUMN {column}");
        database.execute_batch(&drop).expect("dropped");
    }
    let rest = "ALTER TABLE leasehold DROP COLUMN starts; PRAGMA user_version = 1";
    database.execute_batch(rest).expect("dropped");
}

#[test]
fn a_database_from_before_turns_is_taken_over_with_all_that_it_holds() {
    let (sandbox, first, second) = two_files();
    let clock = HandClock::at(THEN_MS);
    let mut engine = Engine::open(&sandbox.database(), &clock, TTL_MS);
    assert!(is_granted(&engine.acquire("s", "t1", &first)));
    let fence = engine.lease(&first).and_then(|lease| lease.fence);
    drop(engine);
    make_first_of_ours(&sandbox);
    let mut engine = Engine::open(&sandbox.database(), &clock, TTL_MS);
    assert_eq!(engine.lease(&first).and_then(|lease| lease.fence), fence, "the lease stands");
    assert_eq!(holders(&engine.acquire("other", "u", &first)), ["s"]);
    assert!(is_granted(&engine.acquire("s", "t1", &second)));
    assert!(engine.lease(&second).and_then(|lease| lease.fence) > fence);
    assert_eq!(engine.release("s", "t1"), Released::Count(2));
}
