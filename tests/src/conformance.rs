//! The store held against the model: the same operations at the same moments, the same answers and
//! the same rows.

mod generator;
mod schedule;
mod search;
mod system;

pub use generator::{Rules, Scene};
pub use schedule::{Schedule, Start, Step};
pub use search::search;
pub use system::System;

use leasehold_model::{check_step, step};
use leasehold_sim::words::as_told;

/// Runs a schedule on the real store and on the model together. Calls `before_step` before each
/// step.
///
/// # Errors
/// The first difference, or the first broken invariant of the model, as a text for people.
pub fn conform(schedule: &Schedule, before_step: &dyn Fn()) -> Result<(), String> {
    let mut model = schedule.start.state();
    let mut system = System::start(&schedule.start);
    for (number, Step { at_ms, op, look }) in schedule.steps.iter().enumerate() {
        before_step();
        let (next, expected) = step(&model, op, *at_ms);
        check_step(&model, op, &expected, &next, *at_ms)
            .map_err(|violation| format!("step {number}, {op:?}: {violation:?}"))?;
        let got = system.apply(op, *at_ms);
        let (got, expected) = (as_told(got), as_told(expected));
        if got != expected {
            return Err(format!(
                "step {number} at {at_ms}, {op:?}:\n  model {expected:?}\n  store {got:?}\n  \
                 before {model:?}"
            ));
        }
        model = next;
        let last = number + 1 == schedule.steps.len();
        if (*look || last) && model.boot.is_some() {
            let rows = system.rows();
            if rows != model.leases {
                return Err(format!(
                    "after step {number} at {at_ms}, {op:?}:\n  model {:?}\n  store {rows:?}",
                    model.leases
                ));
            }
        }
    }
    Ok(())
}
