//! Slicer hosts, through their emulator.

mod conformance;
mod emulator;
mod fence;
mod fuzzed;
mod hosts;
mod machines;
mod outage;
mod refused;
mod stage;
mod strangers;
mod testbed;
mod tokens;
mod unanswered;
mod userdata;
mod verbs;
