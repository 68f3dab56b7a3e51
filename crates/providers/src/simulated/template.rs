//! What the nodes of a group look like, in the words of the model and of Kubernetes.

use std::sync::Arc;

use jiff::Timestamp;
use plimsoll_model::{
    Labels, Node, Quantity, Resources, Symbol, Taint, label, labels::check_label_value, resource,
};
use serde_json::{Value, json};

use crate::template::new_node;

/// Labels that every kubelet sets; a template may say otherwise.
const KUBELET_LABELS: [(&str, &str); 2] =
    [("kubernetes.io/os", "linux"), ("kubernetes.io/arch", "amd64")];

/// What a new node of a group looks like.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Template {
    node: Arc<Node>,
}

// === impl Template ===

impl Template {
    /// A template with these labels, and those that every node of the group has.
    pub(super) fn new(
        group: &str,
        labels: &Labels,
        taints: Vec<Taint>,
        capacity: Resources,
        allocatable: Resources,
    ) -> Self {
        let common = KUBELET_LABELS.map(|(key, value)| (Symbol::new(key), Symbol::new(value)));
        let common: Labels = common.into_iter().collect();
        let labels = common.with(labels.iter()).with(of_group(group));
        let node = new_node(Symbol::new(group), labels, taints.into(), capacity, allocatable);
        Self { node: Arc::new(node) }
    }

    /// The same machine in a group of this name.
    pub(super) fn in_group(&self, group: &str) -> Self {
        let Node { labels, taints, capacity, allocatable, .. } = &*self.node;
        let own = Symbol::new(label::GROUP);
        let labels = labels.iter().filter(|(key, _)| *key != own).collect();
        Self::new(group, &labels, taints.to_vec(), capacity.clone(), allocatable.clone())
    }

    /// The node, known by its group's name.
    pub fn node(&self) -> &Arc<Node> {
        &self.node
    }

    /// The node of a machine.
    pub(super) fn node_of(&self, name: &str, provider_id: &str, registered: Timestamp) -> Node {
        let hostname = (Symbol::new(label::HOSTNAME), Symbol::new(name));
        Node {
            name: Symbol::new(name),
            labels: self.node.labels.with([hostname]),
            provider_id: provider_id.into(),
            created: registered,
            ..(*self.node).clone()
        }
    }
}

/// The label that names the group, unless its name cannot be the value of a label.
fn of_group(group: &str) -> Option<(Symbol, Symbol)> {
    let fits = check_label_value(group).is_ok();
    fits.then(|| (Symbol::new(label::GROUP), Symbol::new(group)))
}

/// A node as Kubernetes writes it.
pub(super) fn manifest(node: &Node) -> Value {
    let labels: serde_json::Map<_, _> =
        node.labels.iter().map(|(key, value)| (key.to_string(), json!(value.as_str()))).collect();
    let mut spec = serde_json::Map::new();
    spec.insert("providerID".to_owned(), json!(node.provider_id));
    if !node.taints.is_empty() {
        spec.insert("taints".to_owned(), node.taints.iter().map(taint).collect());
    }
    json!({
        "apiVersion": "v1",
        "kind": "Node",
        "metadata": {"name": node.name.as_str(), "labels": labels},
        "spec": spec,
        "status": {
            "capacity": amounts(&node.capacity),
            "allocatable": amounts(&node.allocatable),
        },
    })
}

fn taint(taint: &Taint) -> Value {
    let (key, effect) = (taint.key.as_str(), taint.effect.as_str());
    if taint.value.is_empty() {
        json!({"key": key, "effect": effect})
    } else {
        json!({"key": key, "value": taint.value.as_str(), "effect": effect})
    }
}

fn amounts(resources: &Resources) -> Value {
    let amount = |(name, amount): (Symbol, i64)| {
        let quantity = match name.as_str() {
            resource::CPU => Quantity::from_milli(amount),
            resource::MEMORY | resource::EPHEMERAL_STORAGE => Quantity::bytes(amount),
            _ => Quantity::from_units(amount),
        };
        (name.to_string(), json!(quantity.to_string()))
    };
    Value::Object(resources.iter().map(amount).collect())
}
