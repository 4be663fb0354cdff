//! Goal: thousands of turns, with sub-agents, processes and lost leases, leave every table
//! bounded (R8, R9, R11, R13).
//!
//! Method: the engine on a clock that the test sets; the rows of all tables are counted.

use leasehold::owner::Owner;
use leasehold::process::{ProcessId, Sighting};
use leasehold::store::{Context, NOTES_MAX, RETIRED_MAX, SEEN_MAX, SUBAGENTS_MAX};
use leasehold_tests::engine::{Engine, HandClock};
use leasehold_tests::sandbox::Sandbox;
use rusqlite::Connection;

/// How many turns; `LEASEHOLD_TURNS` asks for more, as `just bounded` does.
const TURNS: u32 = 4000;
const START_MS: i64 = 1_800_000_000_000;
const DAY_MS: i64 = 24 * 3_600_000;

/// How many rows a table has.
fn rows(sandbox: &Sandbox, table: &str) -> u32 {
    let database = Connection::open(sandbox.database()).expect("the database");
    database
        .query_row(&format!("SELECT count(*) FROM {table}"), [], |row| row.get(0))
        .expect("a count")
}

#[test]
fn any_number_of_turns_leaves_every_table_bounded() {
    let sandbox = Sandbox::new();
    sandbox.make_store();
    let clock = HandClock::at(START_MS);
    let mut engine = Engine::open(&sandbox.database(), &clock, 1000);
    let asked = std::env::var("LEASEHOLD_TURNS").ok().and_then(|text| text.parse().ok());
    let turns = asked.unwrap_or(TURNS);
    for turn in 0..turns {
        let process = ProcessId::from_text(&format!("boot namespace {} 1", turn % 1000 + 1));
        let sighting = process.map(|process| Sighting { process, certain: false, call: None });
        let context = Context { sighting, ..Context::default() };
        let owner = Owner::new("A", &format!("t{turn}")).expect("an owner");
        engine.begin(&owner, &context);
        if turn % 1000 == 0 {
            engine.tidy();
        }
        if turn % 10 == 0 {
            engine.start_subagent(&owner.subagent(&turn.to_string()), &context);
            // Each lets a lease expire, and another takes it.
            let path = sandbox.repo().join(format!("f{turn}"));
            engine.acquire("A", &format!("agent:{turn}"), &path);
            clock.set(START_MS + i64::from(turn / 10 + 1) * 2000);
            engine.acquire("B", "u", &path);
            engine.release("B", "u");
        }
    }
    assert_eq!(rows(&sandbox, "turns"), RETIRED_MAX + 1);
    assert_eq!(rows(&sandbox, "subagents"), SUBAGENTS_MAX);
    assert!(rows(&sandbox, "notes") <= NOTES_MAX);
    assert!(rows(&sandbox, "sightings") <= u32::try_from(SEEN_MAX).expect("small"));
    assert_eq!(rows(&sandbox, "leases"), 0);
    // And a day later the next turn of anybody forgets the rest.
    clock.set(START_MS + i64::from(turns / 10 + 2) * 2000 + DAY_MS);
    engine.begin(&Owner::new("C", "t").expect("an owner"), &Context::default());
    let left = ["turns", "subagents", "notes", "sightings"].map(|table| rows(&sandbox, table));
    assert_eq!(left, [1, 0, 0, 0]);
}
