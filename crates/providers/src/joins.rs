//! How machines of a simulated or emulated infrastructure become nodes of a cluster.

use std::future;

use async_trait::async_trait;
use jiff::Timestamp;
use plimsoll_net::{Clock, Shutdown};
use serde_json::Value;
use tokio::sync::Notify;

/// A cluster that machines join. Calls are made one after the other.
#[async_trait]
pub trait Joins: Send + Sync {
    /// A machine has booted, and its node joins: the Node as Kubernetes writes it, as far as a machine can tell.
    async fn join(&self, node: Value);

    /// The machine behind the node of this name is gone: deleted, or vanished.
    async fn leave(&self, name: &str);
}

/// What a cluster would notice.
#[derive(Clone, Debug)]
pub(crate) enum News {
    /// A machine has booted, and its node joins.
    Joins(Value),
    /// The machine behind the node of this name is gone.
    Leaves(String),
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

/// Tells a cluster what happens, until `shutdown`: what `look` gives has happened since it was asked last, and there is more at the
/// time that it names, or earlier when somebody has changed something.
pub(crate) async fn tell(
    joins: &dyn Joins,
    clock: Clock,
    changed: &Notify,
    look: impl Fn() -> (Vec<News>, Option<Timestamp>) + Send + Sync,
    shutdown: Shutdown,
) {
    let telling = async {
        loop {
            let (news, due) = look();
            for piece in news {
                match piece {
                    News::Joins(node) => joins.join(node).await,
                    News::Leaves(name) => joins.leave(&name).await,
                }
            }
            let time = async {
                match due {
                    Some(due) => clock.sleep_until(due).await,
                    None => future::pending().await,
                }
            };
            tokio::select! {
                () = time => {}
                () = changed.notified() => {}
            }
        }
    };
    tokio::select! {
        () = telling => {}
        () = shutdown.wait() => {}
    }
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
