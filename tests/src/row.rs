//! A lease as `leasehold status --json` prints it.

use leasehold::clock::timestamp;
use serde_json::Value;

/// One row of the database.
#[derive(Clone, Debug, PartialEq)]
pub struct Row(Value);

impl Row {
    pub(crate) fn new(json: Value) -> Self {
        Self(json)
    }

    /// A text; empty where there is none.
    pub fn text(&self, field: &str) -> &str {
        self.0[field].as_str().unwrap_or_default()
    }

    /// The whole path.
    pub fn resource(&self) -> &str {
        self.text("resource")
    }

    /// The session and the epoch that hold it.
    pub fn owner(&self) -> (&str, &str) {
        (self.text("session"), self.text("epoch"))
    }

    /// The fence that the lease was granted with.
    pub fn fence(&self) -> i64 {
        self.0["fence"].as_i64().expect("a fence")
    }

    /// A number, such as a moment in seconds since 1970.
    pub fn number(&self, field: &str) -> f64 {
        self.0[field].as_f64().expect("a number")
    }

    /// Whether it counted when it was printed.
    pub fn is_live(&self) -> bool {
        self.0["live"] == true
    }

    /// The name of the file without its directories.
    pub fn file(&self) -> &str {
        self.resource().rsplit('/').next().unwrap_or_default()
    }

    /// The words that the hook uses for this holder towards another session.
    pub fn as_refusal(&self) -> String {
        let session: String = self.text("session").chars().take(8).collect();
        let (since, until) = (self.moment("acquired"), self.moment("expires"));
        format!(
            "{} is leased by {} (session {session}) since {since}, until {until} at the latest",
            self.resource(),
            self.text("agent"),
        )
    }

    #[expect(clippy::cast_possible_truncation, reason = "the moments of a test are small")]
    fn moment(&self, field: &str) -> String {
        timestamp((self.0[field].as_f64().expect("seconds") * 1000.0).round() as i64)
    }
}
