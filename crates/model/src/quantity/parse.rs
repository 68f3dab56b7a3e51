//! Reading a quantity: a sign, digits, a point and more digits, a suffix. Any of them may be missing, but not all.

use super::{
    BINARY_SUFFIXES, DECIMAL_SUFFIXES, Family, Quantity, QuantityError,
    decimal::{Decimal, FINEST},
};

/// The pieces of a text of the right form.
struct Pieces<'a> {
    negative: bool,
    whole: &'a str,
    fraction: &'a str,
    suffix: &'a str,
}

/// What a suffix multiplies by.
enum Factor {
    PowerOfTen(i64),
    PowerOfTwo(u32),
}

/// Where amounts written with a binary suffix end, in nano-units.
const BINARY_CAP: u128 = 9_223_372_036_854_775_807 * NANOS;

const NANOS: u128 = 1_000_000_000;

pub(super) fn quantity(text: &str) -> Result<Quantity, QuantityError> {
    let pieces = pieces(text).ok_or_else(|| QuantityError::Format(text.into()))?;
    let (factor, family) =
        interpret(pieces.suffix).ok_or_else(|| QuantityError::Suffix(text.into()))?;
    let magnitude = match factor {
        Factor::PowerOfTen(exponent) => decimal_amount(pieces.whole, pieces.fraction, exponent),
        Factor::PowerOfTwo(exponent) => binary_amount(pieces.whole, pieces.fraction, exponent),
    };
    let overflow = || QuantityError::Overflow(text.into());
    let magnitude = magnitude.ok_or_else(overflow)?;
    // Kubernetes makes decimal what is less than one of anything: there is no binary suffix for it, not even later,
    // when it has become the first part of a sum.
    let is_small = Decimal::new(1, 0).is_some_and(|one| magnitude < one);
    let family = if family == Family::Binary && is_small { Family::Decimal } else { family };
    let amount =
        if pieces.negative { magnitude.negated().ok_or_else(overflow)? } else { magnitude };
    Ok(Quantity { amount, family })
}

/// Takes the text apart. Whether the suffix means anything is not asked here: a suffix is letters that occur in
/// suffixes, then a sign and digits. So `--1` has the right form, with `-1` as its suffix.
fn pieces(text: &str) -> Option<Pieces<'_>> {
    if text.is_empty() {
        return None;
    }
    let (negative, unsigned) = match text.strip_prefix('-') {
        Some(rest) => (true, rest),
        None => (false, text.strip_prefix('+').unwrap_or(text)),
    };
    let (whole, rest) = split_digits(unsigned);
    let (fraction, suffix) = rest.strip_prefix('.').map_or(("", rest), split_digits);

    let exponent = suffix.trim_start_matches(|c| "eEinumkKMGTP".contains(c));
    let exponent = exponent.strip_prefix(['+', '-']).unwrap_or(exponent);
    let (_, garbage) = split_digits(exponent);
    garbage.is_empty().then_some(Pieces { negative, whole, fraction, suffix })
}

fn split_digits(text: &str) -> (&str, &str) {
    let end = text.bytes().position(|byte| !byte.is_ascii_digit()).unwrap_or(text.len());
    text.split_at(end)
}

fn interpret(suffix: &str) -> Option<(Factor, Family)> {
    if let Some((_, exponent)) = DECIMAL_SUFFIXES.iter().find(|(known, _)| *known == suffix) {
        return Some((Factor::PowerOfTen(i64::from(*exponent)), Family::Decimal));
    }
    if let Some((_, exponent)) = BINARY_SUFFIXES.iter().find(|(known, _)| *known == suffix) {
        return Some((Factor::PowerOfTwo(*exponent), Family::Binary));
    }
    let exponent = suffix.strip_prefix(['e', 'E'])?.parse().ok()?;
    Some((Factor::PowerOfTen(exponent), Family::Exponent))
}

/// `whole.fraction × 10^exponent`, rounded up to nano-units; nothing if out of range.
fn decimal_amount(whole: &str, fraction: &str, exponent: i64) -> Option<Decimal> {
    let digits = [whole, fraction].concat();
    let digits = digits.trim_start_matches('0');
    if digits.is_empty() {
        return Some(Decimal::ZERO);
    }
    let exponent = exponent.saturating_sub(i64::try_from(fraction.len()).ok()?);

    // Digits that are too fine are dropped before the rest is turned into a number: there may be any number of them.
    let finest = i64::from(FINEST);
    let too_fine = usize::try_from(finest.saturating_sub(exponent)).unwrap_or(0);
    let (kept, dropped) = digits.split_at(digits.len().saturating_sub(too_fine));
    let round_up = dropped.bytes().any(|digit| digit != b'0');

    // Zeros at the end are not needed either, unless the digit that rounding up changes is one of them.
    let significant = if round_up { kept } else { kept.trim_end_matches('0') };
    let zeros = i64::try_from(kept.len() - significant.len()).ok()?;
    let mantissa: i128 = if significant.is_empty() { 0 } else { significant.parse().ok()? };
    let mantissa = mantissa.checked_add(i128::from(round_up))?;
    let exponent = exponent.max(finest).saturating_add(zeros);
    Decimal::new(mantissa, i32::try_from(exponent).ok()?)
}

/// `whole.fraction × 2^exponent`, rounded up to nano-units and capped.
fn binary_amount(whole: &str, fraction: &str, exponent: u32) -> Option<Decimal> {
    let unit = NANOS << exponent;
    let whole = whole.trim_start_matches('0');
    let whole: Option<u128> = if whole.is_empty() { Some(0) } else { whole.parse().ok() };

    // The fraction times the unit, by Horner's rule from the last digit on. Dropping what is behind the point in each
    // step changes no digit before it; that something was dropped is all that rounding up needs to know.
    let mut parts = 0_u128;
    let mut exact = true;
    for digit in fraction.bytes().rev() {
        let sum = u128::from(digit - b'0') * unit + parts;
        exact &= sum.is_multiple_of(10);
        parts = sum / 10;
    }
    let nanos = whole
        .and_then(|whole| whole.checked_mul(unit))
        .and_then(|nanos| nanos.checked_add(parts + u128::from(!exact)))
        .map_or(BINARY_CAP, |nanos| nanos.min(BINARY_CAP));
    Decimal::new(i128::try_from(nanos).ok()?, FINEST)
}
