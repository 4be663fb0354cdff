//! Text that is no Unicode, replaced as JavaScript hosts replace it.

/// What stands for a character that is none.
const REPLACEMENT_ESCAPE: &str = "\\ufffd";

/// The length of an escape such as `\u00e9`, in bytes.
const ESCAPE_BYTES: usize = 6;

/// JSON text with U+FFFD for every invalid byte sequence and every lone surrogate escape.
pub(super) fn repair(bytes: &[u8]) -> String {
    let text = String::from_utf8_lossy(bytes);
    let mut out = String::with_capacity(text.len());
    let mut rest = &*text;
    while let Some(at) = rest.find('\\') {
        out.push_str(&rest[..at]);
        rest = &rest[at..];
        let length = match (code_unit(rest), rest.get(ESCAPE_BYTES..).and_then(code_unit)) {
            (Some(0xD800..=0xDBFF), Some(0xDC00..=0xDFFF)) => 2 * ESCAPE_BYTES,
            (Some(0xD800..=0xDFFF), _) => {
                out.push_str(REPLACEMENT_ESCAPE);
                rest = &rest[ESCAPE_BYTES..];
                continue;
            }
            (Some(_), _) => ESCAPE_BYTES,
            // Two at once, or the second backslash of `\\` would begin an escape of its own.
            (None, _) => 1 + rest[1..].chars().next().map_or(0, char::len_utf8),
        };
        out.push_str(&rest[..length]);
        rest = &rest[length..];
    }
    out.push_str(rest);
    out
}

/// The code unit of the `\uXXXX` escape at the start of `text`.
fn code_unit(text: &str) -> Option<u16> {
    let digits = text.strip_prefix("\\u")?.get(..4)?;
    // The number parser alone would take a sign.
    let hex = digits.bytes().all(|byte| byte.is_ascii_hexdigit());
    hex.then(|| u16::from_str_radix(digits, 16).ok()).flatten()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Goal: only what is broken changes.
    #[test]
    fn replaces_lone_surrogates_only() {
        for (text, repaired) in [
            (r"\ud83d", r"\ufffd"),
            (r"\uDE00x", r"\ufffdx"),
            (r"\ud83d\ud83d\ude00", r"\ufffd\ud83d\ude00"),
            (r"\ud83d\n", r"\ufffd\n"),
            (r"\\ud83d", r"\\ud83d"),
            (r"\u00e9\t\\", r"\u00e9\t\\"),
            (r"\u+123 \ud8 \", r"\u+123 \ud8 \"),
            (r"\é", r"\é"),
        ] {
            assert_eq!(repair(text.as_bytes()), repaired);
        }
        assert_eq!(repair(b"a\xffb"), "a\u{fffd}b");
    }
}
