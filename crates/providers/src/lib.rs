//! Infrastructures: one module per provider, each with an emulator of its service.

pub mod choice;
mod document;
pub mod simulated;

pub use document::ConfigError;
