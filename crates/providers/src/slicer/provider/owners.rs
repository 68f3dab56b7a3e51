//! Whose node it is: by the id that the machine gave it, else by its labels, which survive any name of the node.

use std::net::IpAddr;

use plimsoll_model::Symbol;
use plimsoll_provider::{NodeIdentity, Owner, Whose};

use super::{
    Core,
    members::{Kind, is_kept},
};
use crate::slicer::{
    client::Machine,
    config::GroupConfig,
    userdata::{HOST_GROUP, HOSTNAME, SCHEME, provider_id},
};

// === impl Core ===

impl Core {
    /// Whose node it is, as of the last refresh. Of a group that was never read only the node itself tells.
    pub(super) fn whose(&self, node: &NodeIdentity) -> Whose {
        let Some((group, hostname)) = names(node) else { return Whose::Nobodys };
        let id = Symbol::new(group);
        let Ok(at) = self.site(id) else { return Whose::Nobodys };
        let mut state = self.state();
        let Some(seen) = state.memory.seen.get(group) else {
            return Whose::Machine(Owner { group: id, instance: None });
        };
        let owner = Owner { group: id, instance: Some(provider_id(group, hostname)) };
        let found = seen.machines.iter().find(|machine| &*machine.hostname == hostname);
        let Some(machine) = &found.cloned() else {
            // What the host keeps it starts again, under the same name.
            let is_kept = is_kept(hostname, group, seen.kept);
            return if is_kept { Whose::Nobodys } else { Whose::Gone(owner) };
        };
        state.memory.saw_node(group, hostname);
        let cluster = self.cluster(&at.hosts);
        if state.memory.kind(cluster, group, machine) == Kind::Untold {
            // What one node proves is of no use to another that proves nothing.
            if !proves(node, &at.group, machine) {
                state.memory.withdraw(group, machine, &node.name);
                return Whose::Nobodys;
            }
            state.memory.adopt(group, machine, &node.name);
        }
        let is_member = state.memory.is_member(cluster, group, machine);
        if is_member { Whose::Machine(owner) } else { Whose::Nobodys }
    }
}

/// Whether a machine without tags is this node's machine, and so the group's. Labels can be written by whoever may write a Node, and
/// the same goes for the provider id: the node is believed if the machine has its address as well. Where the file takes over
/// machines of its own accord, it is believed unless the addresses say otherwise.
fn proves(node: &NodeIdentity, group: &GroupConfig, machine: &Machine) -> bool {
    let addresses: Vec<IpAddr> =
        node.addresses.iter().filter_map(|address| address.parse().ok()).collect();
    let same_address = match machine.ip {
        Some(ip) if !addresses.is_empty() => Some(addresses.contains(&ip)),
        _ => None,
    };
    let is_named = node.provider_id == *provider_id(&group.name, &machine.hostname);
    let is_told_apart = machine.created_at.is_some();
    match same_address {
        Some(false) => false,
        Some(true) => group.adopt || (is_named && is_told_apart),
        None => group.adopt,
    }
}

/// The group and the machine that a node says it is.
fn names(node: &NodeIdentity) -> Option<(&str, &str)> {
    if let Some(rest) = node.provider_id.strip_prefix(SCHEME) {
        return rest.split_once('/');
    }
    Some((node.labels.get(HOST_GROUP)?, node.labels.get(HOSTNAME)?))
}
