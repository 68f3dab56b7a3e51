//! Whose node it is: by the id that the machine gave it, else by its labels, which survive any name of the node.

use plimsoll_model::Symbol;
use plimsoll_provider::{NodeIdentity, Owner};

use super::{Core, members::Kind};
use crate::slicer::userdata::{HOST_GROUP, HOSTNAME, SCHEME, provider_id};

// === impl Core ===

impl Core {
    /// Whose node it is, as of the last refresh. Of a group that was never read only the node itself tells.
    pub(super) fn owner_of(&self, node: &NodeIdentity) -> Option<Owner> {
        let (group, hostname) = names(node)?;
        let at = self.site(Symbol::new(group)).ok()?;
        let mut state = self.state();
        let Some(seen) = state.memory.seen.get(group) else {
            return Some(Owner { group: Symbol::new(group), instance: None });
        };
        let machine = seen.machines.iter().find(|machine| &*machine.hostname == hostname)?;
        let machine = &machine.clone();
        if state.memory.kind(&at.hosts.config, group, machine) == Kind::Untold {
            state.memory.adopt(group, hostname);
        }
        let is_member = state.memory.is_member(&at.hosts.config, group, machine);
        is_member.then(|| Owner {
            group: Symbol::new(group),
            instance: Some(provider_id(group, hostname)),
        })
    }
}

/// The group and the machine that a node says it is.
fn names(node: &NodeIdentity) -> Option<(&str, &str)> {
    if let Some(rest) = node.provider_id.strip_prefix(SCHEME) {
        return rest.split_once('/');
    }
    Some((node.labels.get(HOST_GROUP)?, node.labels.get(HOSTNAME)?))
}
