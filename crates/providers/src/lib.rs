//! Infrastructures: one module per provider, each with an emulator of its service.

pub mod simulated;
