//! Goal: no lease outlives one TTL from now, whatever the clock did.
//! Method: step the clock back under a lease and let writers and readers come.

mod common;

use common::{TTL, Table, old_row};
use leasehold_model::{Form, Op};

#[test]
fn the_next_write_after_a_step_back_leaves_one_ttl() {
    let mut table = Table::new();
    table.gets("a#t1", &["/a"]);
    table.at(500).is_refused("b#t1", &["/a"]);
    assert_eq!(table.row("/a").expires, 500 + TTL);
    table.at(500 + TTL).gets("b#t1", &["/a"]);
}

#[test]
fn the_correction_is_made_once_so_that_the_lease_ends() {
    let mut table = Table::new();
    table.gets("a#t1", &["/a"]);
    table.at(500).reap();
    table.at(550).reap();
    assert_eq!(table.row("/a").expires, 500 + TTL);
}

#[test]
fn readers_openers_and_old_engines_correct_nothing() {
    let mut table = Table::new();
    let fence = table.gets("a#t1", &["/a"])[0].fence;
    table.at(500);
    table.holders("/a");
    table.fence_left("/a", fence);
    table.open("boot");
    table.apply(&Op::OldDelete { session: "x".to_owned() });
    assert_eq!(table.row("/a").expires, 1000 + TTL);
}

#[test]
fn a_clock_that_goes_forward_or_stands_changes_no_expiry() {
    let mut table = Table::new();
    table.gets("a#t1", &["/a"]);
    for now in [1000, 1050, 1099] {
        table.at(now).release("x");
        assert_eq!(table.row("/a").expires, 1000 + TTL);
    }
}

#[test]
fn an_old_row_has_the_ttl_that_it_gave_itself() {
    let mut table = Table::left_by(Form::First, &[old_row("s", "/a")]);
    table.open("boot");
    table.at(10).reap();
    assert_eq!(table.row("/a").expires, 110);
}
