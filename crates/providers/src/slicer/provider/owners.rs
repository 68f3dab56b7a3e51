//! Whose node it is: by the id that the machine gave it, else by its labels, which survive any name of the node.

use plimsoll_model::Symbol;
use plimsoll_provider::{Error, NodeIdentity, Owner};

use super::{Core, members::Kind};
use crate::slicer::userdata::{HOST_GROUP, HOSTNAME, SCHEME, provider_id};

// === impl Core ===

impl Core {
    /// Whose node it is, as of the last refresh; a group that was never read is read.
    pub(super) async fn owner_of(&self, node: &NodeIdentity) -> Result<Option<Owner>, Error> {
        let Some((group, hostname)) = names(node) else { return Ok(None) };
        let Ok(at) = self.site(Symbol::new(group)) else { return Ok(None) };
        let seen = self.state().memory.seen.get(group).map(|seen| seen.machines.clone());
        let machines = match seen {
            Some(machines) => machines,
            None => at.site.client.machines(group).await?,
        };
        let Some(machine) = machines.iter().find(|machine| &*machine.hostname == hostname) else {
            return Ok(None);
        };
        let mut state = self.state();
        if state.memory.kind(&at.hosts.config, group, machine) == Kind::Untold {
            state.memory.adopt(group, hostname);
        }
        let is_member = state.memory.is_member(&at.hosts.config, group, machine);
        drop(state);
        Ok(is_member.then(|| Owner {
            group: Symbol::new(group),
            instance: Some(provider_id(group, hostname)),
        }))
    }
}

/// The group and the machine that a node says it is.
fn names(node: &NodeIdentity) -> Option<(&str, &str)> {
    if let Some(rest) = node.provider_id.strip_prefix(SCHEME) {
        return rest.split_once('/');
    }
    Some((node.labels.get(HOST_GROUP)?, node.labels.get(HOSTNAME)?))
}
