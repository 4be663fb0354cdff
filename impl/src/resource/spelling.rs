//! Paths as the text of the `resource` column, which the first engine's table fixed.

use std::path::{Path, PathBuf};

use super::raw;

/// What the spelling of a path begins with that is not UTF-8. No absolute path begins so.
const BYTES_PREFIX: &str = "bytes:";

const HEX: &[u8; 16] = b"0123456789ABCDEF";

/// The path as text, so that different paths have different texts.
///
/// The text itself, unless it is not UTF-8 (or relative, and looks as if it were): then `bytes:`
/// and the bytes, percent-encoded.
pub fn spelling(path: &Path) -> String {
    match path.to_str() {
        Some(text) if !text.starts_with(BYTES_PREFIX) => text.to_string(),
        _ => encode(&raw::own_bytes_of(path)),
    }
}

/// The path that [`spelling`] made the text of; any other text is a path as it stands.
pub fn path_of_spelling(text: &str) -> PathBuf {
    let encoded = text.strip_prefix(BYTES_PREFIX);
    match encoded.and_then(decode) {
        Some(bytes) => raw::path_of_own_bytes(&bytes),
        None => PathBuf::from(text),
    }
}

fn encode(bytes: &[u8]) -> String {
    let mut text = String::with_capacity(BYTES_PREFIX.len() + bytes.len() + 16);
    text.push_str(BYTES_PREFIX);
    for &byte in bytes {
        if byte.is_ascii_alphanumeric() || b"/._-".contains(&byte) {
            text.push(char::from(byte));
        } else {
            text.push('%');
            text.push(char::from(HEX[usize::from(byte >> 4)]));
            text.push(char::from(HEX[usize::from(byte & 0xf)]));
        }
    }
    text
}

/// The bytes of a percent-encoded text. `None` if it is not what [`encode`] gives.
fn decode(text: &str) -> Option<Vec<u8>> {
    let mut bytes = Vec::with_capacity(text.len());
    let mut rest = text.bytes();
    while let Some(byte) = rest.next() {
        bytes.push(match byte {
            b'%' => (hex_digit(rest.next()?)? << 4) | hex_digit(rest.next()?)?,
            _ => byte,
        });
    }
    Some(bytes)
}

fn hex_digit(digit: u8) -> Option<u8> {
    HEX.iter().position(|&known| known == digit).and_then(|value| u8::try_from(value).ok())
}

#[cfg(all(test, unix))]
mod tests {
    use std::ffi::OsString;
    use std::os::unix::ffi::OsStringExt;

    use super::*;
    use proptest::prelude::*;

    fn path(bytes: &[u8]) -> PathBuf {
        PathBuf::from(OsString::from_vec(bytes.to_vec()))
    }

    // Goal: ordinary paths stay what the first engine wrote.
    #[test]
    fn text_is_its_own_spelling() {
        for text in ["/repo/a b%20.txt", "/café", "/bytes:/x", "rel"] {
            assert_eq!(spelling(Path::new(text)), text);
            assert_eq!(path_of_spelling(text), Path::new(text));
        }
    }

    // Goal: bytes that are no text survive, and cannot be mistaken for text.
    #[test]
    fn other_bytes_are_encoded() {
        assert_eq!(spelling(&path(b"/r/\xff %\n")), "bytes:/r/%FF%20%25%0A");
        assert_eq!(spelling(Path::new("bytes:x")), "bytes:bytes%3Ax");
    }

    // Goal: a text that we never wrote is still some path.
    #[test]
    fn malformed_text_is_a_path() {
        for text in ["bytes:%F", "bytes:%zz", "bytes:%f0", "bytes:%"] {
            assert_eq!(path_of_spelling(text), Path::new(text));
        }
    }

    proptest! {
        // Goal: the spelling of any path leads back to it.
        #[test]
        fn spelling_leads_back(
            bytes in prop::collection::vec(1_u8.., 0..12),
            start in prop::sample::select(vec!["/", BYTES_PREFIX, ""]),
        ) {
            let path = path(&[start.as_bytes(), &bytes].concat());
            let text = spelling(&path);
            prop_assert_eq!(path_of_spelling(&text).into_os_string(), path.into_os_string());
        }
    }
}
