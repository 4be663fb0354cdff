//! Runs shared out to several processes of this program: SQLite's random numbers belong to a whole
//! process, so one process can only run one schedule at a time.

use std::fmt;
use std::io::{self, BufRead as _, BufReader, Write as _};
use std::process::{Child, Command, Stdio};
use std::sync::mpsc::{self, Sender};
use std::thread;
use std::{env, error};

use crate::many::{Amount, Many, Message, Share};

/// Why workers cannot go on.
#[derive(Debug)]
pub enum WorkerError {
    /// One cannot be started.
    Start(io::Error),
    /// One ended without having told how it went.
    Silent(u64),
}

impl fmt::Display for WorkerError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Start(error) => write!(f, "a worker cannot be started: {error}"),
            Self::Silent(number) => {
                write!(f, "worker {number} ended without a word: run with --jobs 1 to see why")
            }
        }
    }
}

impl error::Error for WorkerError {}

/// What is heard of a worker: its number, and what it tells; none when it has ended.
type Heard = (usize, Option<Message>);

/// Starts the workers, and lets them run until all are done, or nobody wants to hear more.
pub(crate) fn run(
    many: &Many,
    jobs: u64,
    hear: &mut dyn FnMut(usize, Message) -> bool,
) -> Result<(), WorkerError> {
    let (sender, heard) = mpsc::channel();
    let mut workers = Vec::new();
    let mut started = Ok(());
    for number in 0..jobs {
        match start(many, Share { number, of: jobs }, sender.clone()) {
            Ok(worker) => workers.push(worker),
            Err(error) => {
                started = Err(WorkerError::Start(error));
                break;
            }
        }
    }
    drop(sender);
    let ended = started.and_then(|()| listen(heard.iter(), hear, jobs));
    for mut worker in workers {
        // It may have ended by itself, and then there is nothing to end.
        let _ = worker.kill();
        let _ = worker.wait();
    }
    ended
}

fn listen(
    heard: impl Iterator<Item = Heard>,
    hear: &mut dyn FnMut(usize, Message) -> bool,
    jobs: u64,
) -> Result<(), WorkerError> {
    let mut running: Vec<u64> = (0..jobs).collect();
    for (number, message) in heard {
        match message {
            None if running.contains(&(number as u64)) => {
                return Err(WorkerError::Silent(number as u64));
            }
            None => {}
            Some(message) => {
                if matches!(message, Message::Done(_)) {
                    running.retain(|one| *one != number as u64);
                }
                if !hear(number, message) {
                    return Ok(());
                }
            }
        }
    }
    Ok(())
}

fn start(many: &Many, share: Share, sender: Sender<Heard>) -> io::Result<Child> {
    let mut command = Command::new(env::current_exe()?);
    command.args(["run", "--seed", &many.seed.to_string(), "--share", &share.to_string()]);
    match many.amount {
        Amount::Schedules(all) => command.args(["--schedules", &all.to_string()]),
        Amount::Time(span) => command.args(["--seconds", &span.as_secs().to_string()]),
    };
    if let Some(config) = many.config.text() {
        command.args(["--config", config]);
    }
    let mut child = command.stdin(Stdio::null()).stdout(Stdio::piped()).spawn()?;
    let output = child.stdout.take().ok_or_else(|| io::Error::other("it has no output"))?;
    let number = usize::try_from(share.number).unwrap_or(usize::MAX);
    thread::spawn(move || {
        for line in BufReader::new(output).lines().map_while(Result::ok) {
            let Ok(message) = serde_json::from_str(&line) else { continue };
            if sender.send((number, Some(message))).is_err() {
                return;
            }
        }
        let _ = sender.send((number, None));
    });
    Ok(child)
}

/// What a worker does: its share, with what it tells on standard output.
pub fn work(many: &Many, share: Share) {
    many.work(share, &mut |message| {
        let line = serde_json::to_string(&message).unwrap_or_default();
        let mut output = io::stdout().lock();
        // Where nobody reads any more, there is nobody to work for.
        writeln!(output, "{line}").and_then(|()| output.flush()).is_ok()
    });
}
