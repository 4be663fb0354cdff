//! Whether a directory tells `A` from `a`, and the one form of a name where it does not.
//!
//! The operating system's name decides nothing: macOS has volumes of both kinds, Linux has
//! directories of both kinds. So an entry that exists is looked up under its name in swapped case.
//! No file is ever created for it.

use std::io::ErrorKind;

use unicode_normalization::UnicodeNormalization;

use super::fs::{FileKind, FileSystem, Stat};
use super::raw;

/// How many entries of a directory are read in search of one that tells.
const ENTRIES_MAX: usize = 64;

/// What the entry `name` of `dir` tells: whether `dir` folds case. `None` if it tells nothing.
///
/// `stat` is what the entry was a moment ago. Files come and go and are replaced by rename while
/// this looks, so "another file" and "no file" count only if the entry is still the same.
pub(super) fn probe<F: FileSystem>(fs: &F, dir: &[u8], name: &[u8], stat: &Stat) -> Option<bool> {
    if stat.kind != FileKind::Directory && stat.links > 1 {
        return None; // the name in swapped case may be its other hard link
    }
    let twin = entry(dir, &swap_case(name)?);
    match fs.lstat(&raw::path_of(&twin)) {
        Ok(found) if found.id == stat.id => return Some(true),
        Ok(_) => {}
        Err(error) if error.kind() == ErrorKind::NotFound => {}
        Err(_) => return None,
    }
    let again = fs.lstat(&raw::path_of(&entry(dir, name))).ok()?;
    (again.id == stat.id).then_some(false)
}

/// What the first entry of `dir` that tells anything tells.
pub(super) fn probe_entries<F: FileSystem>(fs: &F, dir: &[u8]) -> Option<bool> {
    let names = fs.read_dir(&raw::path_of(dir), ENTRIES_MAX).ok()?;
    names.iter().find_map(|name| {
        let name = raw::bytes_of(name.as_ref());
        swap_case(&name)?;
        let stat = fs.lstat(&raw::path_of(&entry(dir, &name))).ok()?;
        probe(fs, dir, &name, &stat)
    })
}

/// The form of a name that all its spellings in a folding directory share. `None` if it is `name`.
///
/// At least what the folding file systems do: decomposed, case folded, composed. Upper case
/// in between joins letters with two lower forms (`σ` and `ς`). Folding more than a volume does
/// costs a needless refusal, folding less costs a file. Names that are not UTF-8 keep their bytes
/// but for ASCII letters.
pub(super) fn fold(name: &[u8]) -> Option<Vec<u8>> {
    let folded = match std::str::from_utf8(name) {
        Ok(text) if !text.is_ascii() => {
            let folded = text.nfd().flat_map(char::to_lowercase).flat_map(char::to_uppercase);
            folded.flat_map(char::to_lowercase).nfc().collect::<String>().into_bytes()
        }
        _ if name.iter().any(u8::is_ascii_uppercase) => name.to_ascii_lowercase(),
        _ => return None,
    };
    (folded != name).then_some(folded)
}

/// The name with the case of its letters swapped. `None` if it has no letter to swap.
fn swap_case(name: &[u8]) -> Option<Vec<u8>> {
    // ASCII letters alone where there are any: every folding volume knows those.
    let swapped: Vec<u8> = name.iter().map(|&byte| swap_ascii(byte)).collect();
    if swapped != name {
        return Some(swapped);
    }
    let text = std::str::from_utf8(name).ok()?;
    let swapped: String = text.chars().map(swap_char).collect();
    (swapped != text).then(|| swapped.into_bytes())
}

fn swap_ascii(byte: u8) -> u8 {
    if byte.is_ascii_alphabetic() { byte ^ 0x20 } else { byte }
}

/// The letter in the other case, if that is one letter and leads back.
fn swap_char(letter: char) -> char {
    let other = if letter.is_lowercase() { single(letter.to_uppercase()) } else { None };
    if let Some(upper) = other.filter(|upper| single(upper.to_lowercase()) == Some(letter)) {
        return upper;
    }
    let other = if letter.is_uppercase() { single(letter.to_lowercase()) } else { None };
    other.filter(|lower| single(lower.to_uppercase()) == Some(letter)).unwrap_or(letter)
}

fn single(mut letters: impl Iterator<Item = char>) -> Option<char> {
    letters.next().filter(|_| letters.next().is_none())
}

fn entry(dir: &[u8], name: &[u8]) -> Vec<u8> {
    [dir, b"/", name].concat()
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn folded(name: &str) -> String {
        let bytes = fold(name.as_bytes()).unwrap_or_else(|| name.as_bytes().to_vec());
        String::from_utf8(bytes).expect("folding keeps UTF-8")
    }

    // Goal: what a folding volume takes for one name folds to one form.
    #[test]
    fn spellings_of_one_name_fold_together() {
        for (one, other) in [
            ("README.md", "readme.MD"),
            ("caf\u{e9}", "CAFE\u{301}"),
            ("ΣΑΣ", "σασ"),
            ("σας", "ΣΑΣ"),
            ("straße", "STRASSE"),
            ("\u{212a}", "k"),
        ] {
            assert_eq!(folded(one), folded(other), "{one} {other}");
        }
    }

    // Goal: different names stay different, and most need no copy at all.
    #[test]
    fn different_names_stay_apart() {
        assert_ne!(folded("a"), folded("b"));
        assert_ne!(folded("e"), folded("é"));
        assert_ne!(fold(b"\xff"), fold(b"\xfeA"));
        for name in ["main.rs", "2024", "日本", ".git", "café"] {
            assert_eq!(fold(name.as_bytes()), None, "{name}");
        }
        assert_eq!(fold(b"\xffA"), Some(b"\xffa".to_vec()));
    }

    // Goal: the twin differs in case alone; a name without letters has none.
    #[test]
    fn case_is_swapped() {
        assert_eq!(swap_case(b"aB1"), Some(b"Ab1".to_vec()));
        assert_eq!(swap_case("é".as_bytes()), Some("É".as_bytes().to_vec()));
        assert_eq!(swap_case("Ж1".as_bytes()), Some("ж1".as_bytes().to_vec()));
        for name in ["2024-01", "日本", "ß", "_"] {
            assert_eq!(swap_case(name.as_bytes()), None, "{name}");
        }
        assert_eq!(swap_case(b"\xff"), None);
        assert_eq!(swap_case(b"\xffa"), Some(b"\xffA".to_vec()));
    }

    proptest! {
        // Goal: folding is a normal form, and the twin of a name folds to the same.
        #[test]
        fn fold_is_stable(name in "\\PC{0,8}") {
            let once = folded(&name);
            prop_assert_eq!(&folded(&once), &once);
            let nfd: String = name.nfd().collect();
            prop_assert_eq!(&folded(&nfd), &once);
            if let Some(twin) = swap_case(name.as_bytes()) {
                prop_assert_eq!(&folded(std::str::from_utf8(&twin).unwrap()), &once);
            }
        }
    }
}
