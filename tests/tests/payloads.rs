//! Goal: every payload that the clients were seen to send gets the right decision.
//!
//! Method: each captured payload goes through the real binary, in a checkout of its own. What it
//! prints is compared byte for byte, what it leased row by row.

use leasehold_tests::call::Call;
use leasehold_tests::outcome::refusal;
use leasehold_tests::payload::{self, Payload};
use leasehold_tests::row::Row;
use leasehold_tests::sandbox::Sandbox;

const CLIENTS: [&str; 6] = ["claude", "codex", "gemini", "copilot", "qwen", "opencode"];

/// Payloads before a write, with the files that they write.
const WRITES: &[(&str, &str, &[&str])] = &[
    ("claude", "05-PreToolUse-Edit", &["a.txt"]),
    ("claude", "07-PreToolUse-Write", &["n1.txt"]),
    ("claude", "17-PreToolUse-Write-subagent", &["n2.txt"]),
    ("codex", "03-PreToolUse-apply_patch", &["a.txt", "sub/new.txt"]),
    ("gemini", "03-BeforeTool-write_file", &["g1.txt"]),
    ("gemini", "09-BeforeTool-replace", &["g3.txt"]),
    ("gemini", "10-BeforeTool-mcp", &["g4.txt"]),
    ("copilot", "03-preToolUse-edit", &["a.txt"]),
    ("copilot", "06-preToolUse-create", &["n1.txt"]),
    ("copilot", "07-preToolUse-apply_patch", &["a.txt", "sub/new.txt"]),
    ("copilot", "11-preToolUse-create-subagent", &["n2.txt"]),
    ("copilot", "17-PreToolUse-Edit", &["a.txt"]),
    ("copilot", "18-PreToolUse-Write", &["n3.txt"]),
    ("qwen", "03-PreToolUse-edit", &["a.txt"]),
    ("qwen", "05-PreToolUse-write_file-subagent", &["n1.txt"]),
    ("qwen", "09-PreToolUse-notebook_edit", &["n.ipynb"]),
    ("opencode", "02-PreToolUse-edit", &["a.txt"]),
    ("opencode", "04-PreToolUse-write-subagent", &["n1.txt"]),
    ("opencode", "06-PreToolUse-apply_patch", &["a.txt", "sub/new.txt"]),
];

/// Payloads before a shell call: what those write is not judged by the hook's file tools.
const SHELLS: &[(&str, &str)] = &[
    ("claude", "09-PreToolUse-Bash"),
    ("claude", "11-PreToolUse-Bash"),
    ("claude", "13-PreToolUse-Bash"),
    ("codex", "05-PreToolUse-Bash"),
    ("gemini", "05-BeforeTool-run_shell_command"),
    ("copilot", "08-preToolUse-bash"),
    ("copilot", "19-PreToolUse-Bash"),
    ("qwen", "07-PreToolUse-run_shell_command"),
    ("opencode", "05-PreToolUse-bash"),
];

/// Payloads that write nothing.
const READERS: &[(&str, &str)] = &[
    ("claude", "01-SessionStart"),
    ("claude", "03-PreToolUse-Read"),
    ("claude", "04-PostToolUse-Read"),
    ("claude", "06-PostToolUse-Edit"),
    ("claude", "08-PostToolUse-Write"),
    ("claude", "10-PostToolUse-Bash"),
    ("claude", "12-PostToolUse-Bash"),
    ("claude", "14-PostToolUse-Bash"),
    ("claude", "15-PreToolUse-Agent"),
    ("claude", "18-PostToolUse-Write-subagent"),
    ("claude", "19-SubagentStop-subagent"),
    ("claude", "20-PostToolUse-Agent"),
    ("claude", "21-Stop"),
    ("claude", "22-SessionEnd"),
    ("codex", "01-SessionStart"),
    ("codex", "04-PostToolUse-apply_patch"),
    ("codex", "06-PostToolUse-Bash"),
    ("codex", "07-Stop"),
    ("codex", "08-SessionEnd"),
    ("gemini", "01-SessionStart"),
    ("gemini", "04-AfterTool-write_file"),
    ("gemini", "06-AfterTool-run_shell_command"),
    ("gemini", "07-AfterAgent"),
    ("gemini", "08-SessionEnd"),
    ("gemini", "11-BeforeTool-read_file"),
    ("copilot", "01-sessionStart"),
    ("copilot", "04-postToolUse-edit"),
    ("copilot", "05-postToolUseFailure-edit"),
    ("copilot", "09-preToolUse-view"),
    ("copilot", "12-agentStop-subagent"),
    ("copilot", "13-subagentStop"),
    ("copilot", "14-errorOccurred"),
    ("copilot", "15-agentStop"),
    ("copilot", "16-sessionEnd"),
    ("copilot", "20-Stop"),
    ("qwen", "01-SessionStart"),
    ("qwen", "04-PostToolUse-edit"),
    ("qwen", "06-PostToolUse-write_file-subagent"),
    ("qwen", "08-PostToolUseFailure-run_shell_command"),
    ("qwen", "10-SubagentStop"),
    ("qwen", "11-Stop"),
    ("qwen", "12-StopFailure"),
    ("opencode", "03-PostToolUse-edit"),
    ("opencode", "07-PreToolUse-read"),
    ("opencode", "08-SubagentStop"),
    ("opencode", "09-Stop"),
    ("opencode", "10-SessionEnd"),
];

/// Events that begin a turn or a sub-agent.
const BEGINS: &[(&str, &str)] = &[
    ("claude", "02-UserPromptSubmit"),
    ("claude", "16-SubagentStart-subagent"),
    ("codex", "02-UserPromptSubmit"),
    ("gemini", "02-BeforeAgent"),
    ("copilot", "02-userPromptSubmitted"),
    ("copilot", "10-subagentStart"),
    ("qwen", "02-UserPromptSubmit"),
    ("opencode", "01-UserPromptSubmit"),
];

const ADVICE: &str = "Nothing was written. Work on something else, and try this again later.";

#[test]
fn no_payload_is_forgotten() {
    for client in CLIENTS {
        let written = WRITES.iter().map(|(of, name, _)| (*of, *name));
        let tested = written.chain(SHELLS.iter().copied()).chain(READERS.iter().copied());
        let tested = tested.chain(BEGINS.iter().copied());
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
        send(&sandbox, client, name).run().is_silent();
        let store = sandbox.make_store().read_dir().expect("the folder");
        let names: Vec<_> = store.map(|file| file.expect("a file").file_name()).collect();
        assert!(names.iter().all(|file| file == "usage.jsonl"), "{client} {name}: {names:?}");
    }
}

#[test]
fn what_begins_is_silent_and_leases_nothing() {
    for (client, name) in BEGINS {
        let sandbox = Sandbox::new();
        send(&sandbox, client, name).run().is_silent();
        assert!(sandbox.database().exists(), "{client} {name}: it is remembered");
        assert!(sandbox.leases().is_empty(), "{client} {name}");
    }
}

#[test]
fn a_shell_call_on_free_files_is_allowed() {
    for (client, name) in SHELLS {
        let sandbox = Sandbox::new();
        send(&sandbox, client, name).run().is_silent();
    }
}

#[test]
fn a_write_to_a_free_file_is_allowed_in_silence_and_leased() {
    for (client, name, files) in WRITES {
        let sandbox = Sandbox::new();
        let payload = sandbox.payload(client, name);
        send(&sandbox, client, name).run().is_silent();
        let rows = sandbox.leases();
        let expected: Vec<String> = files.iter().map(|file| sandbox.file(file)).collect();
        let leased: Vec<&str> = rows.iter().map(Row::resource).collect();
        assert_eq!(leased, expected, "{name}");
        for row in &rows {
            let (session, epoch) = owner(&payload);
            assert_eq!(row.owner(), (&*session, &*epoch), "{client} {name}");
            assert_eq!(row.text("agent"), *client);
        }
    }
}

#[test]
fn a_write_again_keeps_the_lease_and_its_fence() {
    for (client, name, _) in WRITES {
        let sandbox = Sandbox::new();
        send(&sandbox, client, name).run().is_silent();
        let fences = || sandbox.leases().iter().map(Row::fence).collect::<Vec<_>>();
        let before = fences();
        send(&sandbox, client, name).run().is_silent();
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
        let outcome = send(&sandbox, client, name).run();
        let reason = format!("leasehold: {}. {ADVICE}", held[0].as_refusal());
        let answer = (outcome.code, outcome.stdout, outcome.stderr);
        assert_eq!(answer, refusal(client, &reason), "{client} {name}");
        assert_eq!(sandbox.leases(), held, "all or none, and the holder is untouched");
    }
}

#[test]
fn a_refusal_is_the_same_to_the_byte_when_asked_again() {
    for (client, name, files) in WRITES {
        let sandbox = Sandbox::new();
        sandbox.send(&sandbox.write("somebody-else", files[0])).run().is_silent();
        let ask = || send(&sandbox, client, name).run();
        let (first, second) = (ask(), ask());
        assert_eq!(first.parts(), second.parts());
    }
}

#[test]
fn a_fence_is_never_given_out_twice() {
    for (client, name, files) in WRITES {
        let sandbox = Sandbox::new();
        sandbox.send(&sandbox.write("somebody-else", files[0])).run().is_silent();
        let earlier = sandbox.leases()[0].fence();
        sandbox.cli(&["release-session", "--session", "somebody-else", "--epoch", "turn"]).run();
        send(&sandbox, client, name).run().is_silent();
        let rows = sandbox.leases();
        assert_eq!(rows.len(), files.len());
        assert!(rows.iter().all(|row| row.fence() > earlier), "{name}: {rows:?}");
    }
}

/// The hook's call for a payload, in the environment that its client gives to hooks.
fn send(sandbox: &Sandbox, client: &str, name: &str) -> Call {
    let call = sandbox.send(&sandbox.payload(client, name));
    if client == "copilot" { call.env("COPILOT_CLI", "1") } else { call }
}

/// The session and the fencing name of the attempt that a payload belongs to. Clients without turn
/// ids get one minted, and a sub-agent with a session of its own is one of the session's above.
fn owner(payload: &Payload) -> (String, String) {
    let either = |one, other| format!("{}{}", payload.text(one), payload.text(other));
    let epoch = match (&*either("agent_id", "agentId"), &*either("prompt_id", "turn_id")) {
        ("", "") => "minted:1".to_owned(),
        ("", turn) => turn.to_owned(),
        (id, _) => format!("agent:{id}"),
    };
    let session = match payload.text("parentAgentId") {
        "" => either("session_id", "sessionId"),
        parent => parent.to_owned(),
    };
    (session, epoch)
}
