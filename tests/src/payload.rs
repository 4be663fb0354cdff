//! What a client writes to the hook's stdin: captured payloads, and changes to them.

use std::fs;
use std::path::{Path, PathBuf};

use serde_json::Value;

/// One payload, with its files in a sandbox.
#[derive(Clone, Debug)]
pub struct Payload {
    json: Value,
    /// The event that the file's name tells, where one was read: some clients name it nowhere else.
    filed_event: String,
}

impl Payload {
    /// A payload from its JSON.
    pub fn new(json: Value) -> Self {
        Self { json, filed_event: String::new() }
    }

    /// The captured payload `tests/payloads/<client>/<name>.json`, with `/repo` moved to `repo`.
    pub(crate) fn captured(client: &str, name: &str, repo: &Path) -> Self {
        let path = directory(client).join(name).with_extension("json");
        let text =
            fs::read_to_string(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
        let json = serde_json::from_str(&rebased(&text, repo)).expect("a payload");
        let filed_event = name.split('-').nth(1).unwrap_or_default().to_owned();
        Self { json, filed_event }
    }

    /// The same with another value in a top-level field.
    #[must_use]
    pub fn with(mut self, field: &str, value: impl Into<Value>) -> Self {
        self.json[field] = value.into();
        self
    }

    /// The same without a top-level field.
    #[must_use]
    pub fn without(mut self, field: &str) -> Self {
        self.json.as_object_mut().expect("an object").remove(field);
        self
    }

    /// All of it.
    pub fn json(&self) -> &Value {
        &self.json
    }

    /// A top-level field's text; empty where there is none.
    pub fn text(&self, field: &str) -> &str {
        self.json[field].as_str().unwrap_or_default()
    }

    /// The event that the payload names, or that its file's name does.
    pub fn event(&self) -> &str {
        match self.text("hook_event_name") {
            "" => &self.filed_event,
            name => name,
        }
    }
}

impl From<&Payload> for Vec<u8> {
    fn from(payload: &Payload) -> Self {
        payload.json.to_string().into_bytes()
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
