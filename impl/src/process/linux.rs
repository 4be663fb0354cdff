//! Processes as Linux tells of them, in `/proc`. This is on the way of every hook call: each file
//! is read once, with one read, and no directory is listed.

use std::fs::{self, File};
use std::io::{self, ErrorKind, Read};
use std::os::unix::process::parent_id;
use std::path::Path;

use super::{Entry, Home, LookUp, Standing, is_shell_name};
use crate::machine;

/// Enough for the first 22 fields of `/proc/<pid>/stat`, each of them as long as it can be.
const STAT_BYTES: usize = 512;

/// The kernel's answer where a process ended between the opening and the reading of its file.
const ESRCH: i32 = 3;

/// The table of processes, as this process sees it.
pub(super) struct Table {
    home: Home,
}

impl Table {
    /// `None` where it is not known what the numbers in `/proc` mean.
    pub(super) fn open() -> Option<Self> {
        // A `/proc` of another namespace counts its processes in that namespace's numbers.
        let own = fs::read_link("/proc/self").ok()?;
        if own.to_str()? != std::process::id().to_string() {
            return None;
        }
        Some(Self { home: Home { boot: machine::boot_id()?, namespace: namespace()? } })
    }

    pub(super) fn home(&self) -> &Home {
        &self.home
    }

    /// How a process of this home stands.
    #[expect(clippy::unused_self, reason = "an open table is what gives the number its meaning")]
    pub(super) fn standing(&self, pid: u32, started: u64) -> Standing {
        match read_stat(pid) {
            Ok(Some(stat)) if stat.started != started || stat.has_ended() => Standing::Gone,
            Ok(Some(_)) => Standing::Alive,
            // A `/proc` that hides the processes of other users hides the first one too.
            Err(error) if is_absence(&error) && read_stat(1).is_ok() => Standing::Gone,
            Ok(None) | Err(_) => Standing::Unknown,
        }
    }
}

impl LookUp for Table {
    fn own(&self) -> Option<Entry> {
        // The kernel tells our parent without a file, and it is no younger than we are.
        let (pid, parent) = (std::process::id(), parent_id());
        Some(Entry { pid, parent, started: u64::MAX, name: String::new() })
    }

    fn entry(&self, pid: u32) -> Option<Entry> {
        let Stat { parent, started, name, .. } = read_stat(pid).ok()??;
        Some(Entry { pid, parent, started, name })
    }

    fn is_shell(&self, entry: &Entry) -> bool {
        // The name is the script's where a shell runs a script, and the wrapper's where one binary
        // is many programs; the executable is the shell in the first case and that binary in the
        // second. The executable of another user's process (sudo) is not told.
        is_shell_name(&entry.name)
            || fs::read_link(format!("/proc/{}/exe", entry.pid))
                .is_ok_and(|program| is_shell_program(&program))
    }
}

/// The namespaces that give numbers and start times their meaning: `pid:[4026531836]`, and that of
/// the clock since boot where the kernel has such.
fn namespace() -> Option<String> {
    let pid = fs::read_link("/proc/self/ns/pid").ok()?;
    let pid = pid.to_str()?;
    match fs::read_link("/proc/self/ns/time") {
        Ok(time) => Some(format!("{pid},{}", time.to_str()?)),
        Err(error) if error.kind() == ErrorKind::NotFound => Some(pid.to_owned()),
        Err(_) => None,
    }
}

fn is_shell_program(program: &Path) -> bool {
    let name = program.file_name().unwrap_or_default().to_string_lossy();
    // So ends the link of a file that was removed or replaced while it ran.
    is_shell_name(name.strip_suffix(" (deleted)").unwrap_or(&name))
}

fn is_absence(error: &io::Error) -> bool {
    error.kind() == ErrorKind::NotFound || error.raw_os_error() == Some(ESRCH)
}

/// What `/proc/<pid>/stat` says; `Ok(None)` if it says nothing that we understand.
fn read_stat(pid: u32) -> io::Result<Option<Stat>> {
    let mut buffer = [0; STAT_BYTES];
    let length = File::open(format!("/proc/{pid}/stat"))?.read(&mut buffer)?;
    Ok(Stat::parse(&buffer[..length]))
}

#[derive(Debug, PartialEq, Eq)]
struct Stat {
    name: String,
    state: u8,
    parent: u32,
    threads: u64,
    /// In ticks since the boot.
    started: u64,
}

impl Stat {
    fn parse(line: &[u8]) -> Option<Self> {
        // Only the last parenthesis is the kernel's: a name may hold blanks and parentheses.
        let open = line.iter().position(|byte| *byte == b'(')?;
        let close = line.iter().rposition(|byte| *byte == b')')?;
        let name = String::from_utf8_lossy(line.get(open + 1..close)?).into_owned();
        let rest = str::from_utf8(&line[close + 1..]).ok()?;
        // A last field without a blank behind it may be half a number.
        let rest = &rest[..rest.rfind([' ', '\n'])?];
        // The first field behind the name is the third of the line.
        let mut fields = rest.split_ascii_whitespace();
        let state = *fields.next()?.as_bytes().first()?;
        let parent = fields.next()?.parse().ok()?;
        let threads = fields.nth(20 - 5)?.parse().ok()?;
        let started = fields.nth(22 - 21)?.parse().ok()?;
        Some(Self { name, state, parent, threads, started })
    }

    /// Whether it cannot write any more, though it may still have to be reaped. A process whose
    /// first thread alone has ended looks like a zombie, and its other threads write.
    fn has_ended(&self) -> bool {
        matches!(self.state, b'Z' | b'X' | b'x') && self.threads <= 1
    }
}

#[cfg(test)]
mod tests {
    //! Goal: the start time and the state are the kernel's, whatever a process calls itself.

    use super::*;

    /// A line as the kernel writes it, with this name, state and number of threads.
    fn line(name: &str, state: char, threads: u64) -> Vec<u8> {
        let times = "4194304 98 0 1 0 2 3 4 5 20 0";
        format!("7 ({name}) {state} 6 7 7 34816 7 {times} {threads} 0 89651 31 390 1\n")
            .into_bytes()
    }

    #[test]
    fn a_line_is_read_whatever_the_name_holds() {
        for name in ["cat", "a) R 1 (b", ") Z 1 1", "(", ")", "", " "] {
            let stat = Stat::parse(&line(name, 'S', 3)).unwrap();
            let expected =
                Stat { name: name.to_owned(), state: b'S', parent: 6, threads: 3, started: 89651 };
            assert_eq!(stat, expected);
        }
        let mut foreign = line("?", 'S', 1);
        foreign[3] = 0xff;
        assert_eq!(Stat::parse(&foreign).unwrap().name, "\u{fffd}");
    }

    #[test]
    fn half_a_line_is_none() {
        let whole = line("cat", 'S', 1);
        let end = whole.windows(5).position(|window| window == b"89651").unwrap() + 5;
        for length in 0..=end {
            assert_eq!(Stat::parse(&whole[..length]), None, "{length}");
        }
        assert_eq!(Stat::parse(&whole[..=end]), Stat::parse(&whole));
        assert_eq!(Stat::parse(b"7 )cat( S 6 7"), None);
    }

    #[test]
    fn the_buffer_holds_the_longest_line() {
        // A kernel thread has up to 64 bytes of name; the fields from the 4th on are numbers.
        let numbers = format!(" {}", i64::MIN).repeat(22 - 3);
        let longest = format!("{} ({}) S{numbers} ", u32::MAX, "n".repeat(64));
        assert!(longest.len() <= STAT_BYTES, "{}", longest.len());
    }

    #[test]
    fn only_a_process_without_threads_has_ended() {
        let has_ended = |state, threads| {
            let stat = Stat::parse(&line("cat", state, threads));
            stat.unwrap().has_ended()
        };
        assert!(has_ended('Z', 1));
        assert!(has_ended('Z', 0));
        assert!(has_ended('X', 1));
        assert!(!has_ended('Z', 2), "its first thread has ended, another one has not");
        for state in ['R', 'S', 'D', 'T', 't', 'I'] {
            assert!(!has_ended(state, 1), "{state}");
        }
    }

    #[test]
    fn the_executable_tells_a_shell() {
        for shell in ["/usr/bin/bash", "/opt/my tools/zsh (deleted)", "/bin/busybox"] {
            assert!(is_shell_program(Path::new(shell)), "{shell}");
        }
        for other in ["/usr/bin/node", "/bash/claude", "/", "", "/usr/bin/node (deleted)"] {
            assert!(!is_shell_program(Path::new(other)), "{other}");
        }
    }
}
