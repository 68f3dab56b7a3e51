//! Slicer: microVMs on hosts of one's own, which join a k3s cluster as agents.
//!
//! [`Config`] is the file of the upstream's provider, with a few keys more; [`Slicer`] is the provider over the REST interface of
//! one or several hosts; `emulator` is such a host without virtual machines.

mod client;
mod config;
#[cfg(feature = "lab")]
pub mod emulator;
mod ini;
mod kubelet;
mod provider;
mod template;
mod userdata;
mod wire;

pub use client::Client;
pub use config::{Config, GroupConfig};
pub use provider::{Connector, Slicer, Source};
pub use userdata::script;
