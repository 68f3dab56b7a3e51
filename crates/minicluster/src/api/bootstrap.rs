//! What every cluster has from the beginning.

use serde_json::{Value, json};

use super::{Api, WriteOptions};

const NAMESPACES: [&str; 4] = ["default", "kube-system", "kube-public", "kube-node-lease"];
/// Name, value and meaning of the priority classes.
const PRIORITIES: [(&str, i64, &str); 2] = [
    (
        "system-node-critical",
        2_000_001_000,
        "Used for system critical pods that must not be moved from their current node.",
    ),
    (
        "system-cluster-critical",
        2_000_000_000,
        "Used for system critical pods that must run in the cluster, but can be moved to another node if necessary.",
    ),
];

// === impl Api ===

impl Api {
    /// Makes what is missing of what every cluster has.
    pub(super) fn bootstrap(&self) {
        let options = WriteOptions::manager("kube-apiserver");
        let make = |group: &str, plural: &str, body: Value| {
            // It fails only if the object is there already.
            let kind = self.kind(group, "v1", plural);
            let _ = kind.map(|kind| self.create(&kind, "", body, &options));
        };
        for name in NAMESPACES {
            make("", "namespaces", json!({"metadata": {"name": name}}));
        }
        for (name, value, description) in PRIORITIES {
            let body =
                json!({"metadata": {"name": name}, "value": value, "description": description});
            make("scheduling.k8s.io", "priorityclasses", body);
        }
    }
}
