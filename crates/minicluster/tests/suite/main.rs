//! Tests of the embedded cluster from outside.

#![expect(
    clippy::unwrap_used,
    clippy::print_stdout,
    reason = "a test stops where it is surprised, and shows what it found"
)]

mod answers;
mod clients;
mod controllers;
mod replay;
mod robust;
mod secure;
mod whole;
