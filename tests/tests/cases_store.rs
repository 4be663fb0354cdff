//! Goal: the collected store cases (`tests/cases/store.jsonl`), each by its id, in real processes.
//!
//! Method: processes race on one database, the database is broken in the ways that were seen
//! elsewhere, and the clock is moved. Where a case needs a moved clock the engine runs in the test.

use std::fs;
use std::path::PathBuf;
use std::thread;
use std::time::Duration;

use leasehold_tests::call::{Call, race};
use leasehold_tests::case;
use leasehold_tests::engine::{Engine, HandClock, holders, is_granted};
use leasehold_tests::outcome::Outcome;
use leasehold_tests::row::Row;
use leasehold_tests::sandbox::Sandbox;
use rusqlite::Connection;

const RACERS: usize = 16;
/// The races are about order, not about how fast a busy machine is.
const PATIENCE_MS: &str = "60000";

fn patient(sandbox: &Sandbox, session: usize, file: &str) -> Call {
    let payload = sandbox.write(&format!("session-{session}"), file);
    sandbox.send(&payload).env("LEASEHOLD_DEADLINE_MS", PATIENCE_MS)
}

fn each_its_own_file(sandbox: &Sandbox, racers: usize) -> Vec<Outcome> {
    race((0..racers).map(|n| patient(sandbox, n, &format!("{n}.txt"))).collect())
}

#[test]
fn every_case_has_its_test() {
    assert_eq!(case::ids("store"), ["S01", "S02", "S04", "S05", "S07", "S08"]);
}

#[test]
fn s01_of_many_that_want_one_file_exactly_one_gets_it() {
    let sandbox = Sandbox::new();
    for round in 0..15 {
        let file = format!("round-{round}.txt");
        let outcomes = race((0..RACERS).map(|n| patient(&sandbox, n, &file)).collect());
        let holder = sandbox.lease(&file).expect("somebody has it");
        for (n, outcome) in outcomes.iter().enumerate() {
            if holder.text("session") == format!("session-{n}") {
                outcome.is_silent();
            } else {
                assert!(outcome.is_denied().contains("is leased by claude"), "{outcome:?}");
            }
        }
    }
}

#[test]
fn s02_many_that_open_a_fresh_store_together_all_get_their_file() {
    for _ in 0..8 {
        let sandbox = Sandbox::new();
        for outcome in each_its_own_file(&sandbox, RACERS) {
            outcome.is_silent();
        }
        let mut fences: Vec<i64> = sandbox.leases().iter().map(Row::fence).collect();
        fences.sort_unstable();
        fences.dedup();
        assert_eq!(fences.len(), RACERS, "every lease is there, with a fence of its own");
    }
}

#[cfg(unix)]
#[test]
fn s04_files_of_another_user_are_an_error_that_names_them() {
    use leasehold_tests::user::User;

    let sandbox = Sandbox::new();
    let user = User::ordinary(&sandbox);
    user.run(sandbox.send(&sandbox.write("A", "a.txt"))).is_silent();
    let store = sandbox.database();
    let sidecars = ["leases.db-wal", "leases.db-shm"].map(|name| store.with_file_name(name));
    let owners = sidecars.each_ref().map(|sidecar| user.take_away(sidecar));

    let outcome = user.run(sandbox.send(&sandbox.write("A", "b.txt")));
    let reason = outcome.is_denied();
    assert!(reason.starts_with("leasehold: this call was stopped: the lease database"), "{reason}");
    let named = sidecars.iter().zip(owners).any(|(sidecar, owner)| {
        reason.contains(&format!("{} (owned by uid {owner})", sidecar.display()))
    });
    assert!(named, "{reason}");
    let lenient = sandbox.send(&sandbox.write("A", "b.txt")).env("LEASEHOLD_ON_ERROR", "allow");
    assert!(user.run(lenient).passes().contains("goes ahead unguarded"));

    for sidecar in &sidecars {
        fs::remove_file(sidecar).expect("the folder is ours");
    }
    user.run(sandbox.send(&sandbox.write("A", "b.txt"))).is_silent();
}

/// The damaged databases that lie beside the new one.
fn copied_aside(sandbox: &Sandbox) -> Vec<String> {
    let store = sandbox.database();
    let files = fs::read_dir(store.parent().expect("a folder")).expect("the folder");
    let names = files.map(|file| file.expect("a file").file_name().to_string_lossy().into_owned());
    let is_database = |name: &String| name.contains("damaged") && !name.ends_with("-wal");
    let mut names: Vec<String> =
        names.filter(is_database).filter(|name| !name.ends_with("-shm")).collect();
    names.sort();
    names
}

/// Eight at once and one more meet this file in place of the database.
fn all_are_answered(sandbox: &Sandbox) {
    for outcome in each_its_own_file(sandbox, 8) {
        outcome.passes();
    }
    patient(sandbox, 8, "8.txt").run().is_silent();
    assert_eq!(sandbox.leases().len(), 9, "one new database holds what all of them asked for");
}

#[test]
fn s05_what_is_no_database_is_copied_aside_once() {
    let sandbox = Sandbox::new();
    sandbox.make_store();
    let text = "this is no database\n".repeat(500);
    fs::write(sandbox.database(), &text).expect("a file");
    all_are_answered(&sandbox);
    assert_eq!(copied_aside(&sandbox), ["leases.db.damaged-1"]);
    let aside = sandbox.database().with_file_name("leases.db.damaged-1");
    assert_eq!(fs::read_to_string(aside).expect("kept"), text, "nothing is lost of it");
}

#[test]
fn s05_a_database_with_cut_pages_is_copied_aside_once() {
    let sandbox = Sandbox::new();
    patient(&sandbox, 99, "old.txt").run().is_silent();
    fold_log(&sandbox, |_| ());
    let bytes = fs::read(sandbox.database()).expect("the database");
    fs::write(sandbox.database(), &bytes[..bytes.len() / 3]).expect("cut");
    all_are_answered(&sandbox);
    assert_eq!(copied_aside(&sandbox), ["leases.db.damaged-1"]);
}

#[test]
fn s05_an_empty_file_counts_as_new() {
    let sandbox = Sandbox::new();
    sandbox.make_store();
    fs::write(sandbox.database(), "").expect("a file");
    for outcome in each_its_own_file(&sandbox, 8) {
        outcome.is_silent();
    }
    all_are_answered(&sandbox);
    assert_eq!(copied_aside(&sandbox), [""; 0]);
}

#[test]
fn s05_a_newer_form_is_left_alone() {
    let sandbox = Sandbox::new();
    patient(&sandbox, 99, "old.txt").run().is_silent();
    fold_log(&sandbox, |connection| {
        connection.pragma_update(None, "user_version", 99).expect("a number");
    });
    let before = fs::read(sandbox.database()).expect("the database");
    for outcome in each_its_own_file(&sandbox, 8) {
        let reason = outcome.is_denied();
        assert!(reason.contains("is of a newer version (its form is 99"), "{reason}");
    }
    assert_eq!(sandbox.cli(&["status"]).run().code, Some(1));
    assert_eq!(fs::read(sandbox.database()).expect("the database"), before);
    assert_eq!(copied_aside(&sandbox), [""; 0]);
}

/// Changes the database by hand, and leaves all of it in its main file.
fn fold_log(sandbox: &Sandbox, change: impl Fn(&Connection)) {
    let connection = Connection::open(sandbox.database()).expect("a database");
    change(&connection);
    connection.pragma_update(None, "journal_mode", "DELETE").expect("nobody else has it open");
}

const MINUTE_MS: i64 = 60 * 1000;
const HOUR_MS: i64 = 60 * MINUTE_MS;
/// The twelve o'clock of S07.
const NOON_MS: i64 = 1_796_126_400_000;

/// An engine whose clock stands at noon, with the TTL of S07, and the file that is fought for.
fn at_noon(sandbox: &Sandbox) -> (Engine, HandClock, PathBuf) {
    sandbox.make_store();
    let clock = HandClock::at(NOON_MS);
    (Engine::open(&sandbox.database(), &clock, 15 * MINUTE_MS), clock, sandbox.repo().join("f"))
}

#[test]
fn s07_who_slept_past_the_ttl_finds_the_new_holder() {
    let sandbox = Sandbox::new();
    let (mut engine, clock, file) = at_noon(&sandbox);
    assert!(is_granted(&engine.acquire("A", "1", &file)));
    clock.set(NOON_MS + 3 * HOUR_MS + 1000);
    assert!(is_granted(&engine.acquire("B", "1", &file)));
    clock.set(NOON_MS + 3 * HOUR_MS + 2000);
    assert_eq!(holders(&engine.acquire("A", "1", &file)), ["B"]);
}

#[test]
fn s07_a_clock_set_back_makes_no_lease_immortal() {
    let sandbox = Sandbox::new();
    let (mut engine, clock, file) = at_noon(&sandbox);
    assert!(is_granted(&engine.acquire("A", "1", &file)));
    clock.set(NOON_MS - 2 * HOUR_MS);
    assert_eq!(holders(&engine.acquire("B", "1", &file)), ["A"], "one TTL from now it may last");
    clock.set(NOON_MS - 2 * HOUR_MS + 14 * MINUTE_MS);
    assert_eq!(holders(&engine.acquire("B", "1", &file)), ["A"]);
    clock.set(NOON_MS - 2 * HOUR_MS + 16 * MINUTE_MS);
    assert!(is_granted(&engine.acquire("B", "1", &file)), "and no longer");
}

#[test]
fn s07_a_clock_set_forward_costs_nothing_while_the_holder_works() {
    let sandbox = Sandbox::new();
    let (mut engine, clock, file) = at_noon(&sandbox);
    assert!(is_granted(&engine.acquire("A", "1", &file)));
    clock.set(NOON_MS + 14 * MINUTE_MS);
    assert!(is_granted(&engine.acquire("A", "1", &file)));
    clock.set(NOON_MS + 20 * MINUTE_MS);
    assert_eq!(holders(&engine.acquire("B", "1", &file)), ["A"]);
}

#[test]
fn s08_only_the_ttl_ends_the_lease_of_a_holder_that_cannot_be_seen() {
    let sandbox = Sandbox::new();
    // Each process here stands for one of another container: no pid tells them apart.
    let ask = |session: &str| {
        let payload = sandbox.write(session, "f.txt");
        sandbox.send(&payload).env("LEASEHOLD_TTL_SEC", "2").run()
    };
    ask("A").is_silent();
    ask("B").is_denied();
    thread::sleep(Duration::from_millis(2100));
    ask("B").is_silent();
    ask("C").is_denied();
    assert_eq!(sandbox.leases()[0].text("session"), "B");
}
