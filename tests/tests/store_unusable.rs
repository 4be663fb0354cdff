//! Goal: a store that cannot be used is never taken for a free file: the write is denied with a
//! sentence that says what is wrong, and once the cause is gone everything works again.
//!
//! Method: the disk is filled, the directory is closed, or a file stands where it should be.

#![cfg(unix)]

use std::fs;
use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::process::Command;

use leasehold_tests::sandbox::Sandbox;
use leasehold_tests::user::{User, set_mode};

#[test]
fn a_file_in_the_place_of_the_directory_is_an_error_that_names_it() {
    let sandbox = Sandbox::new();
    fs::write(sandbox.root().join("store"), "a file").expect("a file");
    let outcome = sandbox.send(&sandbox.write("A", "a.txt")).run();
    let reason = outcome.is_denied();
    let directory = sandbox.root().join("store");
    assert!(reason.contains(&format!("{} cannot be opened", directory.display())), "{reason}");
    assert!(reason.contains("or set LEASEHOLD_DB"), "{reason}");
    assert_eq!(sandbox.cli(&["check", "a.txt"]).run().code, Some(1));
}

#[test]
fn a_directory_in_the_place_of_the_file_is_an_error() {
    let sandbox = Sandbox::new();
    sandbox.make_store();
    fs::create_dir(sandbox.database()).expect("a folder");
    let outcome = sandbox.send(&sandbox.write("A", "a.txt")).run();
    assert!(outcome.is_denied().contains("cannot be opened"), "{outcome:?}");
}

#[test]
fn the_database_of_another_program_is_left_alone() {
    // Other programs count their forms too, most of them from 1.
    for form in [0, 1] {
        let sandbox = Sandbox::new();
        sandbox.make_store();
        let other = rusqlite::Connection::open(sandbox.database()).expect("a database");
        other.execute_batch("CREATE TABLE mails(id)").expect("a table");
        other.pragma_update(None, "user_version", form).expect("a number");
        drop(other);
        let before = fs::read(sandbox.database()).expect("the database");
        let outcome = sandbox.send(&sandbox.write("A", "a.txt")).run();
        assert!(outcome.is_denied().contains("belongs to another program"), "{outcome:?}");
        assert!(fs::read(sandbox.database()).expect("the database") == before, "to the byte");
    }
}

/// Goal: what a hand took out of the database is put back by the next call, and no lease is lost.
#[test]
fn what_is_missing_from_the_database_is_made_again() {
    for what in [
        "DROP INDEX leases_unseen",
        "DROP TABLE leasehold",
        "DELETE FROM leasehold",
        "DROP TABLE turns",
        "DROP TABLE sightings",
        "DROP TABLE notes",
    ] {
        let sandbox = Sandbox::new();
        sandbox.send(&sandbox.write("A", "a.txt")).run().is_silent();
        let before = fence_of(&sandbox, "a.txt");
        let hand = rusqlite::Connection::open(sandbox.database()).expect("the database");
        hand.execute_batch(what).expect(what);
        drop(hand);
        let outcome = sandbox.send(&sandbox.write("B", "a.txt")).run();
        assert!(outcome.is_denied().contains("a.txt"), "{what}: {outcome:?}");
        sandbox.send(&sandbox.write("B", "b.txt")).run().is_silent();
        assert!(fence_of(&sandbox, "b.txt") > before, "{what}: fences grow all the same (R14)");
    }
}

fn fence_of(sandbox: &Sandbox, name: &str) -> i64 {
    let output = sandbox.cli(&["check", name, "--json"]).run();
    let answer: serde_json::Value = serde_json::from_str(&output.stdout).expect("JSON");
    answer["leases"][0]["fence"].as_i64().expect("a fence")
}

#[test]
fn a_directory_that_may_not_be_written_is_an_error_until_it_may() {
    let sandbox = Sandbox::new();
    let user = User::ordinary(&sandbox);
    let store = sandbox.make_store();
    set_mode(&store, 0o555);
    let outcome = user.run(sandbox.send(&sandbox.write("A", "a.txt")));
    assert!(outcome.is_denied().contains("cannot be opened"), "{outcome:?}");
    set_mode(&store, 0o777);
    user.run(sandbox.send(&sandbox.write("A", "a.txt"))).is_silent();
}

#[test]
fn a_full_disk_is_an_error_until_there_is_room() {
    let sandbox = Sandbox::new();
    let store = sandbox.make_store();
    let disk = match SmallDisk::mount(&store) {
        Ok(disk) => disk,
        Err(why) => {
            // Then the other way in which a disk takes nothing is tested.
            let refused = ["permi", "superuser", "root"].iter().any(|word| why.contains(word));
            assert!(refused, "mounting is not allowed here, for another reason: {why}");
            return a_directory_that_may_not_be_written_is_an_error_until_it_may();
        }
    };
    sandbox.send(&sandbox.write("A", "a.txt")).run().is_silent();
    disk.fill();
    let outcome = sandbox.send(&sandbox.write("A", "b.txt")).run();
    let reason = outcome.is_denied();
    assert!(reason.contains("the disk is full") && reason.contains("free space"), "{reason}");
    let stop = sandbox.write("A", "b.txt").with("hook_event_name", "Stop");
    sandbox.send(&stop).run().passes();
    disk.make_room();
    sandbox.send(&sandbox.write("B", "b.txt")).run().is_silent();
    assert!(sandbox.leased().contains(&"b.txt".to_owned()));
}

/// A file system of a quarter of a megabyte. It is gone when the value is dropped.
struct SmallDisk(PathBuf);

impl SmallDisk {
    fn mount(at: &Path) -> Result<Self, String> {
        let mut mount = Command::new("mount");
        mount.args(["-t", "tmpfs", "-o", "size=256k,mode=777", "tmpfs"]).arg(at);
        let output = mount.output().map_err(|error| error.to_string())?;
        if output.status.success() {
            Ok(Self(at.to_owned()))
        } else {
            Err(String::from_utf8_lossy(&output.stderr).into_owned())
        }
    }

    fn filler(&self) -> PathBuf {
        self.0.join("filler")
    }

    /// Writes until nothing more fits.
    fn fill(&self) {
        let mut file = fs::File::create(self.filler()).expect("a file");
        while file.write_all(&[0; 4096]).is_ok() {}
    }

    fn make_room(&self) {
        fs::remove_file(self.filler()).expect("the filler");
    }
}

impl Drop for SmallDisk {
    fn drop(&mut self) {
        let _ = Command::new("umount").arg("--lazy").arg(&self.0).status();
    }
}
