//! What a pass decides: worlds in a few lines with the whole answer beside them, and what has to hold in any world.

#![expect(
    clippy::unwrap_used,
    clippy::panic,
    reason = "a fixture or a world that makes no sense is a failed test"
)]

mod fixture;
mod topics;
