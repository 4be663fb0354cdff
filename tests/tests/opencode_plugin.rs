//! Goal: under OpenCode the plugin asks the real binary before each call, and obeys its answer.
//!
//! Method: node loads the plugin into a scripted host, which calls its hooks as OpenCode does.
//! After each step the answer and the rows of the database are compared.

use std::io::{BufRead as _, BufReader, Write as _};
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};

use leasehold_tests::binary;
use leasehold_tests::row::Row;
use leasehold_tests::sandbox::Sandbox;
use serde_json::{Value, json};

/// OpenCode with one plugin, in a sandbox.
struct Host<'a> {
    sandbox: &'a Sandbox,
    child: Child,
    steps: ChildStdin,
    answers: BufReader<ChildStdout>,
}

/// What became of one call of a hook.
struct Answer(Value);

impl<'a> Host<'a> {
    fn new(sandbox: &'a Sandbox) -> Self {
        Self::with_program(sandbox, binary::path())
    }

    fn with_program(sandbox: &'a Sandbox, program: &Path) -> Self {
        let crates = Path::new(env!("CARGO_MANIFEST_DIR"));
        // Node tells modules by the name, OpenCode takes every plugin for one.
        let plugin = sandbox.root().join("leasehold.mjs");
        std::fs::copy(crates.join("../impl/plugins/opencode.js"), &plugin).expect("the plugin");
        let mut command = Command::new(node());
        command
            .args([&crates.join("opencode/host.mjs"), &plugin, &sandbox.repo()])
            .env_clear()
            .env("HOME", sandbox.home())
            .env("LEASEHOLD_BIN", program)
            .env("LEASEHOLD_DB", sandbox.database())
            .env("LEASEHOLD_COUNTER", sandbox.counter())
            .stdin(Stdio::piped())
            .stdout(Stdio::piped());
        let mut child = command.spawn().expect("node starts");
        let steps = child.stdin.take().expect("its stdin");
        let answers = BufReader::new(child.stdout.take().expect("its stdout"));
        Self { sandbox, child, steps, answers }
    }

    fn step(&mut self, hook: &str, input: &Value, output: &Value) -> Answer {
        let step = json!({ "hook": hook, "input": input, "output": output });
        writeln!(self.steps, "{step}").expect("the host reads");
        let mut line = String::new();
        self.answers.read_line(&mut line).expect("the host answers");
        Answer(serde_json::from_str(&line).expect("an answer"))
    }

    fn message(&mut self, session: &str, id: &str) {
        let message = json!({ "message": { "id": id, "role": "user" }, "parts": [] });
        self.step("chat.message", &json!({ "sessionID": session }), &message).passes();
    }

    fn before(&mut self, session: &str, tool: &str, args: &Value) -> Answer {
        let call = json!({ "tool": tool, "sessionID": session, "callID": "call_1_0" });
        self.step("tool.execute.before", &call, &json!({ "args": args }))
    }

    fn write(&mut self, session: &str, file: &str) -> Answer {
        self.before(session, "write", &json!({ "filePath": file, "content": "x" }))
    }

    fn after(&mut self, session: &str, output: &Value) -> Answer {
        let args = json!({ "filePath": "a.txt", "content": "x" });
        let call =
            json!({ "tool": "write", "sessionID": session, "callID": "call_1_0", "args": args });
        self.step("tool.execute.after", &call, output)
    }

    fn event(&mut self, kind: &str, properties: &Value) {
        let event = json!({ "event": { "type": kind, "properties": properties } });
        self.step("event", &event, &Value::Null).passes();
    }

    /// OpenCode's news of a new session, of a parent or of none.
    fn created(&mut self, session: &str, parent: Option<&str>) {
        let info = json!({ "id": session, "parentID": parent, "directory": self.sandbox.repo() });
        self.event("session.created", &json!({ "sessionID": session, "info": info }));
    }

    fn idle(&mut self, session: &str) {
        self.event("session.idle", &json!({ "sessionID": session }));
    }

    /// The leased files with their owners.
    fn leases(&self) -> Vec<(String, String, String)> {
        let rows = self.sandbox.leases();
        let parts = rows.iter().map(|row: &Row| {
            let (session, epoch) = row.owner();
            (row.file().to_owned(), session.to_owned(), epoch.to_owned())
        });
        parts.collect()
    }

    #[track_caller]
    fn holds(&self, expected: &[(&str, &str, &str)]) {
        let leases = self.leases();
        let parts = leases.iter().map(|(file, session, epoch)| (&**file, &**session, &**epoch));
        assert_eq!(parts.collect::<Vec<_>>(), expected);
    }
}

impl Drop for Host<'_> {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

impl Answer {
    #[track_caller]
    fn passes(&self) {
        assert_eq!(self.0["threw"], Value::Null);
    }

    /// What the model sees of a call that did not run.
    #[track_caller]
    fn reason(&self) -> &str {
        self.0["threw"].as_str().expect("the call is stopped")
    }
}

/// The path of node. The test's own environment is looked at for nothing else.
fn node() -> PathBuf {
    let path = std::env::var_os("PATH").unwrap_or_default();
    let name = format!("node{}", std::env::consts::EXE_SUFFIX);
    let found =
        std::env::split_paths(&path).map(|folder| folder.join(&name)).find(|at| at.is_file());
    found.expect(
        "this test drives the plugin with node: install it (Debian: apt-get install nodejs)",
    )
}

#[test]
fn a_turn_holds_what_it_writes_until_it_is_idle() {
    let sandbox = Sandbox::new();
    let mut host = Host::new(&sandbox);
    host.created("ses_a", None);
    host.message("ses_a", "msg_1");
    host.write("ses_a", "a.txt").passes();
    host.before("ses_a", "edit", &json!({ "filePath": sandbox.file("b.txt") })).passes();
    host.before("ses_a", "read", &json!({ "filePath": "c.txt" })).passes();
    host.before("ses_a", "bash", &json!({ "command": "ls" })).passes();
    host.holds(&[("a.txt", "ses_a", "msg_1"), ("b.txt", "ses_a", "msg_1")]);
    host.event("session.error", &json!({ "sessionID": "ses_a", "error": { "name": "APIError" } }));
    assert_eq!(host.leases().len(), 2, "an error alone ends nothing");
    host.idle("ses_a");
    host.holds(&[]);
    host.idle("ses_a");
}

#[test]
fn a_message_into_a_running_turn_belongs_to_it() {
    let sandbox = Sandbox::new();
    let mut host = Host::new(&sandbox);
    host.message("ses_a", "msg_1");
    host.message("ses_a", "msg_2");
    host.write("ses_a", "a.txt").passes();
    host.holds(&[("a.txt", "ses_a", "msg_1")]);
    host.idle("ses_a");
    host.message("ses_a", "msg_3");
    host.write("ses_a", "a.txt").passes();
    host.holds(&[("a.txt", "ses_a", "msg_3")]);
}

#[test]
fn a_held_file_is_refused_with_the_reason() {
    let sandbox = Sandbox::new();
    sandbox.send(&sandbox.write("holder", "a.txt")).run().is_silent();
    let held = sandbox.leases();
    let mut host = Host::new(&sandbox);
    host.message("ses_a", "msg_1");
    let answer = host.write("ses_a", "a.txt");
    let expected = format!(
        "leasehold: {}. Nothing was written. Work on something else, and try this again later.",
        held[0].as_refusal()
    );
    assert_eq!(answer.reason(), expected);
    assert_eq!(sandbox.leases(), held);
}

#[test]
fn a_child_is_a_sub_agent_of_its_root() {
    let sandbox = Sandbox::new();
    let mut host = Host::new(&sandbox);
    host.message("ses_a", "msg_1");
    for (child, parent) in [("ses_b", "ses_a"), ("ses_c", "ses_b")] {
        host.created(child, Some(parent));
        host.message(child, "msg_of_child");
        host.write(child, &format!("{child}.txt")).passes();
    }
    host.write("ses_a", "a.txt").passes();
    let of_c = ("ses_c.txt", "ses_a", "agent:ses_c");
    let of_a = ("a.txt", "ses_a", "msg_1");
    host.holds(&[of_a, ("ses_b.txt", "ses_a", "agent:ses_b"), of_c]);
    assert!(host.write("ses_c", "ses_b.txt").reason().contains("/ses_b.txt is "));
    host.idle("ses_b");
    host.holds(&[of_a, of_c]);
    host.idle("ses_a");
    host.holds(&[of_c]);
    host.event("session.deleted", &json!({ "info": { "id": "ses_c" } }));
    host.holds(&[]);
}

#[test]
fn a_deleted_child_ends_alone_and_a_deleted_root_ends_all() {
    let sandbox = Sandbox::new();
    let mut host = Host::new(&sandbox);
    host.message("ses_a", "msg_1");
    host.write("ses_a", "a.txt").passes();
    for child in ["ses_b", "ses_c"] {
        host.created(child, Some("ses_a"));
        host.write(child, &format!("{child}.txt")).passes();
    }
    host.event("session.deleted", &json!({ "info": { "id": "ses_b" } }));
    host.holds(&[("a.txt", "ses_a", "msg_1"), ("ses_c.txt", "ses_a", "agent:ses_c")]);
    host.event("session.deleted", &json!({ "info": { "id": "ses_a" } }));
    host.holds(&[]);
}

#[test]
fn a_call_after_its_tool_changes_nothing_in_silence() {
    let sandbox = Sandbox::new();
    let mut host = Host::new(&sandbox);
    host.message("ses_a", "msg_1");
    host.write("ses_a", "a.txt").passes();
    for output in [json!({ "title": "a.txt", "output": "Wrote it." }), json!({}), Value::Null] {
        let answer = host.after("ses_a", &output);
        answer.passes();
        assert_eq!(answer.0["output"], output);
    }
    host.holds(&[("a.txt", "ses_a", "msg_1")]);
}

#[cfg(unix)]
#[test]
fn what_the_program_tells_is_appended_to_the_tools_output() {
    let sandbox = Sandbox::new();
    let program = script(&sandbox, "cat > /dev/null; echo 'a.txt was taken'");
    let mut host = Host::with_program(&sandbox, &program);
    let answer = host.after("ses_a", &json!({ "title": "a.txt", "output": "Wrote it." }));
    assert_eq!(answer.0["output"]["output"], "Wrote it.\n\na.txt was taken");
}

#[test]
fn a_program_that_does_not_start_stops_every_call() {
    let sandbox = Sandbox::new();
    let mut host = Host::with_program(&sandbox, Path::new("/nowhere/leasehold"));
    host.message("ses_a", "msg_1");
    let answer = host.write("ses_a", "a.txt");
    let reason = answer.reason();
    assert!(reason.starts_with("leasehold: this call was stopped: "), "{reason}");
    assert!(reason.contains("ENOENT") && reason.contains("LEASEHOLD_BIN"), "{reason}");
    host.idle("ses_a");
}

#[cfg(unix)]
#[test]
fn a_program_that_ends_otherwise_stops_the_call() {
    for (body, why) in [
        ("exit 1", "exit code 1"),
        ("exit 2", "exit code 2"),
        ("echo ' ' >&2; exit 2", "exit code 2"),
        ("kill -9 $$", "ended by SIGKILL"),
    ] {
        let sandbox = Sandbox::new();
        let program = script(&sandbox, body);
        let mut host = Host::with_program(&sandbox, &program);
        let answer = host.write("ses_a", "a.txt");
        assert!(answer.reason().contains(why), "{body}: {}", answer.reason());
    }
}

/// A program in the place of the real one.
#[cfg(unix)]
fn script(sandbox: &Sandbox, body: &str) -> PathBuf {
    use std::os::unix::fs::PermissionsExt as _;
    let path = sandbox.root().join("program");
    std::fs::write(&path, format!("#!/bin/sh\nPATH=/usr/bin:/bin\n{body}\n")).expect("a script");
    let mode = std::fs::Permissions::from_mode(0o755);
    std::fs::set_permissions(&path, mode).expect("it may run");
    path
}
