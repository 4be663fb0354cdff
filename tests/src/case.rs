//! The collected cases: what went wrong elsewhere, each with its expectation (`tests/cases/`).

use std::fs;
use std::path::Path;

use serde_json::Value;

/// The case of this id in `tests/cases/<file>.jsonl`.
pub fn load(file: &str, id: &str) -> Value {
    all(file).into_iter().find(|case| case["id"] == id).expect("the case of this id")
}

/// The ids of a file, in its order.
pub fn ids(file: &str) -> Vec<String> {
    all(file).iter().map(|case| case["id"].as_str().expect("an id").to_owned()).collect()
}

/// All cases of a file, in its order.
pub fn all(file: &str) -> Vec<Value> {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("cases").join(file);
    let text = fs::read_to_string(path.with_extension("jsonl")).expect("the cases");
    text.lines().map(|line| serde_json::from_str(line).expect("a case")).collect()
}
