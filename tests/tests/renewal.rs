//! Goal: an owner's events keep all that it holds, and who lost a lease is told once (R11).
//!
//! Method: the real hook with leases of one second, and the engine on a clock that the test sets.

use std::thread;
use std::time::{Duration, Instant};

use leasehold_tests::claude::Thread;
use leasehold_tests::engine::{Engine, HandClock, holders, is_granted};
use leasehold_tests::sandbox::Sandbox;

/// A quarter of two seconds, and a bit: by then a renewal is written.
const QUARTER: Duration = Duration::from_millis(520);
const LAPSED: Duration = Duration::from_millis(1100);

#[test]
fn an_owner_that_works_on_one_file_keeps_the_other_through_ten_ttls() {
    let sandbox = Sandbox::new();
    // Long enough that a busy machine is not taken for a silent owner.
    let owner = Thread::new(&sandbox, "A", "t1").ttl_sec("2");
    owner.prompt().is_silent();
    owner.write("f").is_silent();
    owner.write("g").is_silent();
    let fence = |file: &str| sandbox.lease(file).expect("a lease").fence();
    let fences = (fence("f"), fence("g"));
    let started = Instant::now();
    while started.elapsed() < Duration::from_secs(20) {
        thread::sleep(Duration::from_millis(300));
        owner.write("f").is_silent();
        thread::sleep(Duration::from_millis(300));
        owner.wrote("f").is_silent();
    }
    assert_eq!((fence("f"), fence("g")), fences);
    Thread::new(&sandbox, "B", "u").write("g").is_denied();
    thread::sleep(2 * LAPSED);
    Thread::new(&sandbox, "B", "u").write("g").is_silent();
}

#[test]
fn a_prompt_renews_and_a_sub_agents_events_renew_for_its_main_thread() {
    let sandbox = Sandbox::new();
    let main = Thread::new(&sandbox, "A", "t1").ttl_sec("2");
    main.prompt().is_silent();
    main.write("f").is_silent();
    let expires = || sandbox.lease("f").expect("a lease").number("expires");
    let first = expires();
    thread::sleep(QUARTER);
    main.prompt().is_silent();
    let second = expires();
    assert!(second > first, "a prompt renews");
    thread::sleep(QUARTER);
    main.agent("a1").write("g").is_silent();
    assert!(expires() > second, "a sub-agent's write renews for the main thread");
    let main_expires = expires();
    thread::sleep(QUARTER);
    Thread::new(&sandbox, "B", "u").write("h").is_silent();
    assert_eq!(expires().to_bits(), main_expires.to_bits(), "a stranger's write does not");
}

#[test]
fn who_lost_a_lease_is_denied_once_with_the_taker_also_when_it_is_free_again() {
    let sandbox = Sandbox::new();
    let loser = Thread::new(&sandbox, "loser", "t1").ttl_sec("1");
    let taker = Thread::new(&sandbox, "taker", "u1");
    loser.write("f").is_silent();
    thread::sleep(LAPSED);
    taker.write("f").is_silent();
    taker.stop().is_silent();
    assert!(sandbox.leases().is_empty(), "free again");
    let told = loser.write("f");
    let reason = told.is_denied();
    assert!(
        reason.contains("your lease on") && reason.contains("claude (session taker)"),
        "{reason}"
    );
    assert!(reason.contains("Read it again"), "{reason}");
    loser.write("f").is_silent();
    taker.write("f").is_denied();
}

#[test]
fn other_events_inform_once_and_the_write_is_denied_all_the_same() {
    let sandbox = Sandbox::new();
    let loser = Thread::new(&sandbox, "loser", "t1").ttl_sec("1");
    loser.prompt().is_silent();
    loser.write("f").is_silent();
    loser.write("g").is_silent();
    thread::sleep(LAPSED);
    Thread::new(&sandbox, "taker", "u1").write("f").is_silent();
    let informed = loser.prompt();
    assert_eq!(informed.code, Some(0));
    let context = informed.json()["hookSpecificOutput"]["additionalContext"].clone();
    assert!(context.as_str().expect("a text").contains("claude (session taker)"), "{informed:?}");
    loser.prompt().is_silent();
    loser.write("g").is_silent();
    assert!(loser.write("f").is_denied().contains("your lease on"));
    assert!(loser.write("f").is_denied().contains("is leased by claude"), "judged as usual");
}

#[test]
fn a_lease_that_nobody_took_is_no_loss() {
    let sandbox = Sandbox::new();
    let owner = Thread::new(&sandbox, "A", "t1").ttl_sec("1");
    owner.write("f").is_silent();
    thread::sleep(LAPSED);
    owner.prompt().is_silent();
    assert!(!sandbox.leases()[0].is_live(), "the dead are never renewed");
    owner.write("f").is_silent();
}

#[test]
fn what_was_held_again_in_between_is_no_loss() {
    let sandbox = Sandbox::new();
    let owner = Thread::new(&sandbox, "A", "t1").ttl_sec("1");
    let other = Thread::new(&sandbox, "B", "u1");
    owner.write("f").is_silent();
    thread::sleep(LAPSED);
    // Somebody meets the dead lease and is refused, so nobody has it.
    other.write("g").is_silent();
    assert_eq!(sandbox.cli(&["acquire", "f", "g", "--session", "C"]).run().code, Some(7));
    assert_eq!(sandbox.leased(), ["g"]);
    owner.write("f").is_silent();
    owner.stop().is_silent();
    other.write("f").is_silent();
    other.stop().is_silent();
    owner.write("f").is_silent();
}

#[test]
fn after_a_write_the_model_is_told_that_somebody_else_has_the_file() {
    let sandbox = Sandbox::new();
    let owner = Thread::new(&sandbox, "A", "t1").ttl_sec("1");
    owner.write("f").is_silent();
    owner.wrote("f").is_silent();
    thread::sleep(LAPSED);
    Thread::new(&sandbox, "taker", "u1").write("f").is_silent();
    let informed = owner.wrote("f");
    assert_eq!((informed.code, informed.stderr.as_str()), (Some(0), ""));
    let context = informed.json()["hookSpecificOutput"]["additionalContext"].clone();
    let context = context.as_str().expect("a text");
    assert!(context.contains("was not yours any more"), "{context}");
    assert!(context.contains("claude (session taker)"), "{context}");
}

#[test]
fn a_clock_that_stepped_back_makes_no_renewal_immortal() {
    let sandbox = Sandbox::new();
    sandbox.make_store();
    let hour_ms = 3_600_000;
    let clock = HandClock::at(1_800_000_000_000);
    let mut engine = Engine::open(&sandbox.database(), &clock, 1000);
    let (f, g) = (sandbox.repo().join("f"), sandbox.repo().join("g"));
    assert!(is_granted(&engine.acquire("A", "t", &f)));
    assert!(is_granted(&engine.acquire("A", "t", &g)));
    clock.set(1_800_000_000_000 - hour_ms);
    // The owner works on the one, which renews the other too.
    assert!(is_granted(&engine.acquire("A", "t", &f)));
    clock.set(1_800_000_000_000 - hour_ms + 999);
    assert_eq!(holders(&engine.acquire("B", "u", &g)), ["A"]);
    clock.set(1_800_000_000_000 - hour_ms + 1000);
    assert!(is_granted(&engine.acquire("B", "u", &g)));
}
