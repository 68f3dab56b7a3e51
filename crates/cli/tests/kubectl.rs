//! What kubectl sees of `plimsoll minicluster`: the real kubectl, run as a person runs it.
//!
//! `cargo test` leaves this out because it needs a `kubectl` on the PATH; `cargo xtask test kubectl` runs it, and builds one
//! where there is none. Every test has a cluster of its own: one starts in less time than kubectl needs for a command.

#![expect(clippy::unwrap_used, reason = "a test stops where it is surprised")]

mod kubectl {
    mod applying;
    mod cluster;
    mod deleting;
    mod describing;
    mod nodes;
    mod normal;
    mod polite;
    mod reading;
    mod recorded;
    mod rollouts;
    mod walkthrough;
    mod writing;
}
