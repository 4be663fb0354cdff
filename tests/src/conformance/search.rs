//! The search for a schedule on which something goes wrong, and its shortest form.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use proptest::test_runner::{Config, RngSeed, TestCaseError, TestError, TestRunner};
use proptest_state_machine::ReferenceStateMachine;

use super::generator::{Rules, Scene};
use super::schedule::{Schedule, Step};

/// Tries so many random schedules, the same ones for the same seed, and returns the first that
/// fails, shrunk. `run` carries a schedule out and says what went wrong; it calls its second
/// argument before each step.
///
/// # Panics
/// When the runner itself gives up.
pub fn search(
    cases: u32,
    seed: Option<u32>,
    run: impl Fn(&Schedule, &dyn Fn()) -> Result<(), String>,
) -> Option<Schedule> {
    let rng_seed = seed.map_or(RngSeed::Random, |seed| RngSeed::Fixed(seed.into()));
    let mut runner =
        TestRunner::new(Config { cases, failure_persistence: None, rng_seed, ..Config::default() });
    let lists = Rules::sequential_strategy(1..30);
    let schedule = |scene: Scene, steps: Vec<Step>, what: &str| Schedule {
        what: what.to_owned(),
        start: scene.start,
        steps,
    };
    let result = runner.run(&lists, |(scene, steps, seen)| {
        // The shrinking begins by cutting off what was never carried out, so it must be told.
        let tell = || {
            if let Some(seen) = &seen {
                Arc::<AtomicUsize>::as_ref(seen).fetch_add(1, Ordering::SeqCst);
            }
        };
        run(&schedule(scene, steps, ""), &tell).map_err(TestCaseError::fail)
    });
    match result {
        Ok(()) => None,
        Err(TestError::Fail(why, (scene, steps, _seen))) => {
            Some(schedule(scene, steps, why.message()))
        }
        Err(TestError::Abort(why)) => panic!("the search gave up: {why}"),
    }
}

#[cfg(test)]
mod tests {
    use leasehold_model::Op;

    use super::*;

    /// Fails at the second release, as a fault would that needs a release before.
    fn no_second_release(schedule: &Schedule, tell: &dyn Fn()) -> Result<(), String> {
        let mut releases = 0;
        for step in &schedule.steps {
            tell();
            releases += usize::from(matches!(step.op, Op::Release { .. }));
            if releases == 2 {
                return Err("a second release".to_owned());
            }
        }
        Ok(())
    }

    /// Goal: what is kept of a failure still fails, and has nothing in it that need not be there.
    #[test]
    fn a_failing_schedule_is_kept_whole_and_shrunk() {
        let found = search(200, Some(1), no_second_release).expect("a failure");
        assert_eq!(found.what, "a second release");
        assert!(no_second_release(&found, &|| ()).is_err(), "{found:?}");
        // No operation but an open can come first, so three steps are the shortest.
        assert_eq!(found.steps.len(), 3, "{found:?}");
    }

    /// Goal: where nothing fails, nothing is found.
    #[test]
    fn nothing_is_found_where_nothing_fails() {
        assert!(search(20, Some(1), |_, _| Ok(())).is_none());
    }
}
