//! Goal: fences grow for ever, and a check tells whether one still counts.
//! Method: grant over releases, boots, clock steps and a used-up generation.

mod common;

use common::{TTL, Table};
use leasehold_model::Fence;

fn fence(table: &mut Table) -> Fence {
    let fence = table.gets("s#t1", &["/a"])[0].fence;
    table.release("s#t1");
    fence
}

#[test]
fn a_fence_is_not_used_again_after_a_release() {
    let mut table = Table::new();
    assert!(fence(&mut table) < fence(&mut table));
}

#[test]
fn a_new_boot_begins_a_generation_and_the_same_boot_does_not() {
    let mut table = Table::new();
    let first = fence(&mut table);
    table.open("boot");
    let same = fence(&mut table);
    assert_eq!(same.0, first.0 + 1);
    table.open("other");
    assert_eq!(fence(&mut table), Fence::new(table.state.generation, 1));
}

#[test]
fn a_generation_is_the_minute_but_never_an_earlier_one() {
    let mut table = Table::new();
    table.at(600_000).open("2");
    assert_eq!(table.state.generation, 10);
    let first = fence(&mut table);
    table.at(-600_000).open("3");
    assert_eq!(table.state.generation, 11);
    assert!(fence(&mut table) > first);
}

#[test]
fn a_half_used_generation_is_renewed_at_an_open_and_not_before() {
    let mut table = Table::new();
    let generation = table.state.generation;
    table.state.count = Fence::RENEW_AT - 1;
    table.open("boot");
    assert_eq!(table.state.generation, generation);
    let last = fence(&mut table);
    table.open("boot");
    assert_eq!((table.state.generation, table.state.count), (generation + 1, 0));
    assert!(fence(&mut table) > last);
}

#[test]
fn a_fence_counts_on_its_resource_and_below_until_its_expiry() {
    let mut table = Table::new();
    let fence = table.gets("s#t1", &["/a/b"])[0].fence;
    assert_eq!(table.fence_left("/a/b", fence), Some(TTL));
    assert_eq!(table.fence_left("/a/b/c", fence), Some(TTL));
    assert_eq!(table.fence_left("/a", fence), None);
    assert_eq!(table.fence_left("/a/bc", fence), None);
    assert_eq!(table.fence_left("/a/b", Fence(fence.0 + 1)), None);
    assert_eq!(table.later(TTL - 1).fence_left("/a/b", fence), Some(1));
    assert_eq!(table.later(1).fence_left("/a/b", fence), None);
}

#[test]
fn a_late_writer_has_the_smaller_fence() {
    let mut table = Table::new();
    let late = table.gets("a#t1", &["/a"])[0].fence;
    let new = table.later(TTL).gets("b#t1", &["/a"])[0].fence;
    assert!(new > late);
    assert_eq!(table.fence_left("/a", late), None);
}
