//! Whose node it is: what a Kubernetes node says of itself, compared with the service's books.

use std::net::IpAddr;

use plimsoll_model::Symbol;
use plimsoll_provider::{NodeIdentity, Owner, Whose};

use super::reconcile::{Books, Machine, Place, by_address};

/// Names the machine.
pub(super) const INSTANCE_LABEL: &str = "stackpoint.io/instance_id";

/// Names the group.
pub(super) const GROUP_LABEL: &str = "stackpoint.io/node_group";

/// Named the group in earlier versions of the service.
const OLD_GROUP_LABEL: &str = "stackpoint.io/autoscalegroup";

/// Says what the machine is for.
pub(super) const ROLE_LABEL: &str = "stackpoint.io/role";

/// Labels of nodes that run the cluster itself.
const CONTROL_PLANE: [&str; 2] =
    ["node-role.kubernetes.io/control-plane", "node-role.kubernetes.io/master"];

/// The group and machine of a node. It is nobody's if it runs the cluster, if its pool is not autoscaled, or if it does not say who it
/// is.
///
/// The machine is known by its label, else by its address. Where both are known they have to agree: labels can be written by whoever
/// may write a Node. The service knows whose machine that is; a label of the node that says otherwise means that one of the two is
/// mistaken, and then nothing is done with it. Of a machine that the service does not have, the labels of the node alone say whose
/// it was.
pub(super) fn whose(books: &Books, node: &NodeIdentity) -> Whose {
    let label =
        |key: &str| node.labels.get(key).map(String::as_str).filter(|text| !text.is_empty());
    let runs_the_cluster = CONTROL_PLANE.iter().any(|key| node.labels.contains_key(*key))
        || label(ROLE_LABEL) == Some("master");
    let labelled = label(INSTANCE_LABEL);
    let Some(id) = labelled.or_else(|| machine_at(books, &node.addresses)) else {
        return Whose::Nobodys;
    };
    let told = label(GROUP_LABEL).or_else(|| label(OLD_GROUP_LABEL)).map(Symbol::new);
    let owner = |group| Owner { group, instance: Some(id.into()) };
    match (books.place(id), told) {
        _ if runs_the_cluster => Whose::Nobodys,
        (Place::Group(_, machine), _) if is_elsewhere(machine, &node.addresses) => Whose::Nobodys,
        (Place::Group(shelf, _), None) => Whose::Machine(owner(shelf.id)),
        (Place::Group(shelf, _), Some(told)) if shelf.id == told => Whose::Machine(owner(told)),
        (Place::Nowhere, Some(told)) if books.group(told).is_ok() => Whose::Gone(owner(told)),
        (Place::Group(..) | Place::Nobodys | Place::Nowhere, _) => Whose::Nobodys,
    }
}

/// Whether a node with these addresses cannot be this machine, which has another one.
fn is_elsewhere(machine: &Machine, addresses: &[String]) -> bool {
    let Ok(own) = machine.private_ip.parse::<IpAddr>() else { return false };
    let mut known =
        addresses.iter().filter_map(|address| address.parse::<IpAddr>().ok()).peekable();
    known.peek().is_some() && !known.any(|address| address == own)
}

/// The only machine that has one of these addresses.
fn machine_at<'b>(books: &'b Books, addresses: &[String]) -> Option<&'b str> {
    let known = by_address(books);
    let mut found = addresses.iter().filter_map(|address| known.get(&**address).copied());
    let first = found.next()??;
    let is_same = found.all(|other| other.is_some_and(|other| other.id == first.id));
    is_same.then_some(&*first.id)
}

#[cfg(test)]
mod tests;
