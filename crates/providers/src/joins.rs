//! How machines of a simulated or emulated infrastructure become nodes of a cluster.

use async_trait::async_trait;
use serde_json::Value;

/// A cluster that machines join. Calls are made one after the other.
#[async_trait]
pub trait Joins: Send + Sync {
    /// A machine has booted, and its node joins: the Node as Kubernetes writes it, as far as a machine can tell.
    async fn join(&self, node: Value);

    /// The machine behind the node of this name is gone: deleted, or vanished.
    async fn leave(&self, name: &str);
}
