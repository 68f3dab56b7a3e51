//! Variety without randomness: a fixed sequence that looks random, the same in every run.

/// A linear congruential generator with Knuth's constants.
#[derive(Clone, Debug)]
pub(super) struct Chance(u64);

impl Chance {
    pub(super) const fn new(seed: u64) -> Self {
        Self(seed)
    }

    /// The next number in `0..bound`; 0 for an empty range.
    pub(super) fn below(&mut self, bound: u32) -> u32 {
        self.0 =
            self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        let high = u32::try_from(self.0 >> 32).unwrap_or(0);
        high.checked_rem(bound).unwrap_or(0)
    }

    /// The next number between 0 and 1.
    pub(super) fn fraction(&mut self) -> f64 {
        f64::from(self.below(1 << 20)) / f64::from(1 << 20)
    }
}
