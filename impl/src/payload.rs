//! The bytes that a client writes to the hook's stdin, read into a [`Payload`].
//!
//! The reader is lenient where the clients are (byte order mark, duplicate keys, text cut inside
//! an emoji) and strict where a guess could let an unjudged write pass: whatever it cannot read is
//! a [`PayloadError`], and the hook then fails closed (R15).

mod json;
mod repair;

use std::fmt;
use std::io::{self, Read};

pub use json::Json;

/// The largest payload that is read, in bytes. A client sends a whole file at most.
pub const SIZE_MAX_BYTES: u64 = 64 * 1024 * 1024;

/// The mark that Windows hosts put before UTF-8 text.
const BYTE_ORDER_MARK: &[u8] = b"\xEF\xBB\xBF";

/// One hook call as the client described it: a JSON object.
#[derive(Clone, Debug, PartialEq)]
pub struct Payload {
    root: Json,
}

impl Payload {
    /// Reads a payload from the bytes of stdin.
    ///
    /// The bytes are tried as they are; where that fails, text that is no Unicode is replaced by
    /// U+FFFD, as JavaScript hosts do when they use such text as a file name, and tried again.
    ///
    /// # Errors
    /// [`PayloadError`] where there is no text, no JSON, or JSON that is not an object.
    pub fn parse(bytes: &[u8]) -> Result<Self, PayloadError> {
        let bytes = bytes.strip_prefix(BYTE_ORDER_MARK).unwrap_or(bytes);
        if bytes.trim_ascii().is_empty() {
            return Err(PayloadError::Empty);
        }
        let root = match Json::parse(bytes) {
            Ok(root) => root,
            // The first error speaks of the bytes that were sent, so it is the one to tell.
            Err(error) => Json::parse(repair::repair(bytes).as_bytes())
                .map_err(|_| PayloadError::Malformed(error.to_string()))?,
        };
        match root {
            Json::Map(_) => Ok(Self { root }),
            other => Err(PayloadError::NotAnObject(other.kind())),
        }
    }

    /// The value of a top-level field.
    pub fn get(&self, name: &str) -> Option<&Json> {
        self.root.get(name)
    }

    /// The text of a top-level field; none where it is absent or is no text.
    pub fn text(&self, name: &str) -> Option<&str> {
        self.get(name).and_then(Json::as_text)
    }

    /// As [`Payload::text`], but an empty text counts as absent.
    pub fn filled_text(&self, name: &str) -> Option<&str> {
        self.text(name).filter(|text| !text.is_empty())
    }

    /// The value of the first of these top-level fields that is there with a value other than null:
    /// clients spell one thing in several ways.
    pub fn first(&self, names: &[&str]) -> Option<&Json> {
        names.iter().find_map(|name| self.get(name).filter(|value| !value.is_null()))
    }

    /// As [`Payload::first`], where it is a text that is not empty.
    pub fn first_filled_text(&self, names: &[&str]) -> Option<&str> {
        self.first(names).and_then(Json::as_text).filter(|text| !text.is_empty())
    }

    /// Whether `timestamp` is a moment in the form of ISO 8601, such as `2026-11-30T09:00:00Z`.
    pub fn has_iso_timestamp(&self) -> bool {
        const FORM: &[u8] = b"0000-00-00T";
        let text = self.text("timestamp").unwrap_or_default().as_bytes();
        let alike = |(byte, form): (&u8, &u8)| match form {
            b'0' => byte.is_ascii_digit(),
            sign => byte == sign,
        };
        text.len() > FORM.len() && text.iter().zip(FORM).all(alike)
    }

    /// Whether a top-level field is there with a value other than null.
    pub fn has(&self, name: &str) -> bool {
        self.get(name).is_some_and(|value| !value.is_null())
    }
}

/// Reads all of stdin, up to [`SIZE_MAX_BYTES`].
///
/// # Errors
/// [`PayloadError::TooLarge`] beyond that size, [`PayloadError::Unread`] where reading fails.
pub fn read(input: &mut impl Read) -> Result<Vec<u8>, PayloadError> {
    let mut bytes = Vec::new();
    let read = input.take(SIZE_MAX_BYTES + 1).read_to_end(&mut bytes);
    read.map_err(PayloadError::Unread)?;
    if bytes.len() as u64 > SIZE_MAX_BYTES {
        return Err(PayloadError::TooLarge);
    }
    Ok(bytes)
}

/// The event name of a payload that cannot be parsed, told from its raw bytes.
///
/// Some only where every `"hook_event_name"` key in the bytes has the same plain name: a payload
/// that is cut short may hold another payload as text.
pub fn guess_event(bytes: &[u8]) -> Option<String> {
    const KEY: &[u8] = b"\"hook_event_name\"";
    let mut found: Option<&[u8]> = None;
    let mut at = 0;
    while let Some(offset) = bytes[at..].windows(KEY.len()).position(|window| window == KEY) {
        let start = at + offset;
        at = start + KEY.len();
        // A quote with a backslash before it stands inside a text.
        if start > 0 && bytes[start - 1] == b'\\' {
            continue;
        }
        let Some(rest) = bytes[at..].trim_ascii_start().strip_prefix(b":") else { continue };
        let name = plain_text(rest.trim_ascii_start())?;
        if found.is_some_and(|earlier| earlier != name) {
            return None;
        }
        found = Some(name);
    }
    found.and_then(|name| String::from_utf8(name.to_vec()).ok())
}

/// The letters of a quoted word at the start of `bytes`; none for anything else.
fn plain_text(bytes: &[u8]) -> Option<&[u8]> {
    let rest = bytes.strip_prefix(b"\"")?;
    let length = rest.iter().position(|byte| !byte.is_ascii_alphanumeric() && *byte != b'_')?;
    (length > 0 && rest[length] == b'"').then(|| &rest[..length])
}

/// Why a payload could not be read.
#[derive(Debug)]
pub enum PayloadError {
    /// Stdin held nothing.
    Empty,
    /// Stdin held more than [`SIZE_MAX_BYTES`].
    TooLarge,
    /// Stdin could not be read.
    Unread(io::Error),
    /// The text is not JSON, or is cut short; with the parser's own words.
    Malformed(String),
    /// The JSON is not an object; with what it is.
    NotAnObject(&'static str),
}

impl fmt::Display for PayloadError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Empty => write!(
                f,
                "the hook's stdin is empty: run it as a hook of an agent, which sends a JSON object"
            ),
            Self::TooLarge => write!(
                f,
                "the hook's payload is larger than {} MiB: write the file in smaller parts",
                SIZE_MAX_BYTES / (1024 * 1024)
            ),
            Self::Unread(error) => {
                write!(f, "the hook's stdin cannot be read ({error}): try the call again")
            }
            Self::Malformed(detail) => write!(
                f,
                "the hook's payload is not valid JSON ({detail}): try the call again, and report \
                 it to the agent's vendor if it stays so"
            ),
            Self::NotAnObject(kind) => write!(
                f,
                "the hook's payload is {kind} where a JSON object is due: check which program \
                 writes to the hook's stdin"
            ),
        }
    }
}

impl std::error::Error for PayloadError {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        match self {
            Self::Unread(error) => Some(error),
            _ => None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parse(text: &str) -> Result<Payload, PayloadError> {
        Payload::parse(text.as_bytes())
    }

    /// Goal: the byte order mark that Windows hosts send does not hide the payload.
    #[test]
    fn drops_a_byte_order_mark() {
        let payload = parse("\u{feff}{\"session_id\":\"s1\"}").unwrap();
        assert_eq!(payload.text("session_id"), Some("s1"));
        assert!(matches!(parse("\u{feff}"), Err(PayloadError::Empty)));
    }

    /// Goal: every text that is no payload has an error of one sentence, and nothing panics.
    #[test]
    fn refuses_what_is_no_object() {
        for text in ["", " \n", "\0", "{", "{\"a\":\"b", "{} {}", "[1]", "null", "\"x\"", "{'a':1}"]
        {
            let message = parse(text).unwrap_err().to_string();
            assert!(message.starts_with("the hook's "), "{text:?}: {message}");
            assert!(!message.contains('\n'), "{text:?}: {message}");
        }
    }

    /// Goal: broken text in a field that is kept is mended as a JavaScript host would.
    #[test]
    fn mends_text_that_is_no_unicode() {
        let escaped = parse(r#"{"cwd":"/a/\ud83d!","b":"\ud83d\ude00"}"#).unwrap();
        assert_eq!(escaped.text("cwd"), Some("/a/\u{fffd}!"));
        assert_eq!(escaped.text("b"), Some("\u{1f600}"));
        let raw = Payload::parse(b"{\"cwd\":\"/a/\xff\"}").unwrap();
        assert_eq!(raw.text("cwd"), Some("/a/\u{fffd}"));
    }

    /// Goal: absent, null, empty and non-text fields are told apart.
    #[test]
    fn tells_fields_apart() {
        let payload = parse(r#"{"a":"","b":null,"c":1}"#).unwrap();
        assert_eq!((payload.text("a"), payload.filled_text("a")), (Some(""), None));
        assert!(payload.has("a") && !payload.has("b") && payload.has("c") && !payload.has("d"));
        assert_eq!(payload.text("c"), None);
    }

    /// Goal: a moment is told from a number and from other texts.
    #[test]
    fn tells_iso_timestamps() {
        let has = |value: &str| {
            parse(&format!(r#"{{"timestamp":{value}}}"#)).unwrap().has_iso_timestamp()
        };
        assert!(has(r#""2026-11-30T09:00:00.000Z""#) && has(r#""2026-11-30T09""#));
        for value in ["1796074798476", "null", r#""1796074798476""#, r#""2026-11-30""#, r#""T""#] {
            assert!(!has(value), "{value}");
        }
    }

    /// Goal: of two spellings the first one that is there counts.
    #[test]
    fn finds_the_first_spelling() {
        let payload = parse(r#"{"a":null,"b":"","c":"x"}"#).unwrap();
        assert_eq!(payload.first_filled_text(&["a", "c"]), Some("x"));
        assert_eq!(payload.first_filled_text(&["b", "c"]), None);
        assert_eq!(payload.first(&["d"]), None);
    }

    /// Goal: reading stops one byte after the largest size, and a whole payload is read.
    #[test]
    fn bounds_the_reader() {
        assert_eq!(read(&mut &b"{}"[..]).unwrap(), b"{}");
        assert!(matches!(read(&mut io::repeat(b' ')), Err(PayloadError::TooLarge)));
    }

    /// Goal: the event of an unreadable payload is told only where the bytes agree on it.
    #[test]
    fn guesses_the_event_of_broken_payloads() {
        let guess = |text: &str| guess_event(text.as_bytes());
        assert_eq!(guess(r#"{"hook_event_name" : "Stop","x":"#).as_deref(), Some("Stop"));
        let quoted = r#"{"hook_event_name":"PreToolUse","c":"{\"hook_event_name\":\"Stop\""#;
        assert_eq!(guess(quoted).as_deref(), Some("PreToolUse"));
        let two = r#"{"hook_event_name":"PreToolUse","c":{"hook_event_name":"Stop"}"#;
        assert_eq!(guess(two), None);
        for text in ["", "{}", r#"{"hook_event_name":"#, r#"{"hook_event_name":"St"#] {
            assert_eq!(guess(text), None, "{text}");
        }
        assert_eq!(guess(r#"{"hook_event_name":"St\u006fp"}"#), None);
    }
}
