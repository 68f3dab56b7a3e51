//! Machines that were made twice: an order has more of them than it asked for, because a request that was not answered took effect
//! after its repetition.
//!
//! They are listed with an error, and the planner deletes them as it deletes other machines that will not become
//! nodes: by an order, and not if a node claims them. So only a machine is told that came into being under our eyes and has had no node
//! since: one that may carry pods leaves by a drain when it is not needed.

use std::collections::BTreeMap;

use plimsoll_model::{ErrorClass, InstanceError};

use super::{
    members::{order_of, order_size},
    memory::Memory,
};
use crate::slicer::client::Machine;

/// The code of a machine that was made twice.
const CODE: &str = "Surplus";

/// Those of a group's machines that its orders have too many, the youngest first to go.
pub(super) fn surplus<'m>(
    memory: &Memory,
    group: &str,
    members: &[&'m Machine],
) -> BTreeMap<&'m str, InstanceError> {
    let mut orders: BTreeMap<&str, Vec<&'m Machine>> = BTreeMap::new();
    for machine in members {
        if let Some(order) = order_of(machine) {
            orders.entry(order).or_default().push(machine);
        }
    }
    let mut surplus = BTreeMap::new();
    for (order, mut machines) in orders {
        let size = machines.iter().filter_map(|machine| order_size(machine)).max();
        let Some(size) = size.and_then(|size| usize::try_from(size).ok()) else { continue };
        let excess = machines.len().saturating_sub(size);
        machines.sort_by_key(|machine| (machine.created, machine.hostname.len()));
        let unneeded = machines.into_iter().rev();
        let unneeded = unneeded.filter(|machine| memory.never_had_a_node(group, machine));
        surplus
            .extend(unneeded.take(excess).map(|machine| (&*machine.hostname, error(order, size))));
    }
    surplus
}

fn error(order: &str, size: usize) -> InstanceError {
    InstanceError {
        class: ErrorClass::Other,
        code: CODE.into(),
        message: format!("made twice: the order {order} asked for {size}").into(),
    }
}
