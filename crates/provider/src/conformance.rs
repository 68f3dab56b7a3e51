//! Whether a provider keeps the promises of the contract.

mod knob;
mod testbed;

pub use knob::{Knob, NoSuchKnob};
pub use testbed::{Doing, Machine, Role, TestGroup, Testbed};
