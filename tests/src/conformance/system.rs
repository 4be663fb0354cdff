//! The real store on a real file, spoken to in the model's words.

use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicI64, Ordering};
use std::time::Duration;

use leasehold::clock::Clock;
use leasehold::lease::Lease as StoredLease;
use leasehold::owner::Owner as StoreOwner;
use leasehold::resource::{self, Resource as StoreResource};
use leasehold::store::{self, Acquired, HandOver, Options, Request, Store};
use leasehold_model::{
    Busy, Fence, FileId, Form, Grant, Lease, Millis, Note, OldRow, Op, Outcome, Owner, Released,
    Resource, Taken,
};
use rusqlite::{Connection, params};
use tempfile::TempDir;

use super::schedule::Start;
use super::words::{self, Fates};

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
    root: PathBuf,
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
            root,
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
            Op::Acquire { owner, resources, trees, terms, call, context } => {
                let request = Request {
                    owner: owner_of(owner),
                    resources: resources.iter().map(|one| self.resource(one)).collect(),
                    trees: trees.iter().map(|one| self.resource(one)).collect(),
                    ttl_ms: terms.ttl,
                    agent: terms.agent.clone(),
                    host: "test".to_owned(),
                    cwd: None,
                    note: terms.note.clone(),
                    call: call.as_ref().map(words::shell_call),
                    context: words::context(context),
                };
                let answer = self.store().acquire(&request).expect("acquire");
                self.acquired(&request.owner, answer)
            }
            Op::Release { owner, hand_over } => {
                let hand_over = if *hand_over { HandOver::Migrated } else { HandOver::Nothing };
                released(self.store().release(&owner_of(owner), hand_over).expect("release"))
            }
            Op::Begin { .. }
            | Op::SubagentStart { .. }
            | Op::Post { .. }
            | Op::End { .. }
            | Op::EndSession { .. } => self.live(op),
            Op::Fate { process, standing } => {
                self.fates.set(*process, *standing);
                Outcome::Done
            }
            Op::Check { resource } => {
                let wanted = [self.resource(resource)];
                let held = self.store().check(&wanted).expect("check");
                Outcome::Held(held.iter().map(|lease| self.lease(lease)).collect())
            }
            Op::CheckFence { resource, fence } => {
                let wanted = self.resource(resource);
                Outcome::FenceLeft(self.store().check_fence(&wanted, fence.0).expect("check"))
            }
            Op::Reap => Outcome::Reaped(self.store().reap().expect("reap")),
            Op::OldUpsert(row) => {
                self.old_upsert(row);
                Outcome::Done
            }
            Op::OldDelete { session } => {
                self.old_engine()
                    .execute("DELETE FROM leases WHERE session = ?1", params![session])
                    .expect("an old engine's delete");
                Outcome::Done
            }
        }
    }

    /// All rows as the model's leases, by resource.
    ///
    /// # Panics
    /// When the store cannot be read, or was not opened.
    pub fn rows(&mut self) -> Vec<Lease> {
        let (leases, _) = self.store().leases().expect("the rows");
        leases.iter().map(|lease| self.lease(lease)).collect()
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
        store::relic::make(&self.database, &[]).expect("a legacy database");
        if form != Form::First {
            self.old_engine()
                .execute_batch("ALTER TABLE leases ADD COLUMN epoch TEXT NOT NULL DEFAULT ''")
                .expect("the second form");
        }
        for row in rows {
            self.old_upsert(row);
        }
    }

    /// What the engines before this one run to take or renew a lease.
    fn old_upsert(&self, row: &OldRow) {
        let (column, value, update) = match &row.epoch {
            Some(_) => (", epoch", ", ?7", ", epoch = excluded.epoch"),
            None => ("", "", ""),
        };
        let sql = format!(
            "INSERT INTO leases(resource, session, agent, host, acquired, expires, note{column})
             VALUES (?1, ?2, ?3, 'old', ?4, ?5, ?6{value})
             ON CONFLICT(resource) DO UPDATE SET session = excluded.session,
                 agent = excluded.agent, acquired = excluded.acquired,
                 expires = excluded.expires, note = excluded.note{update}"
        );
        let resource = self.path(&row.resource);
        let resource = resource.to_string_lossy();
        let (acquired, expires) = (seconds(row.acquired), seconds(row.expires));
        let connection = self.old_engine();
        let done = match &row.epoch {
            Some(epoch) => connection.execute(
                &sql,
                params![resource, row.session, row.agent, acquired, expires, row.note, epoch],
            ),
            None => connection.execute(
                &sql,
                params![resource, row.session, row.agent, acquired, expires, row.note],
            ),
        };
        done.expect("an old engine's upsert");
    }

    fn path(&self, resource: &Resource) -> PathBuf {
        self.root.join(resource.path().trim_start_matches('/'))
    }

    fn resource(&self, wanted: &Resource) -> StoreResource {
        let found = resource::resolve(&self.path(wanted), None).expect("a resource");
        let [one] = found.try_into().expect("no links in the tree");
        one
    }

    /// The model's name of a path of the tree.
    fn name(&self, spelling: &str) -> Resource {
        let below = Path::new(spelling).strip_prefix(&self.root).expect("a path of the tree");
        let below = below.to_string_lossy();
        let resource = Resource::new(&below);
        if HARD_LINKS.contains(&&*below) { resource.with_file(FileId(1)) } else { resource }
    }

    fn lease(&self, lease: &StoredLease) -> Lease {
        Lease {
            resource: self.name(&lease.resource),
            owner: Owner {
                session: lease.owner.session().to_owned(),
                epoch: lease.owner.epoch().to_owned(),
            },
            agent: lease.agent.clone(),
            acquired: lease.acquired_ms,
            expires: lease.expires_ms,
            ttl: lease.ttl_ms,
            fence: lease.fence.map(Fence),
            migrated: lease.migrated,
            note: lease.note.clone(),
            used: lease.used,
            calls: lease.calls.iter().map(words::call).collect(),
            kept: lease.kept,
            process: lease.process.as_deref().map(words::process_of_text),
        }
    }

    /// The events of a turn's and a session's life.
    fn live(&mut self, op: &Op) -> Outcome {
        match op {
            Op::Begin { owner, context } => {
                let begun = self.store().begin(&owner_of(owner), &words::context(context));
                let store::Begun { owner, released: answer, lost } = begun.expect("begin");
                let owner = words::owner(&owner);
                let notes = self.notes(&owner, &lost);
                Outcome::Begun(owner, released_of(answer), notes)
            }
            Op::SubagentStart { owner, context } => {
                let context = words::context(context);
                self.store().start_subagent(&owner_of(owner), &context).expect("start");
                Outcome::Done
            }
            Op::Post { owner, resources, call, context } => {
                let written: Vec<_> = resources.iter().map(|one| self.resource(one)).collect();
                let state = call.as_ref().map(|(id, state)| (id, words::call_state(state)));
                let call = state.as_ref().map(|(id, state)| (id.as_str(), state));
                let context = words::context(context);
                let posted = self.store().post(&owner_of(owner), &written, call, &context);
                let store::Posted { taken, lost } = posted.expect("post");
                let taken = taken.iter().map(|lease| self.lease(lease)).collect();
                Outcome::Posted(taken, self.notes(owner, &lost))
            }
            Op::End { owner, how, context } => {
                let context = words::context(context);
                released(
                    self.store().end(&owner_of(owner), &words::end(how), &context).expect("end"),
                )
            }
            Op::EndSession { session, context } => {
                released(self.store().end_session(session, &words::context(context)).expect("end"))
            }
            _ => panic!("{op:?} is no event of a life"),
        }
    }

    /// What an owner is told, as far as the store says it. The rest is as the model has it.
    fn notes(&self, owner: &Owner, lost: &[store::Lost]) -> Vec<Note> {
        let note = |one: &store::Lost| Note {
            owner: owner.clone(),
            resource: self.name(&one.resource),
            at: 0,
            taken: Some(Taken {
                agent: one.agent.clone(),
                session: one.session.clone(),
                at: one.taken_ms,
            }),
            told: true,
        };
        lost.iter().map(note).collect()
    }

    fn acquired(&self, owner: &StoreOwner, answer: Acquired) -> Outcome {
        match answer {
            Acquired::Granted { grants, reclaimed } => {
                let grants = grants.into_iter().map(|grant| Grant {
                    resource: self.name(&grant.resource),
                    fence: Fence(grant.fence),
                    acquired: grant.acquired_ms,
                    expires: grant.expires_ms,
                });
                let grants = grants.collect();
                if reclaimed.is_empty() {
                    return Outcome::Acquired(grants);
                }
                let reclaimed = reclaimed.iter().map(|lease| self.lease(lease)).collect();
                Outcome::Reclaimed(grants, reclaimed)
            }
            Acquired::Stale => Outcome::Stale,
            Acquired::Lost(lost) => Outcome::Lost(self.notes(&words::owner(owner), &lost)),
            Acquired::Busy(busy) => {
                assert_eq!(busy.more, 0, "the tree has too few paths for more");
                let holders = busy.conflicts.iter().map(|conflict| self.lease(&conflict.lease));
                Outcome::Busy(Busy { holders: holders.collect() })
            }
        }
    }
}

fn owner_of(owner: &Owner) -> StoreOwner {
    StoreOwner::new(&owner.session, &owner.epoch).expect("a good name")
}

fn released(answer: store::Released) -> Outcome {
    Outcome::Released(released_of(answer))
}

fn released_of(answer: store::Released) -> Released {
    match answer {
        store::Released::Count(count) => Released::Count(count),
        store::Released::EpochMismatch => Released::EpochMismatch,
        store::Released::Absent => Released::Absent,
    }
}

#[expect(clippy::cast_precision_loss, reason = "exact up to the year 287396")]
fn seconds(ms: Millis) -> f64 {
    ms as f64 / 1000.0
}
