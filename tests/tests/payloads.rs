//! Goal: every payload that Claude Code and Codex were seen to send gets the right decision.
//!
//! Method: each captured payload goes through the real binary, in a checkout of its own. What it
//! prints is compared byte for byte, what it leased row by row.

use leasehold_tests::outcome::codex_refusal;
use leasehold_tests::payload;
use leasehold_tests::row::Row;
use leasehold_tests::sandbox::Sandbox;

/// Payloads before a write, with the files that they write.
const WRITES: &[(&str, &str, &[&str])] = &[
    ("claude", "05-PreToolUse-Edit", &["a.txt"]),
    ("claude", "07-PreToolUse-Write", &["n1.txt"]),
    ("claude", "17-PreToolUse-Write-subagent", &["n2.txt"]),
    ("codex", "03-PreToolUse-apply_patch", &["a.txt", "sub/new.txt"]),
];

/// Payloads before a shell call: what those write is not judged by the hook's file tools.
const SHELLS: &[(&str, &str)] = &[
    ("claude", "09-PreToolUse-Bash"),
    ("claude", "11-PreToolUse-Bash"),
    ("claude", "13-PreToolUse-Bash"),
    ("codex", "05-PreToolUse-Bash"),
];

/// Payloads that write nothing.
const READERS: &[(&str, &str)] = &[
    ("claude", "01-SessionStart"),
    ("claude", "02-UserPromptSubmit"),
    ("claude", "03-PreToolUse-Read"),
    ("claude", "04-PostToolUse-Read"),
    ("claude", "06-PostToolUse-Edit"),
    ("claude", "08-PostToolUse-Write"),
    ("claude", "10-PostToolUse-Bash"),
    ("claude", "12-PostToolUse-Bash"),
    ("claude", "14-PostToolUse-Bash"),
    ("claude", "15-PreToolUse-Agent"),
    ("claude", "16-SubagentStart-subagent"),
    ("claude", "18-PostToolUse-Write-subagent"),
    ("claude", "19-SubagentStop-subagent"),
    ("claude", "20-PostToolUse-Agent"),
    ("claude", "21-Stop"),
    ("claude", "22-SessionEnd"),
    ("codex", "01-SessionStart"),
    ("codex", "02-UserPromptSubmit"),
    ("codex", "04-PostToolUse-apply_patch"),
    ("codex", "06-PostToolUse-Bash"),
    ("codex", "07-Stop"),
    ("codex", "08-SessionEnd"),
];

const ADVICE: &str = "Nothing was written. Work on something else, and try this again later.";

#[test]
fn no_payload_is_forgotten() {
    for client in ["claude", "codex"] {
        let written = WRITES.iter().map(|(of, name, _)| (*of, *name));
        let tested = written.chain(SHELLS.iter().copied()).chain(READERS.iter().copied());
        let mut tested: Vec<&str> =
            tested.filter(|(of, _)| *of == client).map(|(_, name)| name).collect();
        tested.sort_unstable();
        assert_eq!(tested, payload::names(client));
    }
}

#[test]
fn a_reader_is_silent_and_makes_no_database() {
    for (client, name) in READERS {
        let sandbox = Sandbox::new();
        sandbox.send(&sandbox.payload(client, name)).run().is_silent();
        let store = sandbox.make_store().read_dir().expect("the folder");
        let names: Vec<_> = store.map(|file| file.expect("a file").file_name()).collect();
        assert!(names.iter().all(|file| file == "usage.jsonl"), "{client} {name}: {names:?}");
    }
}

#[test]
fn a_shell_call_on_free_files_is_allowed() {
    for (client, name) in SHELLS {
        let sandbox = Sandbox::new();
        sandbox.send(&sandbox.payload(client, name)).run().is_silent();
    }
}

#[test]
fn a_write_to_a_free_file_is_allowed_in_silence_and_leased() {
    for (client, name, files) in WRITES {
        let sandbox = Sandbox::new();
        let payload = sandbox.payload(client, name);
        sandbox.send(&payload).run().is_silent();
        let rows = sandbox.leases();
        let expected: Vec<String> = files.iter().map(|file| sandbox.file(file)).collect();
        let leased: Vec<&str> = rows.iter().map(Row::resource).collect();
        assert_eq!(leased, expected, "{name}");
        for row in &rows {
            assert_eq!(row.owner(), (payload.text("session_id"), &*epoch(&payload)));
            assert_eq!(row.text("agent"), *client);
        }
    }
}

#[test]
fn a_write_again_keeps_the_lease_and_its_fence() {
    for (client, name, _) in WRITES {
        let sandbox = Sandbox::new();
        let payload = sandbox.payload(client, name);
        sandbox.send(&payload).run().is_silent();
        let fences = || sandbox.leases().iter().map(Row::fence).collect::<Vec<_>>();
        let before = fences();
        sandbox.send(&payload).run().is_silent();
        assert_eq!(fences(), before, "{name}");
    }
}

#[test]
fn a_write_to_a_held_file_is_denied_in_the_clients_form() {
    for (client, name, files) in WRITES {
        let sandbox = Sandbox::new();
        // The first file is held, so that a patch of two could be granted by half.
        sandbox.send(&sandbox.write("somebody-else", files[0])).run().is_silent();
        let held = sandbox.leases();
        let outcome = sandbox.send(&sandbox.payload(client, name)).run();
        let reason = format!("leasehold: {}. {ADVICE}", held[0].as_refusal());
        let expected = match *client {
            "codex" => (Some(0), codex_refusal(&reason), String::new()),
            _ => (Some(2), String::new(), format!("{reason}\n")),
        };
        assert_eq!((outcome.code, outcome.stdout, outcome.stderr), expected, "{name}");
        assert_eq!(sandbox.leases(), held, "all or none, and the holder is untouched");
    }
}

#[test]
fn a_refusal_is_the_same_to_the_byte_when_asked_again() {
    for (client, name, files) in WRITES {
        let sandbox = Sandbox::new();
        sandbox.send(&sandbox.write("somebody-else", files[0])).run().is_silent();
        let ask = || sandbox.send(&sandbox.payload(client, name)).run();
        let (first, second) = (ask(), ask());
        assert_eq!(first.parts(), second.parts());
    }
}

#[test]
fn a_fence_is_never_given_out_twice() {
    for (client, name, files) in WRITES {
        let sandbox = Sandbox::new();
        let payload = sandbox.payload(client, name);
        sandbox.send(&sandbox.write("somebody-else", files[0])).run().is_silent();
        let earlier = sandbox.leases()[0].fence();
        sandbox.cli(&["release-session", "--session", "somebody-else", "--epoch", "turn"]).run();
        sandbox.send(&payload).run().is_silent();
        let rows = sandbox.leases();
        assert_eq!(rows.len(), files.len());
        assert!(rows.iter().all(|row| row.fence() > earlier), "{name}: {rows:?}");
    }
}

/// The fencing name of the attempt that a payload belongs to.
fn epoch(payload: &payload::Payload) -> String {
    match payload.text("agent_id") {
        "" => format!("{}{}", payload.text("prompt_id"), payload.text("turn_id")),
        id => format!("agent:{id}"),
    }
}
