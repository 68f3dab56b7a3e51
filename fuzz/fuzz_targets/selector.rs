//! `cargo +nightly fuzz run selector`: the body is that of the property tests.

#![no_main]
#![expect(dead_code, reason = "the bodies of all targets are in one file")]

use libfuzzer_sys::fuzz_target;

#[path = "../../crates/model/tests/properties/bodies.rs"]
mod bodies;

fuzz_target!(|text: &str| bodies::selector(text));
