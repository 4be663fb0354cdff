//! Lock spans: from a process's first lock on the database's file until it has none.
//!
//! Where spans are what is ordered, a process gives way before each of them and nowhere else, and
//! who goes on is said from outside. What it does between two spans touches nothing that others can
//! see, so it goes with the span before it. The first span of a call begins before the call is
//! made: so a call is not older than what was done before its first lock, and an answer that knows
//! less than that is found.

use std::collections::BTreeSet;

use super::Machine;
use super::course::Verdict;
use super::kind::Kind;
use super::locks::{Handle, Level};

impl Machine {
    /// From now on processes give way before lock spans.
    pub(crate) fn order_spans(&mut self) {
        self.ahead = Some(BTreeSet::new());
    }

    /// Whether processes give way before lock spans.
    pub(super) fn orders_spans(&self) -> bool {
        self.ahead.is_some()
    }

    /// Lets a process go on.
    pub(crate) fn give_turn(&mut self, process: usize) {
        self.running = Some(process);
    }

    /// The process that runs is about to ask the store.
    pub(crate) fn before_call(&mut self) -> Verdict {
        let (Some(me), Some(ahead)) = (self.running, &mut self.ahead) else { return Verdict::Go };
        ahead.insert(me);
        Verdict::Suspend { fails: false }
    }

    /// The process that runs comes to a point.
    pub(super) fn at_span(&mut self, kind: Kind, me: usize, handle: Option<Handle>) -> Verdict {
        match kind {
            // Nobody else can end what it waits for while it has its span.
            Kind::Sleep => self.pass_time(),
            Kind::Lock if !self.has_lock(handle) => {
                let begun = self.ahead.as_mut().is_some_and(|ahead| ahead.remove(&me));
                if !begun {
                    return Verdict::Suspend { fails: false };
                }
            }
            _ => {}
        }
        Verdict::Go
    }

    fn has_lock(&self, handle: Option<Handle>) -> bool {
        handle.is_some_and(|handle| {
            let inode = self.inode(handle);
            inode.is_some_and(|inode| self.shared[inode].locks.level(handle) != Level::None)
        })
    }
}
