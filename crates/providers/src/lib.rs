//! Infrastructures: one module per provider.
//!
//! The feature `lab` adds what tests and try-outs need: the simulated infrastructure, and an emulator of each service.

pub mod choice;
mod document;
#[cfg(feature = "lab")]
mod faults;
#[cfg(feature = "lab")]
mod joins;
pub mod rest;
#[cfg(feature = "lab")]
pub mod simulated;
pub mod slicer;
pub mod stackpoint;
mod template;

pub use document::ConfigError;
#[cfg(feature = "lab")]
pub use joins::{Joins, joins};
