//! CapacityQuotas: how much there may be on nodes with certain labels.

use crate::{LabelSelector, Node, Symbol, Timestamp, resource};

/// A CapacityQuota. It limits what is bought; what is there stays.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Quota {
    /// Its name.
    pub name: Symbol,
    /// Which nodes count; the empty selector takes all.
    pub selector: LabelSelector,
    /// By resource, in the scheduler's units, how much their capacity may come to; `nodes` is their number. Sorted by name.
    pub limits: Box<[(Symbol, i64)]>,
    /// `metadata.generation`.
    pub generation: i64,
    /// Since when its status says that it was looked at; `None` when it does not.
    pub reconciled: Option<Timestamp>,
}

// === impl Quota ===

impl Quota {
    /// The limit on the number of nodes.
    pub const NODES: &'static str = "nodes";

    /// Whether a node counts. What a virtual kubelet stands for is nobody's machine.
    pub fn counts(&self, node: &Node) -> bool {
        let kind = node.labels.get(Symbol::new("type"));
        self.selector.matches(&node.labels)
            && kind.is_none_or(|kind| kind.as_str() != "virtual-kubelet")
    }

    /// How much of something that is limited a node is.
    pub fn amount(node: &Node, limited: Symbol) -> i64 {
        if limited.as_str() == Self::NODES { 1 } else { node.capacity.get(limited) }
    }

    /// An amount as it is written in an object: cores, bytes, pieces.
    pub fn show(limited: Symbol, amount: i64) -> String {
        if limited.as_str() == resource::CPU {
            crate::Quantity::from_milli(amount).to_string()
        } else {
            amount.to_string()
        }
    }
}
