//! The externalgrpc protocol both ways, and the external expander's.
//!
//! ```text
//! upstream autoscaler ──gRPC──▶ [server] ──▶ any Provider
//!          our planner ──▶ [client] ──gRPC──▶ any upstream-style server
//!          our planner ──▶ [expander] ──gRPC──▶ an external expander
//! ```
//!
//! The protocol lost and gained fields between 1.25 and today. Both sides here speak all versions at once: they write the old and
//! the new fields, and read the new ones first.

mod address;
mod client;
mod demand;
mod expander;
mod order;
pub mod proto;
mod server;
mod status;
mod turns;
mod wire;

pub use address::Address;
pub use client::{CertificateFiles, CloudConfig, ConfigError, ExternalGrpc};
pub use expander::{ExpanderError, ExpanderOption, GrpcExpander};
pub use server::{Server, ServerError, ServerSettings};
