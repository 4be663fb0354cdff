//! When two states are one: nothing that can happen, and no invariant, tells them apart.
//!
//! A key is what is left of a state when the following is forgotten. Each is sound for the
//! operations of `space/world.rs`, and for no more than those.
//!
//! * **When it is.** Times count from now. The model only compares them with now and with each
//!   other.
//! * **Names.** Sessions, the epochs of a session, and the two files are alike: the least of all
//!   ways to exchange them stands for all. No rule asks for a name, but for sub-agents and clients
//!   that name no turns, which are not in this world.
//! * **The numbers of fences.** That they differ is checked at each step, and the model asks no
//!   more of them. (The count also tells when to sweep, which only meets what has been dead for a
//!   day.) A model that gives a fence out again would be missed, so one thing is kept that the
//!   right one does not need: whether the last fence is held.
//! * **The starts.** They are compared among a session's turns that are not retired, whose order is
//!   kept, and between a lease and a sub-agent.
//! * **Since when a lease is held**, and the times of notes and retired turns. The first is told
//!   and never asked for. The others count when they are a day old, and here no day passes.
//! * **The order of turns and notes**, which counts where a session has more than is remembered.
//!
//! All else is kept as a hash, also what is the same in all states of this world: where that
//! changed, states would be told apart that are one, and never the other way round. The test shows
//! that states of one key lead to the same keys, but for whether the last fence is held.

use std::hash::{DefaultHasher, Hash, Hasher};

use leasehold_model::{Fence, Lease, Millis, Note, Owner, Resource, State, Turn};

use super::world::{EPOCHS, Moment, PATHS, SESSIONS};

/// What is left of a state.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(super) struct Key {
    rows: Box<[Row]>,
    /// The last fence was given out and is held no more.
    is_last_given_back: bool,
    rest: u64,
}

/// A lease, a turn or a note, with places instead of names. What it has not is 0.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
struct Row {
    session: u8,
    kind: Kind,
    epoch: u8,
    path: u8,
    /// The session that has had it since.
    by: u8,
    flags: [bool; 2],
    /// Its place among others, by the count of starts.
    rank: u8,
    /// From now.
    time: Millis,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
enum Kind {
    #[default]
    Lease,
    Turn,
    Note,
}

/// All orders of three sessions.
const ORDERS: [[u8; 3]; 6] = [[0, 1, 2], [0, 2, 1], [1, 0, 2], [1, 2, 0], [2, 0, 1], [2, 1, 0]];

/// What two states have in common if they are one.
pub(super) fn key(moment: &Moment) -> Key {
    let mut rest = DefaultHasher::new();
    let rows = rows(moment, &mut rest).unwrap_or_else(|| {
        // Something of another world: all of it counts.
        moment.state.hash(&mut rest);
        moment.now.hash(&mut rest);
        Vec::new()
    });
    let exchanged: Vec<Row> = rows.iter().map(|row| row.with_files_exchanged()).collect();
    Key {
        rows: least(&rows).min(least(&exchanged)).into(),
        is_last_given_back: is_last_given_back(&moment.state),
        rest: rest.finish(),
    }
}

fn is_last_given_back(state: &State) -> bool {
    let last = Fence::new(state.generation, state.count);
    state.count > 0 && state.leases.iter().all(|lease| lease.fence != Some(last))
}

/// The state as rows, and as a hash what does not fit them. None where a name is unknown.
fn rows(moment: &Moment, rest: &mut DefaultHasher) -> Option<Vec<Row>> {
    let State {
        leases,
        generation,
        count: _,
        boot,
        legacy,
        starts: _,
        turns,
        subagents,
        notes,
        sightings,
        standings,
    } = &moment.state;
    (generation, boot, legacy, subagents, sightings, standings).hash(rest);
    let now = moment.now;
    let mut rows = Vec::with_capacity(leases.len() + turns.len() + notes.len());
    for lease in leases {
        rows.push(of_lease(lease, now, rest)?);
    }
    for turn in turns {
        rows.push(of_turn(turn, turns, now, rest)?);
    }
    for note in notes {
        rows.push(of_note(note, rest)?);
    }
    Some(rows)
}

fn of_lease(lease: &Lease, now: Millis, rest: &mut DefaultHasher) -> Option<Row> {
    let Lease {
        resource,
        owner,
        agent,
        acquired: _,
        expires,
        ttl,
        fence,
        migrated,
        note,
        used: _,
        calls,
        kept,
        process,
    } = lease;
    (agent, ttl, fence.is_some(), migrated, note, calls, kept, process).hash(rest);
    let time = expires - now;
    Some(Row { path: path(resource)?, time, ..Row::of(Kind::Lease, owner)? })
}

fn of_turn(turn: &Turn, turns: &[Turn], now: Millis, rest: &mut DefaultHasher) -> Option<Row> {
    let Turn { owner, started, at, process, over, retired } = turn;
    process.hash(rest);
    let row = Row { flags: [*over, *retired], ..Row::of(Kind::Turn, owner)? };
    if *retired {
        return Some(row);
    }
    let before = |other: &&Turn| {
        other.owner.session == owner.session && !other.retired && other.started < *started
    };
    let rank = u8::try_from(turns.iter().filter(before).count()).ok()?;
    Some(Row { time: at - now, rank, ..row })
}

fn of_note(note: &Note, rest: &mut DefaultHasher) -> Option<Row> {
    let Note { owner, resource, at: _, taken, told } = note;
    let by = match taken {
        Some(taken) => {
            taken.agent.hash(rest);
            place(&SESSIONS, &taken.session)?
        }
        None => 0,
    };
    let flags = [taken.is_some(), *told];
    Some(Row { path: path(resource)?, by, flags, ..Row::of(Kind::Note, owner)? })
}

fn place(names: &[&str], name: &str) -> Option<u8> {
    let at = names.iter().position(|one| *one == name)?;
    u8::try_from(at).ok()
}

fn path(resource: &Resource) -> Option<u8> {
    place(&PATHS, &resource.path())
}

/// The least of the rows under all names of sessions and epochs.
fn least(rows: &[Row]) -> Vec<Row> {
    // The sessions in the order of what they are without their names; then only those that are the
    // same without need be tried in every order.
    let nameless = [0, 1, 2].map(|session| of_session(rows, session, [0; 3]));
    let is_in_order = |order: &&[u8; 3]| {
        order.is_sorted_by(|a, b| nameless[usize::from(*a)] <= nameless[usize::from(*b)])
    };
    let named = |order: &[u8; 3]| -> Vec<Row> {
        let mut names = [0; 3];
        for (session, name) in order.iter().zip(0..) {
            names[usize::from(*session)] = name;
        }
        order.iter().flat_map(|session| of_session(rows, *session, names)).collect()
    };
    ORDERS.iter().filter(is_in_order).map(named).min().unwrap_or_default()
}

/// The rows of one session, its epochs named so that they are least.
fn of_session(rows: &[Row], session: u8, names: [u8; 3]) -> Vec<Row> {
    let of_epochs = |exchanged: bool| -> Vec<Row> {
        let of_session = rows.iter().filter(|row| row.session == session);
        let mut renamed: Vec<Row> = of_session.map(|row| row.renamed(names, exchanged)).collect();
        renamed.sort_unstable();
        renamed
    };
    of_epochs(false).min(of_epochs(true))
}

impl Row {
    fn of(kind: Kind, owner: &Owner) -> Option<Self> {
        let session = place(&SESSIONS, &owner.session)?;
        let epoch = place(&EPOCHS, &owner.epoch)?;
        Some(Self { session, kind, epoch, ..Self::default() })
    }

    fn with_files_exchanged(self) -> Self {
        let path = [0, 2, 1][usize::from(self.path)];
        Self { path, ..self }
    }

    fn renamed(self, names: [u8; 3], are_epochs_exchanged: bool) -> Self {
        let session = names[usize::from(self.session)];
        let by =
            if self.flags[0] && self.kind == Kind::Note { names[usize::from(self.by)] } else { 0 };
        let epoch = if are_epochs_exchanged { 1 - self.epoch } else { self.epoch };
        Self { session, epoch, by, ..self }
    }
}

#[cfg(test)]
mod tests {
    //! Goal: what a key forgets is never missed, and names are forgotten.
    //! Method: random walks come to many different states of one key. From each, the moves must
    //! lead to the same keys with the same kinds of answers as from the first one. And the same
    //! walk under other names must come to the same keys.

    use std::collections::HashMap;

    use leasehold_model::{Outcome, step};
    use rand_chacha::ChaCha8Rng;
    use rand_chacha::rand_core::{Rng as _, SeedableRng as _};

    use super::super::world::{Moment, Move, moves};
    use super::{Key, ORDERS, key};

    const WALKS: usize = 200;
    const LENGTH: usize = 8;

    /// The moves of many walks, as places among all moves.
    fn walks(seed: u64) -> Vec<Vec<usize>> {
        let mut random = ChaCha8Rng::seed_from_u64(seed);
        let limit = moves().len() as u64;
        let mut place = || usize::try_from(random.next_u64() % limit).expect("a usize");
        (0..WALKS).map(|_| (0..LENGTH).map(|_| place()).collect()).collect()
    }

    /// What a move leads to: the next moment, and the first word of the answer.
    fn make(before: &Moment, by: &Move) -> Option<(Moment, String)> {
        let Moment { state, now } = before;
        match by {
            Move::Ask(op) => {
                let (state, outcome) = step(state, op, *now);
                Some((Moment { state, now: *now }, kind(&outcome)))
            }
            Move::Clock(clock) => {
                let now = clock.from(before)?;
                Some((Moment { state: state.clone(), now }, String::new()))
            }
        }
    }

    fn kind(outcome: &Outcome) -> String {
        match outcome {
            // Exact, for it names nobody.
            Outcome::Released(_) | Outcome::Reaped(_) => format!("{outcome:?}"),
            Outcome::Begun(_, released, notes) => format!("Begun {released:?} {}", notes.len()),
            other => format!("{other:?}").split('(').next().unwrap_or_default().to_owned(),
        }
    }

    /// The key without what the right model does not need.
    fn needed(moment: &Moment) -> Key {
        Key { is_last_given_back: false, ..key(moment) }
    }

    /// All that can come of a moment, in an order that does not depend on names.
    fn futures(moment: &Moment, moves: &[Move]) -> Vec<(String, Key)> {
        let next = moves.iter().filter_map(|by| make(moment, by));
        let mut futures: Vec<_> = next.map(|(next, said)| (said, needed(&next))).collect();
        futures.sort();
        futures
    }

    #[test]
    fn states_of_one_key_lead_to_the_same_keys() {
        let moves = moves();
        let mut first: HashMap<Key, (Moment, Vec<(String, Key)>)> = HashMap::new();
        let mut compared = 0;
        for walk in walks(1) {
            let mut moment = Moment::first();
            for by in walk {
                let Some((next, _)) = make(&moment, &moves[by]) else { continue };
                moment = next;
                let known = first
                    .entry(needed(&moment))
                    .or_insert_with(|| (moment.clone(), futures(&moment, &moves)));
                if known.0 != moment {
                    compared += 1;
                    let futures = futures(&moment, &moves);
                    assert!(futures == known.1, "{moment:#?}\nis not\n{:#?}", known.0);
                }
            }
        }
        assert!(compared > 500, "only {compared} pairs");
    }

    /// The move of another session's other turn on the other file.
    fn renamed(by: usize, sessions: [u8; 3]) -> usize {
        /// For one owner, in the order of `world.rs`.
        const FILES_EXCHANGED: [usize; 12] = [0, 2, 1, 3, 5, 4, 6, 8, 7, 9, 10, 11];
        let of_owner = FILES_EXCHANGED.len();
        let owner = by / of_owner;
        let Some(session) = sessions.get(owner / 2) else { return by };
        (usize::from(*session) * 2 + 1 - owner % 2) * of_owner + FILES_EXCHANGED[by % of_owner]
    }

    #[test]
    fn names_are_forgotten() {
        let moves = moves();
        for (walk, sessions) in walks(2).into_iter().zip(ORDERS.iter().cycle()) {
            let (mut one, mut other) = (Moment::first(), Moment::first());
            // All that happens to it happens later, and after a grant that nobody knows of.
            other.now += 1_000;
            other.state.count += 1;
            for by in walk {
                let next = make(&one, &moves[by]);
                let twin = make(&other, &moves[renamed(by, *sessions)]);
                let (Some((next, said)), Some((twin, same))) = (next, twin) else { continue };
                assert_eq!((said, needed(&next)), (same, needed(&twin)), "{next:?}\n{twin:?}");
                (one, other) = (next, twin);
            }
        }
    }
}
