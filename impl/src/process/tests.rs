//! Goal: the agent is the right ancestor, and what a text names is one process or none.
//! Method: a made-up tree of processes that counts its look-ups. Real processes are in
//! `impl/tests/process.rs`.

use std::cell::RefCell;

use super::*;

/// The process that asks.
const HOOK: u32 = 100;

/// A tree of processes. The older ones have the smaller numbers, unless a test says otherwise.
struct Tree {
    entries: Vec<Entry>,
    looked_up: RefCell<Vec<u32>>,
}

impl Tree {
    /// Each process with its parent and name.
    fn new(entries: &[(u32, u32, &str)]) -> Self {
        let entry = |&(pid, parent, name): &(u32, u32, &str)| Entry {
            pid,
            parent,
            started: u64::from(pid),
            name: name.to_owned(),
        };
        let entries = entries.iter().map(entry).collect();
        Self { entries, looked_up: RefCell::default() }
    }

    /// The agent's number and whether it is certain.
    fn agent(&self, named: Option<u32>) -> Option<(u32, bool)> {
        choose(self, named).map(|(entry, certain)| (entry.pid, certain))
    }
}

impl LookUp for Tree {
    fn own(&self) -> Option<Entry> {
        self.entry(HOOK)
    }

    fn entry(&self, pid: u32) -> Option<Entry> {
        self.looked_up.borrow_mut().push(pid);
        self.entries.iter().find(|entry| entry.pid == pid).cloned()
    }

    fn is_shell(&self, entry: &Entry) -> bool {
        is_shell_name(&entry.name)
    }
}

/// A terminal's shell, an agent in it, and the shells that the agent runs its hook with.
fn usual() -> Tree {
    Tree::new(&[
        (1, 0, "init"),
        (10, 1, "terminal"),
        (20, 10, "-zsh"),
        (30, 20, "claude"),
        (40, 30, "sh"),
        (50, 40, "timeout"),
        (HOOK, 50, "leasehold"),
    ])
}

#[test]
fn the_nearest_ancestor_that_is_no_shell_is_a_guess() {
    let tree = usual();
    assert_eq!(tree.agent(None), Some((30, false)));
    assert_eq!(*tree.looked_up.borrow(), [HOOK, 50, 40, 30], "nothing above it is looked up");
}

#[test]
fn an_ancestor_that_is_named_is_certain() {
    let tree = usual();
    assert_eq!(tree.agent(Some(30)), Some((30, true)));
    assert_eq!(*tree.looked_up.borrow(), [HOOK, 50, 40, 30]);
    assert_eq!(
        tree.agent(Some(10)),
        Some((30, false)),
        "an agent that it started has its name too"
    );
    assert_eq!(tree.agent(Some(40)), Some((40, true)), "the client knows what it is");
}

#[test]
fn a_name_that_is_no_ancestors_is_ignored() {
    for named in [0, 1, 31, HOOK, u32::MAX] {
        let tree = usual();
        assert_eq!(tree.agent(Some(named)), Some((30, false)), "{named}");
        let looked_up = tree.looked_up.borrow();
        assert_eq!(*looked_up, [HOOK, 50, 40, 30, 20, 10], "each once, and not process 1");
    }
}

#[test]
fn an_orphan_has_no_agent() {
    assert_eq!(Tree::new(&[(1, 0, "init"), (HOOK, 1, "leasehold")]).agent(None), None);
    let shells = [(1, 0, "init"), (40, 1, "bash"), (HOOK, 40, "leasehold")];
    assert_eq!(Tree::new(&shells).agent(None), None);
    assert_eq!(Tree::new(&[(40, 0, "sh"), (HOOK, 40, "leasehold")]).agent(None), None);
    assert_eq!(Tree::new(&[(HOOK, 0, "leasehold")]).agent(Some(0)), None);
    assert_eq!(Tree::new(&[]).agent(None), None);
}

#[test]
fn a_chain_that_breaks_off_has_no_agent() {
    // What is above the shell cannot be read.
    assert_eq!(Tree::new(&[(40, 30, "sh"), (HOOK, 40, "leasehold")]).agent(None), None);
}

#[test]
fn a_parent_that_is_younger_than_its_child_is_none() {
    let mut tree = usual();
    tree.entries.retain(|entry| entry.pid != 30);
    tree.entries.push(Entry { pid: 30, parent: 1, started: 41, name: "stranger".to_owned() });
    assert_eq!(tree.agent(None), None);
    assert_eq!(tree.agent(Some(30)), None);
}

#[test]
fn a_ring_ends() {
    let mut tree = Tree::new(&[(40, 41, "sh"), (41, 40, "sh"), (HOOK, 40, "leasehold")]);
    for entry in &mut tree.entries {
        entry.started = 7;
    }
    assert_eq!(tree.agent(None), None);
    assert_eq!(tree.looked_up.borrow().len(), 1 + ANCESTORS_MAX);
}

#[test]
fn shells_and_wrappers_are_told_by_name() {
    for shell in SHELLS {
        for name in [shell.to_owned(), format!("-{shell}"), format!("{shell}.EXE")] {
            assert!(is_shell_name(&name), "{name}");
        }
        assert!(is_shell_name(&shell.to_ascii_uppercase()));
    }
    for named in ["sh", "bash", "zsh", "cmd.exe", "PowerShell.exe", "pwsh", "busybox", "sudo"] {
        assert!(is_shell_name(named), "{named}");
    }
}

#[test]
fn what_only_looks_like_a_shell_is_none() {
    for other in [
        "claude",
        "node",
        "codex",
        "bun",
        "python3",
        "fishnet",
        "shell",
        "bashful",
        "sh.sh",
        "--sh",
        "exe",
        ".exe",
        "",
        "-",
        "nu.exe.exe",
        "timeout2",
        "cargo",
        "tmux: server",
        "ſh",
    ] {
        assert!(!is_shell_name(other), "{other}");
    }
}

fn process(boot: &str, namespace: &str, pid: u32) -> Option<ProcessId> {
    let home = Home { boot: boot.to_owned(), namespace: namespace.to_owned() };
    ProcessId::new(&home, pid, 89651)
}

#[test]
fn a_text_leads_back_to_its_process() {
    for (boot, namespace, pid) in [("a-b-1", "pid:[4026531836]", 7), ("1", "windows", u32::MAX)] {
        let process = process(boot, namespace, pid).unwrap();
        assert_eq!(ProcessId::from_text(&process.to_text()), Some(process.clone()));
        assert_eq!(process.pid(), pid);
    }
    let text = process("b", "pid:[1],time:[2]", 7).unwrap().to_text();
    assert_eq!(text, "b pid:[1],time:[2] 7 89651");
}

#[test]
fn what_would_not_lead_back_is_no_process() {
    for word in ["", " ", "a b", "a\n", "a\t", "ä", "\0"] {
        assert_eq!(process(word, "n", 7), None, "{word:?}");
        assert_eq!(process("b", word, 7), None, "{word:?}");
    }
    assert_eq!(process("b", "n", 0), None);
}

#[test]
fn a_text_that_we_did_not_write_names_no_process() {
    for text in [
        "",
        " ",
        "   ",
        "b",
        "b n",
        "b n 7",
        "b n 7 8 9",
        "b n 7 8 ",
        " b n 7 8",
        "b  n 7 8",
        "b n 7  8",
        "b n  7 8",
        " n 7 8",
        "b  7 8",
        "b n +7 8",
        "b n 7 +8",
        "b n 07 8",
        "b n 7 08",
        "b n -7 8",
        "b n 7 -8",
        "b n 0 8",
        "b n 4294967296 8",
        "b n 7 18446744073709551616",
        "b n 7 8\n",
        "b n 7 8\0",
        "b\tn\t7\t8",
        "b n 7 x",
        "b n ٧ 8",
        "b\n n 7 8",
        "é n 7 8",
        "b n 7.0 8",
        "b n 7 8'; DROP TABLE leases; --",
    ] {
        assert_eq!(ProcessId::from_text(text), None, "{text:?}");
    }
    assert!(ProcessId::from_text("b n 7 8").is_some());
}
