//! Which process the agent of a call is, and whether it is still there (R13).
//!
//! A wrong "gone" would free the leases of an agent that still writes, so whatever is not proven is
//! [`Standing::Unknown`], and then only the lease's time to live counts.

#[cfg(target_os = "linux")]
mod linux;
#[cfg(not(target_os = "linux"))]
mod other;

#[cfg(target_os = "linux")]
use linux::Table;
#[cfg(not(target_os = "linux"))]
use other::Table;

/// How far up the tree of processes an agent is looked for.
const ANCESTORS_MAX: usize = 32;

/// Programs that stand between an agent and its hook: shells, and what only starts another program.
const SHELLS: [&str; 26] = [
    "ash",
    "bash",
    "busybox",
    "cmd",
    "csh",
    "dash",
    "doas",
    "elvish",
    "env",
    "fish",
    "ksh",
    "mksh",
    "nice",
    "nohup",
    "nu",
    "powershell",
    "pwsh",
    "setsid",
    "sh",
    "stdbuf",
    "sudo",
    "tcsh",
    "time",
    "timeout",
    "xonsh",
    "zsh",
];

/// One process of one machine, told from every other one, for ever.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct ProcessId {
    boot: String,
    namespace: String,
    pid: u32,
    started: u64,
}

impl ProcessId {
    /// `None` where a part could not be read back from a text.
    fn new(home: &Home, pid: u32, started: u64) -> Option<Self> {
        let is_word = |text: &str| !text.is_empty() && text.bytes().all(|b| b.is_ascii_graphic());
        let Home { boot, namespace } = home.clone();
        (is_word(&boot) && is_word(&namespace) && pid > 0).then_some(Self {
            boot,
            namespace,
            pid,
            started,
        })
    }

    /// One line of text, for a column of the database.
    pub fn to_text(&self) -> String {
        format!("{} {} {} {}", self.boot, self.namespace, self.pid, self.started)
    }

    /// The process that [`Self::to_text`] wrote down; `None` for every other text.
    pub fn from_text(text: &str) -> Option<Self> {
        let mut words = text.split(' ');
        let home = Home { boot: words.next()?.to_owned(), namespace: words.next()?.to_owned() };
        let process = Self::new(&home, words.next()?.parse().ok()?, words.next()?.parse().ok()?)?;
        // Numbers have more than one spelling that parses, and we write only one of them.
        (process.to_text() == text).then_some(process)
    }

    /// Its number, which other processes of other times had or will have as well.
    pub fn pid(&self) -> u32 {
        self.pid
    }

    fn is_of(&self, home: &Home) -> bool {
        self.boot == home.boot && self.namespace == home.namespace
    }
}

/// What the numbers of processes are counted in: two processes of one home have the same number
/// only one after the other, and then different start times.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Home {
    boot: String,
    namespace: String,
}

/// What is known of a process.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Standing {
    /// It runs.
    Alive,
    /// It is proven that it will never write again.
    Gone,
    /// Nothing is proven.
    Unknown,
}

/// What the operating system says of processes.
pub trait Processes: Send {
    /// Whether a process is still there.
    fn standing(&self, process: &ProcessId) -> Standing;
}

/// The machine's processes.
#[derive(Clone, Copy, Debug, Default)]
pub struct SystemProcesses;

impl Processes for SystemProcesses {
    fn standing(&self, process: &ProcessId) -> Standing {
        match Table::open() {
            Some(table) if process.is_of(table.home()) => {
                table.standing(process.pid, process.started)
            }
            _ => Standing::Unknown,
        }
    }
}

/// A process that was seen as the agent of a call.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Sighting {
    /// The process.
    pub process: ProcessId,
    /// Whether the client itself named it. A guess is believed once two calls saw it (R13).
    pub certain: bool,
    /// The call that it was seen in, where the client tells.
    pub call: Option<String>,
}

/// The agent's process of this hook call: the one that `CLAUDE_PID` names, if it really is one of
/// our ancestors (certain), else our nearest ancestor that is no shell (not certain). `None` where
/// it cannot be told. The caller fills in the call.
pub fn agent(named_pid: Option<u32>) -> Option<Sighting> {
    let table = Table::open()?;
    let (ancestor, certain) = choose(&table, named_pid)?;
    let process = ProcessId::new(table.home(), ancestor.pid, ancestor.started)?;
    Some(Sighting { process, certain, call: None })
}

/// One process, as the table of processes has it now.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Entry {
    pid: u32,
    parent: u32,
    started: u64,
    /// The name that it goes by.
    name: String,
}

/// Where processes are looked up: the system's table, or a test's.
trait LookUp {
    /// The process that looks.
    fn own(&self) -> Option<Entry>;

    fn entry(&self, pid: u32) -> Option<Entry>;

    /// Whether the process is a shell or a wrapper.
    fn is_shell(&self, entry: &Entry) -> bool;
}

/// The agent among our ancestors, and whether it was named.
fn choose(table: &impl LookUp, named: Option<u32>) -> Option<(Entry, bool)> {
    let mut ancestors = Ancestors::new(table)?;
    let mut passed = Vec::new();
    if let Some(named) = named {
        for ancestor in ancestors.by_ref() {
            // An agent that it started inherits the name: then it is not the nearest.
            if ancestor.pid == named && passed.iter().all(|one| table.is_shell(one)) {
                return Some((ancestor, true));
            }
            passed.push(ancestor);
        }
    }
    let mut all = passed.into_iter().chain(ancestors);
    all.find(|ancestor| !table.is_shell(ancestor)).map(|ancestor| (ancestor, false))
}

/// Our ancestors, the nearest first, each looked up once.
struct Ancestors<'t, T> {
    table: &'t T,
    /// The last one's parent.
    pid: u32,
    /// The last one's start.
    started: u64,
    steps: usize,
}

impl<'t, T: LookUp> Ancestors<'t, T> {
    fn new(table: &'t T) -> Option<Self> {
        let Entry { parent, started, .. } = table.own()?;
        Some(Self { table, pid: parent, started, steps: 0 })
    }
}

impl<T: LookUp> Iterator for Ancestors<'_, T> {
    type Item = Entry;

    fn next(&mut self) -> Option<Entry> {
        // Process 1 adopts the orphans: it is no agent, and nothing is above it.
        if self.pid <= 1 || self.steps == ANCESTORS_MAX {
            return None;
        }
        let entry = self.table.entry(self.pid)?;
        // Windows keeps the number of a parent that has ended; a younger process may have it.
        if entry.started > self.started {
            return None;
        }
        (self.pid, self.started) = (entry.parent, entry.started);
        self.steps += 1;
        Some(entry)
    }
}

/// Whether a program's file name is that of a shell or a wrapper.
fn is_shell_name(name: &str) -> bool {
    let name = name.to_ascii_lowercase();
    let name = name.strip_prefix('-').unwrap_or(&name); // how a login shell is named
    SHELLS.contains(&name.strip_suffix(".exe").unwrap_or(name))
}

#[cfg(test)]
mod tests;
