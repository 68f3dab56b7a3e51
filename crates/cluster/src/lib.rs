//! The Kubernetes side: watches into the World, and everything that is written to the cluster.
//!
//! ```text
//! API server ──watch──▶ source ──Change──▶ mirror ──▶ World
//! ```
//! Only this crate speaks to the API server; nobody above it names `kube`.

pub mod access;
pub mod buffers;
pub mod config_maps;
pub mod connect;
pub mod events;
pub mod evict;
pub mod identity;
pub mod lease;
pub mod mirror;
pub mod nodes;
pub mod orders;
pub mod pods;
pub mod priorities;
pub mod saved_state;
pub mod source;
pub mod status_map;
pub mod statuses;
pub mod taints;

pub use connect::Client;
