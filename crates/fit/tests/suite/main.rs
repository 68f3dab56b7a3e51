//! What the scheduler said, what a slow reference says, and what the snapshot says: all three have to agree.

#![expect(clippy::unwrap_used, reason = "a test stops where it is surprised")]

mod devices;
mod generate;
mod hosts;
mod player;
mod profile;
mod properties;
mod reference;
mod vectors;
mod volumes;
