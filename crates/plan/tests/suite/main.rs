//! What a pass decides: worlds in a few lines with the whole answer beside them, and what has to hold in any world.

#![expect(
    clippy::unwrap_used,
    clippy::panic,
    reason = "a fixture or a world that makes no sense is a failed test"
)]

mod fixture;
mod properties;
mod topics;
mod worlds;

/// The scheduler's filters, slow and obvious: written for the snapshot's tests, and independent of it.
#[path = "../../../fit/tests/suite"]
#[expect(unused_imports, reason = "not everything there is needed here")]
mod fit {
    pub(crate) mod reference;
}
