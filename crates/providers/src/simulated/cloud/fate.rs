//! What will become of a machine, decided when it is bought.

use jiff::SignedDuration;
use plimsoll_model::InstanceError;
use plimsoll_provider::Class;
use rand::RngExt as _;
use rand_chacha::ChaCha8Rng;

use crate::simulated::{catalogue::Offer, chance::lifetime};

/// What will become of a machine.
#[derive(Clone, Debug)]
pub(super) struct Fate {
    pub(super) delivery: SignedDuration,
    pub(super) boot: SignedDuration,
    pub(super) deletion: SignedDuration,
    /// Why it will not come up.
    pub(super) failure: Option<InstanceError>,
    /// How long it runs before it vanishes.
    pub(super) lifetime: Option<SignedDuration>,
}

// === impl Fate ===

impl Fate {
    /// As many numbers are drawn whatever the group offers, so that one rate changes nothing but what it is about.
    pub(super) fn draw(offer: &Offer, chance: &mut ChaCha8Rng) -> Self {
        let mut fate = Self {
            delivery: offer.delivery.draw(chance),
            boot: offer.boot.draw(chance),
            deletion: offer.deletion.draw(chance),
            failure: None,
            lifetime: lifetime(offer.vanish_rate, chance),
        };
        let luck: f64 = chance.random();
        if let Some(failures) = &offer.boot_failures
            && luck < failures.rate
        {
            fate.fail(failures.class, &failures.code);
        }
        fate
    }

    /// Decides that it will not come up.
    pub(super) fn fail(&mut self, class: Class, code: &str) {
        self.failure = Some(InstanceError {
            class: class.of_instance(),
            code: code.into(),
            message: format!("the machine did not come up ({code})").into(),
        });
    }
}
