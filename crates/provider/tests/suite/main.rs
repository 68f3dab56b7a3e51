//! Tests of the contract through its public interface.

#![expect(clippy::unwrap_used, reason = "a test stops where it is surprised")]

mod broken;
mod conformance;
mod honest;
mod steady;
