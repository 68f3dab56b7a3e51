//! Quantities: amounts of a resource, as Kubernetes writes them.
//!
//! `500m`, `1.5Gi` and `12e6` are read, added, compared and printed exactly: nothing is ever a float, and nothing
//! wraps. An amount has at most 38 significant digits and is below 10^64; whatever would need more is an error.

use std::{cmp::Ordering, fmt, hash, str::FromStr};

use thiserror::Error;

use crate::labels::Quoted;
use decimal::Decimal;

mod decimal;
mod human;
mod parse;
mod print;

/// An amount of a resource, and the family of suffixes it is printed in.
///
/// Two quantities are equal when their amounts are, whatever their families: `1Gi` is `1024Mi` is `1073741824`.
#[derive(Clone, Copy, Default)]
pub struct Quantity {
    amount: Decimal,
    family: Family,
}

/// Which suffixes an amount is printed with. Kubernetes keeps the family an amount was written in.
#[derive(Clone, Copy, Default, PartialEq, Eq, Debug)]
enum Family {
    /// Steps of a thousand: `m`, `k`, `M`.
    #[default]
    Decimal,
    /// Steps of 1024: `Ki`, `Mi`. An amount in this family that has a fraction is printed in the decimal one.
    Binary,
    /// Powers of ten in steps of three: `e3`, `e-6`.
    Exponent,
}

/// Why a text is no quantity, or an amount not one that can be used.
#[derive(Clone, PartialEq, Eq, Debug, Error)]
pub enum QuantityError {
    /// The text is not a number with a suffix at all.
    #[error("quantity {} is not a number with an optional suffix", Quoted(.0))]
    Format(Box<str>),
    /// The text has the right form, but nobody knows the suffix. The usual mistake is `K` for `k` or `Ki`.
    #[error("quantity {} has an unknown suffix, known are n u m k M G T P E and Ki Mi Gi Ti Pi Ei", Quoted(.0))]
    Suffix(Box<str>),
    /// The amount needs more digits than are kept, or more than the integer asked for has.
    #[error("quantity {} is out of range", Quoted(.0))]
    Overflow(Box<str>),
}

/// The decimal suffixes with their powers of ten.
const DECIMAL_SUFFIXES: [(&str, i32); 10] = [
    ("n", -9),
    ("u", -6),
    ("m", -3),
    ("", 0),
    ("k", 3),
    ("M", 6),
    ("G", 9),
    ("T", 12),
    ("P", 15),
    ("E", 18),
];

/// The binary suffixes with their powers of two.
const BINARY_SUFFIXES: [(&str, u32); 6] =
    [("Ki", 10), ("Mi", 20), ("Gi", 30), ("Ti", 40), ("Pi", 50), ("Ei", 60)];

// === impl Quantity ===

impl Quantity {
    /// Nothing.
    pub const ZERO: Self = Self { amount: Decimal::ZERO, family: Family::Decimal };

    /// Reads a quantity as `resource.ParseQuantity` does.
    ///
    /// What is finer than a nano-unit is rounded away from zero, and an amount with a binary suffix is capped at
    /// 2^63-1, both as in Kubernetes.
    pub fn parse(text: &str) -> Result<Self, QuantityError> {
        parse::quantity(text)
    }

    /// Reads the contents of a JSON string, where Kubernetes forgives spaces around the quantity.
    ///
    /// It trims before it looks at escapes. Control characters cannot stand in a JSON string unescaped, so they are
    /// not forgiven although they are white space.
    pub fn parse_trimmed(contents: &str) -> Result<Self, QuantityError> {
        Self::parse(contents.trim_matches(|c: char| c.is_whitespace() && !c.is_ascii_control()))
    }

    /// Reads the text of a JSON value: a number, a string in its quotes, or `null`, which is zero.
    pub fn parse_json(token: &str) -> Result<Self, QuantityError> {
        if token == "null" {
            return Ok(Self::ZERO);
        }
        let unquoted = token.strip_prefix('"').and_then(|rest| rest.strip_suffix('"'));
        Self::parse(unquoted.unwrap_or(token).trim())
    }

    /// So many whole units.
    pub fn from_units(units: i64) -> Self {
        Self { amount: Decimal::from_i64(units, 0), family: Family::Decimal }
    }

    /// So many thousandths of a unit.
    pub fn from_milli(milli: i64) -> Self {
        Self { amount: Decimal::from_i64(milli, -3), family: Family::Decimal }
    }

    /// So many bytes, printed with binary suffixes.
    pub fn bytes(bytes: i64) -> Self {
        Self { amount: Decimal::from_i64(bytes, 0), family: Family::Binary }
    }

    /// The amount in whole units, rounded away from zero.
    pub fn value(self) -> Result<i64, QuantityError> {
        self.integer(0)
    }

    /// The amount in thousandths of a unit, rounded away from zero.
    pub fn milli(self) -> Result<i64, QuantityError> {
        self.integer(-3)
    }

    /// The exact sum. It keeps the family of `self`, unless that is zero and so says nothing about suffixes.
    pub fn checked_add(self, other: &Self) -> Result<Self, QuantityError> {
        let amount = self
            .amount
            .checked_add(other.amount)
            .ok_or_else(|| QuantityError::Overflow(format!("{self} + {other}").into_boxed_str()))?;
        let family = if self.is_zero() { other.family } else { self.family };
        Ok(Self { amount, family })
    }

    /// The exact difference, in the family that a sum would have.
    pub fn checked_sub(self, other: &Self) -> Result<Self, QuantityError> {
        let less = other.amount.negated().map(|amount| Self { amount, family: other.family });
        let overflow = || QuantityError::Overflow(format!("{self} - {other}").into_boxed_str());
        self.checked_add(&less.ok_or_else(overflow)?)
    }

    /// Whether the amount is zero.
    pub fn is_zero(self) -> bool {
        self.amount == Decimal::ZERO
    }

    /// Whether the amount is below zero.
    pub fn is_negative(self) -> bool {
        self < Self::ZERO
    }

    fn integer(self, exponent: i32) -> Result<i64, QuantityError> {
        self.amount
            .scaled_away_from_zero(exponent)
            .and_then(|scaled| i64::try_from(scaled).ok())
            .ok_or_else(|| QuantityError::Overflow(self.to_string().into_boxed_str()))
    }
}

impl FromStr for Quantity {
    type Err = QuantityError;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        Self::parse(text)
    }
}

impl PartialEq for Quantity {
    fn eq(&self, other: &Self) -> bool {
        self.amount == other.amount
    }
}

impl Eq for Quantity {}

impl hash::Hash for Quantity {
    fn hash<H: hash::Hasher>(&self, state: &mut H) {
        self.amount.hash(state);
    }
}

impl PartialOrd for Quantity {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl Ord for Quantity {
    fn cmp(&self, other: &Self) -> Ordering {
        self.amount.cmp(&other.amount)
    }
}

impl fmt::Debug for Quantity {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Quantity({self})")
    }
}

#[cfg(test)]
mod tests;
