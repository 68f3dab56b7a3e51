//! Lengths of time that may differ from machine to machine.

use jiff::SignedDuration;
use rand::{Rng, RngExt as _};

/// How long something takes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Delay {
    /// Always the same.
    Fixed(SignedDuration),
    /// Anything between the two.
    Uniform {
        /// The shortest.
        shortest: SignedDuration,
        /// The longest.
        longest: SignedDuration,
    },
    /// Around the mean, seldom far away: never more than six deviations, and never below zero.
    Normal {
        /// The mean.
        mean: SignedDuration,
        /// About two thirds are no further from the mean than this.
        deviation: SignedDuration,
    },
}

/// So many uniform numbers between 0 and 1 have a sum whose variance is 1, and whose shape is nearly a bell.
const SUMMANDS: u32 = 12;

// === impl Delay ===

impl Delay {
    /// How long it usually takes.
    pub fn usual(&self) -> SignedDuration {
        match *self {
            Self::Fixed(length) => length,
            Self::Uniform { shortest, longest } => shortest + (longest - shortest) / 2,
            Self::Normal { mean, .. } => mean,
        }
    }

    /// How long it takes this time, in whole milliseconds. As many numbers are drawn whatever the kind, so that nothing else changes
    /// when a catalogue says it differently.
    pub(super) fn draw(&self, chance: &mut impl Rng) -> SignedDuration {
        let summands = (0..SUMMANDS).map(|_| chance.random::<f64>());
        let (first, sum) =
            summands.fold((None, 0.0), |(first, sum), one| (first.or(Some(one)), sum + one));
        let length = match *self {
            Self::Fixed(length) => length,
            Self::Uniform { shortest, longest } => {
                shortest + scaled(longest - shortest, first.unwrap_or_default())
            }
            Self::Normal { mean, deviation } => {
                mean.saturating_add(scaled(deviation, sum - f64::from(SUMMANDS) / 2.0))
            }
        };
        let milliseconds = i64::try_from(length.as_millis()).unwrap_or(i64::MAX);
        SignedDuration::from_millis(milliseconds.max(0))
    }
}

/// A duration times a small number.
fn scaled(length: SignedDuration, by: f64) -> SignedDuration {
    SignedDuration::try_from_secs_f64(length.as_secs_f64() * by).unwrap_or(length)
}
