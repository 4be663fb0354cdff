//! Goal: what a decision rests on is read once the write lock is held: the time (R4), and whether
//! the caller's turn is retired (R8).
//! Method: another connection holds the lock while an acquire waits, and what it rests on changes.

use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicI64, Ordering};
use std::sync::mpsc::{self, Receiver};
use std::thread::{self, JoinHandle};
use std::time::Duration;

use leasehold::clock::Clock;
use leasehold::owner::Owner;
use leasehold::resource;
use leasehold::store::{Acquired, Context, Options, Request, Store};
use rusqlite::Connection;
use tempfile::TempDir;

/// Time enough for a thread to come to the lock.
const A_WHILE: Duration = Duration::from_millis(300);

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

/// A database, and the owner that will wait for its lock.
struct Scene {
    folder: TempDir,
    now_ms: Arc<AtomicI64>,
    reads: Receiver<()>,
    store: Store,
    owner: Owner,
}

impl Scene {
    fn new() -> Self {
        let folder = tempfile::tempdir().expect("a folder");
        let now_ms = Arc::new(AtomicI64::new(1_800_000_000_000));
        let (read, reads) = mpsc::channel();
        let options = Options {
            clock: Box::new(TellingClock { now_ms: Arc::clone(&now_ms), read }),
            ..Options::of_machine(Duration::from_secs(30))
        };
        let store = Store::open(&folder.path().join("leases.db"), options).expect("open");
        let owner = Owner::new("s", "t").expect("a name");
        Self { folder, now_ms, reads, store, owner }
    }

    fn file(&self) -> PathBuf {
        self.folder.path().join("f")
    }

    /// Another connection, which holds the lock. The clock has not been read since.
    fn locked(&self) -> Connection {
        let other = Connection::open(self.folder.path().join("leases.db"));
        let other = other.expect("the other connection");
        other.execute_batch("BEGIN IMMEDIATE").expect("the lock");
        while self.reads.try_recv().is_ok() {}
        other
    }

    /// An acquire on a thread of its own.
    fn acquire(mut self) -> Waiting {
        let request = Request {
            owner: self.owner.clone(),
            resources: resource::resolve(&self.file(), None).expect("a resource"),
            ttl_ms: 1000,
            agent: "test".to_owned(),
            host: "test".to_owned(),
            cwd: None,
            note: None,
            call: None,
            trees: Vec::new(),
            context: Context::default(),
        };
        let thread = thread::spawn(move || self.store.acquire(&request).expect("an answer"));
        Waiting { thread, now_ms: self.now_ms, reads: self.reads, _folder: self.folder }
    }
}

/// An acquire that waits for the lock.
struct Waiting {
    thread: JoinHandle<Acquired>,
    now_ms: Arc<AtomicI64>,
    reads: Receiver<()>,
    _folder: TempDir,
}

impl Waiting {
    fn answer(self) -> Acquired {
        self.thread.join().expect("no panic")
    }
}

#[test]
fn the_clock_is_read_after_the_lock() {
    let scene = Scene::new();
    let other = scene.locked();
    let acquire = scene.acquire();
    let early = acquire.reads.recv_timeout(A_WHILE);
    assert!(early.is_err(), "the clock was read while another held the lock");
    acquire.now_ms.store(1_800_000_060_000, Ordering::SeqCst);
    other.execute_batch("COMMIT").expect("the lock is given up");
    let answer = acquire.answer();
    let Acquired::Granted { grants, .. } = answer else { panic!("refused: {answer:?}") };
    assert_eq!(grants[0].acquired_ms, 1_800_000_060_000);
    assert_eq!(grants[0].expires_ms, 1_800_000_061_000);
}

#[test]
fn a_turn_that_is_superseded_while_it_waits_for_the_lock_is_stale() {
    let mut scene = Scene::new();
    scene.store.begin(&scene.owner, &Context::default()).expect("begin");
    let other = scene.locked();
    let acquire = scene.acquire();
    thread::sleep(A_WHILE);
    // As a begin of the next turn would, in a transaction that was there first.
    let retired = other.execute("UPDATE turns SET retired = 1 WHERE epoch = 't'", []);
    assert_eq!(retired, Ok(1));
    other.execute_batch("COMMIT").expect("the lock is given up");
    assert_eq!(acquire.answer(), Acquired::Stale);
}
