//! Databases with many leases.

use std::error::Error;
use std::path::{Path, PathBuf};
use std::time::Duration;

use leasehold::clock::{Clock, SystemClock};
use leasehold::owner::Owner;
use leasehold::resource::{Key, Resource};
use leasehold::store::{Context, Options, Request, Store};

/// How many leases one transaction takes.
const AT_ONCE: usize = 10_000;

/// A clock of the day before: what is leased by it is long dead.
struct Yesterday;

impl Clock for Yesterday {
    fn now_ms(&self) -> i64 {
        SystemClock.now_ms() - 20 * 3_600_000
    }
}

/// How this program opens a database.
pub(crate) fn options() -> Options {
    Options::of_machine(Duration::from_secs(10))
}

/// A database with so many live and dead leases, spread over folders.
pub(super) fn fill(database: &Path, live: usize, dead: usize) -> Result<(), Box<dyn Error>> {
    let past = Options { clock: Box::new(Yesterday), ..options() };
    let mut store = Store::open(database, past)?;
    leases(&mut store, "dead", dead, 1000)?;
    drop(store);
    let mut store = Store::open(database, options())?;
    leases(&mut store, "live", live, 24 * 3_600_000)?;
    store.tidy(0)?;
    Ok(())
}

fn leases(store: &mut Store, tree: &str, count: usize, ttl_ms: i64) -> Result<(), Box<dyn Error>> {
    let numbers: Vec<usize> = (0..count).collect();
    for chunk in numbers.chunks(AT_ONCE) {
        let wanted = chunk.iter().map(|number| {
            let path = format!("/{tree}/folder-{}/file-{number}", number % 100);
            let key = Key::from_bytes(path.clone().into_bytes()).ok_or("a bad key")?;
            Ok(Resource { key, path: PathBuf::from(path), dev: None, hard_linked: None })
        });
        let wanted = wanted.collect::<Result<Vec<_>, Box<dyn Error>>>()?;
        store.acquire(&request(tree, wanted, ttl_ms)?)?;
    }
    Ok(())
}

/// A request for these resources.
pub(super) fn request(
    session: &str,
    resources: Vec<Resource>,
    ttl_ms: i64,
) -> Result<Request, Box<dyn Error>> {
    Ok(Request {
        owner: Owner::new(session, "t")?,
        resources,
        ttl_ms,
        agent: "bench".to_owned(),
        host: "bench".to_owned(),
        cwd: None,
        note: None,
        call: None,
        trees: Vec::new(),
        context: Context::default(),
    })
}
