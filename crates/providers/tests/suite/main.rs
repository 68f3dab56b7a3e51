//! Providers through their public interfaces.

#![expect(clippy::unwrap_used, clippy::panic, reason = "a test stops where it is surprised")]

mod loopback;
mod outage;
mod recordings;
mod simulated;
mod slicer;
mod stackpoint;
