//! Whose node it is: by the id that the machine gave it, else by its labels, which survive any name of the node.

use plimsoll_model::Symbol;
use plimsoll_provider::{NodeIdentity, Owner, Whose};

use super::{
    Core,
    members::{Kind, is_kept},
};
use crate::slicer::userdata::{HOST_GROUP, HOSTNAME, SCHEME, provider_id};

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
        if state.memory.kind(&at.hosts.config, group, machine) == Kind::Untold {
            state.memory.adopt(group, hostname);
        }
        let is_member = state.memory.is_member(&at.hosts.config, group, machine);
        if is_member { Whose::Machine(owner) } else { Whose::Nobodys }
    }
}

/// The group and the machine that a node says it is.
fn names(node: &NodeIdentity) -> Option<(&str, &str)> {
    if let Some(rest) = node.provider_id.strip_prefix(SCHEME) {
        return rest.split_once('/');
    }
    Some((node.labels.get(HOST_GROUP)?, node.labels.get(HOSTNAME)?))
}
