//! Goal: what somebody who tried to break the hook once found stays mended.
//!
//! Method: the shortest form of each attack, on the real binary, with its right answer.

use leasehold_tests::sandbox::Sandbox;
use rusqlite::Connection;
use serde_json::json;

/// Moving or removing a directory is refused while somebody else holds something in it, and goes
/// ahead once nobody does.
#[test]
fn a_directory_with_a_strangers_lease_in_it_is_not_moved_away() {
    let sandbox = Sandbox::new();
    std::fs::create_dir(sandbox.repo().join("d")).expect("a directory");
    sandbox.send(&sandbox.write("holder", "d/x")).run().is_silent();
    let delete = |session: &str| {
        let call = sandbox.write(session, "unused");
        call.with("tool_name", "mcp__fs__delete_directory")
            .with("tool_input", json!({ "path": sandbox.file("d") }))
    };
    sandbox.send(&delete("asker")).run().is_denied();
    sandbox.send(&delete("holder")).run().is_silent();
    sandbox.cli(&["reap"]).run();
    let database = Connection::open(sandbox.database()).expect("the database");
    database.execute("UPDATE leases SET expires = 1", []).expect("the lease is over");
    sandbox.send(&delete("asker")).run().is_silent();
}

/// A row that no engine should have written is read as far as it goes, and stops nobody.
#[test]
fn an_odd_row_stops_nobody() {
    for (resource, session) in [
        ("NULL", "'old'"),
        ("CAST(x'2f746d702fff' AS TEXT)", "'old'"),
        ("'/elsewhere'", "CAST(x'ff' AS TEXT)"),
        ("x'00ff'", "x'ff00'"),
    ] {
        let sandbox = Sandbox::new();
        sandbox.send(&sandbox.write("first", "a")).run().is_silent();
        let database = Connection::open(sandbox.database()).expect("the database");
        let row = format!(
            "INSERT INTO leases(resource, session, agent, host, acquired, expires)
             VALUES ({resource}, {session}, 'a', 'h', 1, 2)"
        );
        database.execute(&row, []).expect("the odd row");
        sandbox.send(&sandbox.write("second", "b")).run().is_silent();
        sandbox.send(&sandbox.write("second", "a")).run().is_denied();
        assert_eq!(sandbox.cli(&["status"]).run().first_line(), "LEASES 2");
    }
}
