//! The canonical key of a resource, and the order and containment of keys (R1).

use std::fmt;

/// A canonical absolute path as bytes: components separated by `/`, no slash at the end, the root
/// is `/`. Keys are compared by bytes, so the database can find a whole tree by a range.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Key(Vec<u8>);

impl Key {
    /// Reads a key back. `None` unless the bytes have the form that [`Key::as_bytes`] gives.
    pub fn from_bytes(bytes: Vec<u8>) -> Option<Self> {
        let below = bytes.strip_prefix(b"/")?;
        let well_formed = below.is_empty() || below.split(|&byte| byte == b'/').all(is_component);
        well_formed.then_some(Self(bytes))
    }

    /// The key of canonical bytes as a walk gives them: `/name` for each component.
    pub(super) fn from_walk(mut bytes: Vec<u8>) -> Self {
        if bytes.is_empty() {
            bytes.push(b'/');
        }
        debug_assert!(Self::from_bytes(bytes.clone()).is_some(), "not canonical: {bytes:?}");
        Self(bytes)
    }

    /// The bytes, as they are stored.
    pub fn as_bytes(&self) -> &[u8] {
        &self.0
    }

    /// Whether this is the filesystem root.
    pub fn is_root(&self) -> bool {
        self.0 == b"/"
    }

    /// The proper ancestors, nearest first, ending with `/`. The root has none.
    pub fn ancestors(&self) -> impl Iterator<Item = &[u8]> {
        let mut rest: &[u8] = if self.is_root() { b"" } else { &self.0 };
        std::iter::from_fn(move || {
            let slash = rest.iter().rposition(|&byte| byte == b'/')?;
            rest = &rest[..slash];
            Some(if slash == 0 { b"/".as_slice() } else { rest })
        })
    }

    /// Whether `other` lies below this key. A key does not contain itself.
    pub fn contains(&self, other: &Self) -> bool {
        if self.is_root() {
            return !other.is_root();
        }
        other.0.strip_prefix(self.0.as_slice()).is_some_and(|below| below.starts_with(b"/"))
    }

    /// Whether the two are equal or one contains the other: the overlap of R1.
    pub fn overlaps(&self, other: &Self) -> bool {
        self == other || self.contains(other) || other.contains(self)
    }

    /// The half-open range `[low, high)` that holds exactly the keys below this one.
    ///
    /// `0` is the byte after `/`, so `key/…` ends where `key0` begins, whatever bytes follow.
    pub fn descendants_range(&self) -> (Vec<u8>, Vec<u8>) {
        if self.is_root() {
            // `/` itself is no descendant of the root: begin right after it.
            return (b"/\0".to_vec(), b"0".to_vec());
        }
        let mut low = Vec::with_capacity(self.0.len() + 1);
        low.extend_from_slice(&self.0);
        let mut high = low.clone();
        low.push(b'/');
        high.push(b'/' + 1);
        (low, high)
    }
}

impl fmt::Debug for Key {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "Key({})", self.0.escape_ascii())
    }
}

/// Whether the bytes can stand between two slashes of a key.
fn is_component(bytes: &[u8]) -> bool {
    !matches!(bytes, b"" | b"." | b"..") && !bytes.contains(&b'/')
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn key(text: &str) -> Key {
        Key::from_bytes(text.as_bytes().to_vec()).expect("a well-formed key")
    }

    // Goal: only canonical bytes are a key.
    #[test]
    fn form_is_checked() {
        for good in ["/", "/a", "/a/b c/.x", "/..a/b.."] {
            assert!(Key::from_bytes(good.as_bytes().to_vec()).is_some(), "{good}");
        }
        for bad in ["", "a", "/a/", "//", "//a", "/a//b", "/./a", "/a/.."] {
            assert!(Key::from_bytes(bad.as_bytes().to_vec()).is_none(), "{bad}");
        }
        assert_eq!(Key::from_walk(Vec::new()), key("/"));
    }

    // Goal: every proper ancestor, the nearest first, down to the root.
    #[test]
    fn ancestors_end_at_the_root() {
        let deep = key("/a/bc/d");
        let all: Vec<&[u8]> = deep.ancestors().collect();
        assert_eq!(all, [&b"/a/bc"[..], b"/a", b"/"]);
        assert_eq!(key("/a").ancestors().collect::<Vec<_>>(), [b"/"]);
        assert_eq!(key("/").ancestors().count(), 0);
    }

    // Goal: containment goes by components, never by a prefix of the text (M13).
    #[test]
    fn overlap_is_by_component() {
        assert!(key("/a/b").contains(&key("/a/b/c")));
        assert!(!key("/a/b").contains(&key("/a/bc")));
        assert!(!key("/a/b").contains(&key("/a/b")));
        assert!(key("/").contains(&key("/a")));
        assert!(!key("/").contains(&key("/")));
        assert!(key("/a/b/c").overlaps(&key("/a/b")));
        assert!(key("/a/b").overlaps(&key("/a/b/c")));
        assert!(key("/a").overlaps(&key("/a")));
        assert!(!key("/a/b").overlaps(&key("/a/c")));
        assert!(!key("/a/b").overlaps(&key("/a/b-c")));
        assert!(!key("/a/b").overlaps(&key("/a/b0")));
    }

    /// Components of bytes around `/`, so that order and separators are put to the test.
    fn components() -> impl Strategy<Value = Vec<Vec<u8>>> {
        let byte = prop_oneof![
            4 => prop::sample::select(b"ab.-0!\x01\xff".as_slice()),
            1 => any::<u8>().prop_filter("a separator", |byte| *byte != b'/'),
        ];
        let component = prop::collection::vec(byte, 1..3)
            .prop_filter("dots", |bytes| bytes != b"." && bytes != b"..");
        prop::collection::vec(component, 0..4)
    }

    fn key_of(components: &[Vec<u8>]) -> Key {
        let bytes = components.iter().flat_map(|name| [b"/".as_slice(), name]);
        Key::from_walk(bytes.collect::<Vec<_>>().concat())
    }

    proptest! {
        // Goal: range, ancestors and containment are the naive definition over components (M40).
        #[test]
        fn range_is_the_prefix_of_components(
            one in components(),
            tail in components(),
            relation in 0..3,
        ) {
            let other = match relation {
                0 => tail,
                1 => [one.clone(), tail].concat(),
                // A sibling whose name goes on where the other ends.
                _ => match (one.split_last(), tail.first()) {
                    (Some((name, above)), Some(more)) => {
                        [above, &[[name.as_slice(), more].concat()], &tail[1..]].concat()
                    }
                    _ => tail,
                },
            };
            let (upper, lower) = (key_of(&one), key_of(&other));
            let below = other.len() > one.len() && other.starts_with(&one);
            let (low, high) = upper.descendants_range();
            let bytes = lower.as_bytes();
            prop_assert_eq!(low.as_slice() <= bytes && bytes < high.as_slice(), below);
            prop_assert_eq!(upper.contains(&lower), below);
            prop_assert_eq!(lower.ancestors().any(|key| key == upper.as_bytes()), below);
            prop_assert_eq!(upper.overlaps(&lower), below || one.starts_with(&other));
        }

        // Goal: a stored key reads back as itself.
        #[test]
        fn bytes_read_back(components in components()) {
            let key = key_of(&components);
            prop_assert_eq!(Key::from_bytes(key.as_bytes().to_vec()), Some(key));
        }
    }
}
