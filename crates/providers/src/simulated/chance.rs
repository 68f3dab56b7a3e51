//! Chance that is the same every time.

use jiff::SignedDuration;
use rand::{RngExt as _, SeedableRng as _};
use rand_chacha::ChaCha8Rng;

/// Where random numbers come from. A machine's fate depends on the seed, the group and how many machines the group had before,
/// on nothing that happens elsewhere; the fate of a call on how many calls there were before.
#[derive(Clone, Copy, Debug)]
pub(super) struct Chance {
    seed: u64,
    /// The provider's name, so that two providers of one seed do not name their machines alike.
    name: u64,
}

/// What is decided by chance. Each has numbers of its own.
#[derive(Clone, Copy, Debug)]
enum Purpose {
    Machine = 1,
    Call = 2,
}

const HOUR: f64 = 3600.0;

// === impl Chance ===

impl Chance {
    pub(super) fn new(seed: u64, name: &str) -> Self {
        Self { seed, name: digest(name) }
    }

    /// Numbers for the machine of this number in a group.
    pub(super) fn of_machine(self, group: &str, number: u64) -> ChaCha8Rng {
        self.source(Purpose::Machine, digest(group), number)
    }

    /// Numbers for the call of this number.
    pub(super) fn of_call(self, number: u64) -> ChaCha8Rng {
        self.source(Purpose::Call, 0, number)
    }

    fn source(self, purpose: Purpose, of: u64, number: u64) -> ChaCha8Rng {
        let words = [self.seed, self.name, of, purpose as u64];
        let mut seed = [0; 32];
        for (place, byte) in seed.iter_mut().zip(words.iter().flat_map(|word| word.to_le_bytes())) {
            *place = byte;
        }
        let mut source = ChaCha8Rng::from_seed(seed);
        source.set_stream(number);
        source
    }
}

/// How long a thing lasts that ends so many times per hour on average; `None` when it does not end.
pub(super) fn lifetime(per_hour: f64, source: &mut ChaCha8Rng) -> Option<SignedDuration> {
    // Above zero, so that the logarithm is finite.
    let left: f64 = 1.0 - source.random::<f64>();
    if per_hour <= 0.0 {
        return None;
    }
    let seconds = (-left.ln() / per_hour * HOUR).ceil();
    SignedDuration::try_from_secs_f64(seconds).ok()
}

/// FNV-1a, which is the same in every release and on every machine.
fn digest(text: &str) -> u64 {
    text.bytes().fold(0xcbf2_9ce4_8422_2325, |sum, byte| {
        (sum ^ u64::from(byte)).wrapping_mul(0x0000_0100_0000_01b3)
    })
}
