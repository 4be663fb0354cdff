//! What a call costs, as ratios measured side by side: absolute times say more about the machine.

mod fill;
mod process;

use std::error::Error;
use std::path::Path;
use std::time::{Duration, Instant};

use leasehold::resource;
use leasehold::store::Store;

pub(crate) use fill::options as store_options;

/// How many calls of each program are timed.
const CALLS: usize = 400;
/// How many acquires are timed in the process.
const ACQUIRES: usize = 400;

/// Prints the cost of one write call of the hook as a whole process beside that of an empty
/// program, and of one acquire over the number of leases.
///
/// # Errors
/// Where a program cannot be started, or a database not be made.
pub fn run(binaries: &Path) -> Result<(), Box<dyn Error>> {
    println!("one write call of the hook, whole process, beside an empty program ({CALLS} each)");
    println!(
        "{:<24} {:>10} {:>10} {:>7} {:>10} {:>10}",
        "leases", "hook", "empty", "ratio", "p99", "empty p99"
    );
    for (name, live, dead) in
        [("10 live", 10, 0), ("100,000 live", 100_000, 0), ("100,000 dead", 10, 100_000)]
    {
        let folder = tempfile::tempdir()?;
        let database = folder.path().join("leases.db");
        fill::fill(&database, live, dead)?;
        let pair = process::Pair::time(binaries, folder.path(), &database, CALLS)?;
        println!(
            "{name:<24} {:>10} {:>10} {:>7.2} {:>10} {:>10}",
            micros(pair.hook.median()),
            micros(pair.empty.median()),
            pair.hook.median().as_secs_f64() / pair.empty.median().as_secs_f64(),
            micros(pair.hook.p99()),
            micros(pair.empty.p99()),
        );
    }
    println!();
    println!("one acquire of a free file in the process, over the leases that are there");
    println!("{:<24} {:>10} {:>10} {:>7}", "live leases", "median", "p99", "ratio");
    let mut first = None;
    for live in [10, 1_000, 100_000, 1_000_000] {
        let folder = tempfile::tempdir()?;
        let database = folder.path().join("leases.db");
        fill::fill(&database, live, 0)?;
        let times = acquires(&database, folder.path())?;
        let base = *first.get_or_insert(times.median());
        let ratio = times.median().as_secs_f64() / base.as_secs_f64();
        let (median, p99) = (micros(times.median()), micros(times.p99()));
        println!("{live:<24} {median:>10} {p99:>10} {ratio:>7.2}");
    }
    Ok(())
}

fn acquires(database: &Path, folder: &Path) -> Result<Times, Box<dyn Error>> {
    let mut store = Store::open(database, fill::options())?;
    let mut times = Vec::new();
    for number in 0..ACQUIRES {
        let wanted = resource::resolve(&folder.join(format!("file-{number}")), None)?;
        let request = fill::request("bench", wanted, 3_600_000)?;
        let started = Instant::now();
        store.acquire(&request)?;
        times.push(started.elapsed());
    }
    Ok(Times::of(times))
}

/// Times in order.
pub(crate) struct Times(Vec<Duration>);

impl Times {
    pub(crate) fn of(mut times: Vec<Duration>) -> Self {
        times.sort();
        Self(times)
    }

    fn median(&self) -> Duration {
        self.0[self.0.len() / 2]
    }

    fn p99(&self) -> Duration {
        self.0[self.0.len() * 99 / 100]
    }
}

fn micros(time: Duration) -> String {
    format!("{} µs", time.as_micros())
}
