//! Money, exact.

use std::{fmt, iter::Sum, ops};

/// An amount of money per hour, in millionths of the currency's unit. Which currency is the user's business.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Money(i64);

// === impl Money ===

impl Money {
    /// Nothing.
    pub const ZERO: Self = Self(0);

    /// So many millionths.
    pub const fn from_micros(micros: i64) -> Self {
        Self(micros)
    }

    /// The nearest amount; `None` for what is not a number, or too large.
    pub fn from_units(units: f64) -> Option<Self> {
        let micros = (units * 1e6).round();
        #[expect(clippy::cast_possible_truncation, reason = "the range is checked")]
        (micros.abs() < 9e18).then_some(Self(micros as i64))
    }

    /// In millionths.
    pub const fn micros(self) -> i64 {
        self.0
    }

    /// For printing and scores.
    #[expect(clippy::cast_precision_loss, reason = "exact below nine billion units")]
    pub fn units(self) -> f64 {
        self.0 as f64 / 1e6
    }

    /// So many times the amount, at most the largest there is.
    #[must_use]
    pub fn times(self, count: u32) -> Self {
        Self(self.0.saturating_mul(i64::from(count)))
    }
}

impl ops::Add for Money {
    type Output = Self;

    fn add(self, other: Self) -> Self {
        Self(self.0.saturating_add(other.0))
    }
}

impl ops::Sub for Money {
    type Output = Self;

    fn sub(self, other: Self) -> Self {
        Self(self.0.saturating_sub(other.0))
    }
}

impl Sum for Money {
    fn sum<I: Iterator<Item = Self>>(amounts: I) -> Self {
        amounts.fold(Self::ZERO, ops::Add::add)
    }
}

impl fmt::Display for Money {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(&format!("${:.2}", self.units()))
    }
}
