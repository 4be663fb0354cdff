//! Goal: of real processes, a dead one is gone, a living one is not, and what cannot be told is
//! unknown.
//! Method: this test's own binary is started again as the hook: its agent is this process. Other
//! processes are named by what `/proc` says of them here, read apart from the code under test.
#![cfg(target_os = "linux")]

use std::fs;
use std::io::Read;
use std::os::unix::fs::symlink;
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use leasehold::process::{ProcessId, Processes, Sighting, Standing, SystemProcesses, agent};

/// Set for the binary that plays the hook: the pid that its client names, or nothing.
const NAMED: &str = "LEASEHOLD_TEST_NAMED_PID";

/// What stands before the hook's answer in its output.
const ANSWER: &str = "agent=";

/// A child that does not outlive its test.
struct Guard(Child);

impl Guard {
    fn new(command: &mut Command) -> Self {
        Self(command.stdin(Stdio::null()).stdout(Stdio::piped()).spawn().expect("a child"))
    }

    fn sleeper() -> Self {
        Self::new(Command::new("sleep").arg("60"))
    }

    fn pid(&self) -> u32 {
        self.0.id()
    }
}

impl Drop for Guard {
    fn drop(&mut self) {
        // Both fail where the child has been waited for, which is as well.
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

/// The other side of [`hook`]; as a test it does nothing.
#[test]
fn plays_the_hook() {
    let Ok(named) = std::env::var(NAMED) else { return };
    match agent(named.parse().ok()) {
        Some(Sighting { process, certain, call: None }) => {
            println!("\n{ANSWER}{certain} {}", process.to_text());
        }
        other => println!("\n{ANSWER}{other:?}"),
    }
}

/// The agent of a hook that is started by a shell script in which `"$@"` is the hook, or by this
/// process itself.
fn hook(script: Option<&str>, named: Option<u32>) -> (bool, ProcessId) {
    let this = std::env::current_exe().expect("this binary");
    let mut command = match script {
        Some(script) => {
            let mut shell = Command::new("sh");
            shell.args(["-c", script, "sh"]).arg(this);
            shell
        }
        None => Command::new(this),
    };
    command.args(["--exact", "plays_the_hook", "--nocapture"]);
    command.env(NAMED, named.map_or(String::new(), |pid| pid.to_string()));
    let mut child = Guard::new(&mut command);
    let mut output = String::new();
    child.0.stdout.take().expect("a pipe").read_to_string(&mut output).expect("text");
    let answer = output.lines().find_map(|line| line.strip_prefix(ANSWER));
    let (certain, text) = answer.and_then(|line| line.split_once(' ')).expect(&output);
    (certain == "true", ProcessId::from_text(text).expect(text))
}

/// A process of this test's machine, with the start time of `/proc`.
fn identify(pid: u32) -> ProcessId {
    altered(&hook(None, None).1, &[(2, &pid.to_string()), (3, &start_time(pid))])
}

/// Another process's identity: some of the four words replaced.
fn altered(process: &ProcessId, words: &[(usize, &str)]) -> ProcessId {
    let text = process.to_text();
    let mut all: Vec<&str> = text.split(' ').collect();
    for (index, word) in words {
        all[*index] = word;
    }
    ProcessId::from_text(&all.join(" ")).expect("four words")
}

fn start_time(pid: u32) -> String {
    let line = fs::read_to_string(format!("/proc/{pid}/stat")).expect("a process");
    // From the end of the line: there the name cannot be in the way.
    let behind_name = line.rsplit(')').next().expect("a name");
    behind_name.split_whitespace().nth(19).expect("a start time").to_owned()
}

fn standing(process: &ProcessId) -> Standing {
    SystemProcesses.standing(process)
}

/// Waits until a killed process stands so.
#[track_caller]
fn comes_to_be(process: &ProcessId, expected: Standing) {
    let start = Instant::now();
    while standing(process) != expected {
        assert!(start.elapsed() < Duration::from_secs(20), "{:?}", standing(process));
        std::thread::sleep(Duration::from_millis(2));
    }
}

#[test]
fn a_hook_finds_its_parent() {
    let (certain, process) = hook(None, None);
    assert_eq!((certain, process.pid()), (false, std::process::id()));
    assert_eq!(process, identify(std::process::id()));
    assert_eq!(standing(&process), Standing::Alive);
}

#[test]
fn a_shell_between_is_skipped() {
    // The command behind it keeps the shell from becoming the hook.
    for script in ["\"$@\"; true", "sh -c '\"$@\"; true' sh \"$@\"; true"] {
        let (certain, process) = hook(Some(script), None);
        assert_eq!((certain, process.pid()), (false, std::process::id()), "{script}");
    }
}

#[test]
fn a_shell_that_goes_by_its_scripts_name_is_skipped() {
    // A shell writes the script: a file that this process had open for writing could not be
    // started while another thread's new child still holds a copy.
    let folder = tempfile::tempdir().expect("a folder");
    let script = folder.path().join("claude");
    let script = script.display();
    let lines = "#!/bin/sh\n\"$@\"\ntrue\n";
    let start = format!("printf '{lines}' >{script}; chmod +x {script}; {script} \"$@\"; true");
    assert_eq!(hook(Some(&start), None).1.pid(), std::process::id());
}

#[test]
fn an_ancestor_that_the_client_names_is_certain() {
    let own = std::process::id();
    for script in [None, Some("\"$@\"; true")] {
        let (certain, process) = hook(script, Some(own));
        assert_eq!((certain, process.pid()), (true, own), "{script:?}");
    }
}

#[test]
fn a_process_that_is_no_ancestor_is_not_believed() {
    let stranger = Guard::sleeper();
    for named in [stranger.pid(), 1, 0, u32::MAX] {
        let (certain, process) = hook(Some("\"$@\"; true"), Some(named));
        assert_eq!((certain, process.pid()), (false, std::process::id()), "{named}");
    }
}

#[test]
fn a_killed_process_is_gone_before_and_after_it_is_reaped() {
    let mut child = Guard::sleeper();
    let process = identify(child.pid());
    assert_eq!(standing(&process), Standing::Alive);
    child.0.kill().expect("a signal");
    comes_to_be(&process, Standing::Gone);
    assert!(Path::new(&format!("/proc/{}", child.pid())).exists(), "nobody has reaped it yet");
    child.0.wait().expect("an end");
    assert!(!Path::new(&format!("/proc/{}", child.pid())).exists());
    assert_eq!(standing(&process), Standing::Gone);
}

#[test]
fn a_reused_number_is_another_process() {
    let child = Guard::sleeper();
    let process = identify(child.pid());
    let earlier = altered(&process, &[(3, "1")]);
    assert_eq!(standing(&earlier), Standing::Gone);
    assert_eq!(standing(&process), Standing::Alive);
}

#[test]
fn another_boot_or_namespace_proves_nothing() {
    let process = identify(std::process::id());
    for dead in ["89651", &start_time(std::process::id())] {
        for word in [(0, "another-boot"), (1, "pid:[1]")] {
            let elsewhere = altered(&process, &[word, (3, dead)]);
            assert_eq!(standing(&elsewhere), Standing::Unknown, "{elsewhere:?}");
        }
    }
    // The same numbers, and start times that are counted from another moment.
    let pids = fs::read_link("/proc/self/ns/pid").expect("a namespace");
    let elsewhere = format!("{},time:[1]", pids.display());
    let elsewhere = altered(&process, &[(1, &elsewhere), (3, "89651")]);
    assert_eq!(standing(&elsewhere), Standing::Unknown);
}

#[test]
fn a_name_that_looks_like_fields_is_only_a_name() {
    // The kernel names a process after the file that is started, here a link.
    let folder = tempfile::tempdir().expect("a folder");
    let link = folder.path().join("a) R 1 (b) Z 1");
    symlink(std::env::current_exe().expect("this binary"), &link).expect("a link");
    let mut command = Command::new(&link);
    command.args(["--exact", "plays_for_a_while", "--nocapture"]).env(NAMED, "");
    let mut child = Guard::new(&mut command);
    let process = identify(child.pid());
    let name = fs::read_to_string(format!("/proc/{}/comm", child.pid())).expect("a name");
    assert_eq!(name.trim_end(), "a) R 1 (b) Z 1");
    assert_eq!(standing(&process), Standing::Alive);
    child.0.kill().expect("a signal");
    comes_to_be(&process, Standing::Gone);
}

/// What the process with the strange name does; as a test it does nothing.
#[test]
fn plays_for_a_while() {
    if std::env::var_os(NAMED).is_some() {
        std::thread::sleep(Duration::from_mins(1));
    }
}
