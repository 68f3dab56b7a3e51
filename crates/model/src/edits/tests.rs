use proptest::{prelude::*, proptest};

use super::*;

fn distance(one: &str, other: &str, most: usize) -> Option<usize> {
    Edits::new(one, most, u64::MAX).to(other, |one, other| one == other)
}

/// Slow because it is obvious: the whole table.
fn reference(one: &str, other: &str) -> usize {
    let (one, other): (Vec<char>, Vec<char>) = (one.chars().collect(), other.chars().collect());
    let mut table = vec![vec![0; other.len() + 1]; one.len() + 1];
    for line in 0..=one.len() {
        for column in 0..=other.len() {
            table[line][column] = if line == 0 || column == 0 {
                line + column
            } else {
                let replaced = usize::from(one[line - 1] != other[column - 1]);
                (table[line - 1][column - 1] + replaced)
                    .min(table[line - 1][column] + 1)
                    .min(table[line][column - 1] + 1)
            };
        }
    }
    table[one.len()][other.len()]
}

#[test]
fn edits_are_counted() {
    for (one, other, expected) in [
        ("", "", 0),
        ("a", "", 1),
        ("", "abc", 3),
        ("kitten", "sitting", 3),
        ("cheap", "chaep", 2),
        ("unneded-time", "unneeded-time", 1),
    ] {
        assert_eq!(distance(one, other, MOST_EDITS), Some(expected), "{one} {other}");
        assert_eq!(expected.checked_sub(1).and_then(|most| distance(one, other, most)), None);
    }
}

/// A pod may be asked for by a name of any length, and be compared with every pod of the cluster.
#[test]
fn a_hostile_name_costs_a_bounded_number_of_comparisons() {
    let known: Vec<String> = (0..3752).map(|number| format!("{number:a>253}")).collect();
    let compare = |word: &str, budget: u64| {
        let mut edits = Edits::new(word, usize::MAX, budget);
        for name in &known {
            edits.to(name, |one, other| one == other);
        }
        edits.spent()
    };
    assert_eq!(compare(&"a".repeat(60_000), u64::MAX), 0, "no pod has a name of that length");
    // The worst that can be asked: as long as names get, and almost as all of them are.
    let worst = 3752 * 253 * (2 * u64::try_from(MOST_EDITS).unwrap() + 1);
    let spent = compare(&"a".repeat(253), u64::MAX);
    assert!(spent > worst / 2 && spent <= worst, "{spent}");
    let line = 2 * u64::try_from(MOST_EDITS).unwrap() + 1;
    assert!(compare(&"a".repeat(253), 1_000_000) <= 1_000_000 + line);
    // Names that have nothing in common are given up after a few letters.
    assert!(compare(&"b".repeat(253), u64::MAX) < 3752 * 2 * line * line);
}

proptest! {
    #[test]
    fn what_is_near_is_measured_as_the_whole_table_does(
        one in "[abc]{0,20}",
        other in "[abcä]{0,20}",
        most in 0_usize..=MOST_EDITS,
    ) {
        let expected = Some(reference(&one, &other)).filter(|distance| *distance <= most);
        prop_assert_eq!(distance(&one, &other, most), expected);
    }
}
