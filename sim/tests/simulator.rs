//! The simulator, and whether it would notice.

use leasehold_sim::draw::Drawn;
use leasehold_sim::explore;
use leasehold_sim::rare::Rare;
use leasehold_sim::run::{Controls, Course, Event, Fault, Kind, Loss, Mishap, Point};
use leasehold_sim::run::{Report, Run, run};
use leasehold_sim::scenario::{Journal, Scenario, Start, Step};

/// How many drawn runs a test may make until a fault that was planted must show.
const PATIENCE: u64 = 400;

/// Goal: no oracle says anything against the store, whoever goes on when and whatever goes wrong.
#[test]
fn drawn_runs_agree_with_the_model() {
    for seed in 1..=300 {
        let drawn = Drawn::from_seed(seed);
        let report = run(&drawn.run());
        assert_eq!(report.violation, None, "seed {seed}: {:?}", drawn.scenario);
    }
}

/// A run with all of its points.
fn traced(drawn: &Drawn) -> Report {
    let mut traced = drawn.run();
    traced.keeps_trace = true;
    run(&traced)
}

/// Goal: nothing in a run is left to chance, and nothing of one run reaches the next.
#[test]
fn the_same_number_gives_the_same_run_to_the_last_point() {
    for seed in 1..=40 {
        let drawn = Drawn::from_seed(seed);
        let first = traced(&drawn);
        run(&Drawn::from_seed(seed + 1000).run());
        let second = traced(&drawn);
        assert!(!first.trace.is_empty());
        assert_eq!(first.trace, second.trace, "seed {seed}");
        assert_eq!(first.hash, second.hash, "seed {seed}");
    }
}

/// Goal: what a drawn run did can be written down as a list, and the list gives that run again.
#[test]
fn a_list_of_preemptions_gives_the_drawn_run_again() {
    for seed in 1..=40 {
        let drawn = Drawn::from_seed(seed);
        let random = traced(&drawn);
        let mut listed = drawn.run();
        listed.keeps_trace = true;
        listed.course = Course::Listed(random.taken.clone());
        listed.faults.clone_from(&random.struck);
        let again = run(&listed);
        assert_eq!(again.stale, None, "seed {seed}");
        assert_eq!(random.trace, again.trace, "seed {seed}");
    }
}

/// Goal: a list that is not fit for its scenario any more says so, and does not pass in silence.
#[test]
fn a_list_that_names_another_kind_of_point_is_stale() {
    let drawn = Drawn::from_seed(7);
    let random = run(&drawn.run());
    let mut taken = random.taken.clone();
    let first = taken.first_mut().expect("somebody else goes on somewhere");
    first.kind = if first.kind == Kind::Sync { Kind::Read } else { Kind::Sync };
    let at = first.at;
    let mut listed = drawn.run();
    listed.course = Course::Listed(taken);
    listed.faults.clone_from(&random.struck);
    let stale = run(&listed).stale.expect("it is stale");
    assert_eq!(stale.at, at);

    let mut listed = drawn.run();
    listed.course = Course::Listed(random.taken);
    listed.faults = vec![Fault { at: 1, kind: Some(Kind::Sync), what: Mishap::Clock(1) }];
    assert_eq!(run(&listed).stale.map(|stale| stale.at), Some(1));
}

/// The first number whose run shows a machine that is broken like this.
fn shows(controls: Controls, loses_power: bool) -> Option<u64> {
    (1..=PATIENCE).find(|seed| {
        let drawn = Drawn::from_seed(*seed);
        let mut broken = drawn.run();
        broken.controls = controls;
        if loses_power {
            let loss = Mishap::PowerLoss(Loss::TossesCoins);
            broken.faults = vec![Fault { at: 400, kind: None, what: loss }];
        }
        run(&broken).violation.is_some()
    })
}

/// Goal: a machine that does not keep its promises is noticed, so the checks are alive.
#[test]
fn a_broken_machine_is_noticed() {
    let slots = Controls { no_slot_locks: true, ..Controls::default() };
    assert!(shows(slots, false).is_some(), "no locks on shared memory");
    let files = Controls { no_file_locks: true, ..Controls::default() };
    assert!(shows(files, false).is_some(), "no locks on files");
    let lies = Controls { lying_disk: true, ..Controls::default() };
    assert!(shows(lies, true).is_some(), "a disk that lies");
    assert!(shows(Controls::default(), true).is_none(), "the same with an honest disk");
}

/// Goal: wherever a process is killed or the power goes, and whichever single change of a file or a
/// name is lost then, the next one finds the database as it may be; and finds every lease that was
/// granted, where each commit is synced.
#[test]
fn no_crash_leaves_more_or_less_than_it_may() {
    for (start, journal, full_sync) in [
        (Start::Ready, Journal::Log, false),
        (Start::Ready, Journal::Log, true),
        (Start::Ready, Journal::Rollback, false),
        (Start::Ready, Journal::Rollback, true),
        (Start::Empty, Journal::Rollback, false),
    ] {
        let scenario = explore::one_acquire_each(1, start, journal);
        let explored = explore::crashes(&Scenario { full_sync, ..scenario }, &|_| {});
        assert_eq!(explored.wrong, None, "{journal:?}");
        assert!(explored.distinct() > 50, "{journal:?}: {}", explored.distinct());
    }
}

/// Goal: only who leaves a process that could go on spends a preemption: without any, all orders of
/// three processes are tried, one after the other.
#[test]
fn who_begins_and_who_follows_is_no_preemption() {
    for (processes, orders) in [(1, 1), (2, 2), (3, 6)] {
        let scenario = explore::one_acquire_each(processes, Start::Ready, Journal::Log);
        let explored = explore::preemptions(&scenario, 0, false, &|_| {});
        assert_eq!(explored.wrong, None);
        let distinct = usize::try_from(orders).expect("few");
        assert_eq!((explored.schedules, explored.distinct()), (orders, distinct));
    }
}

/// All points of a run.
fn points(report: &Report) -> impl Iterator<Item = &Point> {
    report.trace.iter().filter_map(|event| match event {
        Event::Point(point) => Some(point),
        _ => None,
    })
}

/// Whether one of two processes tries again while the other has the write lock and can go on.
fn wakes_early(report: &Report) -> bool {
    let mut last = [None; 2];
    let mut holder = None;
    report.trace.iter().any(|event| match event {
        Event::Point(Point { process, kind, .. }) => {
            let other = 1 - process;
            let slept = last[*process].replace(*kind) == Some(Kind::Sleep);
            slept && holder == Some(other) && last[other] != Some(Kind::Sleep)
        }
        Event::WriteLock { process, held } => {
            holder = held.then_some(*process);
            false
        }
        Event::Note { .. } => false,
    })
}

/// Goal: time does not stand still while somebody runs: who waits for a lock tries again also in
/// the middle of the transaction that it waits for, by chance and where all schedules are tried.
#[test]
fn who_waits_may_wake_in_the_middle_of_anothers_transaction() {
    for journal in [Journal::Log, Journal::Rollback] {
        let scenario = explore::one_acquire_each(2, Start::Ready, journal);
        let found = (1..=PATIENCE).find(|seed| {
            let course = Course::Random { seed: *seed, per_mille: 300 };
            let random = Run { keeps_trace: true, ..Run::plain(&scenario, course) };
            let random = run(&random);
            let list = Course::Loose(random.taken.clone());
            let again = run(&Run { keeps_trace: true, ..Run::plain(&scenario, list) });
            assert_eq!(random.trace, again.trace, "a loose list gives it again");
            wakes_early(&random)
        });
        assert!(found.is_some(), "{journal:?}");
        let sleeps = (1..=PATIENCE).any(|seed| {
            let course = Course::Random { seed, per_mille: 300 };
            let report = run(&Run { keeps_choices: true, ..Run::plain(&scenario, course) });
            report.choices.iter().any(|choice| !choice.sleepers.is_empty())
        });
        assert!(sleeps, "{journal:?}");
    }
}

/// Goal: it is a lock of somebody else that a process has waited for, where the table says so.
#[test]
fn a_process_that_only_waits_has_not_waited_for_a_lock() {
    let mut scenario = explore::one_acquire_each(1, Start::Ready, Journal::Log);
    scenario.boots[0][0].push(Step::Wait(5));
    let report = run(&Run::plain(&scenario, Course::Listed(Vec::new())));
    assert!(!report.seen.contains(&Rare::Waited));
}

/// Goal: a schedule with absurd numbers is a run like any other.
#[test]
fn absurd_spans_and_clocks_end_no_run() {
    let mut scenario = explore::one_acquire_each(2, Start::Ready, Journal::Log);
    scenario.boots[0] = vec![vec![Step::Wait(i64::MAX / 1000); 3]; 2];
    for what in [Mishap::Pause(i64::MAX), Mishap::Clock(i64::MAX), Mishap::Clock(i64::MIN)] {
        let faults = [1, 2, 3].map(|at| Fault { at, kind: None, what }).to_vec();
        let report = run(&Run { faults, ..Run::plain(&scenario, Course::Listed(Vec::new())) });
        assert_eq!(report.struck.len(), 3, "{what:?}");
    }
}

/// Goal: a disk that fails where a journal is deleted, which is how it commits, or where a file's
/// length is asked for, is told of, and leaves no more or less than it may.
#[test]
fn the_disk_may_fail_where_a_name_goes_and_where_a_length_is_asked_for() {
    for start in [Start::Ready, Start::Empty] {
        let scenario = explore::one_acquire_each(1, start, Journal::Rollback);
        let plain = || Run::plain(&scenario, Course::Listed(Vec::new()));
        let whole = run(&Run { keeps_trace: true, ..plain() });
        for kind in [Kind::Delete, Kind::Size] {
            assert!(points(&whole).any(|point| point.kind == kind));
            for point in points(&whole).filter(|point| point.kind == kind) {
                let fault = Fault { at: point.at, kind: Some(kind), what: Mishap::Error };
                let report = run(&Run { faults: vec![fault], ..plain() });
                assert_eq!(report.struck, [fault]);
                assert_eq!(report.violation, None, "at {}", point.at);
            }
        }
    }
}

/// Goal: most runs are of the code that runs on Unix, where SQLite does not pad the log, and some
/// of that which runs elsewhere.
#[test]
fn most_disks_promise_to_touch_no_byte_beside_those_written() {
    let writes = |powersafe_overwrite: bool| {
        let scenario = explore::one_acquire_each(1, Start::Ready, Journal::Log);
        let scenario = Scenario { full_sync: true, powersafe_overwrite, ..scenario };
        let plain = Run::plain(&scenario, Course::Listed(Vec::new()));
        let report = run(&Run { keeps_trace: true, ..plain });
        points(&report).filter(|one| one.kind == Kind::Write && one.file == "wal").count()
    };
    assert!(writes(true) < writes(false));
    let drawn = (1..=400).filter(|seed| Drawn::from_seed(*seed).scenario.powersafe_overwrite);
    assert!((260..=340).contains(&drawn.count()));
}
