//! What the commands of the interpreter do.

use super::follow::{Reader, unquote};
use super::parse::is_delimiter;
use crate::intent::shell::field::Field;
use crate::intent::shell::invocation::{Input, Run};
use crate::intent::shell::powershell::paths;

/// Commands that write nothing, and end at the first sign that is no letter.
const QUIET: [&str; 24] = [
    "echo", "type", "dir", "cls", "ver", "vol", "title", "color", "assoc", "ftype", "shift",
    "date", "time", "path", "prompt", "verify", "break", "pause", "md", "mkdir", "goto",
    "setlocal", "endlocal", "dpath",
];

/// Commands that do something, and end at the first sign that is no letter.
const BUILT_IN: [&str; 19] = [
    "cd", "chdir", "pushd", "popd", "set", "copy", "move", "ren", "rename", "del", "erase", "rd",
    "rmdir", "mklink", "call", "start", "exit", "rem", "if",
];

/// Programs that only read, so that nobody need look at them.
const READERS: [&str; 6] = ["find", "findstr", "more", "where", "tree", "timeout"];

/// How long the path of the present directory may be.
const LONGEST: usize = 1024;

impl Reader<'_> {
    /// Follows a command, and tells whether it leaves the script.
    pub(super) fn command(&mut self, line: &str) -> bool {
        let mut line = line.trim_start_matches(is_delimiter);
        let (mut name, mut rest) = split_name(line);
        while name.eq_ignore_ascii_case("call") {
            line = rest.trim_start_matches(is_delimiter);
            if line.starts_with(':') {
                return false;
            }
            (name, rest) = split_name(line);
        }
        let lower = unquote(name).to_ascii_lowercase();
        let lower = lower.strip_suffix(".exe").unwrap_or(&lower);
        match lower {
            "" => {}
            "exit" => return true,
            "cd" | "chdir" => self.enter(rest),
            "pushd" => {
                if !rest.trim().is_empty() {
                    if self.stack.len() < 64 {
                        self.stack.push(self.place.clone());
                    }
                    self.go(&unquote(rest.trim()));
                }
            }
            "popd" => self.place = self.stack.pop().unwrap_or_else(|| self.place.lost()),
            "set" => self.assign(rest),
            "copy" => self.copy(rest),
            "xcopy" => self.xcopy(rest),
            "robocopy" => self.robocopy(rest),
            "move" => self.moves(rest),
            "ren" | "rename" => self.rename(rest),
            "del" | "erase" => self.delete(rest),
            "rd" | "rmdir" => self.remove_directory(rest),
            "md" | "mkdir" => self.make(rest),
            "mklink" => self.link(rest),
            "fsutil" => self.create_new(rest),
            "sort" => self.sort(rest),
            "start" => self.start(rest),
            _ if QUIET.contains(&lower) || READERS.contains(&lower) => {}
            _ if is_drive(lower) => {
                let here = self.place.directory().and_then(|one| one.get(..2));
                if !here.is_some_and(|one| one.eq_ignore_ascii_case(lower)) {
                    self.place = self.place.lost();
                }
            }
            _ => self.program(line),
        }
        false
    }

    /// Hands a program on to whoever knows programs.
    fn program(&mut self, line: &str) {
        let words: Vec<Field> = words(line)
            .into_iter()
            .map(|text| {
                let exact = !text.contains(Field::HOLE);
                Field { text, exact }
            })
            .collect();
        if words.is_empty() || !self.spend(line.len()) {
            return;
        }
        self.outcome.runs.push(Run {
            words,
            input: Input::Unknown,
            place: Some(self.place.clone()),
        });
    }

    /// Follows `cd`.
    fn enter(&mut self, rest: &str) {
        let mut rest = rest.trim();
        let mut drives = false;
        if let Some(after) = rest.get(..2).filter(|one| one.eq_ignore_ascii_case("/d")) {
            drives = true;
            rest = rest[after.len()..].trim_start();
        }
        let name = unquote(rest);
        if name.is_empty() {
            return;
        }
        let here = self.place.directory().and_then(|one| one.get(..2)).map(str::to_owned);
        let other = name.get(..2).filter(|one| is_drive(one));
        if let (Some(other), Some(here), false) = (other, here, drives)
            && !other.eq_ignore_ascii_case(&here)
        {
            // The other drive gets a new present directory, the script stays.
            return;
        }
        self.go(&name);
    }

    /// Goes to a directory.
    fn go(&mut self, name: &str) {
        let name = name.trim_end();
        self.place = match self.path(name) {
            Some(path) if path.len() <= LONGEST => self.place.enter(&path),
            _ => self.place.lost(),
        };
    }

    /// Follows `set`.
    fn assign(&mut self, rest: &str) {
        let mut rest = rest.trim_start();
        let mut computed = false;
        while let Some(switch) = rest.get(..2).filter(|one| one.starts_with('/')) {
            computed = true;
            rest = rest[switch.len()..].trim_start();
        }
        let quoted = rest.strip_prefix('"');
        let text = match quoted {
            Some(text) => &text[..text.rfind('"').unwrap_or(text.len())],
            None => rest,
        };
        let Some((name, value)) = text.split_once('=') else { return };
        let name = name.trim_end_matches(['+', '-', '*', '/', '%', '&', '|', '^']);
        self.set(name, Some(value.to_owned()).filter(|_| !computed));
    }

    /// Follows `start`.
    fn start(&mut self, rest: &str) {
        let mut rest = rest.trim_start();
        if rest.starts_with('"') {
            let end = rest[1..].find('"').map_or(rest.len(), |end| end + 2);
            rest = rest[end..].trim_start();
        }
        let place = self.place.clone();
        while rest.starts_with('/') {
            let end = rest.find(is_delimiter).unwrap_or(rest.len());
            let switch = rest[..end].to_ascii_lowercase();
            rest = rest[end..].trim_start();
            let takes = ["/d", "/node", "/affinity", "/machine"].contains(&switch.as_str());
            if takes {
                let (value, after) = split_name(rest);
                if switch == "/d" {
                    self.go(&unquote(value));
                }
                rest = after.trim_start();
            }
        }
        let (name, _) = split_name(rest);
        let lower = name.to_ascii_lowercase();
        if !QUIET.contains(&lower.as_str()) {
            self.program(rest);
        }
        self.place = place;
    }

    /// Follows `sort`, which writes only where it is told to.
    fn sort(&mut self, rest: &str) {
        let mut next = false;
        for word in operands(rest) {
            if next {
                if let Some(path) = self.path(&unquote(&word)) {
                    self.file(path, "sort");
                }
                next = false;
            } else {
                let word = word.to_ascii_lowercase();
                next = word == "/o" || word == "/output";
            }
        }
    }
}

/// Whether a text is a drive and nothing else.
fn is_drive(text: &str) -> bool {
    matches!(text.as_bytes(), [letter, b':'] if letter.is_ascii_alphabetic())
}

/// Splits the name of a command from what follows. The commands of the interpreter end at the
/// first sign that no name has, such as in `cd..` or `rd/s`.
fn split_name(line: &str) -> (&str, &str) {
    let letters = line.bytes().take(12).take_while(u8::is_ascii_alphabetic).count();
    let next = line[letters..].chars().next();
    let inner = line[..letters].to_ascii_lowercase();
    let own = QUIET.contains(&inner.as_str()) || BUILT_IN.contains(&inner.as_str());
    if own && next.is_some_and(|next| ".\\/:+[](\"".contains(next)) {
        let skip = usize::from(inner == "echo");
        return (&line[..letters], &line[letters + skip..]);
    }
    let mut quoted = false;
    for (at, letter) in line.char_indices() {
        quoted ^= letter == '"';
        if !quoted && is_delimiter(letter) {
            return (&line[..at], &line[at..]);
        }
    }
    (line, "")
}

/// The arguments of a command of the interpreter, with their quotes. Switches are split where they
/// are written in one, such as `/s/q`.
pub(super) fn operands(line: &str) -> Vec<String> {
    let mut found = Vec::new();
    let mut word = String::new();
    let mut quoted = false;
    for letter in line.chars() {
        quoted ^= letter == '"';
        let ends = !quoted && is_delimiter(letter);
        let switch = !quoted && letter == '/' && word.starts_with('/');
        if (ends || switch) && !word.is_empty() {
            found.push(std::mem::take(&mut word));
        }
        if !ends {
            word.push(letter);
        }
    }
    if !word.is_empty() {
        found.push(word);
    }
    found
}

/// The arguments of a program, as its runtime splits them.
fn words(line: &str) -> Vec<String> {
    let mut found = Vec::new();
    let mut word = String::new();
    let mut begun = false;
    let mut quoted = false;
    let mut letters = line.chars().peekable();
    while let Some(letter) = letters.next() {
        match letter {
            '\\' if letters.peek() == Some(&'"') && !word.is_empty() && quoted => {
                word.push('"');
                letters.next();
            }
            '"' => {
                quoted = !quoted;
                begun = true;
            }
            ' ' | '\t' | '\n' | '\r' if !quoted => {
                if begun {
                    found.push(std::mem::take(&mut word));
                }
                begun = false;
            }
            _ => {
                begun = true;
                word.push(letter);
            }
        }
    }
    if begun {
        found.push(word);
    }
    found
}

/// The name that a pattern such as `*.bak` makes of another name.
pub(super) fn renamed(pattern: &str, name: &str) -> Option<String> {
    if !pattern.contains(['*', '?']) {
        return Some(pattern.to_owned());
    }
    let stem = paths::stem(name);
    let extension = name[stem.len()..].trim_start_matches('.');
    if pattern == "*" || pattern == "*.*" {
        return Some(name.to_owned());
    }
    let (first, second) = pattern.rsplit_once('.')?;
    let first = if first == "*" { stem } else { first };
    let second = if second == "*" { extension } else { second };
    let plain = !first.contains(['*', '?']) && !second.contains(['*', '?']);
    plain.then(|| format!("{first}.{second}"))
}
