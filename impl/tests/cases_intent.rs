//! The collected cases about patches and payloads, from the bytes of stdin to the files that the
//! call will write. Each case holds its own expectation; a test only says how it is fed.

use std::path::Path;

use leasehold::event::{Event, Kind};
use leasehold::intent::Intent;
use leasehold::payload::Payload;
use serde_json::{Value, json};

const PATCH_CASES: &str =
    include_str!(concat!(env!("CARGO_MANIFEST_DIR"), "/../tests/cases/patch.jsonl"));
const PAYLOAD_CASES: &str =
    include_str!(concat!(env!("CARGO_MANIFEST_DIR"), "/../tests/cases/payload.jsonl"));

/// One case of the files.
struct Case(Value);

impl Case {
    fn load(id: &str) -> Self {
        let lines = PATCH_CASES.lines().chain(PAYLOAD_CASES.lines());
        let mut cases = lines
            .filter(|line| !line.is_empty())
            .map(|line| serde_json::from_str::<Value>(line).unwrap());
        Self(cases.find(|case| case["id"] == id).unwrap())
    }

    fn input(&self) -> &Value {
        &self.0["input"]
    }

    /// The expected files of the only call, or those of call `index`.
    fn writes(&self, index: Option<usize>) -> Vec<String> {
        let writes = &self.0["expect"]["writes"];
        let writes = index.map_or(writes, |index| &writes[index]);
        serde_json::from_value(writes.clone()).unwrap()
    }

    /// Checks the call that the bytes of stdin describe.
    fn check(&self, stdin: &[u8], index: Option<usize>) -> Intent {
        let intent = judge(stdin);
        assert_eq!(sorted(names(&intent)), sorted(self.writes(index)));
        intent
    }

    /// Checks a call that the case gives by its fields.
    fn check_call(&self, call: &Value, index: Option<usize>) -> Intent {
        let mut payload = json!({ "session_id": "s1", "hook_event_name": "PreToolUse" });
        for field in ["cwd", "tool_name", "tool_input"] {
            payload[field] = call[field].clone();
        }
        if payload["tool_name"].is_null() {
            payload["tool_name"] = call["tool"].clone();
            payload["tool_input"] = json!({ "command": call["command"] });
        }
        self.check(payload.to_string().as_bytes(), index)
    }
}

fn judge(stdin: &[u8]) -> Intent {
    let event = Event::of(&Payload::parse(stdin).unwrap(), None, None);
    assert_eq!((event.kind, event.session.as_deref()), (Kind::PreTool, Some("s1")));
    Intent::of(&event.tool.unwrap(), Some(Path::new("/home/dev"))).unwrap()
}

fn names(intent: &Intent) -> Vec<String> {
    assert!(intent.trees.is_empty());
    intent.writes.iter().map(|path| path.to_str().unwrap().to_owned()).collect()
}

fn sorted(mut names: Vec<String>) -> Vec<String> {
    names.sort();
    names
}

/// Goal: all headers of a patch count: add, update, both ends of a move, delete, and every file
/// after the first.
#[test]
fn a01() {
    let case = Case::load("A01");
    case.check_call(case.input(), None);
}

/// Goal: a patch with CRLF names files without the carriage return.
#[test]
fn a03() {
    let case = Case::load("A03");
    let intent = case.check_call(case.input(), None);
    assert!(names(&intent).iter().all(|name| !name.contains('\r')));
}

/// Goal: a patch inside a shell call counts, in the directory of the `cd` before it, and so does
/// the redirection beside it.
#[test]
fn a04() {
    let case = Case::load("A04");
    let intent = case.check_call(case.input(), None);
    assert_eq!(Value::from(intent.reads_only), case.0["expect"]["reads_only"]);
}

/// Goal: a patch for another environment leases no local file.
#[test]
fn a06() {
    let case = Case::load("A06");
    case.check_call(case.input(), None);
}

/// Goal: a byte order mark does not hide the payload.
#[test]
fn j01() {
    let case = Case::load("J01");
    let stdin = case.input()["stdin_raw"].as_str().unwrap();
    assert!(stdin.starts_with('\u{feff}'), "the case has lost its point");
    case.check(stdin.as_bytes(), None);
}

/// Goal: the call's own directory counts before the session's. Method: a patch stands for the
/// case's redirection, because plain shell commands are not judged here.
#[test]
fn j03() {
    let case = Case::load("J03");
    let payloads = case.input()["payloads"].as_array().unwrap();
    assert_eq!(payloads.len(), 2);
    for (index, payload) in payloads.iter().enumerate() {
        let mut payload = payload.clone();
        let command = payload["tool_input"]["command"].as_str().unwrap();
        let (_, file) = command.split_once(" > ").unwrap();
        let patch = format!("apply_patch <<'E'\n*** Begin Patch\n*** Add File: {file}\n+x\nE\n");
        payload["tool_input"]["command"] = patch.into();
        case.check(payload.to_string().as_bytes(), Some(index));
    }
}

/// Goal: write tools beside Write and Edit count, MCP editors among them, and MCP readers do not.
#[test]
fn j04() {
    let case = Case::load("J04");
    let steps = case.input()["steps"].as_array().unwrap();
    assert_eq!(steps.len(), 5);
    for (index, step) in steps.iter().enumerate() {
        let intent = case.check_call(step, Some(index));
        assert_eq!(intent.reads_only, case.writes(Some(index)).is_empty());
    }
}

/// Goal: broken text in a file's content does not make the call unreadable.
#[test]
fn j06() {
    let case = Case::load("J06");
    case.check(case.input()["stdin_raw"].as_str().unwrap().as_bytes(), None);
    let hex = case.input()["stdin_hex_variant"].as_str().unwrap();
    let byte = |at| u8::from_str_radix(&hex[at..at + 2], 16).unwrap();
    let bytes: Vec<u8> = (0..hex.len()).step_by(2).map(byte).collect();
    assert!(std::str::from_utf8(&bytes).is_err(), "the case has lost its point");
    case.check(&bytes, None);
}

/// Goal: of duplicate keys the last one names the file.
#[test]
fn j07() {
    let case = Case::load("J07");
    case.check(case.input()["stdin_raw"].as_str().unwrap().as_bytes(), None);
}
