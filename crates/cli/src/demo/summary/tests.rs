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
        acts: vec![("burst", happened("16 pods run, 3 machines bought", 4)), ("consolidation", last)],
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
        &expect![[]],
    );
}

#[test]
fn an_act_is_missing() {
    let late = Verdict {
        state: Progress::Late,
        words: "2 pods wait".to_owned(),
        ..Verdict::default()
    };
    check(&summary(Ending::TimeOver, late), &["consolidation"], &expect![[]]);
}

#[test]
fn who_leaves_early_is_told_how_far_it_was() {
    let to_come = || Verdict::default();
    check(&summary(Ending::Left, to_come()), &[], &expect![[]]);
    assert_eq!(summary(Ending::Interrupted, to_come()).missing(), ["consolidation"]);
}

#[test]
fn an_act_that_came_about_in_one_round_and_not_in_another() {
    let once = Verdict { missed: 1, words: "2 pods wait".to_owned(), ..happened("", 3) };
    let summary = Summary { rounds: 2, lost: 0, waits: Vec::new(), ..summary(Ending::Left, once) };
    check(&summary, &["consolidation"], &expect![[]]);
}
