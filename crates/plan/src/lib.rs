//! Decisions: which nodes to buy, which to give back, and why.
//!
//! [`plan`] is a pure function from a [`World`](plimsoll_model::World) to a [`Plan`]: no clock, no I/O, the same bytes every
//! time. [`pack`] is its numeric heart: pods of a few kinds into nodes of many types, as cheaply as possible.

mod existing;
mod gangs;
mod headroom;
pub mod pack;
mod pass;
mod pending;
mod plan;
mod report;
mod residents;
mod scale_down;
mod scale_up;
mod scene;
mod serve;
mod state;
mod template;

pub use pass::plan;

pub use plan::{
    BlockReason, Blocked, Cost, GroupHealth, GroupReason, GroupRejection, GroupReport, Outcome,
    Placement, Plan, PodBlockReason, PodReport, Purchase, Repair, Retirement, RetirementReason,
    Unneeded,
};
