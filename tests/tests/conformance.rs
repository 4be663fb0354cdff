//! Goal: the store does what the model says, over reopening, upgrades, clock steps, callers without
//! epochs, and old engines on the same file.
//! Method: random operation lists on both. A list that fails is shrunk and written to
//! `regressions/`, where `cargo test` replays it from then on.

use std::env;
use std::fs;
use std::path::PathBuf;

use leasehold_tests::conformance::{Schedule, conform, search};

/// How many operation lists are tried; `LEASEHOLD_CASES` asks for more. They are other ones each
/// time, unless `LEASEHOLD_SEED` is a number.
const CASES: u32 = 400;

fn regressions() -> PathBuf {
    PathBuf::from(concat!(env!("CARGO_MANIFEST_DIR"), "/../regressions"))
}

#[test]
fn the_store_does_what_the_model_says() {
    let number = |name: &str| env::var(name).ok().and_then(|text| text.parse().ok());
    let cases = number("LEASEHOLD_CASES").unwrap_or(CASES);
    if let Some(failing) = search(cases, number("LEASEHOLD_SEED"), conform) {
        let text = serde_json::to_string_pretty(&failing).expect("a schedule is JSON");
        let path = regressions().join("conformance-found.json");
        fs::write(&path, text).expect("the regression is written");
        let why = &failing.what;
        panic!("{why}\nwritten to {}: name it, mend it, add its row", path.display());
    }
}

#[test]
fn every_kept_regression_still_passes() {
    let mut replayed = 0;
    for entry in fs::read_dir(regressions()).expect("the folder of regressions") {
        let path = entry.expect("an entry").path();
        if path.extension().is_some_and(|ending| ending == "json") {
            let text = fs::read_to_string(&path).expect("a regression");
            let schedule: Schedule = serde_json::from_str(&text).expect("a schedule");
            if let Err(why) = conform(&schedule, &|| ()) {
                panic!("{}: {why}", path.display());
            }
            replayed += 1;
        }
    }
    assert!(replayed > 0, "no regression was found to replay");
}
