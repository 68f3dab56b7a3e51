//! The loop: observe, plan, act, record.
//!
//! ```text
//! mirror (cluster) ──┐
//! fleet (provider) ──┼─▶ observe ─▶ World ─▶ plan ─▶ Plan ─▶ act ─▶ orders, retirements, repairs, soft taints
//! saved_state (cluster) ┘                                  └▶ record: saved_state, status, metrics, events, explanations
//! ```

pub mod autoscaler;
pub mod engine;
pub mod explain;
pub mod fault;
mod health;
mod hold;
mod http;
mod observe;
mod orders;
pub mod picture;
pub mod record;
mod retire;
pub mod settings;
#[cfg(test)]
mod sketch;
mod soft;
mod statuses;
mod steer;
mod templates;

pub use autoscaler::{Autoscaler, Equipment};
