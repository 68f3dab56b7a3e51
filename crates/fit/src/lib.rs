//! Would kube-scheduler put this pod on that node?
//!
//! A [`Snapshot`] holds a cluster the way the scheduler sees it and answers for any pod shape and node: does it fit, and if
//! not, which filters object and why. It is changed pod by pod and node by node, and everything an answer needs is kept up
//! to date by those changes:
//!
//! ```text
//! shape ──▶ gate (labels, taints, cordon: one bit per class of nodes)      gates.rs
//!       ──▶ asks (integers against the row of a node)                     capacity.rs
//!       ──▶ counters (pods per domain, for spread and affinity)           counter.rs, tally.rs, census.rs, domains.rs
//! ```
//!
//! The filters themselves are in `filters/`, one file a plugin, and give the same answers as kube-scheduler 1.36.

mod capacity;
mod census;
mod counter;
mod devices;
mod domains;
mod filters;
mod fork;
mod gates;
mod ids;
mod nodes;
mod register;
mod rejection;
mod search;
mod shapes;
mod snapshot;
mod tally;
mod volumes;

pub use devices::{DeviceProblem, Equipment, local_slices};
pub use filters::{BindingProblem, Restriction};
pub use fork::{Fork, Mark};
pub use ids::{NodeId, PodId, ShapeId};
pub use nodes::Outfit;
pub use plimsoll_model::Plugin;
pub use rejection::{Rejection, Shortage};
pub use snapshot::Snapshot;
pub use volumes::VolumeLimits;
