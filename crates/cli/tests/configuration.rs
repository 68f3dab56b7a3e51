//! Configuration that cannot be used, given to the binary as a user gives it: `run` and `provider serve` say the same of it, in one
//! line with its place, and end before anybody has been contacted.

#![expect(clippy::unwrap_used, reason = "a test stops where it is surprised")]

mod configuration {
    pub(crate) mod commands;
    mod slicer;
    mod stackpoint;
}
