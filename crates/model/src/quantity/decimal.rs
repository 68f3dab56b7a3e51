//! An exact decimal number, no finer than a nano-unit.
//!
//! A 128-bit count of nano-units would do for every machine there is, but not for `1e30`, which Kubernetes accepts.
//! So the power of ten is kept apart from the digits.

use std::cmp::Ordering;

/// `mantissa × 10^exponent`, in the one form in which the mantissa does not end in a zero digit, so that equality and
/// hashing can be derived.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub(super) struct Decimal {
    mantissa: i128,
    /// At least [`FINEST`]; zero for the number zero.
    exponent: i32,
}

/// Kubernetes keeps nothing finer than 10^-9.
pub(super) const FINEST: i32 = -9;

/// Amounts reach 10^64 at most. Without a limit `1e2000000000` would be a number that fills the memory when printed.
const MAX_DIGITS: u32 = 64;

// === impl Decimal ===

impl Decimal {
    pub(super) const ZERO: Self = Self { mantissa: 0, exponent: 0 };

    /// `mantissa × 10^exponent`, or nothing if that is too large or too fine.
    pub(super) fn new(mantissa: i128, exponent: i32) -> Option<Self> {
        let number = Self::normal(mantissa, exponent);
        let in_range = number.exponent >= FINEST && number.magnitude() <= i64::from(MAX_DIGITS);
        in_range.then_some(number)
    }

    /// As [`Decimal::new`], for numbers that are always in range. `exponent` is 0 or -3.
    pub(super) fn from_i64(mantissa: i64, exponent: i32) -> Self {
        debug_assert!((FINEST..=0).contains(&exponent), "10^{exponent} may not fit");
        Self::normal(i128::from(mantissa), exponent)
    }

    fn normal(mut mantissa: i128, mut exponent: i32) -> Self {
        if mantissa == 0 {
            return Self::ZERO;
        }
        while mantissa % 10 == 0 {
            mantissa /= 10;
            exponent = exponent.saturating_add(1);
        }
        Self { mantissa, exponent }
    }

    pub(super) fn mantissa(self) -> i128 {
        self.mantissa
    }

    pub(super) fn exponent(self) -> i32 {
        self.exponent
    }

    pub(super) fn negated(self) -> Option<Self> {
        Some(Self { mantissa: self.mantissa.checked_neg()?, ..self })
    }

    /// The exact sum. Nothing if either number does not fit once both are written with the same exponent.
    pub(super) fn checked_add(self, other: Self) -> Option<Self> {
        if self == Self::ZERO {
            return Some(other);
        }
        if other == Self::ZERO {
            return Some(self);
        }
        let exponent = self.exponent.min(other.exponent);
        let sum = self.shifted_to(exponent)?.checked_add(other.shifted_to(exponent)?)?;
        Self::new(sum, exponent)
    }

    /// The number divided by `10^exponent`, rounded away from zero: whoever asks for a little gets some of it.
    pub(super) fn scaled_away_from_zero(self, exponent: i32) -> Option<i128> {
        if self.exponent >= exponent {
            return self.shifted_to(exponent);
        }
        let divisor = power_of_ten(exponent.checked_sub(self.exponent)?)?;
        let rest = self.mantissa % divisor;
        Some(self.mantissa / divisor + rest.signum())
    }

    /// The mantissa the number would have with a smaller exponent.
    fn shifted_to(self, exponent: i32) -> Option<i128> {
        self.mantissa.checked_mul(power_of_ten(self.exponent.checked_sub(exponent)?)?)
    }

    /// How many digits the number has before the point; negative if the first digits after it are zeros.
    fn magnitude(self) -> i64 {
        let digits = self.mantissa.unsigned_abs().checked_ilog10().map_or(0, |log| log + 1);
        i64::from(digits) + i64::from(self.exponent)
    }

    /// Compares two numbers of the same sign, both not zero, without regard to the sign.
    fn cmp_magnitude(self, other: Self) -> Ordering {
        self.magnitude().cmp(&other.magnitude()).then_with(|| {
            // As many digits before the point, so the coarser mantissa grows to as many digits as the finer one has.
            // If it does not fit then, it is the larger one.
            let exponent = self.exponent.min(other.exponent);
            match (self.shifted_to(exponent), other.shifted_to(exponent)) {
                (Some(left), Some(right)) => left.unsigned_abs().cmp(&right.unsigned_abs()),
                (left, right) => left.is_none().cmp(&right.is_none()),
            }
        })
    }
}

impl Default for Decimal {
    fn default() -> Self {
        Self::ZERO
    }
}

impl PartialOrd for Decimal {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl Ord for Decimal {
    fn cmp(&self, other: &Self) -> Ordering {
        self.mantissa.signum().cmp(&other.mantissa.signum()).then_with(|| {
            match self.mantissa.signum() {
                1 => self.cmp_magnitude(*other),
                -1 => other.cmp_magnitude(*self),
                _ => Ordering::Equal,
            }
        })
    }
}

fn power_of_ten(exponent: i32) -> Option<i128> {
    10_i128.checked_pow(u32::try_from(exponent).ok()?)
}
