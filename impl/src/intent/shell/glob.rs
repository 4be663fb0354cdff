//! Patterns of names, matched against the disk.

use std::path::Path;

use crate::intent::shell::disk::{Disk, Kind};

/// So many names does a pattern stand for at most. With more, nobody knows what it stands for.
pub(super) const MATCHES_MAX: usize = 2000;

/// So long may one name's pattern be.
const PATTERN_MAX: usize = 1000;

/// Whether a pattern, in which a backslash hides the next character, means more than its text.
pub(super) fn is_pattern(pattern: &str) -> bool {
    let mut characters = pattern.chars();
    while let Some(character) = characters.next() {
        match character {
            '\\' => {
                characters.next();
            }
            '*' | '?' | '[' => return true,
            _ => {}
        }
    }
    false
}

/// Whether a name matches a pattern of `*`, `?` and `[…]`.
pub(super) fn matches(pattern: &str, name: &str) -> bool {
    let pattern: Vec<char> = pattern.chars().collect();
    let name: Vec<char> = name.chars().collect();
    let (mut at, mut seen) = (0, 0);
    // Where the last star stands, and how much of the name it has taken.
    let mut star: Option<(usize, usize)> = None;
    while seen < name.len() {
        if pattern.get(at) == Some(&'*') {
            star = Some((at, seen));
            at += 1;
        } else if let Some(next) = one(&pattern, at, name[seen]) {
            (at, seen) = (next, seen + 1);
        } else if let Some((place, taken)) = star {
            star = Some((place, taken + 1));
            (at, seen) = (place + 1, taken + 1);
        } else {
            return false;
        }
    }
    pattern[at..].iter().all(|character| *character == '*')
}

/// Where the pattern goes on when its next piece matches this character.
fn one(pattern: &[char], at: usize, character: char) -> Option<usize> {
    match *pattern.get(at)? {
        '?' => Some(at + 1),
        '\\' => pattern.get(at + 1).filter(|next| **next == character).map(|_| at + 2),
        '[' => set(pattern, at, character),
        plain => (plain == character).then_some(at + 1),
    }
}

/// `[a-z]`, `[!a]`.
fn set(pattern: &[char], at: usize, character: char) -> Option<usize> {
    let mut place = at + 1;
    let negated = matches!(pattern.get(place), Some('!' | '^'));
    place += usize::from(negated);
    let first = place;
    let mut found = false;
    loop {
        let start = *match pattern.get(place) {
            // It closes nothing: then the bracket is a bracket.
            None => return (character == '[').then_some(at + 1),
            Some(']') if place > first => break,
            Some('\\') => {
                place += 1;
                pattern.get(place)?
            }
            Some(start) => start,
        };
        let end = match (pattern.get(place + 1), pattern.get(place + 2)) {
            (Some('-'), Some(end)) if *end != ']' => {
                place += 2;
                *end
            }
            _ => start,
        };
        found |= (start..=end).contains(&character);
        place += 1;
    }
    (found != negated).then_some(place + 1)
}

/// The paths that match, sorted, spelt as the pattern spells them; none where it is not known what
/// is there. `directory` is where relative ones begin.
pub(super) fn paths(
    pattern: &str,
    directory: Option<&str>,
    disk: &dyn Disk,
) -> Option<Vec<String>> {
    let absolute = pattern.starts_with('/');
    let base = if absolute { "/" } else { directory? };
    let mut found = vec![if absolute { "/".to_owned() } else { String::new() }];
    let parts: Vec<&str> = pattern.split('/').filter(|part| !part.is_empty()).collect();
    for (number, part) in parts.iter().enumerate() {
        let is_last = number + 1 == parts.len();
        let mut next = Vec::new();
        for prefix in &found {
            step(part, prefix, base, is_last, disk, &mut next)?;
            if next.len() > MATCHES_MAX {
                return None;
            }
        }
        found = next;
    }
    found.sort();
    Some(found)
}

/// What matches one part below one path.
fn step(
    part: &str,
    prefix: &str,
    base: &str,
    is_last: bool,
    disk: &dyn Disk,
    next: &mut Vec<String>,
) -> Option<()> {
    let separator = if prefix.is_empty() || prefix.ends_with('/') { "" } else { "/" };
    let whole = |name: &str| format!("{prefix}{separator}{name}");
    let there = |path: &str| disk.kind(&Path::new(base).join(path));
    if !is_pattern(part) {
        let path = whole(&plain(part));
        let kind = there(&path);
        if kind == Kind::Directory || (is_last && kind != Kind::Absent) {
            next.push(path);
        }
        return Some(());
    }
    if part.len() > PATTERN_MAX {
        return None;
    }
    for entry in disk.list(&Path::new(base).join(prefix)) {
        let hidden = entry.name.starts_with('.') && !part.starts_with('.');
        if hidden || !matches(part, &entry.name) {
            continue;
        }
        let path = whole(&entry.name);
        if is_last || there(&path) == Kind::Directory {
            next.push(path);
        }
    }
    Some(())
}

/// A pattern without the backslashes that hide characters.
pub(super) fn plain(pattern: &str) -> String {
    let mut text = String::with_capacity(pattern.len());
    let mut characters = pattern.chars();
    while let Some(character) = characters.next() {
        if character == '\\' {
            text.extend(characters.next());
        } else {
            text.push(character);
        }
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Goal: names match as in the shell, in both directions.
    #[test]
    fn names_match() {
        let rows = [
            ("*.rs", "a.rs", true),
            ("*.rs", "a.rsx", false),
            ("a?c", "abc", true),
            ("a?c", "ac", false),
            ("[a-c]x", "bx", true),
            ("[!a-c]x", "bx", false),
            ("[!a-c]x", "dx", true),
            ("[]]x", "]x", true),
            ("[x", "[x", true),
            ("\\*", "*", true),
            ("\\*", "a", false),
            ("*a*b*", "xxaxxbxx", true),
            ("*a*b*", "xxbxxaxx", false),
            ("**", "", true),
            ("", "a", false),
        ];
        for (pattern, name, expected) in rows {
            assert_eq!(matches(pattern, name), expected, "{pattern} {name}");
        }
    }
}
