//! Names of files, as the shells of Windows take them.

use crate::intent::shell::disk::{Entry, Kind};
use crate::intent::shell::place::{Place, Style};

/// What a name leads to.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Spot {
    /// A file or directory.
    Path(String),
    /// No file: a device, a registry key, a variable.
    Nowhere,
    /// Only the shell knows.
    Unknown,
}

/// The last part of a path.
pub(crate) fn leaf(path: &str) -> &str {
    path.rsplit(['\\', '/']).next().unwrap_or(path)
}

/// A name without its extension.
pub(crate) fn stem(leaf: &str) -> &str {
    match leaf.rfind('.') {
        Some(end) => &leaf[..end],
        None => leaf,
    }
}

/// The path without its last part.
pub(crate) fn parent(path: &str) -> Option<&str> {
    let end = path.rfind(['\\', '/'])?;
    Some(if end == 0 { &path[..1] } else { &path[..end] })
}

/// A name in a directory.
pub(crate) fn within(directory: &str, name: &str, style: Style) -> String {
    let separator = if style == Style::Windows { '\\' } else { '/' };
    let directory = directory.trim_end_matches(separator);
    format!("{directory}{separator}{name}")
}

/// Whether a name is a device of Windows, with an extension or not.
pub(crate) fn is_device(name: &str) -> bool {
    let name = name.trim_start_matches("\\\\.\\");
    let name = leaf(name).split(['.', ':']).next().unwrap_or_default().trim_end();
    let name = name.to_ascii_lowercase();
    let port = |kind: &str| {
        name.strip_prefix(kind).is_some_and(|number| {
            number.len() == 1 && number.bytes().all(|digit| digit.is_ascii_digit())
        })
    };
    let names = ["nul", "con", "prn", "aux", "conin$", "conout$"];
    names.contains(&name.as_str()) || port("com") || port("lpt")
}

/// What a name on Windows leads to from a place.
pub(crate) fn on_windows(name: &str, place: &Place) -> Spot {
    let name = name.strip_prefix("\\\\?\\").unwrap_or(name);
    if name.is_empty() || name.contains('\0') || is_device(name) || name.starts_with("\\\\.\\") {
        return Spot::Nowhere;
    }
    if name.eq_ignore_ascii_case("/dev/null") {
        return Spot::Nowhere;
    }
    let (drive, rest) = match name.as_bytes() {
        [letter, b':', ..] if letter.is_ascii_alphabetic() => name.split_at(2),
        _ => ("", name),
    };
    // What follows a second colon is a stream of the file.
    let rest = rest.split(':').next().unwrap_or(rest);
    let found = if drive.is_empty() {
        place.join(rest)
    } else if rest.starts_with(['\\', '/']) {
        place.join(&format!("{drive}{rest}"))
    } else {
        // `C:name` starts where the shell is on that drive; only the present drive is known.
        let same = place.directory().and_then(|one| one.get(..2));
        let same = same.is_some_and(|one| one.eq_ignore_ascii_case(drive));
        let rest = if rest.is_empty() { "." } else { rest };
        if same { place.join(rest) } else { None }
    };
    found.map_or(Spot::Unknown, Spot::Path)
}

/// Whether a name has wildcards that nothing takes away.
pub(crate) fn is_pattern(name: &str) -> bool {
    let mut letters = name.chars();
    while let Some(letter) = letters.next() {
        match letter {
            '`' => drop(letters.next()),
            '*' | '?' | '[' => return true,
            _ => {}
        }
    }
    false
}

/// A name without the signs that take wildcards their meaning.
pub(crate) fn plain(name: &str) -> String {
    let mut letters = name.chars();
    let mut found = String::new();
    while let Some(letter) = letters.next() {
        match letter {
            '`' => found.extend(letters.next()),
            _ => found.push(letter),
        }
    }
    found
}

/// One sign of a pattern.
enum Sign {
    Any,
    One,
    Letter(char),
    Set(Vec<(char, char)>),
}

/// Whether a name fits a pattern of `*`, `?`, `[a-z]`; capitals do not matter.
pub(crate) fn matches(pattern: &str, name: &str) -> bool {
    if pattern.len() > 260 || name.len() > 4096 {
        return false;
    }
    let signs = signs(pattern);
    let name: Vec<char> = name.chars().flat_map(char::to_lowercase).collect();
    let (mut at, mut sign) = (0, 0);
    let mut retry: Option<(usize, usize)> = None;
    while at < name.len() {
        let fits = match signs.get(sign) {
            Some(Sign::Any) => {
                retry = Some((sign + 1, at));
                sign += 1;
                continue;
            }
            Some(Sign::One) => true,
            Some(Sign::Letter(letter)) => *letter == name[at],
            Some(Sign::Set(ranges)) => {
                ranges.iter().any(|(from, to)| (*from..=*to).contains(&name[at]))
            }
            None => false,
        };
        if fits {
            at += 1;
            sign += 1;
        } else if let Some((after, from)) = retry {
            retry = Some((after, from + 1));
            sign = after;
            at = from + 1;
        } else {
            return false;
        }
    }
    signs[sign..].iter().all(|sign| matches!(sign, Sign::Any))
}

/// The signs of a pattern.
fn signs(pattern: &str) -> Vec<Sign> {
    let letters: Vec<char> = pattern.chars().flat_map(char::to_lowercase).collect();
    let mut found = Vec::new();
    let mut at = 0;
    while at < letters.len() {
        let letter = letters[at];
        at += 1;
        match letter {
            '*' => found.push(Sign::Any),
            '?' => found.push(Sign::One),
            '`' if at < letters.len() => {
                found.push(Sign::Letter(letters[at]));
                at += 1;
            }
            '[' if letters[at..].contains(&']') => {
                let end = at + letters[at..].iter().position(|one| *one == ']').unwrap_or(0);
                let mut ranges = Vec::new();
                while at < end {
                    let last = if at + 2 < end && letters[at + 1] == '-' { at + 2 } else { at };
                    ranges.push((letters[at], letters[last]));
                    at = last + 1;
                }
                at = end + 1;
                found.push(Sign::Set(ranges));
            }
            _ => found.push(Sign::Letter(letter)),
        }
    }
    found
}

/// The disk, asked within bounds.
pub(crate) trait Source {
    /// What is there.
    fn kind_of(&self, path: &str) -> Kind;
    /// The names in a directory; none where the disk was asked too often.
    fn names(&self, path: &str) -> Option<Vec<Entry>>;
}

/// The paths that fit an absolute pattern; none where the disk was asked too often.
pub(crate) fn expand(pattern: &str, style: Style, disk: &dyn Source) -> Option<Vec<String>> {
    let separator = if style == Style::Windows { '\\' } else { '/' };
    let head = if pattern.starts_with("\\\\") { 2 } else { 0 };
    let mut bases = vec![pattern[..head].to_owned()];
    let mut wild = false;
    for part in pattern[head..].split(separator).filter(|part| !part.is_empty()) {
        let mut next = Vec::new();
        let pattern = is_pattern(part);
        for base in bases {
            let begins = base.is_empty() && style == Style::Windows || base.ends_with('\\');
            let full = |name: &str| {
                if begins { format!("{base}{name}") } else { format!("{base}{separator}{name}") }
            };
            if pattern {
                let root =
                    if base.len() <= 2 { format!("{base}{separator}") } else { base.clone() };
                let mut names = disk.names(&root)?;
                names.sort_by(|one, two| one.name.cmp(&two.name));
                let fitting = names.iter().filter(|entry| matches(part, &entry.name));
                next.extend(fitting.map(|entry| full(&entry.name)));
            } else {
                let path = full(&plain(part));
                if !wild || disk.kind_of(&path) != Kind::Absent {
                    next.push(path);
                }
            }
        }
        wild |= pattern;
        bases = next;
    }
    Some(bases)
}

/// Replaces what a simple regular expression finds: letters, `.`, escaped signs, `^`, `$`.
pub(crate) fn replace(text: &str, pattern: &str, by: &str) -> Option<String> {
    if by.contains('$') || pattern.len() > 64 || text.len() > 4096 || pattern.is_empty() {
        return None;
    }
    let begins = pattern.starts_with('^');
    let pattern = pattern.strip_prefix('^').unwrap_or(pattern);
    let ends = pattern.ends_with('$') && !pattern.ends_with("\\$");
    let pattern = if ends { &pattern[..pattern.len() - 1] } else { pattern };
    let mut signs: Vec<Option<char>> = Vec::new();
    let mut letters = pattern.chars();
    while let Some(letter) = letters.next() {
        match letter {
            '\\' => {
                let escaped = letters.next().filter(|one| !one.is_alphanumeric())?;
                signs.push(Some(escaped));
            }
            '.' => signs.push(None),
            '*' | '+' | '?' | '[' | ']' | '(' | ')' | '{' | '}' | '|' | '^' | '$' => return None,
            _ => signs.push(letter.to_lowercase().next()),
        }
    }
    let text: Vec<char> = text.chars().collect();
    let fits = |at: usize| {
        at + signs.len() <= text.len()
            && (!begins || at == 0)
            && (!ends || at + signs.len() == text.len())
            && signs.iter().zip(&text[at..]).all(|(sign, letter)| {
                sign.is_none_or(|sign| letter.to_lowercase().next() == Some(sign))
            })
    };
    let mut found = String::new();
    let mut at = 0;
    while at < text.len() {
        if !signs.is_empty() && fits(at) {
            found.push_str(by);
            at += signs.len();
        } else {
            found.push(text[at]);
            at += 1;
        }
    }
    Some(found)
}
