//! Decisions: which nodes to buy, which to give back, and why.
//!
//! [`plan`] is a pure function from a [`World`](plimsoll_model::World) to a [`Plan`]: no clock, no I/O, the same bytes every
//! time. [`pack`] is its numeric heart: pods of a few kinds into nodes of many types, as cheaply as possible.

mod admit;
mod buffers;
mod exemplar;
mod existing;
mod expected;
mod gangs;
mod headroom;
pub mod pack;
mod pass;
mod pending;
mod plan;
mod profile;
mod quotas;
mod report;
mod requests;
mod residents;
mod scale_down;
mod scale_up;
mod scene;
mod serve;
mod stand_ins;
mod state;
mod template;
pub mod words;

pub use admit::{Admission, admits};
pub use buffers::{BufferReport, Making, Told};
pub use pass::plan;
pub use state::marks::is_control_plane;

/// How long a group rests after its provider refused an order, given the rest that is remembered of it.
pub fn after_failure(
    previous: Option<&plimsoll_model::Backoff>,
    code: &str,
    settings: &plimsoll_model::ScaleUpSettings,
    now: plimsoll_model::Timestamp,
) -> plimsoll_model::Backoff {
    let previous = state::backoff::recalled(previous, settings, now);
    state::backoff::after_failure(previous.as_ref(), code, settings, now)
}

pub use plan::{
    BlockReason, Blocked, Contradiction, Cost, GroupHealth, GroupReason, GroupRejection,
    GroupReport, Held, HoldReason, Kept, Outcome, Place, Placement, Plan, PodBlockReason,
    PodReport, Purchase, QuotaReport, Removal, Repair, RequestReport, RequestState, Retirement,
    RetirementReason, Unneeded,
};
