//! Nodes whose kubelets have fallen silent.
//!
//! The control plane notices silence by its own clock, of which little passes: for a test, a node whose machine is gone would stay ready
//! for an hour. So silence is noticed in the time of the test as well, and written down as the control plane would.

use std::{
    collections::HashMap,
    sync::{Arc, Mutex, PoisonError},
    time::Duration,
};

use jiff::{SignedDuration, Timestamp};
use plimsoll_minicluster::kubelet::{At, Cluster, Collection, Part};
use plimsoll_net::Clock;
use serde_json::json;
use tokio::time::sleep;

/// The control plane's own default.
const GRACE: SignedDuration = SignedDuration::from_secs(50);
/// How often it is looked for.
const LOOK: Duration = Duration::from_secs(5);

const NODES: Collection = Collection { group: "", version: "v1", plural: "nodes" };

/// When each kubelet was last heard of.
#[derive(Debug)]
pub(super) struct Heartbeats {
    clock: Clock,
    last: Mutex<HashMap<String, Timestamp>>,
}

// === impl Heartbeats ===

impl Heartbeats {
    pub(super) fn new(clock: Clock) -> Self {
        Self { clock, last: Mutex::default() }
    }

    /// The kubelet of this node was heard of.
    pub(super) fn record(&self, node: &str) {
        let mut last = self.last.lock().unwrap_or_else(PoisonError::into_inner);
        last.insert(node.to_owned(), self.clock.now());
    }

    /// The nodes that have fallen silent, each once.
    fn take_silent(&self) -> Vec<String> {
        let mut last = self.last.lock().unwrap_or_else(PoisonError::into_inner);
        let now = self.clock.now();
        let is_silent = |_: &String, heard: &mut Timestamp| now.duration_since(*heard) > GRACE;
        last.extract_if(is_silent).map(|(node, _)| node).collect()
    }
}

/// Writes down which nodes have fallen silent, until the test is over.
pub(super) async fn notice(heartbeats: Arc<Heartbeats>, machines: Arc<dyn Cluster>) {
    loop {
        sleep(LOOK).await;
        for node in heartbeats.take_silent() {
            let condition = json!({
                "type": "Ready",
                "status": "Unknown",
                "reason": "NodeStatusUnknown",
                "message": "Kubelet stopped posting node status.",
                "lastTransitionTime": heartbeats.clock.now().strftime("%Y-%m-%dT%H:%M:%SZ").to_string(),
            });
            let at = At { namespace: "", name: &node, part: Part::Status };
            // The Node may be gone as well.
            let _ =
                machines.patch(NODES, at, json!({ "status": { "conditions": [condition] } })).await;
        }
    }
}
