//! Real processes of the real binary, racing.
//!
//! The simulator cannot see the kernel's locks, its page cache or its signals; these can.

mod barrier;
mod killed;
mod one_file;
mod openers;
mod sets;

use std::error::Error;
use std::path::{Path, PathBuf};

use indicatif::{ProgressBar, ProgressStyle};
use leasehold::store::{Options, Store};
use rand_chacha::ChaCha8Rng;
use rand_chacha::rand_core::SeedableRng;

use crate::bench;

/// What is raced for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Mode {
    /// All racers want one file.
    OneFile,
    /// The same, and some racers are killed at random moments.
    Killed,
    /// All racers open one legacy database first, each for a file of its own.
    Openers,
    /// Racers want sets of paths that overlap.
    Sets,
}

/// How a race is run.
#[derive(Clone, Debug)]
pub struct Race {
    /// The binary `leasehold`.
    pub binary: PathBuf,
    /// What for.
    pub mode: Mode,
    /// How many processes at once.
    pub racers: usize,
    /// How many times.
    pub rounds: usize,
    /// Every choice comes from this.
    pub seed: u64,
}

/// What a race came to: one line, and whether that is right.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Report {
    /// The line, such as `rounds=200 one_winner=200 busy=1400 wrong_holder=0 errors=0`.
    pub line: String,
    /// Whether the rules held.
    pub right: bool,
    /// The first things that went wrong, for people.
    pub troubles: Vec<String>,
}

impl Race {
    /// Runs all rounds.
    ///
    /// # Errors
    /// Where processes cannot be started or the database not be read.
    pub fn run(&self) -> Result<Report, Box<dyn Error>> {
        if !self.binary.is_file() {
            let binary = self.binary.display();
            return Err(format!("{binary} is not there: run `cargo build -p leasehold`").into());
        }
        match self.mode {
            Mode::OneFile => one_file::run(self),
            Mode::Killed => killed::run(self),
            Mode::Openers => openers::run(self),
            Mode::Sets => sets::run(self),
        }
    }

    fn random(&self) -> ChaCha8Rng {
        ChaCha8Rng::seed_from_u64(self.seed)
    }

    /// A bar on standard error; hidden where that is no terminal.
    fn progress(&self) -> ProgressBar {
        let bar = ProgressBar::new(self.rounds as u64);
        let style = ProgressStyle::with_template("{bar:30} {pos}/{len} rounds, {eta} left");
        bar.set_style(style.unwrap_or_else(|_| ProgressStyle::default_bar()));
        bar
    }
}

/// A folder that the racers work in, with the database.
struct Ring {
    folder: tempfile::TempDir,
    root: PathBuf,
}

impl Ring {
    fn new() -> Result<Self, Box<dyn Error>> {
        let folder = tempfile::tempdir()?;
        let root = folder.path().canonicalize()?;
        Ok(Self { folder, root })
    }

    fn database(&self) -> PathBuf {
        self.root.join("leases.db")
    }

    /// The database, opened by this process.
    fn store(&self) -> Result<Store, Box<dyn Error>> {
        let options: Options = bench::store_options();
        Ok(Store::open(&self.database(), options)?)
    }

    fn path(&self) -> &Path {
        &self.root
    }

    fn close(self) -> Result<(), Box<dyn Error>> {
        Ok(self.folder.close()?)
    }
}

/// What went wrong, counted, with the first few in words.
#[derive(Default)]
struct Troubles {
    count: usize,
    words: Vec<String>,
}

impl Troubles {
    fn add(&mut self, what: String) {
        self.count += 1;
        if self.words.len() < 5 {
            self.words.push(what);
        }
    }
}
