//! A process of its own that runs the hook, as an agent does, and that can be killed.

use std::fs;
use std::io::{BufRead as _, BufReader, Write as _};
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};
use std::thread;
use std::time::{Duration, Instant};

use serde_json::{Value, json};

use crate::binary;
use crate::outcome::Outcome;
use crate::payload::Payload;
use crate::sandbox::Sandbox;

/// How the hook can tell which process the agent is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum How {
    /// The agent names itself, as Claude Code does.
    Named,
    /// It is the hook's parent, and that is all.
    Unnamed,
    /// A helper that lives as long as the call stands between the two.
    Helped,
}

/// The process. It is killed when the value is dropped.
#[derive(Debug)]
pub struct Agent {
    child: Child,
    input: ChildStdin,
    output: BufReader<ChildStdout>,
    how: How,
}

impl Agent {
    /// Starts one.
    pub fn start(sandbox: &Sandbox, how: How) -> Self {
        let program = binary::path().with_file_name("leasehold-test-agent");
        let mut child = Command::new(program.with_extension(std::env::consts::EXE_EXTENSION))
            .arg(binary::path())
            .current_dir(sandbox.repo())
            .env_clear()
            .env("HOME", sandbox.home())
            .env("LEASEHOLD_DB", sandbox.database())
            .env("LEASEHOLD_COUNTER", sandbox.counter())
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .expect("the agent starts");
        let input = child.stdin.take().expect("a pipe");
        let output = BufReader::new(child.stdout.take().expect("a pipe"));
        Self { child, input, output, how }
    }

    /// Runs the hook for a payload.
    pub fn call(&mut self, payload: &Payload) -> Outcome {
        let started = Instant::now();
        let how = match self.how {
            How::Named => "named",
            How::Unnamed => "unnamed",
            How::Helped => "helped",
        };
        let call = json!({ "event": payload.event(), "payload": payload.json(), "how": how });
        writeln!(self.input, "{call}").expect("the agent reads");
        let mut line = String::new();
        self.output.read_line(&mut line).expect("the agent answers");
        let answer: Value = serde_json::from_str(&line).expect("an answer");
        let text = |field: &str| answer[field].as_str().unwrap_or_default().to_owned();
        Outcome {
            code: answer["code"].as_i64().and_then(|code| i32::try_from(code).ok()),
            stdout: text("stdout"),
            stderr: text("stderr"),
            took: started.elapsed(),
        }
    }

    /// Its process id.
    pub fn pid(&self) -> u32 {
        self.child.id()
    }

    /// Kills it with no time to say anything, and waits until it is dead: the signal takes its
    /// time. Its parent has not asked for its end yet, so it is a zombie now.
    pub fn kill(&mut self) {
        self.child.kill().expect("the agent is killed");
        let started = Instant::now();
        while !self.is_zombie() {
            assert!(started.elapsed() < Duration::from_secs(10), "a killed process dies");
            thread::sleep(Duration::from_millis(1));
        }
    }

    /// Whether it has ended: the letter after the name in what Linux tells of a process.
    fn is_zombie(&self) -> bool {
        let stat = fs::read_to_string(format!("/proc/{}/stat", self.pid())).expect("its line");
        stat.rsplit(')').next().is_some_and(|rest| rest.starts_with(" Z"))
    }
}

impl Drop for Agent {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}
