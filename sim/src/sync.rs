//! The one switch between loom and a plain build.
//!
//! With the feature `loom` a body is run once for every order in which its threads can take their
//! locks. Without it there is one order: each thread runs to its end before the next one begins.
//! The mutexes are called locks, for those of the standard library may stand beside them.

#[cfg(feature = "loom")]
pub(crate) use of_loom::{Lock, explore, together};
#[cfg(not(feature = "loom"))]
pub(crate) use plain::{Lock, explore, together};

#[cfg(feature = "loom")]
mod of_loom {
    use loom::model::Builder;
    pub(crate) use loom::sync::Mutex as Lock;
    use loom::thread;

    /// Runs the body for every order of its threads, or for those with at most so many
    /// preemptions. What the environment says of bounds does not count.
    pub(crate) fn explore(preemptions: Option<usize>, body: impl Fn() + Send + Sync + 'static) {
        let mut builder = Builder::new();
        builder.preemption_bound = preemptions;
        builder.max_permutations = None;
        builder.max_duration = None;
        builder.check(body);
    }

    /// Runs threads at once, and waits for all of them.
    pub(crate) fn together(threads: impl Iterator<Item = impl FnOnce() + 'static>) {
        let begun: Vec<_> = threads.map(thread::spawn).collect();
        for thread in begun {
            thread.join().expect("no thread panics");
        }
    }
}

#[cfg(not(feature = "loom"))]
mod plain {
    pub(crate) use std::sync::Mutex as Lock;

    /// Runs the body once.
    pub(crate) fn explore(_preemptions: Option<usize>, body: impl Fn() + Send + Sync + 'static) {
        body();
    }

    /// Runs one thread after the other.
    pub(crate) fn together(threads: impl Iterator<Item = impl FnOnce() + 'static>) {
        threads.for_each(|thread| thread());
    }
}
