//! More machines, fewer machines, over a protocol that has no names for orders and one answer for all.

use std::{
    collections::{BTreeMap, BTreeSet},
    time::Duration,
};

use plimsoll_model::{InstanceState, Symbol};
use plimsoll_provider::{Class, Deletion, Error, NodeIdentity, Order, Owner, Whose};
use tokio::time::timeout;
use tonic::Request;

use crate::{
    client::ExternalGrpc,
    order,
    proto::external::{
        NodeGroupDecreaseTargetSizeRequest, NodeGroupDeleteNodesRequest, NodeGroupForNodeRequest,
        NodeGroupIncreaseSizeRequest,
    },
    wire::instance::write_node,
};

/// How long a deletion waits for other calls about its group.
const TURN: Duration = Duration::from_secs(5);

impl ExternalGrpc {
    /// Asks for more machines, unless the target shows that the order has been served.
    pub(crate) async fn raise(&self, order: &Order) -> Result<(), Error> {
        let group = order.group;
        let goal = order.from.checked_add(order.count).filter(|_| order.count > 0);
        let Some(goal) = goal else {
            return Err(Error::invalid(format!(
                "{group} cannot grow from {} by {}",
                order.from, order.count
            )));
        };
        let _turn = self.turns.take(group).await;
        if self.memory().is_served(order) {
            return Ok(());
        }
        let (_, mut max) = self.known(group).await?;
        let before = self.target(group.as_str()).await?;
        if before >= goal {
            self.memory().set_served(order);
            return Ok(());
        }
        // Never past the goal, and never more than was ordered.
        let delta = order.count.min(goal - before);
        if before.saturating_add(delta) > max {
            // Somebody may have raised it.
            self.list_groups().await?;
            (_, max) = self.known(group).await?;
        }
        if before.saturating_add(delta) > max {
            return Err(Error::invalid(format!(
                "{group} has a target of {before} and a maximum of {max}: {delta} more are too many"
            )));
        }
        let delta = i32::try_from(delta)
            .map_err(|_| Error::invalid(format!("{delta} machines are too many at once")))?;
        let id = group.to_string();
        let mut request = Request::new(NodeGroupIncreaseSizeRequest { delta, id });
        order::write(order, request.metadata_mut());
        let answer = self
            .calls
            .change("NodeGroupIncreaseSize", request, |mut client, request| async move {
                client.node_group_increase_size(request).await
            })
            .await;
        match answer {
            Ok(_) => self.memory().set_served(order),
            // No answer is not a no: the target tells, now or at the next attempt.
            Err(error) if error.class() == Class::Retry => {
                let after = self.target(group.as_str()).await;
                if !after.is_ok_and(|after| after > before && after >= goal) {
                    return Err(error);
                }
                self.memory().set_served(order);
            }
            Err(error) => return Err(error),
        }
        Ok(())
    }

    /// Gives up what has not arrived.
    pub(crate) async fn lower(&self, group: Symbol, target: u32) -> Result<u32, Error> {
        let _turn = self.turns.take(group).await;
        self.known(group).await?;
        // Machines that have arrived since must not be given up.
        self.make_it_look().await?;
        let before = self.target(group.as_str()).await?;
        if before <= target {
            return Ok(before);
        }
        let machines = self.machines(group.as_str()).await?;
        let stay = machines.iter().filter(|machine| machine.state != InstanceState::Deleting);
        let there = u32::try_from(stay.count()).unwrap_or(u32::MAX);
        let goal = target.max(there);
        if before <= goal {
            return Ok(before);
        }
        let delta = i32::try_from(before - goal)
            .map_err(|_| Error::invalid(format!("{group} cannot shrink that far at once")))?;
        let id = group.to_string();
        let request = Request::new(NodeGroupDecreaseTargetSizeRequest { delta: -delta, id });
        self.calls
            .change("NodeGroupDecreaseTargetSize", request, |mut client, request| async move {
                client.node_group_decrease_target_size(request).await
            })
            .await?;
        self.target(group.as_str()).await
    }

    /// Deletes machines. The answer is one for all; which of them went is seen by looking again.
    pub(crate) async fn remove(
        &self,
        group: Symbol,
        instances: &[Box<str>],
    ) -> Result<Vec<Deletion>, Error> {
        let turn = timeout(TURN, self.turns.take(group)).await;
        let _turn = turn.map_err(|_| Error::busy(group))?;
        self.known(group).await?;
        let states = self.states(group).await?;
        let (mut going, mut gone) = (BTreeSet::new(), BTreeSet::new());
        let mut kept = BTreeSet::new();
        for machine in instances {
            match states.get(&**machine) {
                Some(InstanceState::Deleting) => {}
                Some(_) if self.memory().is_undeletable(machine) => {
                    kept.insert(&**machine);
                }
                Some(_) => {
                    going.insert(&**machine);
                }
                None => {
                    self.belongs_to_nobody(group, machine).await?;
                    gone.insert(&**machine);
                }
            }
        }
        let failed = self.remove_present(group, &going).await?;
        let deletion = |machine: &str| {
            let outcome = if gone.contains(machine) {
                Err(Error::not_found(format!("{group} has no machine {machine}")))
            } else if kept.contains(machine) {
                Err(Error::bug(format!(
                    "{}: the server answered well to deletions of {machine}, and the machine still runs",
                    self.name
                )))
            } else {
                failed.get(machine).cloned().map_or(Ok(()), Err)
            };
            Deletion { instance: machine.into(), outcome }
        };
        Ok(instances.iter().map(|machine| deletion(machine)).collect())
    }

    /// Whose node it is. The protocol has no word for a machine that is gone: servers answer with its group, or with none.
    pub(crate) async fn owner_of(&self, node: &NodeIdentity) -> Result<Whose, Error> {
        if let Some(owner) = self.memory().owner(node) {
            return Ok(Whose::Machine(owner));
        }
        let request = Request::new(NodeGroupForNodeRequest { node: Some(write_node(node)) });
        let group = self
            .calls
            .call("NodeGroupForNode", request, |mut client, request| async move {
                client.node_group_for_node(request).await
            })
            .await?
            .node_group;
        let Some(group) = group.filter(|group| !group.id.is_empty()) else {
            return Ok(Whose::Nobodys);
        };
        let owner = |instance| Whose::Machine(Owner { group: Symbol::new(&group.id), instance });
        if node.provider_id.is_empty() {
            return Ok(owner(None));
        }
        // Servers answer with the group of a machine that is gone as well; what is there is listed.
        let machines = self.machines(&group.id).await?;
        match machines.into_iter().find(|machine| *machine.id == *node.provider_id) {
            Some(machine) => Ok(owner(Some(machine.id))),
            None => Ok(Whose::Nobodys),
        }
    }

    /// The bounds of a group, if there is one. Servers differ in what they say of a group that they do not have.
    async fn known(&self, group: Symbol) -> Result<(u32, u32), Error> {
        if self.memory().listed(group).is_none_or(|listed| listed.nonsense.is_some()) {
            self.list_groups().await?;
        }
        let memory = self.memory();
        let Some(listed) = memory.listed(group) else {
            return Err(Error::not_found(format!("{} has no group {group}", self.name)));
        };
        if let Some(problem) = &listed.nonsense {
            return Err(Error::bug(format!("{}: group {group}: {problem}", self.name)));
        }
        let size = |size: i32| u32::try_from(size).unwrap_or_default();
        Ok((size(listed.group.min_size), size(listed.group.max_size)))
    }

    async fn states(&self, group: Symbol) -> Result<BTreeMap<Box<str>, InstanceState>, Error> {
        let machines = self.machines(group.as_str()).await?;
        Ok(machines.into_iter().map(|machine| (machine.id, machine.state)).collect())
    }

    /// Refuses a machine that is another group's. What no group has is gone.
    async fn belongs_to_nobody(&self, group: Symbol, machine: &str) -> Result<(), Error> {
        let node = self.memory().node(machine);
        match self.owner_of(&node).await?.machine() {
            Some(owner) if owner.group != group => Err(Error::invalid(format!(
                "{machine} is a machine of {}, not of {group}",
                owner.group
            ))),
            _ => Ok(()),
        }
    }

    /// Deletes machines that are there; answers with those that still are, and why.
    async fn remove_present<'m>(
        &self,
        group: Symbol,
        going: &BTreeSet<&'m str>,
    ) -> Result<BTreeMap<&'m str, Error>, Error> {
        if going.is_empty() {
            return Ok(BTreeMap::new());
        }
        let nodes = {
            let memory = self.memory();
            going.iter().map(|machine| write_node(&memory.node(machine))).collect()
        };
        let request = Request::new(NodeGroupDeleteNodesRequest { nodes, id: group.to_string() });
        let answer = self
            .calls
            .change("NodeGroupDeleteNodes", request, |mut client, request| async move {
                client.node_group_delete_nodes(request).await
            })
            .await;
        let Err(error) = answer else {
            let mut memory = self.memory();
            for machine in going {
                memory.set_deleted(machine);
            }
            return Ok(BTreeMap::new());
        };
        let Ok(states) = self.states(group).await else { return Err(error) };
        let stays = |machine: &&'m str| {
            states.get(*machine).is_some_and(|state| *state != InstanceState::Deleting)
        };
        let left: Vec<&str> = going.iter().copied().filter(stays).collect();
        // A refusal of all is an answer to the call; one of some is told for those.
        if left.len() == going.len() {
            return Err(error);
        }
        Ok(left.into_iter().map(|machine| (machine, error.clone())).collect())
    }
}
