//! The real store on a real file, spoken to in the model's words.

use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicI64, Ordering};
use std::time::Duration;

use leasehold::clock::Clock;
use leasehold::resource::{self, Resource as StoreResource};
use leasehold::store::relic;
use leasehold::store::{Options, Store};
use leasehold_model::{FileId, Form, Lease, Millis, OldRow, Op, Outcome, Resource};
use leasehold_sim::words::{self, Fates, Places};
use rusqlite::Connection;
use tempfile::TempDir;

use super::schedule::Start;

/// Two names of one file, below the root of the tree.
const HARD_LINKS: [&str; 2] = ["r/h1", "r/h2"];

/// A clock that stands where it was put.
#[derive(Clone, Debug, Default)]
struct SetClock(Arc<AtomicI64>);

impl Clock for SetClock {
    fn now_ms(&self) -> i64 {
        self.0.load(Ordering::SeqCst)
    }
}

/// A database in a folder of its own, with a small tree that the resources are in.
pub struct System {
    _folder: TempDir,
    tree: Tree,
    database: PathBuf,
    clock: SetClock,
    fates: Fates,
    store: Option<Store>,
    /// What old engines wrote since the store last looked.
    unseen: Vec<Resource>,
}

impl System {
    /// The database as the run finds it.
    ///
    /// # Panics
    /// Where the folder cannot be made: nothing can be tested then.
    pub fn start(start: &Start) -> Self {
        let folder = TempDir::new().expect("a temporary folder");
        let root = folder.path().canonicalize().expect("the folder's real path");
        fs::create_dir_all(root.join("r/a")).expect("the tree");
        fs::write(root.join(HARD_LINKS[0]), "").expect("a file");
        fs::hard_link(root.join(HARD_LINKS[0]), root.join(HARD_LINKS[1])).expect("a link");
        let database = root.join("leases.db");
        let system = Self {
            _folder: folder,
            tree: Tree(root),
            database,
            clock: SetClock::default(),
            fates: Fates::default(),
            store: None,
            unseen: Vec::new(),
        };
        if let Start::Legacy(form, rows) = start {
            system.make_legacy(*form, rows);
        }
        system
    }

    /// Carries an operation out and tells the answer as the model would.
    ///
    /// # Panics
    /// When the store fails: no operation may.
    pub fn apply(&mut self, op: &Op, at_ms: Millis) -> Outcome {
        self.clock.0.store(at_ms, Ordering::SeqCst);
        self.look_between(op);
        match op {
            Op::Open { boot } => self.open(boot),
            Op::Fate { process, standing } => {
                self.fates.set(*process, *standing);
                Outcome::Done
            }
            Op::OldUpsert(row) => {
                self.old_upsert(row);
                Outcome::Done
            }
            Op::OldDelete { session } => {
                relic::delete(&self.old_engine(), session).expect("an old engine's delete");
                Outcome::Done
            }
            _ => {
                let store = self.store.as_mut().expect("an open comes first");
                words::ask(store, &self.tree, op).expect("the store answers")
            }
        }
    }

    /// All rows as the model's leases, by resource.
    ///
    /// # Panics
    /// When the store cannot be read, or was not opened.
    pub fn rows(&mut self) -> Vec<Lease> {
        let (leases, _) = self.store().leases().expect("the rows");
        leases.iter().map(|lease| words::lease(&self.tree, lease)).collect()
    }

    /// Two writes of old engines on one row between two looks are one to the store, which sees only
    /// the last. So the second one comes after a look.
    fn look_between(&mut self, op: &Op) {
        match op {
            Op::OldUpsert(row) if self.store.is_some() => {
                if self.unseen.iter().any(|one| one.is(&row.resource)) {
                    self.rows();
                    self.unseen.clear();
                }
                self.unseen.push(row.resource.clone());
            }
            Op::OldDelete { .. } | Op::OldUpsert(_) | Op::Open { .. } | Op::Fate { .. } => {}
            _ => self.unseen.clear(),
        }
    }

    fn store(&mut self) -> &mut Store {
        self.store.as_mut().expect("an open comes first")
    }

    fn open(&mut self, boot: &str) -> Outcome {
        // Closed first, as by a process that ended.
        self.store = None;
        let before = self.version();
        let options = Options {
            clock: Box::new(self.clock.clone()),
            processes: Box::new(self.fates.clone()),
            boot: Some(boot.to_owned()),
            ..Options::of_machine(Duration::from_secs(5))
        };
        self.store = Some(Store::open(&self.database, options).expect("open"));
        Outcome::Opened { upgraded: before == Some(0) }
    }

    /// The form of the file, if there is one.
    fn version(&self) -> Option<i64> {
        self.database.exists().then(|| {
            self.old_engine()
                .query_row("PRAGMA user_version", [], |row| row.get(0))
                .expect("the form")
        })
    }

    fn old_engine(&self) -> Connection {
        Connection::open(&self.database).expect("an old engine opens the file")
    }

    fn make_legacy(&self, form: Form, rows: &[OldRow]) {
        words::make_legacy(&self.database, form);
        for row in rows {
            self.old_upsert(row);
        }
    }

    fn old_upsert(&self, row: &OldRow) {
        words::old_upsert(&self.old_engine(), &self.tree, row).expect("an old engine's upsert");
    }
}

/// The small tree that the resources are in.
struct Tree(PathBuf);

impl Places for Tree {
    fn resource(&self, wanted: &Resource) -> StoreResource {
        let path = self.0.join(wanted.path().trim_start_matches('/'));
        let found = resource::resolve(&path, None).expect("a resource");
        let [one] = found.try_into().expect("no links in the tree");
        one
    }

    fn spelling(&self, wanted: &Resource) -> String {
        self.0.join(wanted.path().trim_start_matches('/')).to_string_lossy().into_owned()
    }

    fn name(&self, spelling: &str) -> Resource {
        let below = Path::new(spelling).strip_prefix(&self.0).expect("a path of the tree");
        let below = below.to_string_lossy();
        let resource = Resource::new(&below);
        if HARD_LINKS.contains(&&*below) { resource.with_file(FileId(1)) } else { resource }
    }
}
