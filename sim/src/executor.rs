//! Runs virtual processes in turn on one thread, each on a stack of its own.

use std::cell::RefCell;

use corosensei::stack::DefaultStack;
use corosensei::{Coroutine, CoroutineResult, on_stack};

use crate::machine;
use crate::machine::kind::Kind;
use crate::vfs;

/// Enough for SQLite and the store in a debug build.
const STACK_BYTES: usize = 512 * 1024;

/// What one virtual process does.
pub(crate) type Body = Box<dyn FnOnce()>;

/// A virtual process on its stack.
pub(crate) type Lane = Coroutine<(), (), ()>;

thread_local! {
    /// Stacks that are free: making one costs more than a short run.
    static STACKS: RefCell<Vec<DefaultStack>> = const { RefCell::new(Vec::new()) };
}

/// Runs all of them to their ends. The machine says who goes on; who was killed is run to its end
/// at once, for the frames of C on its stack must return.
///
/// # Panics
/// When there is no memory for a stack.
pub(crate) fn run(bodies: Vec<Body>) {
    let mut lanes: Vec<Option<Lane>> = bodies.into_iter().map(|body| Some(lane(body))).collect();
    loop {
        while let Some(dead) = machine::with(|machine| machine.undrained()) {
            drain(&mut lanes, dead);
        }
        let Some(next) = machine::with(|machine| machine.running()) else { return };
        resume(&mut lanes[next]);
    }
}

/// Runs something to its end on a stack of this size, for a caller whose own is small.
///
/// # Panics
/// When there is no memory for a stack.
pub(crate) fn aside<T>(body: impl FnOnce() -> T) -> T {
    let mut stack = stack();
    let made = on_stack(&mut stack, body);
    STACKS.with_borrow_mut(|stacks| stacks.push(stack));
    made
}

fn stack() -> DefaultStack {
    let free = STACKS.with_borrow_mut(Vec::pop);
    free.unwrap_or_else(|| DefaultStack::new(STACK_BYTES).expect("memory for a stack"))
}

/// A process that has not begun yet.
pub(crate) fn lane(body: Body) -> Lane {
    Coroutine::with_stack(stack(), move |yielder, ()| {
        vfs::on_own_stack(yielder, || {
            if vfs::enter(Kind::Start, None, 0) {
                body();
            }
            vfs::enter(Kind::End, None, 0);
        });
    })
}

/// Lets a process go on to its next wait. True where it has reached its end.
pub(crate) fn resume(slot: &mut Option<Lane>) -> bool {
    let Some(lane) = slot else { return true };
    if let CoroutineResult::Yield(()) = lane.resume(()) {
        return false;
    }
    if let Some(lane) = slot.take() {
        STACKS.with_borrow_mut(|stacks| stacks.push(lane.into_stack()));
    }
    true
}

fn drain(lanes: &mut [Option<Lane>], dead: usize) {
    let (memory, running) =
        machine::with(|machine| (machine.copy_shared_memory(), machine.drain(dead)));
    while !resume(&mut lanes[dead]) {}
    machine::with(|machine| {
        machine.restore_shared_memory(&memory);
        machine.drained(dead, running);
    });
}
