//! More machines, fewer machines: checked here, carried out by the provider.

use std::{collections::BTreeSet, sync::Arc};

use plimsoll_model::{InstanceState, Symbol};
use plimsoll_provider::{Class, Deletion, Error, NodeIdentity, Order, OrderId};
use tonic::{Status, metadata::MetadataMap};
use uuid::Uuid;

use crate::{
    order,
    proto::external::ExternalGrpcNode,
    server::{
        answers::{group_of, made_up},
        state::State,
        view::{View, is_healthy},
    },
    status,
    wire::instance::read_node,
};

/// Asks for `delta` more machines, as the order that `metadata` names, or one that is named here.
pub(crate) async fn increase(
    state: &Arc<State>,
    id: &str,
    delta: i32,
    metadata: &MetadataMap,
) -> Result<(), Status> {
    let count = match u32::try_from(delta) {
        Ok(count) if count > 0 => count,
        _ => return Err(Status::invalid_argument(format!("delta {delta} is not above zero"))),
    };
    let group = group_of(&*state.view().await?, id)?.group.id;
    let leave = state.turn(group).await;
    let order = match order::read(metadata, group) {
        Some(order) => checked(&*state.view().await?, order)?,
        None => next_order(state, group, count).await?,
    };
    let wish = {
        let state = Arc::clone(state);
        async move {
            let outcome = state.provider().increase(&order).await;
            let now = state.now();
            match &outcome {
                Ok(_) => raise(&state, &order),
                Err(error) if error.class() == Class::Retry => state.told().leave_open(order, now),
                Err(_) => state.told().close(group),
            }
            state.keeper.nudge();
            outcome.map(drop).map_err(|error| status::write(&error))
        }
    };
    state.carry_out(leave, wish).await
}

/// Gives up `delta` machines, counted below zero, that were ordered and have not arrived. The group's minimum does not matter:
/// what was ordered in vain is not there either way.
pub(crate) async fn decrease(state: &Arc<State>, id: &str, delta: i32) -> Result<(), Status> {
    if delta >= 0 {
        return Err(Status::invalid_argument(format!("delta {delta} is not below zero")));
    }
    let group = group_of(&*state.view().await?, id)?.group.id;
    let leave = state.turn(group).await;
    let view = state.view().await?;
    let (target, there) = {
        let known = group_of(&view, id)?;
        let told = state.told();
        let stays = |instance: &&_| told.state(&view, group, instance) != InstanceState::Deleting;
        (told.target(&view, known), known.group.instances.iter().filter(stays).count())
    };
    let Some(wanted) = target.checked_sub(delta.unsigned_abs()) else {
        return Err(Status::invalid_argument(format!(
            "delta {delta} is too large: the target of {id} is {target}"
        )));
    };
    if usize::try_from(wanted).is_ok_and(|wanted| wanted < there) {
        return Err(Status::failed_precondition(format!(
            "{id} has {there} machines: a target of {wanted} would take some of them"
        )));
    }
    let wish = {
        let (state, id) = (Arc::clone(state), id.to_owned());
        async move {
            let outcome = state.provider().lower_target(group, wanted).await;
            if let Ok(left) = outcome {
                state.told().set_target(group, left, state.now());
            }
            state.keeper.nudge();
            match outcome {
                Ok(left) if left > wanted => Err(Status::failed_precondition(format!(
                    "the target of {id} is {left} now: that many machines are there"
                ))),
                Ok(_) => Ok(()),
                Err(error) => Err(status::write(&error)),
            }
        }
    };
    state.carry_out(leave, wish).await
}

/// Deletes the machines of these nodes.
pub(crate) async fn delete(
    state: &Arc<State>,
    id: &str,
    nodes: Vec<ExternalGrpcNode>,
) -> Result<(), Status> {
    let group = group_of(&*state.view().await?, id)?.group.id;
    let leave = state.turn(group).await;
    let mut view = state.view().await?;
    let (mut machines, mut unregistered) = (BTreeSet::new(), BTreeSet::new());
    for node in nodes {
        let node = read_node(node);
        let machine = machine_of(state, &view, group, &node).await?;
        check_claimants(state, &machine, &node)?;
        if made_up(&node).is_some() {
            unregistered.insert(machine.clone());
        }
        machines.insert(machine);
    }
    if machines.iter().any(|machine| view.machine(machine).is_none()) {
        // Either it is gone, or it is new; a new one counts for the minimum.
        view = state.newer_view().await?;
    }
    let going = going(state, &view, id, &machines, &unregistered)?;
    let machines: Vec<_> = machines.into_iter().collect();
    if machines.is_empty() {
        return Ok(());
    }
    let wish = {
        let state = Arc::clone(state);
        async move {
            let outcome = state.provider().delete(group, &machines).await;
            if let Ok(deletions) = &outcome {
                let began = |deletion: &&Deletion| deletion.outcome.is_ok();
                let gone: Vec<_> =
                    deletions.iter().filter(began).map(|one| one.instance.clone()).collect();
                let fewer = gone.iter().filter(|machine| going.contains(*machine)).count();
                let fewer = u32::try_from(fewer).unwrap_or(u32::MAX);
                if let Some(known) = view.group(group.as_str()) {
                    let left = state.target(&view, known).saturating_sub(fewer);
                    state.told().set_leaving(group, gone, left, state.now());
                }
            }
            state.keeper.nudge();
            match outcome {
                Ok(deletions) => refused(&deletions).map_or(Ok(()), Err),
                Err(error) => Err(status::write(&error)),
            }
        }
    };
    state.carry_out(leave, wish).await
}

/// The order to place: the one that nobody knows the outcome of when it was for as many machines and has not been served, so that
/// a caller who asks again after an error gets no second helping.
async fn next_order(state: &State, group: Symbol, count: u32) -> Result<Order, Status> {
    let mut view = state.view().await?;
    let open = state.told().open(group).map(|(order, since)| (order.clone(), since));
    if let Some((_, since)) = open
        && view.as_of <= since
    {
        view = state.newer_view().await?;
    }
    let from = state.target(&view, group_of(&view, group.as_str())?);
    match open {
        Some((order, _)) if order.count == count && order.from == from => return Ok(order),
        Some(_) => state.told().close(group),
        None => {}
    }
    let id = OrderId::new(&format!("extgrpc-{}", Uuid::new_v4()))
        .ok_or_else(|| Status::internal("cannot name an order"))?;
    checked(&view, Order { id, group, count, from })
}

/// The order, if the group has room for it.
fn checked(view: &View, order: Order) -> Result<Order, Status> {
    let known = group_of(view, order.group.as_str())?;
    let target = order.from.checked_add(order.count);
    let Some(target) = target.filter(|target| i32::try_from(*target).is_ok()) else {
        return Err(Status::invalid_argument(format!("delta {} is too large", order.count)));
    };
    if target > known.group.max {
        return Err(Status::failed_precondition(format!(
            "{} has a target of {} and a maximum of {}: {} more are too many",
            order.group, order.from, known.group.max, order.count
        )));
    }
    Ok(order)
}

/// The order is on record. The target is as high as it says, or higher when it had been served before.
fn raise(state: &State, order: &Order) {
    let view = state.known().ok();
    let known = view.as_ref().and_then(|view| Some((view, view.group(order.group.as_str())?)));
    let before = known.map_or(0, |(view, known)| state.target(view, known));
    let target = before.max(order.from.saturating_add(order.count));
    state.told().set_target(order.group, target, state.now());
}

/// The machine of a node. One that nobody knows goes to the provider by its provider id: if it is gone, that is what was wanted.
async fn machine_of(
    state: &State,
    view: &View,
    group: Symbol,
    node: &NodeIdentity,
) -> Result<Box<str>, Status> {
    let belongs_to = |other: Symbol, machine: &str| {
        if other == group {
            return Ok(machine.into());
        }
        let whose = format!("{machine} is a machine of {other}, not of {group}");
        Err(Status::invalid_argument(whose))
    };
    if let Some((known, instance)) = view.machine(&node.provider_id) {
        return belongs_to(known.group.id, &instance.id);
    }
    let whose = state.provider().owner(node).await.map_err(|error| status::write(&error))?;
    if let Some(owner) = whose.machine() {
        return belongs_to(owner.group, owner.instance.as_deref().unwrap_or(&node.provider_id));
    }
    let shown = state.shown();
    match shown.machine(&node.provider_id).map_err(Status::invalid_argument)? {
        Some((other, machine)) => belongs_to(other, machine),
        None if node.provider_id.is_empty() => {
            Err(Status::not_found(format!("node {:?} is not a machine of {group}", node.name)))
        }
        None => Ok(node.provider_id.as_str().into()),
    }
}

/// Refuses to delete a machine that another node than the named one says to be. Of a machine that is said to have no node, no node
/// may have said so.
fn check_claimants(state: &State, machine: &str, node: &NodeIdentity) -> Result<(), Status> {
    let shown = state.shown();
    let mut nodes = shown.nodes_of(machine);
    if made_up(node).is_none() {
        match node.name.as_str() {
            "" if nodes.len() < 2 => return Ok(()),
            name => nodes.retain(|other| *other != name),
        }
    }
    match nodes.first() {
        None => Ok(()),
        Some(other) => Err(Status::failed_precondition(format!(
            "{machine} is not deleted for {:?}: the node {other:?} says that it is this machine",
            node.name
        ))),
    }
}

/// Those of the machines that the group loses by this, if it may. A machine that did not become a node does no work, and may go
/// below the minimum like one that is broken.
fn going(
    state: &State,
    view: &View,
    id: &str,
    machines: &BTreeSet<Box<str>>,
    unregistered: &BTreeSet<Box<str>>,
) -> Result<BTreeSet<Box<str>>, Status> {
    let known = group_of(view, id)?;
    let told = state.told();
    let mut going = BTreeSet::new();
    let mut healthy = 0_u32;
    for machine in machines {
        let Some(instance) = known.instance(machine) else { continue };
        if told.state(view, known.group.id, instance) != InstanceState::Deleting {
            healthy += u32::from(is_healthy(instance) && !unregistered.contains(machine));
            going.insert(machine.clone());
        }
    }
    let target = told.target(view, known);
    let left = target.saturating_sub(u32::try_from(going.len()).unwrap_or(u32::MAX));
    if healthy > 0 && left < known.group.min {
        return Err(Status::failed_precondition(format!(
            "{id} has a target of {target} and a minimum of {}: {healthy} healthy machines may not go",
            known.group.min
        )));
    }
    Ok(going)
}

/// One answer for all: what was refused, when something was. Who is gone already has been deleted.
fn refused(deletions: &[Deletion]) -> Option<Status> {
    let failures: Vec<(&str, &Error)> = deletions
        .iter()
        .filter_map(|deletion| Some((&*deletion.instance, deletion.outcome.as_ref().err()?)))
        .filter(|(_, error)| error.class() != Class::NotFound)
        .collect();
    let (_, first) = failures.first()?;
    let each: Vec<_> =
        failures.iter().map(|(machine, error)| format!("{machine}: {error}")).collect();
    let all = Error::new(first.class(), each.join("; ")).with_code(first.code());
    Some(status::write(&all))
}
