//! Goal: the time of a decision is read once the write lock is held (R4).
//! Method: another connection holds the lock while an acquire waits and the clock goes on.

use std::sync::Arc;
use std::sync::atomic::{AtomicI64, Ordering};
use std::sync::mpsc;
use std::thread;
use std::time::Duration;

use leasehold::clock::Clock;
use leasehold::owner::Owner;
use leasehold::resource;
use leasehold::store::{Acquired, Options, Request, Store, Sync};
use rusqlite::Connection;

/// A clock that tells when it is read.
struct TellingClock {
    now_ms: Arc<AtomicI64>,
    read: mpsc::Sender<()>,
}

impl Clock for TellingClock {
    fn now_ms(&self) -> i64 {
        // The receiver may be gone: then nobody waits for the word.
        let _ = self.read.send(());
        self.now_ms.load(Ordering::SeqCst)
    }
}

#[test]
fn the_clock_is_read_after_the_lock() {
    let folder = tempfile::tempdir().expect("a folder");
    let database = folder.path().join("leases.db");
    let now_ms = Arc::new(AtomicI64::new(1_800_000_000_000));
    let (read, reads) = mpsc::channel();
    let options = Options {
        clock: Box::new(TellingClock { now_ms: Arc::clone(&now_ms), read }),
        boot: Some("boot".to_owned()),
        busy_timeout: Duration::from_secs(30),
        sync: Sync::Normal,
    };
    let mut store = Store::open(&database, options).expect("open");
    let request = Request {
        owner: Owner::new("s", "t").expect("a name"),
        resources: resource::resolve(&folder.path().join("f"), None).expect("a resource"),
        ttl_ms: 1000,
        agent: "test".to_owned(),
        host: "test".to_owned(),
        cwd: None,
        note: None,
    };
    let other = Connection::open(&database).expect("the other connection");
    other.execute_batch("BEGIN IMMEDIATE").expect("the lock");
    while reads.try_recv().is_ok() {}

    let acquire = thread::spawn(move || store.acquire(&request));
    let early = reads.recv_timeout(Duration::from_millis(300));
    assert!(early.is_err(), "the clock was read while another held the lock");
    now_ms.store(1_800_000_060_000, Ordering::SeqCst);
    other.execute_batch("COMMIT").expect("the lock is given up");
    let answer = acquire.join().expect("no panic").expect("acquired");
    let Acquired::Granted(grants) = answer else { panic!("refused: {answer:?}") };
    assert_eq!(grants[0].acquired_ms, 1_800_000_060_000);
    assert_eq!(grants[0].expires_ms, 1_800_000_061_000);
}
