//! What is said in the end.

use std::time::Duration;

use expect_test::{Expect, expect};
use plimsoll_model::Money;

use super::{Ending, Summary};
use crate::demo::{
    books::Peak,
    director::{Progress, Verdict},
};

fn happened(words: &str, seconds: u64) -> Verdict {
    Verdict {
        state: Progress::Happened,
        happened: 1,
        missed: 0,
        words: words.to_owned(),
        took: Duration::from_secs(seconds),
    }
}

fn summary(ending: Ending, last: Verdict) -> Summary {
    Summary {
        acts: vec![
            ("burst", happened("16 pods run, 3 machines bought", 4)),
            ("consolidation", last),
        ],
        rounds: 1,
        took: Duration::from_secs(90),
        ending,
        waits: (1..=100).map(|tenths| Duration::from_millis(tenths * 100)).collect(),
        bought: 12,
        returned: 11,
        lost: 1,
        paid: Money::from_micros(21_400),
        peak: Peak {
            rate: Money::from_micros(2_440_000),
            machines: [("small".to_owned(), 10), ("large".to_owned(), 1)].into(),
        },
    }
}

fn check(summary: &Summary, missing: &[&str], expected: &Expect) {
    expected.assert_eq(&summary.to_string());
    assert_eq!(summary.missing(), missing);
}

#[test]
fn a_play_that_is_whole() {
    check(
        &summary(Ending::TimeOver, happened("1 large for 3 small, $1.44 → $1.28 an hour", 7)),
        &[],
        &expect![[r"
            The play, after 90 s
              ✓ burst          16 pods run, 3 machines bought (after 4.0 s)
              ✓ consolidation  1 large for 3 small, $1.44 → $1.28 an hour (after 7.0 s)

            Pods      100 served; from creation to running 5.0 s (p50), 9.9 s (p99)
            Machines  12 bought, 11 given back, 1 died
            Cost      $0.0214, 64 % less than $0.0610 for a static cluster of peak size (1 large, 10 small)
        "]],
    );
}

#[test]
fn an_act_is_missing() {
    let late =
        Verdict { state: Progress::Late, words: "2 pods wait".to_owned(), ..Verdict::default() };
    check(
        &summary(Ending::TimeOver, late),
        &["consolidation"],
        &expect![[r"
        The play, after 90 s
          ✓ burst          16 pods run, 3 machines bought (after 4.0 s)
          ✗ consolidation  2 pods wait

        Pods      100 served; from creation to running 5.0 s (p50), 9.9 s (p99)
        Machines  12 bought, 11 given back, 1 died
        Cost      $0.0214, 64 % less than $0.0610 for a static cluster of peak size (1 large, 10 small)
    "]],
    );
}

#[test]
fn who_leaves_early_is_told_how_far_it_was() {
    check(
        &summary(Ending::Left, Verdict::default()),
        &[],
        &expect![[r"
        The play, after 90 s
          ✓ burst          16 pods run, 3 machines bought (after 4.0 s)
          · consolidation  not played

        Pods      100 served; from creation to running 5.0 s (p50), 9.9 s (p99)
        Machines  12 bought, 11 given back, 1 died
        Cost      $0.0214, 64 % less than $0.0610 for a static cluster of peak size (1 large, 10 small)
    "]],
    );
    assert_eq!(summary(Ending::Interrupted, Verdict::default()).missing(), ["consolidation"]);
    let words = "2 pods wait".to_owned();
    let begun = Verdict { state: Progress::Playing, words, ..Verdict::default() };
    let told = |ending| summary(ending, begun.clone()).to_string();
    assert!(told(Ending::Left).contains("  … consolidation  under way: 2 pods wait"));
    assert!(told(Ending::TimeOver).contains("  ✗ consolidation  2 pods wait"));
}

#[test]
fn an_act_that_came_about_in_one_round_and_not_in_another() {
    let once = Verdict { missed: 1, words: "2 pods wait".to_owned(), ..happened("", 3) };
    let summary = Summary { rounds: 2, lost: 0, waits: Vec::new(), ..summary(Ending::Left, once) };
    check(
        &summary,
        &["consolidation"],
        &expect![[r"
        The play, after 90 s, in 2 rounds
          ✓ burst          16 pods run, 3 machines bought (after 4.0 s)
          ✗ consolidation  missing in 1 of 2 rounds: 2 pods wait

        Pods      none served
        Machines  12 bought, 11 given back
        Cost      $0.0214, 64 % less than $0.0610 for a static cluster of peak size (1 large, 10 small)
    "]],
    );
}
