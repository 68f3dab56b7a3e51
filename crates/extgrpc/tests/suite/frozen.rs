//! The messages as clients of some versions have them, generated from `tests/proto`.

#![expect(
    unreachable_pub,
    clippy::module_inception,
    clippy::struct_field_names,
    reason = "generated"
)]

pub(crate) use frozen::*;

include!(concat!(env!("OUT_DIR"), "/frozen.rs"));
