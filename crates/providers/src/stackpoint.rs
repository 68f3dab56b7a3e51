//! StackPointCloud, later NetApp Kubernetes Service: clusters whose machines a service makes and deletes one by one.
//!
//! ```text
//! StackPoint ──▶ Client ──▶ Rest ──▶ the service, or an Emulator
//!     │
//!     └─ reconcile: pools and records ─▶ Books ─▶ inventory, owner
//! ```
//! The service has no groups: its pools that are marked as autoscaled become groups. It has no targets either: an order is a number
//! of records in state `draft`, at once, and a record that is deleted is gone.

mod amounts;
mod bounds;
mod client;
mod config;
#[cfg(feature = "lab")]
pub mod emulator;
mod inventory;
mod kinds;
mod learning;
mod listing;
mod memory;
mod owner;
mod pools;
mod provider;
mod reconcile;
mod steering;
mod template;
#[cfg(feature = "lab")]
pub mod testbed;
mod wire;

pub use config::{Bounds, Config, Environment, NamedGroup, Placement, Prices, Refused, Token};
pub use learning::UnknownKinds;
pub use pools::{Board, CONFIG_MAP, CONFIG_MAP_KEY};
pub use provider::StackPoint;
pub use steering::{Steering, TooLarge};
