//! Processes where there is no `/proc` to read: macOS and Windows.
//!
//! Start times are seconds since 1970 here, noted when the process began and never corrected. So
//! number and start time tell the processes of all boots of one machine apart, and the boot's part
//! of the identity only has to name the machine. The time of the boot would not do: it is reckoned
//! back from the clock, so each correction of the clock makes another boot of the same one.

use std::cell::RefCell;

use sysinfo::{Pid, Process, ProcessRefreshKind, ProcessesToUpdate, Product, System};

use super::{Entry, Home, LookUp, Standing, is_shell_name};

/// These systems have one namespace of processes. A Linux on the same machine has its own.
const NAMESPACE: &str = std::env::consts::OS;

/// The table of processes.
pub(super) struct Table {
    system: RefCell<System>,
    home: Home,
}

impl Table {
    /// `None` where the system does not tell which machine it is.
    pub(super) fn open() -> Option<Self> {
        let machine = Product::uuid().ok()?.to_ascii_lowercase();
        if !is_of_one_machine(&machine) {
            return None;
        }
        let home = Home { boot: machine, namespace: NAMESPACE.to_owned() };
        Some(Self { system: RefCell::new(System::new().ok()?), home })
    }

    pub(super) fn home(&self) -> &Home {
        &self.home
    }

    /// How a process of this home stands.
    pub(super) fn standing(&self, pid: u32, started: u64) -> Standing {
        let mut system = self.system.borrow_mut();
        let [pid, own] = [pid, std::process::id()].map(Pid::from_u32);
        // How many of the two are listed, whether or not we may know more of them.
        let listed = refresh(&mut system, &[pid, own]);
        let is_own_there = system.process(own).is_some();
        match system.process(pid).and_then(start) {
            Some(start) if start == started => Standing::Alive,
            Some(_) => Standing::Gone,
            // We are in the list, so there is one, and the other process is not in it.
            None if listed == 1 && is_own_there && pid != own => Standing::Gone,
            None => Standing::Unknown,
        }
    }
}

impl LookUp for Table {
    fn own(&self) -> Option<Entry> {
        self.entry(std::process::id())
    }

    fn entry(&self, pid: u32) -> Option<Entry> {
        let mut system = self.system.borrow_mut();
        refresh(&mut system, &[Pid::from_u32(pid)]);
        let process = system.process(Pid::from_u32(pid))?;
        Some(Entry {
            pid,
            parent: process.parent().map_or(0, Pid::as_u32),
            started: start(process)?,
            name: process.name().to_string_lossy().into_owned(),
        })
    }

    fn is_shell(&self, entry: &Entry) -> bool {
        // The name is the executable's file name here.
        is_shell_name(&entry.name)
    }
}

/// Looks processes up; the answer is how many of them are in the system's list.
fn refresh(system: &mut System, pids: &[Pid]) -> usize {
    let what = ProcessRefreshKind::nothing();
    system.refresh_processes_specifics(ProcessesToUpdate::Some(pids), true, what)
}

/// When a process began; `None` for one of which we may not know it.
fn start(process: &Process) -> Option<u64> {
    Some(process.start_time()).filter(|start| *start != 0)
}

/// Whether a machine's id is its own: boards without one have all bits of it alike.
fn is_of_one_machine(id: &str) -> bool {
    let mut digits = id.bytes().filter(u8::is_ascii_hexdigit);
    let first = digits.next();
    digits.any(|digit| Some(digit) != first)
}

#[cfg(test)]
mod tests {
    //! Goal: machines without an id of their own are not taken for one machine.

    use super::*;

    #[test]
    fn an_id_that_many_boards_have_names_no_machine() {
        assert!(is_of_one_machine("564d7f6c-1b3a-4d0e-9a53-0c0ffee00001"));
        for id in ["00000000-0000-0000-0000-000000000000", "ffffffff-ffff-ffff", "", "-", "7"] {
            assert!(!is_of_one_machine(id), "{id}");
        }
    }
}
