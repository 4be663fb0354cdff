//! Texts such as `file:///dir/name`.

/// The scheme of a text that starts with `scheme://`.
pub(super) fn scheme(text: &str) -> Option<&str> {
    let (scheme, _) = text.split_once("://")?;
    let mut letters = scheme.bytes();
    let first = letters.next().is_some_and(|byte| byte.is_ascii_alphabetic());
    let rest = letters.all(|byte| byte.is_ascii_alphanumeric() || b"+.-".contains(&byte));
    (first && rest).then_some(scheme)
}

/// The path of a `file://` URI; none where it is on another host or is no text.
pub(super) fn file_path(uri: &str) -> Option<String> {
    let (_, rest) = uri.split_once("://")?;
    let start = rest.find('/')?;
    let (host, path) = rest.split_at(start);
    if !host.is_empty() && !host.eq_ignore_ascii_case("localhost") {
        return None;
    }
    let path = decode(path)?;
    // On Windows the drive comes after the slash that ends the host.
    let drive = path.as_bytes().get(2) == Some(&b':');
    Some(if cfg!(windows) && drive { path[1..].to_owned() } else { path })
}

/// The text that a percent-encoded one stands for.
fn decode(text: &str) -> Option<String> {
    let mut bytes = Vec::with_capacity(text.len());
    let mut rest = text.as_bytes();
    while let Some((first, after)) = rest.split_first() {
        let escaped = (*first == b'%').then(|| after.get(..2)).flatten().and_then(hex);
        bytes.push(escaped.unwrap_or(*first));
        rest = if escaped.is_some() { &after[2..] } else { after };
    }
    String::from_utf8(bytes).ok()
}

/// The byte that two hexadecimal digits name.
fn hex(digits: &[u8]) -> Option<u8> {
    let digit = |byte: u8| char::from(byte).to_digit(16);
    let value = digits.iter().try_fold(0, |value, byte| Some(value * 16 + digit(*byte)?))?;
    u8::try_from(value).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Goal: a scheme is told from a path that holds a colon.
    #[test]
    fn tells_schemes() {
        assert_eq!(scheme("https://x"), Some("https"));
        assert_eq!(scheme("file:///x"), Some("file"));
        for text in ["/a://b", "a b://c", "C:/x", "://x", "a"] {
            assert_eq!(scheme(text), None, "{text}");
        }
    }

    /// Goal: local URIs become paths, foreign and unreadable ones do not.
    #[test]
    fn reads_file_uris() {
        for (uri, path) in [
            ("file:///a/b%20c", Some("/a/b c")),
            ("file://localhost/a%2", Some("/a%2")),
            ("file:///%C3%a9%zz", Some("/é%zz")),
            ("file://host/a", None),
            ("file://a", None),
            ("file:///%ff", None),
        ] {
            assert_eq!(file_path(uri).as_deref(), path, "{uri}");
        }
    }
}
