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

/// What is done when a machine joins, and when it leaves.
struct Calls<J, L> {
    join: J,
    leave: L,
}

/// A cluster that only has to be told: nothing waits for what it makes of it.
pub fn joins(join: impl Fn(Value) + Send + Sync, leave: impl Fn(&str) + Send + Sync) -> impl Joins {
    Calls { join, leave }
}

// === impl Calls ===

#[async_trait]
impl<J: Fn(Value) + Send + Sync, L: Fn(&str) + Send + Sync> Joins for Calls<J, L> {
    async fn join(&self, node: Value) {
        (self.join)(node);
    }

    async fn leave(&self, name: &str) {
        (self.leave)(name);
    }
}
