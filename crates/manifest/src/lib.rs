//! Kubernetes manifests, JSON or YAML, into the words of the model.
//!
//! ```text
//! text ──▶ wire types ──▶ convert ──▶ model
//!          borrowed       defaults,   shared shapes
//!          strings        checks
//! ```
//!
//! A [`Reader`] takes objects of any kind and gives back [`Objects`]; [`case`] reads the lines that `plimsoll fit` is asked
//! with. What Kubernetes would refuse, and would change an answer, is refused here, with the object, the path and the
//! reason in one line. No input makes it panic.

pub mod case;
mod convert;
pub mod duration;
mod error;
pub mod flags;
mod intern;
mod kind;
mod parse;
pub mod priorities;
mod problem;
pub mod profile;
mod reader;
pub mod scenario;
mod wire;
mod yaml;

pub use convert::template::MADE_FROM;
pub use error::{Location, ManifestError};
pub use reader::{Objects, Reader};
