//! Whose node it is: what a Kubernetes node says of itself, compared with the service's books.

use plimsoll_model::Symbol;
use plimsoll_provider::{NodeIdentity, Owner};

use super::reconcile::{Books, Place, by_address};

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

/// The group and machine of a node, or `None` if it is nobody's: it runs the cluster, its pool is not autoscaled, its machine is gone,
/// or it does not say who it is.
///
/// The machine is known by its label, else by its address. The service knows whose machine that is; a label of the node that says
/// otherwise means that one of the two is mistaken, and then nothing is done with it.
pub(super) fn owner(books: &Books, node: &NodeIdentity) -> Option<Owner> {
    let label =
        |key: &str| node.labels.get(key).map(String::as_str).filter(|text| !text.is_empty());
    let runs_the_cluster = CONTROL_PLANE.iter().any(|key| node.labels.contains_key(*key))
        || label(ROLE_LABEL) == Some("master");
    if runs_the_cluster {
        return None;
    }
    let id = match label(INSTANCE_LABEL) {
        Some(id) => id,
        None => machine_at(books, &node.addresses)?,
    };
    let Place::Group(shelf, machine) = books.place(id) else { return None };
    let told = label(GROUP_LABEL).or_else(|| label(OLD_GROUP_LABEL));
    let agrees = told.is_none_or(|group| Symbol::new(group) == shelf.id);
    agrees.then(|| Owner { group: shelf.id, instance: Some(machine.id.clone()) })
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
