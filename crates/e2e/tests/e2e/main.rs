//! Plimsoll against components that nobody here wrote.

#![expect(clippy::unwrap_used, clippy::panic, reason = "a test stops where it is surprised")]

mod shipped;

mod fidelity;
mod rights;
mod scheduler;
mod start;
