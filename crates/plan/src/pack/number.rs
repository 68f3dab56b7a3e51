//! Conversions between exact integers and the floating point of the linear programs.
//!
//! Feasibility is always decided on integers; floats only steer the search, so rounding here is harmless.

/// An exact amount as a float.
#[expect(clippy::cast_precision_loss, reason = "floats only steer; sizes are checked as integers")]
pub(super) const fn real(amount: i64) -> f64 {
    amount as f64
}

/// A price or a count as a float.
#[expect(clippy::cast_precision_loss, reason = "floats only steer; costs are summed as integers")]
pub(super) const fn real_cost(cost: u64) -> f64 {
    cost as f64
}

/// The whole part of a small non-negative float; what cannot be counted becomes 0 or `u32::MAX`.
#[expect(
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "float to integer casts saturate, which is what is wanted"
)]
pub(super) const fn whole(value: f64) -> u32 {
    value as u32
}

/// The whole part of a non-negative float cost.
#[expect(
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "float to integer casts saturate, which is what is wanted"
)]
pub(super) const fn whole_cost(value: f64) -> u64 {
    value as u64
}

/// A non-negative integer as a count, saturating.
pub(super) fn count(value: i64) -> u32 {
    u32::try_from(value.max(0)).unwrap_or(u32::MAX)
}
