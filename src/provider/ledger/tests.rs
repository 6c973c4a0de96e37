//! Unit tests of `ledger`.

use std::fs::OpenOptions;

use proptest::prelude::*;

use super::*;

const NOON: u64 = 1_800_000_000;

fn spend(calls: u64, tokens: u64, nano: u64) -> Spend {
    Spend {
        calls,
        tokens,
        nano_dollars: Some(nano),
    }
}

fn month_cap(nano: u64) -> Budget {
    Budget {
        month: Caps {
            nano_dollars: Some(nano),
            ..Caps::default()
        },
        ..Budget::default()
    }
}

#[test]
fn a_worst_case_that_does_not_fit_is_refused_and_names_the_limit() {
    let folder = tempfile::tempdir().expect("a folder");
    let run = Caps {
        calls: Some(2),
        tokens: Some(100),
        nano_dollars: Some(50_000_000),
    };
    let mut ledger = Ledger::new(
        &StateDir::at(folder.path()),
        Budget {
            run,
            ..Budget::default()
        },
    );
    let first = ledger.reserve_at(NOON, spend(1, 90, 1)).expect("fits");
    let refused = ledger
        .reserve_at(NOON, spend(1, 20, 1))
        .expect_err("90 + 20 > 100");
    assert_eq!(
        refused.to_string(),
        "the budget of 100 tokens for this run does not cover the next call"
    );
    ledger.settle(first, spend(1, 10, 1)).expect("writable");
    let second = ledger
        .reserve_at(NOON, spend(1, 20, 49_999_999))
        .expect("fits now");
    assert!(
        ledger
            .reserve_at(NOON, spend(1, 0, 0))
            .expect_err("third call")
            .to_string()
            .contains("2 calls")
    );
    ledger.settle(second, spend(0, 0, 0)).expect("writable");
    assert!(
        ledger
            .reserve_at(NOON, spend(1, 0, 60_000_000))
            .expect_err("money")
            .to_string()
            .contains("0.05 USD")
    );
}

#[test]
fn what_a_dead_process_reserved_counts_in_full_for_others() {
    let folder = tempfile::tempdir().expect("a folder");
    let lost = Ledger::new(&StateDir::at(folder.path()), month_cap(100))
        .reserve_at(NOON, spend(1, 1, 60))
        .expect("fits");
    drop(lost);
    let mut other = Ledger::new(&StateDir::at(folder.path()), month_cap(100));
    assert!(other.reserve_at(NOON + 86_400, spend(1, 1, 50)).is_err());
    assert!(
        other
            .reserve_at(NOON + 86_400 * 31, spend(1, 1, 50))
            .is_ok(),
        "another month"
    );
}

#[test]
fn a_promise_is_settled_once_by_whichever_process_knows_its_name() {
    let folder = tempfile::tempdir().expect("a folder");
    let run = Budget {
        run: Caps {
            calls: Some(5),
            ..Caps::default()
        },
        ..Budget::default()
    };
    let mut ledger = Ledger::new(&StateDir::at(folder.path()), run);
    ledger.promise("b", spend(4, 400, 40)).expect("it fits");
    assert_eq!(ledger.spent(), Spend::default(), "it is not spent yet");
    let refused = ledger.promise("c", spend(2, 2, 2));
    assert!(matches!(refused, Err(LedgerError::Exhausted { .. })));
    let mut other = Ledger::new(&StateDir::at(folder.path()), run);
    for _ in 0..2 {
        other.settle_promise("b", spend(3, 30, 3)).expect("booked");
    }
    other.settle_promise("x", spend(9, 9, 9)).expect("of none");
    let now = clock::real_seconds();
    let (today, _) = other.spent_around(now).expect("readable");
    assert_eq!(today, spend(3, 30, 3));
    // Of this run it was a promise, and none of the other.
    other.promise("d", spend(5, 1, 1)).expect("it fits");
    ledger
        .settle_promise("b", spend(0, 0, 0))
        .expect("booked before");
    ledger.promise("c", spend(5, 2, 2)).expect("it fits now");
}

#[test]
fn a_clock_that_is_set_back_makes_no_room() {
    let folder = tempfile::tempdir().expect("a folder");
    let mut ledger = Ledger::new(&StateDir::at(folder.path()), month_cap(100));
    let _kept = ledger.reserve_at(NOON, spend(1, 1, 60)).expect("fits");
    assert!(
        ledger
            .reserve_at(NOON - 86_400 * 40, spend(1, 1, 50))
            .is_err()
    );
}

#[test]
fn a_clock_that_was_wrong_once_forgets_no_day() {
    let folder = tempfile::tempdir().expect("a folder");
    let today = clock::real_seconds();
    let mut ledger = Ledger::new(&StateDir::at(folder.path()), month_cap(100));
    let _kept = ledger.reserve_at(today, spend(1, 1, 60)).expect("fits");
    let _wrong = ledger
        .reserve_at(today * 2, spend(1, 1, 1))
        .expect("another month");
    ledger.put_together().expect("writable");
    assert!(ledger.reserve_at(today, spend(1, 1, 40)).is_err());
}

#[test]
fn a_file_that_is_no_ledger_keeps_every_byte() {
    // Before, what followed its last line feed was cut off, and lines were added.
    for text in [
        "machine example.org login me password x",
        "[core]\n\tbare = false",
        "git-merkle/ledger/2 1\nr x",
    ] {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join(FILE_NAME);
        std::fs::write(&path, text).expect("writable");
        let mut ledger = Ledger::new(&StateDir::at(folder.path()), month_cap(100));
        assert!(matches!(
            ledger.reserve_at(NOON, spend(1, 1, 1)),
            Err(LedgerError::Io { .. })
        ));
        assert!(ledger.spent_around(NOON).is_err());
        assert_eq!(std::fs::read_to_string(&path).expect("there"), text);
    }
}

#[test]
fn a_torn_line_is_taken_off_and_the_next_one_is_whole() {
    let folder = tempfile::tempdir().expect("a folder");
    let mut ledger = Ledger::new(&StateDir::at(folder.path()), month_cap(100));
    let _lost = ledger.reserve_at(NOON, spend(1, 1, 60)).expect("fits");
    let mut open = OpenOptions::new()
        .append(true)
        .open(folder.path().join("ledger"))
        .expect("is there");
    open.write_all(b"r 1.2 18000").expect("writable");
    let mut other = Ledger::new(&StateDir::at(folder.path()), month_cap(100));
    let _kept = other.reserve_at(NOON, spend(1, 1, 40)).expect("fits");
    assert!(
        ledger.reserve_at(NOON, spend(1, 1, 1)).is_err(),
        "both are seen"
    );
}

#[test]
fn putting_together_changes_no_sum() {
    let folder = tempfile::tempdir().expect("a folder");
    let mut ledger = Ledger::new(&StateDir::at(folder.path()), Budget::default());
    let _open = ledger.reserve_at(NOON, spend(1, 5, 7)).expect("no limit");
    for day in 0..3 {
        let done = ledger
            .reserve_at(NOON + day * 86_400, spend(1, 50, 70))
            .expect("no limit");
        ledger
            .settle(
                done,
                Spend {
                    calls: 1,
                    tokens: 20,
                    nano_dollars: None,
                },
            )
            .expect("writable");
    }
    let before = ledger.spent_around(NOON).expect("readable");
    ledger.put_together().expect("writable");
    assert_eq!(ledger.spent_around(NOON).expect("readable"), before);
    assert_eq!(
        Ledger::new(&StateDir::at(folder.path()), Budget::default())
            .spent_around(NOON)
            .expect("readable"),
        before
    );
}

/// A step of a month.
#[derive(Debug, Clone)]
enum Step {
    /// Process, worst case, what it really takes of it in per cent, and how it ends.
    Call(usize, u64, u64, End),
    /// A process dies and starts again, perhaps in the middle of writing a line.
    Restart(usize, Option<u8>),
    /// Hours go by.
    Wait(u64),
}

#[derive(Debug, Clone, Copy)]
enum End {
    Settled,
    Unknown,
    NeverSent,
}

fn step() -> impl Strategy<Value = Step> {
    let end =
        prop_oneof![4 => Just(End::Settled), 1 => Just(End::Unknown), 1 => Just(End::NeverSent)];
    prop_oneof![
        8 => (0_usize..2, 1_u64..400, 0_u64..=100, end).prop_map(|(who, worst, share, end)| Step::Call(who, worst, share, end)),
        1 => (0_usize..2, proptest::option::of(1_u8..20)).prop_map(|(who, torn)| Step::Restart(who, torn)),
        2 => (1_u64..20).prop_map(Step::Wait),
    ]
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 48, ..ProptestConfig::default() })]

    /// What was really spent in a month and in a day stays within the budget, whatever happens to two processes.
    #[test]
    fn a_simulated_month_never_passes_the_budget(steps in proptest::collection::vec(step(), 1..120)) {
        let folder = tempfile::tempdir().expect("a folder");
        let mut budget = month_cap(5_000);
        budget.day.nano_dollars = Some(900);
        let mut ledgers = [Ledger::new(&StateDir::at(folder.path()), budget), Ledger::new(&StateDir::at(folder.path()), budget)];
        let (mut now, mut days) = (NOON, BTreeMap::<u64, u64>::new());
        for step in steps {
            match step {
                Step::Wait(hours) => now += hours * 3_600,
                Step::Restart(who, torn) => {
                    ledgers[who] = Ledger::new(&StateDir::at(folder.path()), budget);
                    if let Some(bytes) = torn {
                        let line = format!("r 9.9 {now} 1 1 100000\n");
                        let mut open = OpenOptions::new().append(true).create(true).open(folder.path().join("ledger")).expect("writable");
                        open.write_all(&line.as_bytes()[..usize::from(bytes).min(line.len() - 1)]).expect("writable");
                    }
                }
                Step::Call(who, worst, share, end) => {
                    let Ok(reserved) = ledgers[who].reserve_at(now, spend(1, worst, worst)) else { continue };
                    let took = worst * share / 100;
                    *days.entry(now / 86_400).or_default() += if matches!(end, End::NeverSent) { 0 } else { took };
                    match end {
                        End::Settled => ledgers[who].settle(reserved, spend(1, took, took)).expect("writable"),
                        End::NeverSent => ledgers[who].settle(reserved, Spend::default()).expect("writable"),
                        End::Unknown => drop(reserved),
                    }
                }
            }
        }
        let mut months = BTreeMap::<u64, u64>::new();
        for (day, spent) in &days {
            prop_assert!(*spent <= 900);
            *months.entry(month_of(*day)).or_default() += spent;
        }
        prop_assert!(months.values().all(|spent| *spent <= 5_000));
    }
}
