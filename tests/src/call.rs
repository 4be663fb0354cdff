//! One process: how it is started, fed and waited for.

use std::ffi::OsStr;
use std::io::Write as _;
use std::path::Path;
use std::process::{Child, ChildStdin, Command, Stdio};
use std::time::Instant;

use crate::binary;
use crate::outcome::Outcome;
use crate::sandbox::Sandbox;

/// A call that has not started. It sees nothing of the test's own environment.
#[derive(Debug)]
#[must_use]
pub struct Call {
    command: Command,
    stdin: Vec<u8>,
    holds_stdin: bool,
}

impl Call {
    pub(crate) fn new(sandbox: &Sandbox) -> Self {
        let mut command = Command::new(binary::path());
        command
            .current_dir(sandbox.repo())
            .env_clear()
            .env("HOME", sandbox.home())
            .env("XDG_STATE_HOME", sandbox.state())
            .env("LEASEHOLD_DB", sandbox.database())
            .env("LEASEHOLD_COUNTER", sandbox.counter())
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped());
        Self { command, stdin: Vec::new(), holds_stdin: false }
    }

    /// One more argument.
    pub fn arg(mut self, arg: impl AsRef<OsStr>) -> Self {
        self.command.arg(arg);
        self
    }

    /// The event that the installed command names.
    pub fn event(self, name: &str) -> Self {
        self.arg(name)
    }

    /// What is written to stdin.
    pub fn stdin(mut self, bytes: impl Into<Vec<u8>>) -> Self {
        self.stdin = bytes.into();
        self
    }

    /// Stdin is not closed while the process runs.
    pub fn holding_stdin(mut self) -> Self {
        self.holds_stdin = true;
        self
    }

    /// A variable of the environment.
    pub fn env(mut self, name: &str, value: impl AsRef<OsStr>) -> Self {
        self.command.env(name, value);
        self
    }

    /// A variable that is not there.
    pub fn without_env(mut self, name: &str) -> Self {
        self.command.env_remove(name);
        self
    }

    /// The same call by another user, of a copy of the program that this user can reach.
    #[cfg(unix)]
    pub fn as_user(self, uid: u32, program: &Path) -> Self {
        use std::os::unix::process::CommandExt as _;
        let mut command = Command::new(program);
        command.args(self.command.get_args()).env_clear().uid(uid).gid(uid);
        command.envs(self.command.get_envs().filter_map(|(name, value)| Some((name, value?))));
        if let Some(directory) = self.command.get_current_dir() {
            command.current_dir(directory);
        }
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
        Self { command, ..self }
    }

    /// Runs it to its end.
    pub fn run(self) -> Outcome {
        let mut running = self.start();
        running.feed();
        running.finish()
    }

    fn start(mut self) -> Running {
        let started = Instant::now();
        let mut child = self.command.spawn().expect("the process starts");
        let input = child.stdin.take();
        Running { child, input, call: self, started }
    }
}

/// Runs calls at once: every process is up before the first one is fed.
pub fn race(calls: Vec<Call>) -> Vec<Outcome> {
    let mut running: Vec<Running> = calls.into_iter().map(Call::start).collect();
    running.iter_mut().for_each(Running::feed);
    running.into_iter().map(Running::finish).collect()
}

struct Running {
    child: Child,
    input: Option<ChildStdin>,
    call: Call,
    started: Instant,
}

impl Running {
    /// Writes to stdin. A process that has ended before is judged by its answer.
    fn feed(&mut self) {
        if let Some(input) = &mut self.input {
            let _ = input.write_all(&self.call.stdin);
        }
        if !self.call.holds_stdin {
            self.input = None;
        }
    }

    fn finish(self) -> Outcome {
        let output = self.child.wait_with_output().expect("the process ends");
        let took = self.started.elapsed();
        drop(self.input);
        Outcome {
            code: output.status.code(),
            stdout: String::from_utf8(output.stdout).expect("stdout is UTF-8"),
            stderr: String::from_utf8(output.stderr).expect("stderr is UTF-8"),
            took,
        }
    }
}
