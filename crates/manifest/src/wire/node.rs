//! Nodes.

use crate::wire::{
    meta::{Condition, Metadata},
    value::{Amount, List, Pairs, Text},
    wire,
};

wire! {
    /// A v1.Node.
    struct Node<'a> {
        "metadata" => metadata: Metadata<'a>,
        "spec" => spec: NodeSpec<'a>,
        "status" => status: NodeStatus<'a>,
    }

    /// `spec` of a node.
    struct NodeSpec<'a> {
        "unschedulable" => unschedulable: Option<bool>,
        "taints" => taints: List<Taint<'a>>,
        "providerID" => provider_id: Text<'a>,
    }

    /// An entry of `spec.taints`.
    struct Taint<'a> {
        "key" => key: Text<'a>,
        "value" => value: Text<'a>,
        "effect" => effect: Text<'a>,
    }

    /// `status` of a node.
    struct NodeStatus<'a> {
        "capacity" => capacity: Pairs<'a, Amount<'a>>,
        "allocatable" => allocatable: Option<Pairs<'a, Amount<'a>>>,
        "conditions" => conditions: List<Condition<'a>>,
    }
}
