//! fleet.
