//! Where the demonstration happens: a temporary folder, and the real binary at work in it.

use std::env;
use std::ffi::OsStr;
use std::fmt::Debug;
use std::fs;
use std::io::{self, Write as _};
use std::path::PathBuf;
use std::process::{Child, Command, Stdio};

use serde_json::Value;
use tempfile::TempDir;

use super::agent::{Agent, Answer, unexpected};

/// A margin of two, this, a gap of one, and a lane of forty are 80 columns.
const LANE_WIDTH: usize = 37;

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

    /// How many steps went as expected.
    pub(super) fn steps(&self) -> usize {
        self.steps
    }

    /// A line above steps, set apart from those before.
    pub(super) fn heading(&self, text: &str) {
        let apart = if self.steps == 0 { "" } else { "\n" };
        say(&format!("{apart}{text}"));
    }

    /// The names above the lanes.
    pub(super) fn lanes(left: &Agent, right: &Agent) {
        say(&format!("  {:<LANE_WIDTH$} {}", left.label(), right.label()));
    }

    /// Tells one step in the agent's lane, if it went as expected; an error with what was `got`
    /// otherwise.
    pub(super) fn step(
        &mut self,
        agent: &Agent,
        what: &str,
        answer: &str,
        as_expected: bool,
        got: &dyn Debug,
    ) -> io::Result<()> {
        if !as_expected {
            let who = agent.label();
            let told = format!("{who}, {what}: expected `{answer}`, but got {got:?}");
            return Err(io::Error::other(told));
        }
        self.steps += 1;
        let margin = if agent.is_codex { LANE_WIDTH + 3 } else { 2 };
        say(&format!("{:margin$}{what} -> {answer}", ""));
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
        feed(&mut hook, &agent.write_payload(&self.shop()?, file))?;
        agent.read(&hook.wait_with_output()?)
    }

    /// The hooks of several agents, all of which wait for their payload and get it together.
    pub(super) fn write_together(&self, agents: &[Agent], file: &str) -> io::Result<Vec<Answer>> {
        let shop = self.shop()?;
        let start = |_| self.start(["hook", "PreToolUse"]);
        let mut hooks = agents.iter().map(start).collect::<io::Result<Vec<_>>>()?;
        for (hook, agent) in hooks.iter_mut().zip(agents) {
            feed(hook, &agent.write_payload(&shop, file))?;
        }
        let ended = hooks.into_iter().zip(agents);
        ended.map(|(hook, agent)| agent.read(&hook.wait_with_output()?)).collect()
    }

    /// The agent's hook at the end of its turn, which has nothing to say.
    pub(super) fn stop(&self, agent: &Agent) -> io::Result<()> {
        let mut hook = self.start(["hook", "Stop"])?;
        feed(&mut hook, &agent.payload("Stop", &self.shop()?, ""))?;
        let output = hook.wait_with_output()?;
        match agent.read(&output)? {
            Answer::Allowed => Ok(()),
            Answer::Refused(_) => Err(unexpected(&output)),
        }
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

    /// The leases on a file, as `check --json` prints them.
    pub(super) fn leases(&self, file: &str) -> io::Result<Vec<Value>> {
        let path = self.spelling(file)?;
        let output = self.start(["check", &path, "--json"])?.wait_with_output()?;
        let mut told: Value =
            serde_json::from_slice(&output.stdout).map_err(|_| unexpected(&output))?;
        match told["leases"].take() {
            Value::Array(leases) => Ok(leases),
            _ => Err(unexpected(&output)),
        }
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

    /// The first line of a command that must end with 0.
    fn first_line(&self, args: &[&str]) -> io::Result<String> {
        let output = self.start(args)?.wait_with_output()?;
        let text = String::from_utf8_lossy(&output.stdout);
        let line = text.lines().next().filter(|_| output.status.success());
        line.map(str::to_owned).ok_or_else(|| unexpected(&output))
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
}

/// Gives a hook its payload, and the end of it.
fn feed(hook: &mut Child, payload: &str) -> io::Result<()> {
    let mut stdin = hook.stdin.take().ok_or(io::ErrorKind::BrokenPipe)?;
    stdin.write_all(payload.as_bytes())
}

/// Prints a line; a reader that has gone is no error.
fn say(line: &str) {
    let _ = writeln!(io::stdout(), "{line}");
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Goal: a step that went otherwise is an error that tells what happened, and does not count.
    #[test]
    fn an_unexpected_answer_ends_the_demonstration() {
        let mut stage = Stage::open().unwrap();
        let agent = Agent::codex("01a22e52-demo", "turn-9");
        let error = stage.step(&agent, "writes a.py", "leased", false, &"no").unwrap_err();
        let told = "codex 01a22e52, writes a.py: expected `leased`, but got \"no\"";
        assert_eq!((error.to_string().as_str(), stage.steps()), (told, 0));
    }

    /// Goal: the folder goes with the stage, however the demonstration ends.
    #[test]
    fn nothing_is_left_behind() {
        for close in [true, false] {
            let stage = Stage::open().unwrap();
            let root = stage.root.clone();
            assert!(root.is_dir());
            if close {
                stage.close().unwrap();
            } else {
                drop(stage);
            }
            assert!(!root.exists());
        }
    }
}
