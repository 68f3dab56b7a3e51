//! Quantities against the same amounts worked out by hand, with any number of digits.

use std::cmp::Ordering;

use proptest::prelude::*;

use crate::quantity::{BINARY_SUFFIXES, DECIMAL_SUFFIXES, Quantity};

/// A quantity in its pieces.
#[derive(Clone, Debug)]
struct Written {
    negative: bool,
    whole: String,
    fraction: String,
    suffix: Suffix,
}

#[derive(Clone, Copy, Debug)]
enum Suffix {
    Decimal(&'static str, i32),
    Binary(&'static str, u32),
}

/// An amount in nano-units. The digits begin with the least significant one and do not end in zeros.
#[derive(Debug)]
struct Reference {
    negative: bool,
    digits: Vec<u8>,
}

fn written() -> impl Strategy<Value = Written> {
    let suffix = prop_oneof![
        prop::sample::select(&DECIMAL_SUFFIXES)
            .prop_map(|(text, power)| Suffix::Decimal(text, power)),
        prop::sample::select(&BINARY_SUFFIXES)
            .prop_map(|(text, power)| Suffix::Binary(text, power)),
    ];
    (any::<bool>(), "[0-9]{0,22}", "(0{0,9}|)[0-9]{0,14}", suffix).prop_map(
        |(negative, whole, fraction, suffix)| Written { negative, whole, fraction, suffix },
    )
}

// === impl Written ===

impl Written {
    fn parse(&self) -> Option<Quantity> {
        let sign = if self.negative { "-" } else { "" };
        let (Suffix::Decimal(suffix, _) | Suffix::Binary(suffix, _)) = self.suffix;
        Quantity::parse(&format!("{sign}{}.{}{suffix}", self.whole, self.fraction)).ok()
    }

    fn reference(&self) -> Reference {
        let mut digits = digits_of(&format!("{}{}", self.whole, self.fraction));
        let mut shift = 9 - i32::try_from(self.fraction.len()).unwrap();
        match self.suffix {
            Suffix::Decimal(_, power) => shift += power,
            Suffix::Binary(_, power) => {
                for _ in 0..power {
                    digits = carried(digits.iter().map(|digit| digit * 2).collect());
                }
            }
        }
        for _ in 0..shift {
            digits.insert(0, 0);
        }
        // Rounding up digit by digit is rounding up at once, because what is rounded up to is not zero.
        for _ in shift..0 {
            if digits.first().is_some_and(|last| *last != 0) {
                digits[0] = 10;
                digits = carried(digits);
            }
            digits = digits.into_iter().skip(1).collect();
        }
        digits = carried(digits);
        let cap = digits_of("9223372036854775807000000000");
        if matches!(self.suffix, Suffix::Binary(..)) && compare(&digits, &cap).is_gt() {
            digits = cap;
        }
        Reference { negative: self.negative && !digits.is_empty(), digits }
    }
}

// === impl Reference ===

impl Reference {
    fn cmp(&self, other: &Self) -> Ordering {
        match (self.negative, other.negative) {
            (false, false) => compare(&self.digits, &other.digits),
            (true, true) => compare(&other.digits, &self.digits),
            (left, right) => right.cmp(&left),
        }
    }

    fn text(&self) -> String {
        let digits: String =
            self.digits.iter().rev().map(|digit| char::from(b'0' + digit)).collect();
        format!("{}{digits}n", if self.negative { "-" } else { "" })
    }
}

fn digits_of(text: &str) -> Vec<u8> {
    carried(text.bytes().rev().map(|digit| digit - b'0').collect())
}

/// The same number with each digit below ten and no zeros in front.
fn carried(mut digits: Vec<u8>) -> Vec<u8> {
    digits.push(0);
    for position in 1..digits.len() {
        digits[position] += digits[position - 1] / 10;
        digits[position - 1] %= 10;
    }
    while digits.last() == Some(&0) {
        digits.pop();
    }
    digits
}

fn compare(left: &[u8], right: &[u8]) -> Ordering {
    left.len().cmp(&right.len()).then_with(|| left.iter().rev().cmp(right.iter().rev()))
}

proptest! {
    #[test]
    fn order_is_that_of_the_reference(left in written(), right in written()) {
        if let (Some(a), Some(b)) = (left.parse(), right.parse()) {
            prop_assert_eq!(a.cmp(&b), left.reference().cmp(&right.reference()));
            prop_assert_eq!(a == b, a.cmp(&b).is_eq());
        }
    }

    #[test]
    fn amount_is_that_of_the_reference(written in written()) {
        prop_assert_eq!(written.parse(), Quantity::parse(&written.reference().text()).ok());
    }

    #[test]
    fn sums_do_not_depend_on_the_order(left in written(), right in written()) {
        if let (Some(a), Some(b)) = (left.parse(), right.parse()) {
            prop_assert_eq!(a.checked_add(&b).ok(), b.checked_add(&a).ok());
        }
    }
}
