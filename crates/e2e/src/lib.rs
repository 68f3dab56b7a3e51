//! Components that nobody here wrote, started for tests: a real Kubernetes control plane.
//!
//! ```text
//! e2e/controlplane (Go) ──program──▶ one executable, built once per machine
//!                                        └─ControlPlane::start─▶ etcd, kube-apiserver, kube-controller-manager, kube-scheduler
//! ```
//! Everything listens on free ports of the loopback interface and keeps its files in a directory of its own, so several run side by
//! side and nothing is left when they are dropped.

mod api;
mod audit;
mod control_plane;
mod process;
mod program;

pub use api::{Answer, Api};
pub use audit::Request;
pub use control_plane::{ControlPlane, Flavour};
pub use process::{Process, is_idle};
pub use program::Program;
