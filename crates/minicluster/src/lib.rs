//! An embedded Kubernetes: API server, controllers, scheduler and fake kubelets in one process.
//!
//! ```text
//!  kubectl, kube-rs ──TLS──▶ server ──▶ api ──▶ store ──▶ watches
//!  in-process clients ──────▶  │         │
//!                              │         ├ rules     defaults and checks of each kind
//!             discovery, table ┘         ├ patch     JSON, merge, strategic merge
//!                                        ├ apply     server-side apply
//!                                        ├ schema    what fields there are; custom resources
//!                                        └ special   binding, eviction, scale
//!  controllers, scheduler ───────────▶  api
//!  kubelet ──(in-process or HTTPS)──▶  any API server
//! ```
//!
//! Objects are JSON from end to end: what a kind is, is data in [`registry`], and one generic path serves all kinds. The store
//! keeps each object as the bytes that are sent, with what selectors look at beside them.
//!
//! It exists to try Plimsoll out and to test it, and it is faithful where kubectl and controllers can tell. It shares no code
//! with what it tests but the words of the model and the scheduler's filters.

pub mod api;
pub mod apply;
pub mod controllers;
pub mod custom;
pub mod discovery;
pub mod error;
pub mod kind;
pub mod kubelet;
pub mod minicluster;
pub mod object;
pub mod openapi;
pub mod patch;
mod read;
pub mod registry;
pub mod rules;
pub mod scheduler;
pub mod schema;
pub mod server;
pub mod special;
pub mod store;
pub mod table;

pub use api::Api;
pub use error::{ApiError, FieldError};
pub use kind::Kind;
pub use minicluster::Minicluster;
pub use object::Object;
