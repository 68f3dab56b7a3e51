//! What a new node looks like before there is one.

use jiff::Timestamp;
use plimsoll_model::{Conditions, Labels, Node, Resources, Symbol, Taint};

/// A new node of a group, known by the group's name: in good health, and open.
pub(crate) fn new_node(
    group: Symbol,
    labels: Labels,
    taints: Box<[Taint]>,
    capacity: Resources,
    allocatable: Resources,
) -> Node {
    Node {
        name: group,
        labels,
        taints,
        unschedulable: false,
        allocatable,
        capacity,
        provider_id: "".into(),
        created: Timestamp::UNIX_EPOCH,
        conditions: Conditions::default(),
        keep: false,
        deleting: false,
    }
}
