//! The course of a run: what happens at each point, and who goes on after it.

use super::disk::{Inode, Remains};
use super::fault::{Fault, Mishap};
use super::kind::Kind;
use super::locks::{Handle, Level, SLOTS};
use super::plan::{Preemption, Stale};
use super::{Choice, Event, Life, Machine, Point};
use crate::rare::Rare;

/// A run with more points than this has no end.
const POINTS_MAX: u64 = 400_000;

/// What the process at a point does next.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Verdict {
    /// It goes on.
    Go,
    /// Somebody else goes on first; whether its call fails after that.
    Suspend { fails: bool },
    /// Its call fails.
    Fail,
}

impl Machine {
    /// A process comes to a point. The numbers go into the trace.
    pub(crate) fn point(&mut self, kind: Kind, handle: Option<Handle>, detail: u64) -> Verdict {
        let Some(me) = self.running else { return Verdict::Go };
        if self.lives[me] == Life::Killed {
            return Verdict::Fail;
        }
        self.points += 1;
        let at = self.points;
        self.mix((me as u64) << 8 | kind as u64);
        self.mix(detail);
        if let Some(trace) = &mut self.trace {
            let file = handle.and_then(|handle| self.open[handle].as_ref());
            let file = file.map_or("", |open| open.name);
            trace.push(Event::Point(Point { at, process: me, kind, file, detail }));
        }
        if kind == Kind::End {
            self.lives[me] = Life::Ended;
        }
        if kind == Kind::Exit {
            self.kill(me);
        }
        let fails = self.strike(at, kind, me, handle);
        if at >= POINTS_MAX {
            self.endless = true;
            self.kill_all();
        }
        if self.orders_spans() {
            return self.at_span(kind, me, handle);
        }
        let verdict = self.choose(at, kind, me, fails);
        // Nothing comes after the end, so there is nothing to wait for.
        if kind == Kind::End { Verdict::Go } else { verdict }
    }

    /// The process waits for so long, and somebody else goes on.
    pub(crate) fn sleep(&mut self, micros: u64) -> Verdict {
        if let Some(me) = self.running
            && self.lives[me] == Life::Ready
        {
            self.lives[me] = Life::Parked(self.micros.saturating_add(micros));
            self.slept[me] = self.slept[me].saturating_add(micros);
        }
        self.point(Kind::Sleep, None, micros)
    }

    /// The process waits because SQLite found somebody in its way.
    pub(crate) fn wait_for_lock(&mut self, micros: u64) -> Verdict {
        if self.running.is_some_and(|me| self.lives[me] == Life::Ready) {
            self.seen.insert(Rare::Waited);
        }
        self.sleep(micros)
    }

    /// What the list of faults says of this point. True where the call is to fail.
    fn strike(&mut self, at: u64, kind: Kind, me: usize, handle: Option<Handle>) -> bool {
        let mut fails = false;
        while self.faults.first().is_some_and(|fault| fault.at <= at) {
            let fault = self.faults.remove(0);
            if fault.at < at || fault.kind.is_some_and(|expected| expected != kind) {
                let says = fault.kind.map_or("another point", Kind::name);
                let why = format!("it says `{says}`, and it is `{}`", kind.name());
                self.stale.get_or_insert(Stale { at: fault.at, why });
                continue;
            }
            match fault.what {
                Mishap::Kill(process) => {
                    if !matches!(self.lives.get(process), Some(Life::Ready | Life::Parked(_))) {
                        continue;
                    }
                    self.kill(process);
                    if process == me {
                        let log = handle.and_then(|one| self.open[one].as_ref());
                        let log = log.is_some_and(|open| open.name == "wal");
                        if log && matches!(kind, Kind::Write | Kind::Sync) {
                            self.seen.insert(Rare::KilledInLog);
                        }
                    }
                }
                Mishap::Pause(span_ms) => {
                    if self.lives[me] != Life::Ready {
                        continue;
                    }
                    let span = u64::try_from(span_ms).unwrap_or(0).saturating_mul(1000);
                    self.lives[me] = Life::Parked(self.micros.saturating_add(span));
                }
                Mishap::Clock(by_ms) => {
                    self.skew_ms = self.skew_ms.saturating_add(by_ms);
                    if by_ms < 0 {
                        self.seen.insert(Rare::ClockBack);
                    }
                }
                Mishap::Error => {
                    if !kind.can_fail() {
                        continue;
                    }
                    fails = true;
                }
                Mishap::Full => {
                    if kind != Kind::Write {
                        continue;
                    }
                    self.full.insert(me);
                    self.seen.insert(Rare::DiskFull);
                    fails = true;
                }
                Mishap::PowerLoss(loss) => {
                    self.power = Some(loss);
                    self.kill_all();
                }
            }
            self.note(|| format!("** {} **", fault.what));
            self.struck.push(Fault { kind: Some(kind), ..fault });
        }
        fails
    }

    fn kill_all(&mut self) {
        for process in 0..self.lives.len() {
            if matches!(self.lives[process], Life::Ready | Life::Parked(_)) {
                self.kill(process);
            }
        }
    }

    /// The process is gone: so are its locks, and what it still does counts for nothing.
    fn kill(&mut self, process: usize) {
        self.lives[process] = Life::Killed;
        if self.drop_lock(process) {
            self.seen.insert(Rare::KilledInWrite);
        }
        for handle in 0..self.open.len() {
            if let Some(open) = self.open[handle].as_ref().filter(|open| open.process == process) {
                self.forget(handle, open.inode);
            }
        }
    }

    pub(super) fn forget(&mut self, handle: Handle, inode: Inode) {
        let shared = &mut self.shared[inode];
        shared.locks.unlock(handle, Level::None);
        shared.slots.release(handle, 0..SLOTS);
        shared.attached.retain(|one| *one != handle);
    }

    /// Who goes on.
    fn choose(&mut self, at: u64, kind: Kind, me: usize, fails: bool) -> Verdict {
        let leaves_nobody = self.lives[me] != Life::Ready || at == self.points_before + 1;
        if self.ready().is_empty() {
            self.pass_time();
        }
        let (ready, parked) = (self.ready(), self.parked());
        let Some(usual) = usual(me, &ready) else {
            self.running = None;
            return Verdict::Suspend { fails };
        };
        let done = self.done[me].replace(kind);
        if let Some(choices) = &mut self.choices {
            let but = |all: &[usize], one: usize| -> Vec<usize> {
                all.iter().copied().filter(|other| *other != one).collect()
            };
            // What is published in shared memory before a barrier was written since the last point.
            let is_news = kind == Kind::ShmBarrier || done.is_some_and(Kind::shows);
            let others = but(&ready, usual);
            let sleepers = if is_news { but(&parked, me) } else { Vec::new() };
            if !others.is_empty() || !sleepers.is_empty() {
                choices.push(Choice { at, kind, leaves_nobody, usual, others, sleepers });
            }
        }
        let next = match self.plan.choose(at, kind, usual, &ready, &parked) {
            Ok(next) => next,
            Err(stale) => {
                self.stale.get_or_insert(stale);
                usual
            }
        };
        if next != usual {
            self.taken.push(Preemption { at, kind, to: next });
        }
        if let Life::Parked(until) = self.lives[next] {
            self.pass_time_until(until);
        }
        self.running = Some(next);
        if next == me && self.undrained().is_none() {
            return if fails { Verdict::Fail } else { Verdict::Go };
        }
        Verdict::Suspend { fails }
    }

    fn ready(&self) -> Vec<usize> {
        self.those(|life| life == Life::Ready)
    }

    fn parked(&self) -> Vec<usize> {
        self.those(|life| matches!(life, Life::Parked(_)))
    }

    fn those(&self, are: impl Fn(Life) -> bool) -> Vec<usize> {
        (0..self.lives.len()).filter(|process| are(self.lives[*process])).collect()
    }

    /// Nobody can go on: the clock moves to the moment at which somebody can.
    pub(super) fn pass_time(&mut self) {
        let parked = self.lives.iter().filter_map(|life| match life {
            Life::Parked(until) => Some(*until),
            _ => None,
        });
        if let Some(until) = parked.min() {
            self.pass_time_until(until);
        }
    }

    /// The clock moves to this moment: whoever is in the middle of something has taken so long.
    fn pass_time_until(&mut self, until: u64) {
        self.micros = self.micros.max(until);
        for life in &mut self.lives {
            if matches!(life, Life::Parked(until) if *until <= self.micros) {
                *life = Life::Ready;
            }
        }
    }

    /// The files as they are in the end go into the trace, byte by byte.
    pub(crate) fn mix_disk(&mut self) {
        let disk = std::mem::take(&mut self.disk);
        for bytes in disk.contents() {
            self.mix(bytes.len() as u64);
            for chunk in bytes.chunks(8) {
                let mut word = [0; 8];
                word[..chunk.len()].copy_from_slice(chunk);
                self.mix(u64::from_le_bytes(word));
            }
        }
        self.disk = disk;
    }

    pub(super) fn mix(&mut self, value: u64) {
        self.hash = (self.hash ^ value).wrapping_mul(0x0000_0100_0000_01b3).rotate_left(23);
    }

    /// The power goes now, if it is to: everything but the disk is gone.
    pub(crate) fn lose_power(&mut self) -> bool {
        let Some(loss) = self.power.take() else {
            // A machine that is shut down writes everything first.
            self.disk.shut_down();
            return false;
        };
        let Remains { changes, torn, dropped } = self.disk.lose_power(loss, &mut self.rng);
        self.unsynced = changes;
        if torn > 0 {
            self.seen.insert(Rare::Torn);
        }
        if dropped > 0 {
            self.seen.insert(Rare::Dropped);
        }
        self.shared.clear();
        self.open.clear();
        true
    }
}

/// Who goes on where nobody is preferred: the process that runs, and where it cannot, the next one
/// by number that can.
fn usual(me: usize, ready: &[usize]) -> Option<usize> {
    let stays = ready.iter().find(|one| **one == me);
    stays.or_else(|| ready.iter().find(|one| **one > me)).or(ready.first()).copied()
}
