//! Nodes whose machines are gone: their Nodes are deleted, after their provider has been asked once more.

use std::sync::Arc;

use plimsoll_cluster::{Client, nodes};
use plimsoll_model::Symbol;
use plimsoll_plan::Removal;
use plimsoll_provider::{Fleet, NodeIdentity, Provider as _, Whose};

use super::{
    Begun, Context, Seen,
    decide::Observation,
    leader::{Event, Leader},
};

/// What has to hold for a Node to be deleted.
struct Proof {
    uid: Box<str>,
    identity: NodeIdentity,
    /// The machine has another node, so what the provider says of the name is said of that one.
    has_successor: bool,
}

// === impl Leader ===

impl Leader {
    /// Deletes a Node whose machine is gone.
    pub(super) fn delete_gone_node(
        &mut self,
        removal: &Removal,
        seen: &Seen,
        begun: &mut Begun,
        context: &Context,
        observation: &Observation,
    ) {
        let node = removal.node;
        let (Some(uid), Some(identity)) =
            (seen.node_uids.get(&node).cloned(), observation.mirror.identity(node).cloned())
        else {
            return;
        };
        if self.retiring.contains_key(&node) || !self.updating.insert(node) {
            return;
        }
        begun.removals.push(removal.clone());
        let has_successor = has_successor(removal, seen);
        let proof = Proof { uid, identity, has_successor };
        let (client, fleet, removal) =
            (context.client.clone(), context.fleet.clone(), removal.clone());
        self.spawn(async move {
            let deleted = delete_if_gone(&client, &fleet, &removal, &proof).await;
            Event::NodeDeleted(removal, deleted)
        });
    }
}

/// Deletes the Node if its provider still says that its machine is gone.
async fn delete_if_gone(
    client: &Client,
    fleet: &Arc<Fleet>,
    removal: &Removal,
    proof: &Proof,
) -> Result<(), String> {
    let Proof { uid, identity, has_successor } = proof;
    let whose = fleet.owner(identity).await.map_err(|error| error.to_string())?;
    let (is_gone, told) = match &whose {
        Whose::Gone(owner) => {
            (owner.group == removal.group, "that its machine was another group's")
        }
        Whose::Machine(owner) => {
            (*has_successor && owner.group == removal.group, "that its machine is there")
        }
        Whose::Nobodys => (false, "that it belongs to no machine"),
    };
    if !is_gone {
        return Err(format!("its provider says by now {told}"));
    }
    nodes::delete(client, removal.node.as_str(), uid).await.map_err(|error| error.to_string())
}

/// Whether another node is the machine of that name.
fn has_successor(removal: &Removal, seen: &Seen) -> bool {
    let group = seen.groups.iter().find(|group| group.id == removal.group);
    let mut machines = group.into_iter().flat_map(|group| &group.instances);
    let other = |node: Symbol| node != removal.node;
    machines.any(|machine| machine.id == removal.instance && machine.node.is_some_and(other))
}
