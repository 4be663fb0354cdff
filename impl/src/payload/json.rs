//! JSON as far as a hook needs it: bounded in depth and number, bulk text left unread.

use std::cell::Cell;
use std::fmt;

use serde::de::{DeserializeSeed, IgnoredAny, MapAccess, SeqAccess, Visitor};
use serde::{Deserializer, de};

/// How deep maps and lists may nest before what they hold is skipped.
const DEPTH_MAX: usize = 48;

/// How many values one payload may hold: what bounds the memory of a hostile one.
const VALUES_MAX: usize = 1 << 20;

/// Fields that hold text in bulk and can never hold a path or a patch. They are skipped unread,
/// so that broken text inside a file's content cannot make a call unreadable.
const BULK_FIELDS: &[&str] = &[
    "compact_summary",
    "content",
    "custom_instructions",
    "file_text",
    "last_assistant_message",
    "newString",
    "new_source",
    "new_str",
    "new_string",
    "oldString",
    "old_str",
    "old_string",
    "prompt",
    "toolResult",
];

/// The field that holds what a tool answered: bulk as well, but for [`KEPT_OF_RESPONSE`].
const RESPONSE_FIELD: &str = "tool_response";

/// What is read of a tool's answer.
const KEPT_OF_RESPONSE: &[&str] = &["backgroundTaskId"];

/// A JSON value.
#[derive(Clone, Debug, PartialEq)]
pub enum Json {
    /// `null`.
    Null,
    /// `true` or `false`.
    Bool(bool),
    /// Any number, as JavaScript would hold it.
    Number(f64),
    /// A string.
    Text(String),
    /// An array.
    List(Vec<Json>),
    /// An object: its entries in order, duplicates included. [`Json::get`] knows which one counts.
    Map(Vec<(String, Json)>),
    /// A value that was there but was not read: bulk text, or nested too deep.
    Skipped,
}

impl Json {
    /// Parses one JSON value and nothing after it.
    pub(crate) fn parse(bytes: &[u8]) -> Result<Self, serde_json::Error> {
        let mut deserializer = serde_json::Deserializer::from_slice(bytes);
        let budget = Cell::new(VALUES_MAX);
        let value =
            Seed { depth: 0, only: None, budget: &budget }.deserialize(&mut deserializer)?;
        deserializer.end()?;
        Ok(value)
    }

    /// The value of a map's key. Of duplicate keys the last one counts, as it does for the
    /// clients, which are JavaScript or agree with it.
    pub fn get(&self, key: &str) -> Option<&Self> {
        let Self::Map(entries) = self else { return None };
        entries.iter().rev().find(|(name, _)| name == key).map(|(_, value)| value)
    }

    /// The text of a string.
    pub fn as_text(&self) -> Option<&str> {
        match self {
            Self::Text(text) => Some(text),
            _ => None,
        }
    }

    /// The members of a list.
    pub fn as_list(&self) -> Option<&[Self]> {
        match self {
            Self::List(items) => Some(items),
            _ => None,
        }
    }

    /// Whether this is `null`.
    pub fn is_null(&self) -> bool {
        matches!(self, Self::Null)
    }

    /// What the value is, for an error message: "a list".
    pub fn kind(&self) -> &'static str {
        match self {
            Self::Null => "null",
            Self::Bool(_) => "a truth value",
            Self::Number(_) => "a number",
            Self::Text(_) => "a text",
            Self::List(_) => "a list",
            Self::Map(_) => "an object",
            Self::Skipped => "a value that is not read",
        }
    }
}

/// Reads a value at a depth, and takes it off the budget.
#[derive(Clone, Copy)]
struct Seed<'a> {
    depth: usize,
    /// The only fields that are read of a map; a list is not read at all then.
    only: Option<&'static [&'static str]>,
    budget: &'a Cell<usize>,
}

impl Seed<'_> {
    fn deeper(self) -> Self {
        Self { depth: self.depth + 1, only: None, ..self }
    }

    fn spend<E: de::Error>(self) -> Result<(), E> {
        let Some(left) = self.budget.get().checked_sub(1) else {
            return Err(E::custom(format_args!("more than {VALUES_MAX} values")));
        };
        self.budget.set(left);
        Ok(())
    }
}

impl<'de> DeserializeSeed<'de> for Seed<'_> {
    type Value = Json;

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<Json, D::Error> {
        self.spend()?;
        if self.depth > DEPTH_MAX {
            // Skipping is a loop in the parser, where reading would be a recursion.
            return deserializer.deserialize_ignored_any(IgnoredAny).map(|_| Json::Skipped);
        }
        deserializer.deserialize_any(self)
    }
}

impl<'de> Visitor<'de> for Seed<'_> {
    type Value = Json;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a JSON value")
    }

    fn visit_unit<E: de::Error>(self) -> Result<Json, E> {
        Ok(Json::Null)
    }

    fn visit_bool<E: de::Error>(self, value: bool) -> Result<Json, E> {
        Ok(Json::Bool(value))
    }

    // Nobody computes with these numbers: a rounded one is as good.
    #[allow(clippy::cast_precision_loss)]
    fn visit_i64<E: de::Error>(self, value: i64) -> Result<Json, E> {
        Ok(Json::Number(value as f64))
    }

    #[allow(clippy::cast_precision_loss)]
    fn visit_u64<E: de::Error>(self, value: u64) -> Result<Json, E> {
        Ok(Json::Number(value as f64))
    }

    fn visit_f64<E: de::Error>(self, value: f64) -> Result<Json, E> {
        Ok(Json::Number(value))
    }

    fn visit_str<E: de::Error>(self, value: &str) -> Result<Json, E> {
        Ok(Json::Text(value.to_owned()))
    }

    fn visit_string<E: de::Error>(self, value: String) -> Result<Json, E> {
        Ok(Json::Text(value))
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut items: A) -> Result<Json, A::Error> {
        let mut list = Vec::new();
        if self.only.is_some() {
            while let Some(IgnoredAny) = items.next_element()? {}
        }
        while let Some(item) = items.next_element_seed(self.deeper())? {
            list.push(item);
        }
        Ok(Json::List(list))
    }

    fn visit_map<A: MapAccess<'de>>(self, mut entries: A) -> Result<Json, A::Error> {
        let mut map = Vec::new();
        while let Some(key) = entries.next_key::<String>()? {
            if self.only.is_some_and(|only| !only.contains(&key.as_str())) {
                let IgnoredAny = entries.next_value()?;
                continue;
            }
            let value = if BULK_FIELDS.contains(&key.as_str()) {
                self.spend()?;
                let IgnoredAny = entries.next_value()?;
                Json::Skipped
            } else if key == RESPONSE_FIELD {
                let seed = Seed { only: Some(KEPT_OF_RESPONSE), ..self.deeper() };
                match entries.next_value_seed(seed)? {
                    map @ Json::Map(_) => map,
                    _ => Json::Skipped,
                }
            } else {
                entries.next_value_seed(self.deeper())?
            };
            map.push((key, value));
        }
        Ok(Json::Map(map))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parse(text: &str) -> Json {
        Json::parse(text.as_bytes()).unwrap()
    }

    /// Goal: every kind of value arrives as itself.
    #[test]
    fn reads_every_kind() {
        let json = parse(r#"{"a":[null,true,-1,2.5,18446744073709551615,"x"],"b":{}}"#);
        let list = json.get("a").and_then(Json::as_list).unwrap();
        assert_eq!(list[..2], [Json::Null, Json::Bool(true)]);
        assert_eq!(list[2..4], [Json::Number(-1.0), Json::Number(2.5)]);
        assert_eq!(list[5].as_text(), Some("x"));
        assert_eq!(json.get("b"), Some(&Json::Map(Vec::new())));
        assert_eq!(json.get("c"), None);
        assert_eq!(Json::Null.get("a"), None);
    }

    /// Goal: of duplicate keys the last one counts, at every level.
    #[test]
    fn the_last_duplicate_counts() {
        let json = parse(r#"{"a":{"p":"1","p":"2"},"b":1,"b":"z"}"#);
        assert_eq!(json.get("a").and_then(|a| a.get("p")).and_then(Json::as_text), Some("2"));
        assert_eq!(json.get("b").and_then(Json::as_text), Some("z"));
    }

    /// Goal: bulk text is skipped unread, but its key stays visible.
    #[test]
    fn skips_bulk_text() {
        let bytes =
            b"{\"edits\":[{\"old_string\":\"\xff\\ud83d\",\"n\":1}],\"content\":{\"a\":[]}}";
        let json = Json::parse(bytes).unwrap();
        assert_eq!(json.get("content"), Some(&Json::Skipped));
        let edit = &json.get("edits").and_then(Json::as_list).unwrap()[0];
        assert_eq!(edit.get("old_string"), Some(&Json::Skipped));
        assert_eq!(edit.get("n"), Some(&Json::Number(1.0)));
    }

    /// Goal: of a tool's answer the named fields are read, whatever form it has.
    #[test]
    fn reads_the_kept_fields_of_an_answer() {
        let json = parse(r#"{"tool_response":{"stdout":"x","backgroundTaskId":"b1","l":[[1]]}}"#);
        let answer = json.get("tool_response").unwrap();
        assert_eq!(answer.get("backgroundTaskId").and_then(Json::as_text), Some("b1"));
        assert_eq!(answer.get("stdout"), None);
        for other in ["null", "true", "-1", "7", "2.5", "\"x\"", "[{\"a\":1},2]"] {
            let json = parse(&format!(r#"{{"tool_response":{other},"p":"x"}}"#));
            assert_eq!(json.get("tool_response"), Some(&Json::Skipped), "{other}");
            assert_eq!(json.get("p").and_then(Json::as_text), Some("x"));
        }
    }

    /// Goal: depth is bounded by skipping, whatever the depth, and shallow values beside it stay.
    #[test]
    fn skips_what_is_too_deep() {
        for levels in [DEPTH_MAX + 2, 100_000] {
            let deep = format!("{}{}", "[".repeat(levels), "]".repeat(levels));
            let json = parse(&format!(r#"{{"d":{deep},"p":"x"}}"#));
            assert_eq!(json.get("p").and_then(Json::as_text), Some("x"));
        }
        let kept = format!("{}{}", "[".repeat(DEPTH_MAX), "]".repeat(DEPTH_MAX));
        let mut value = &parse(&kept);
        for _ in 1..DEPTH_MAX {
            value = &value.as_list().unwrap()[0];
        }
        assert_eq!(value, &Json::List(Vec::new()));
    }

    /// Goal: a payload of a million values is refused, not held.
    #[test]
    fn bounds_the_number_of_values() {
        let many = format!("[{}1]", "1,".repeat(VALUES_MAX));
        assert!(Json::parse(many.as_bytes()).unwrap_err().to_string().contains("values"));
    }
}
