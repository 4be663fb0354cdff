//! The usage counter: one line of JSON an event, so that somebody can see what the leases did.
//!
//! It never changes a decision: whatever goes wrong here is dropped.

use std::fs::{self, File};
use std::io::Write as _;
use std::path::{Path, PathBuf};

use serde::Serialize;

/// A file that has reached this size is moved to `<name>.1`; the one before that is dropped.
const ROTATE_AT_BYTES: u64 = 16 * 1024 * 1024;
/// At most this many resources and holders are listed in a line.
const LISTED_MAX: usize = 32;
/// Texts from payloads are cut to this many characters.
const TEXT_CHARS_MAX: usize = 300;

/// One event. What does not apply is left out of the line.
#[derive(Clone, Debug, Default, Serialize)]
pub(crate) struct Entry {
    /// When, in seconds since 1970.
    pub(crate) ts: f64,
    /// `acquire`, `release`, `hook`, `reap` …
    pub(crate) event: &'static str,
    /// `acquired`, `blocked`, `released`, `epoch-mismatch`, `absent`, `error`, `no-session`,
    /// `no-write` …
    pub(crate) outcome: &'static str,
    /// The caller's session.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) session: Option<String>,
    /// The caller's epoch.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) epoch: Option<String>,
    /// The agent's label.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) agent: Option<String>,
    /// What was asked for.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub(crate) resources: Vec<String>,
    /// The sessions that were in the way.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub(crate) held_by: Vec<String>,
    /// Their epochs, in the same order.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub(crate) held_epochs: Vec<String>,
    /// Whose leases a release was for: `epoch` or `session`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) scope: Option<&'static str>,
    /// How many leases it came to.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) count: Option<usize>,
    /// The time to live asked for, in seconds.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) ttl_sec: Option<i64>,
    /// How many dead leases a reap removed.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) reaped: Option<usize>,
    /// What went wrong, or the holder's note.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) note: Option<String>,
    /// The client's tool.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) tool: Option<String>,
    /// The client.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) client: Option<&'static str>,
    /// How long the process has taken so far, in milliseconds.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) ms: Option<f64>,
}

impl Entry {
    /// Appends the entry to the counter's file.
    pub(crate) fn append(mut self, path: &Path) {
        self.bound();
        // One call of write for the whole line: lines of different processes do not mix.
        if let Ok(mut line) = serde_json::to_string(&self) {
            line.push('\n');
            let _ = append_line(path, line.as_bytes());
        }
    }

    /// Names come from payloads: no line grows with them.
    fn bound(&mut self) {
        for list in [&mut self.resources, &mut self.held_by, &mut self.held_epochs] {
            list.truncate(LISTED_MAX);
            list.iter_mut().for_each(cut);
        }
        for text in [&mut self.session, &mut self.epoch, &mut self.note, &mut self.tool] {
            text.iter_mut().for_each(cut);
        }
        self.agent.iter_mut().for_each(cut);
    }
}

fn cut(text: &mut String) {
    if let Some((at, _)) = text.char_indices().nth(TEXT_CHARS_MAX) {
        text.truncate(at);
        text.push('…');
    }
}

fn append_line(path: &Path, line: &[u8]) -> std::io::Result<()> {
    // A pipe or a device in its place would make the hook wait for a reader.
    let regular = path.metadata().map(|file| file.is_file());
    if regular.as_ref().is_ok_and(|regular| !regular) {
        return Ok(());
    }
    if regular.is_err() {
        make_directory(path)?;
    }
    let mut file = open(path)?;
    if file.metadata()?.len() >= ROTATE_AT_BYTES {
        rotate(&file, path)?;
        file = open(path)?;
    }
    file.write_all(line)
}

fn open(path: &Path) -> std::io::Result<File> {
    let mut options = File::options();
    options.create(true).append(true);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    options.open(path)
}

fn make_directory(path: &Path) -> std::io::Result<()> {
    let Some(directory) = path.parent() else { return Ok(()) };
    let mut builder = fs::DirBuilder::new();
    builder.recursive(true);
    #[cfg(unix)]
    std::os::unix::fs::DirBuilderExt::mode(&mut builder, 0o700);
    builder.create(directory)
}

/// Moves a full file away. Two processes may find it full together: the lock lets one of them do
/// it, and the size of what is there by then tells the other that it is done.
fn rotate(file: &File, path: &Path) -> std::io::Result<()> {
    file.lock()?;
    if path.metadata()?.len() >= ROTATE_AT_BYTES {
        let mut old = path.as_os_str().to_owned();
        old.push(".1");
        fs::rename(path, PathBuf::from(old))?;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn lines(path: &Path) -> Vec<serde_json::Value> {
        let text = fs::read_to_string(path).unwrap();
        text.lines().map(|line| serde_json::from_str(line).unwrap()).collect()
    }

    #[test]
    fn an_entry_is_one_line_without_what_does_not_apply() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("new/usage.jsonl");
        let note = Some("two\nlines".to_owned());
        Entry { event: "acquire", outcome: "acquired", note, ..Entry::default() }.append(&path);
        Entry { event: "reap", outcome: "released", ..Entry::default() }.append(&path);
        let lines = lines(&path);
        assert_eq!(lines.len(), 2);
        assert_eq!(lines[0]["note"], "two\nlines");
        assert!(lines[1].get("session").is_none());
    }

    #[test]
    fn a_full_file_is_rotated_and_no_line_is_lost() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("usage.jsonl");
        let full = File::create(&path).unwrap();
        full.set_len(ROTATE_AT_BYTES).unwrap();
        Entry { event: "acquire", outcome: "acquired", ..Entry::default() }.append(&path);
        assert_eq!(lines(&path).len(), 1);
        let old = folder.path().join("usage.jsonl.1");
        assert_eq!(old.metadata().unwrap().len(), ROTATE_AT_BYTES);
    }

    #[test]
    fn a_line_is_bounded_whatever_the_payload_says() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("usage.jsonl");
        let long = "ü".repeat(100_000);
        Entry { resources: vec![long.clone(); 100], session: Some(long), ..Entry::default() }
            .append(&path);
        assert!(path.metadata().unwrap().len() < 32 * 1024);
    }

    #[test]
    fn a_counter_that_cannot_be_written_is_silent() {
        let folder = tempfile::tempdir().unwrap();
        Entry::default().append(folder.path());
        Entry::default().append(&folder.path().join("file/below"));
        Entry::default().append(Path::new("/dev/null/x"));
    }
}
