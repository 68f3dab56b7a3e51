//! Whose node it is: what a Kubernetes node says of itself, compared with the service's books.

use std::net::IpAddr;

use plimsoll_provider::{NodeIdentity, Owner, Whose};

use super::reconcile::{Books, Machine, Place, Shelf, by_address};

/// Names the machine.
pub(super) const INSTANCE_LABEL: &str = "stackpoint.io/instance_id";

/// Names the group.
pub(super) const GROUP_LABEL: &str = "stackpoint.io/node_group";

/// Names the group in earlier versions of the service, by a name that people gave it: `A0`.
pub(super) const OLD_GROUP_LABEL: &str = "stackpoint.io/autoscalegroup";

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
/// mistaken, and then nothing is done with it. A group's tag is its id, what its pool is called, or what its pool labels nodes with.
/// Of a machine that the service does not have, the labels of the node alone say whose it was.
pub(super) fn whose(books: &Books, node: &NodeIdentity) -> Whose {
    let label =
        |key: &str| node.labels.get(key).map(String::as_str).filter(|text| !text.is_empty());
    let runs_the_cluster = CONTROL_PLANE.iter().any(|key| node.labels.contains_key(*key))
        || label(ROLE_LABEL) == Some("master");
    let labelled = label(INSTANCE_LABEL);
    let Some(id) = labelled.or_else(|| machine_at(books, &node.addresses)) else {
        return Whose::Nobodys;
    };
    let owner = |group| Owner { group, instance: Some(id.into()) };
    let tags = [label(GROUP_LABEL), label(OLD_GROUP_LABEL)];
    match books.place(id) {
        _ if runs_the_cluster => Whose::Nobodys,
        Place::Group(_, machine) if is_elsewhere(machine, &node.addresses) => Whose::Nobodys,
        Place::Group(shelf, machine) => {
            let [new, old] = tags;
            let agrees = new.is_none_or(|tag| books.tag(tag).is_of(shelf, machine))
                && old.is_none_or(|tag| books.tag(tag).allows(shelf, machine));
            if agrees { Whose::Machine(owner(shelf.id)) } else { Whose::Nobodys }
        }
        Place::Nowhere => match gone_from(books, tags) {
            // A machine may be among the records that cannot be read.
            Some(shelf) if shelf.frozen.is_none() => Whose::Gone(owner(shelf.id)),
            Some(_) | None => Whose::Nobodys,
        },
        Place::Nobodys => Whose::Nobodys,
    }
}

/// The one group that all these tags name.
fn gone_from<'b>(books: &'b Books, tags: [Option<&str>; 2]) -> Option<&'b Shelf> {
    let mut named = tags.into_iter().flatten().map(|tag| books.tag(tag).only());
    let first = named.next()??;
    named.all(|other| other.is_some_and(|other| other.id == first.id)).then_some(first)
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
