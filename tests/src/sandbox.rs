//! A folder of its own for each test: a repository, a home, and where state goes.

use std::fs;
use std::path::{Path, PathBuf};

use serde_json::json;
use tempfile::TempDir;

use crate::call::Call;
use crate::payload::Payload;
use crate::row::Row;

/// The folder. It is gone when the value is dropped.
#[derive(Debug)]
pub struct Sandbox {
    _directory: TempDir,
    root: PathBuf,
}

impl Default for Sandbox {
    fn default() -> Self {
        Self::new()
    }
}

impl Sandbox {
    /// A new one, with an empty `repo/` and an empty `home/`.
    pub fn new() -> Self {
        let directory = tempfile::tempdir().expect("a temporary folder");
        // The real path: payloads name files as the resolver will.
        let root = directory.path().canonicalize().expect("its real path");
        for name in ["repo", "home"] {
            fs::create_dir(root.join(name)).expect("a folder");
        }
        Self { _directory: directory, root }
    }

    /// The folder itself.
    pub fn root(&self) -> &Path {
        &self.root
    }

    /// The checkout that the agents share.
    pub fn repo(&self) -> PathBuf {
        self.root.join("repo")
    }

    /// A file in the checkout, as text.
    pub fn file(&self, name: &str) -> String {
        self.repo().join(name).to_str().expect("a path in UTF-8").to_owned()
    }

    /// What `HOME` says.
    pub fn home(&self) -> PathBuf {
        self.root.join("home")
    }

    /// What `XDG_STATE_HOME` says.
    pub fn state(&self) -> PathBuf {
        self.root.join("state")
    }

    /// What `LEASEHOLD_DB` says.
    pub fn database(&self) -> PathBuf {
        self.root.join("store").join("leases.db")
    }

    /// What `LEASEHOLD_COUNTER` says.
    pub fn counter(&self) -> PathBuf {
        self.root.join("store").join("usage.jsonl")
    }

    /// Makes the folder of the database, for tests that put something into it.
    pub fn make_store(&self) -> PathBuf {
        let directory = self.root.join("store");
        fs::create_dir_all(&directory).expect("a folder");
        directory
    }

    /// A captured payload, with its files in this checkout.
    pub fn payload(&self, client: &str, name: &str) -> Payload {
        Payload::captured(client, name, &self.repo())
    }

    /// Claude Code's payload before it writes a file of the checkout.
    pub fn write(&self, session: &str, file: &str) -> Payload {
        Payload::new(json!({
            "session_id": session,
            "hook_event_name": "PreToolUse",
            "cwd": self.repo(),
            "prompt_id": "turn",
            "tool_name": "Write",
            "tool_input": { "file_path": self.repo().join(file), "content": "x" },
        }))
    }

    /// A call of the hook with this on stdin. The installed command names the event, so
    /// [`Call::event`] follows.
    pub fn hook(&self, stdin: impl Into<Vec<u8>>) -> Call {
        Call::new(self).arg("hook").stdin(stdin)
    }

    /// The hook's call for a payload, with the event that it names.
    pub fn send(&self, payload: &Payload) -> Call {
        self.hook(payload).event(payload.event())
    }

    /// A command in the checkout.
    pub fn cli(&self, args: &[&str]) -> Call {
        args.iter().fold(Call::new(self), Call::arg)
    }

    /// All rows of the database by resource; none where there is no database.
    pub fn leases(&self) -> Vec<Row> {
        if !self.database().exists() {
            return Vec::new();
        }
        let outcome = self.cli(&["status", "--json"]).run();
        let rows = outcome.json()["leases"].as_array().expect("a list").clone();
        rows.into_iter().map(Row::new).collect()
    }

    /// The row of a file of the checkout.
    pub fn lease(&self, file: &str) -> Option<Row> {
        let resource = self.file(file);
        self.leases().into_iter().find(|row| row.resource() == resource)
    }

    /// The names of the leased files, without directories.
    pub fn leased(&self) -> Vec<String> {
        self.leases().iter().map(|row| row.file().to_owned()).collect()
    }
}
