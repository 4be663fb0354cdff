//! Where the demonstration happens: a temporary folder, and the real binary at work in it.

use std::env;
use std::ffi::OsStr;
use std::fs;
use std::io::{self, Write as _};
use std::path::PathBuf;
use std::process::{Child, Command, Output, Stdio};

use tempfile::TempDir;

/// The widths of the columns, in characters.
const WHO_WIDTH: usize = 16;
const WHAT_WIDTH: usize = 30;

/// One agent in one turn.
pub(super) struct Agent {
    session: String,
    turn: String,
    is_codex: bool,
}

impl Agent {
    pub(super) fn claude(session: &str, turn: &str) -> Self {
        Self { session: session.to_owned(), turn: turn.to_owned(), is_codex: false }
    }

    pub(super) fn codex(session: &str, turn: &str) -> Self {
        Self { is_codex: true, ..Self::claude(session, turn) }
    }

    pub(super) fn session(&self) -> &str {
        &self.session
    }

    /// The payload that the client sends for an event.
    fn payload(&self, event: &str, cwd: &str, tool: &str) -> String {
        let Self { session, turn, .. } = self;
        let turn = if self.is_codex {
            format!(r#""turn_id":"{turn}","model":"m""#)
        } else {
            format!(r#""prompt_id":"{turn}""#)
        };
        format!(
            r#"{{"session_id":"{session}",{turn},"cwd":"{cwd}","hook_event_name":"{event}"{tool}}}"#
        )
    }

    fn write_payload(&self, cwd: &str, file: &str) -> String {
        let tool = if self.is_codex {
            let patch = format!(
                "*** Begin Patch\\n*** Update File: {file}\\n@@\\n-a\\n+b\\n*** End Patch\\n"
            );
            format!(r#","tool_name":"apply_patch","tool_input":{{"command":"{patch}"}}"#)
        } else {
            let input = format!(r#"{{"file_path":"{cwd}/{file}","content":"x"}}"#);
            format!(r#","tool_name":"Write","tool_input":{input}"#)
        };
        self.payload("PreToolUse", cwd, &tool)
    }
}

/// What the hook said to a write.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Answer {
    /// Nothing, which means yes.
    Allowed,
    /// No, in these words.
    Refused(String),
}

impl Answer {
    /// Whether it is a refusal that names this holder.
    pub(super) fn refused_by(&self, holder: &str) -> bool {
        match self {
            Self::Allowed => false,
            Self::Refused(words) => words.contains(" is leased by ") && words.contains(holder),
        }
    }
}

/// The folder, the database in use, and how many steps went as expected.
pub(super) struct Stage {
    folder: TempDir,
    root: PathBuf,
    database: String,
    steps: usize,
}

impl Stage {
    pub(super) fn open() -> io::Result<Self> {
        let folder = TempDir::new()?;
        let root = folder.path().canonicalize()?;
        fs::create_dir(root.join("shop"))?;
        Ok(Self { folder, root, database: "leases.db".to_owned(), steps: 0 })
    }

    pub(super) fn use_database(&mut self, name: &str) {
        name.clone_into(&mut self.database);
    }

    pub(super) fn database(&self) -> PathBuf {
        self.root.join(&self.database)
    }

    /// A line above steps.
    pub(super) fn heading(text: &str) {
        say(&format!("\n{text}"));
    }

    /// Tells one step, if it went as expected; an error otherwise.
    pub(super) fn step(
        &mut self,
        agent: &Agent,
        what: &str,
        answer: &str,
        as_expected: bool,
    ) -> io::Result<()> {
        let client = if agent.is_codex { "codex" } else { "claude" };
        let who = format!("{client} {}", agent.session.get(..8).unwrap_or_default());
        if !as_expected {
            let told = format!("step {}: {who} {what}: expected `{answer}`", self.steps + 1);
            return Err(io::Error::other(told));
        }
        self.steps += 1;
        say(&format!("  {who:<WHO_WIDTH$} {what:<WHAT_WIDTH$} -> {answer}"));
        Ok(())
    }

    /// Removes the folder and tells that all went well.
    pub(super) fn close(self) -> io::Result<()> {
        let path = self.folder.path().to_owned();
        self.folder.close()?;
        if path.exists() {
            return Err(io::Error::other(format!("{} was left behind", path.display())));
        }
        say(&format!("\nall {} steps as expected; nothing left behind", self.steps));
        Ok(())
    }

    /// The agent's hook before a write of a file.
    pub(super) fn write(&self, agent: &Agent, file: &str) -> io::Result<Answer> {
        let mut hook = self.start(["hook", "PreToolUse"])?;
        Self::feed(&mut hook, &agent.write_payload(&self.shop()?, file))?;
        answer(&hook.wait_with_output()?)
    }

    /// The hooks of several agents, all of which wait for their payload and get it together.
    pub(super) fn write_together(&self, agents: &[Agent], file: &str) -> io::Result<Vec<Answer>> {
        let start = |_| self.start(["hook", "PreToolUse"]);
        let mut hooks = agents.iter().map(start).collect::<io::Result<Vec<_>>>()?;
        for (hook, agent) in hooks.iter_mut().zip(agents) {
            Self::feed(hook, &agent.write_payload(&self.shop()?, file))?;
        }
        hooks.into_iter().map(|hook| answer(&hook.wait_with_output()?)).collect()
    }

    /// The agent's hook at the end of its turn.
    pub(super) fn stop(&self, agent: &Agent) -> io::Result<()> {
        let mut hook = self.start(["hook", "Stop"])?;
        Self::feed(&mut hook, &agent.payload("Stop", &self.shop()?, ""))?;
        let output = hook.wait_with_output()?;
        if output.status.success() { Ok(()) } else { Err(unexpected(&output)) }
    }

    /// The first line of `release-session`.
    pub(super) fn release(&self, session: &str, epoch: &str) -> io::Result<String> {
        self.first_line(&["release-session", "--session", session, "--epoch", epoch])
    }

    /// The first line of `acquire`.
    pub(super) fn acquire(&self, session: &str, epoch: &str, file: &str) -> io::Result<String> {
        let path = self.spelling(file)?;
        self.first_line(&["acquire", &path, "--session", session, "--epoch", epoch])
    }

    /// The sessions that hold a file.
    pub(super) fn holders(&self, file: &str) -> io::Result<Vec<String>> {
        let path = self.spelling(file)?;
        let output = self.start(["check", &path, "--json"])?.wait_with_output()?;
        let told: serde_json::Value = serde_json::from_slice(&output.stdout)?;
        let leases = told["leases"].as_array().ok_or_else(|| unexpected(&output))?;
        let session = |lease: &serde_json::Value| lease["session"].as_str().map(str::to_owned);
        Ok(leases.iter().filter_map(session).collect())
    }

    /// A file of the checkout, as text.
    pub(super) fn spelling(&self, file: &str) -> io::Result<String> {
        Ok(format!("{}/{file}", self.shop()?))
    }

    /// The checkout, as text that needs no escapes in a payload.
    fn shop(&self) -> io::Result<String> {
        let shop = self.root.join("shop").to_string_lossy().replace('\\', "/");
        if shop.contains('"') {
            return Err(io::Error::other("the temporary folder has a quote in its name"));
        }
        Ok(shop)
    }

    fn first_line(&self, args: &[&str]) -> io::Result<String> {
        let output = self.start(args)?.wait_with_output()?;
        let text = String::from_utf8_lossy(&output.stdout).into_owned();
        text.lines().next().map(str::to_owned).ok_or_else(|| unexpected(&output))
    }

    /// Starts this same program, on nothing but the folder.
    fn start<S: AsRef<OsStr>>(&self, args: impl IntoIterator<Item = S>) -> io::Result<Child> {
        let mut command = Command::new(env::current_exe()?);
        for (name, _) in env::vars_os() {
            let text = name.to_string_lossy();
            if text.starts_with("LEASEHOLD_") || text.starts_with("WORKSPACE_WRITE_LEASE_") {
                command.env_remove(&name);
            }
        }
        command
            .args(args)
            .env("HOME", self.root.join("home"))
            .env("LEASEHOLD_DB", self.database())
            .env("LEASEHOLD_COUNTER", self.root.join("usage.jsonl"))
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
    }

    fn feed(hook: &mut Child, payload: &str) -> io::Result<()> {
        let mut stdin = hook.stdin.take().ok_or(io::ErrorKind::BrokenPipe)?;
        stdin.write_all(payload.as_bytes())
    }
}

fn answer(output: &Output) -> io::Result<Answer> {
    let text = [&output.stdout[..], &output.stderr].concat();
    let text = String::from_utf8_lossy(&text).into_owned();
    match output.status.code() {
        Some(0) if text.is_empty() => Ok(Answer::Allowed),
        Some(0 | 2) => Ok(Answer::Refused(text)),
        _ => Err(unexpected(output)),
    }
}

fn unexpected(output: &Output) -> io::Error {
    let words = String::from_utf8_lossy(&output.stderr);
    io::Error::other(format!("the program ended with {}: {words}", output.status))
}

/// Prints a line; a reader that has gone is no error.
fn say(line: &str) {
    let _ = writeln!(io::stdout(), "{line}");
}
