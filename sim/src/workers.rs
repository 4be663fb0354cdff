//! Runs shared out to several processes of this program: SQLite's random numbers belong to a whole
//! process, so one process can only run one schedule at a time.

use std::collections::BTreeMap;
use std::fmt;
use std::io::{self, BufRead as _, BufReader, Write as _};
use std::process::{Child, Command, ExitStatus, Stdio};
use std::sync::mpsc::{self, Sender};
use std::thread;
use std::{env, error};

use crate::many::{Amount, Many, Message, Share};

/// Why workers cannot go on.
#[derive(Debug)]
pub enum WorkerError {
    /// One cannot be started.
    Start(io::Error),
    /// One ended before its work was done.
    Silent {
        /// Which.
        number: usize,
        /// The run that it was in, if it had begun one.
        seed: Option<u64>,
        /// How it ended, where the system tells.
        status: Option<ExitStatus>,
    },
}

impl fmt::Display for WorkerError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Start(error) => write!(f, "a worker cannot be started: {error}"),
            Self::Silent { number, seed, status } => {
                match seed {
                    Some(seed) => write!(f, "worker {number} ended in the run of seed {seed}")?,
                    None => write!(f, "worker {number} ended before its first run")?,
                }
                if let Some(status) = status {
                    write!(f, " with {status}")?;
                }
                match seed {
                    Some(seed) => write!(f, ": repeat it with --seed {seed} --schedules 1"),
                    None => Ok(()),
                }
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
    hear: &mut dyn FnMut(Message) -> bool,
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
    let mut ended = started.and_then(|()| listen(heard.iter(), hear, workers.len()));
    if let Err(WorkerError::Silent { number, status, .. }) = &mut ended {
        *status = workers[*number].wait().ok();
    }
    for mut worker in workers {
        // It may have ended by itself, and then there is nothing to end.
        let _ = worker.kill();
        let _ = worker.wait();
    }
    ended
}

fn listen(
    heard: impl Iterator<Item = Heard>,
    hear: &mut dyn FnMut(Message) -> bool,
    workers: usize,
) -> Result<(), WorkerError> {
    // Those that have work to do, each with the run that it is in.
    let mut running: BTreeMap<usize, Option<u64>> = (0..workers).map(|one| (one, None)).collect();
    for (number, message) in heard {
        match &message {
            Some(Message::Begun(seed)) => {
                running.insert(number, Some(*seed));
            }
            Some(Message::Done(_)) => {
                running.remove(&number);
            }
            Some(_) => {}
            None => match running.get(&number) {
                Some(&seed) => return Err(WorkerError::Silent { number, seed, status: None }),
                None => continue,
            },
        }
        if message.is_some_and(|message| !hear(message)) {
            return Ok(());
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
