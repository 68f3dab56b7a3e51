//! Infrastructures: one module per provider, each with an emulator of its service.

pub mod choice;
mod document;
mod faults;
mod joins;
pub mod rest;
pub mod simulated;
pub mod slicer;
pub mod stackpoint;
mod template;

pub use document::ConfigError;
pub use joins::{Joins, joins};
