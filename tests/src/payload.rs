//! What a client writes to the hook's stdin: captured payloads, and changes to them.

use std::fs;
use std::path::{Path, PathBuf};

use serde_json::Value;

/// One payload, with its files in a sandbox.
#[derive(Clone, Debug)]
pub struct Payload(Value);

impl Payload {
    /// A payload from its JSON.
    pub fn new(json: Value) -> Self {
        Self(json)
    }

    /// The captured payload `tests/payloads/<client>/<name>.json`, with `/repo` moved to `repo`.
    pub(crate) fn captured(client: &str, name: &str, repo: &Path) -> Self {
        let path = directory(client).join(name).with_extension("json");
        let text =
            fs::read_to_string(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
        Self(serde_json::from_str(&rebased(&text, repo)).expect("a payload"))
    }

    /// The same with another value in a top-level field.
    #[must_use]
    pub fn with(mut self, field: &str, value: impl Into<Value>) -> Self {
        self.0[field] = value.into();
        self
    }

    /// The same without a top-level field.
    #[must_use]
    pub fn without(mut self, field: &str) -> Self {
        self.0.as_object_mut().expect("an object").remove(field);
        self
    }

    /// A top-level field's text; empty where there is none.
    pub fn text(&self, field: &str) -> &str {
        self.0[field].as_str().unwrap_or_default()
    }

    /// The event that the payload names.
    pub fn event(&self) -> &str {
        self.text("hook_event_name")
    }
}

impl From<&Payload> for Vec<u8> {
    fn from(payload: &Payload) -> Self {
        payload.0.to_string().into_bytes()
    }
}

impl From<Payload> for Vec<u8> {
    fn from(payload: Payload) -> Self {
        Self::from(&payload)
    }
}

/// The names of all captured payloads of a client, sorted.
pub fn names(client: &str) -> Vec<String> {
    let files = fs::read_dir(directory(client)).expect("the payloads");
    let mut names: Vec<String> = files
        .map(|file| file.expect("a file").path())
        .map(|path| path.file_stem().expect("a name").to_string_lossy().into_owned())
        .collect();
    names.sort();
    names
}

/// A text in which the files of `/repo` lie in `repo` instead.
pub fn rebased(text: &str, repo: &Path) -> String {
    text.replace("/repo", repo.to_str().expect("a path in UTF-8"))
}

fn directory(client: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("payloads").join(client)
}
