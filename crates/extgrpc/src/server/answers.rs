//! What is asked without a wish: answered from the last inventory, and what was told since.

use std::{collections::BTreeMap, sync::Arc};

use plimsoll_model::{Instance as Machine, Symbol, label};
use plimsoll_provider::{GroupState, NodeIdentity, Whose};
use prost::Message as _;
use tonic::Status;

use crate::{
    proto::external::{
        ExternalGrpcNode, Instance, NodeGroup, NodeGroupAutoscalingOptions, NodeGroupNodesResponse,
        NodeGroupTemplateNodeInfoResponse, NodeGroupsResponse,
    },
    server::{
        prepared::{Prepared, Replies},
        shown::Listed,
        state::State,
        view::View,
    },
    status,
    wire::{self, instance::read_node},
};

/// The group of this id.
pub(crate) fn group_of<'v>(view: &'v View, id: &str) -> Result<&'v GroupState, Status> {
    group_and_replies(view, id).map(|(known, _)| known)
}

fn group_and_replies<'v>(
    view: &'v View,
    id: &str,
) -> Result<(&'v GroupState, &'v Replies), Status> {
    let found = view.group_and_replies(id);
    found.ok_or_else(|| Status::not_found(format!("there is no group {id:?}")))
}

/// All groups.
pub(crate) fn groups(view: &View) -> Prepared {
    let reply = view.groups_reply.get_or_init(|| {
        let node_groups = view.inventory.groups.iter().map(write_group).collect();
        Prepared::new(&NodeGroupsResponse { node_groups })
    });
    reply.clone()
}

/// The group of a node; one without an id for a node of no group.
///
/// A node keeps its group when its machine is gone: the upstream autoscaler relies on it while it works on the node, and counts the
/// node as one that is lost.
pub(crate) async fn group_for_node(
    state: &State,
    node: Option<ExternalGrpcNode>,
) -> Result<NodeGroup, Status> {
    let view = state.view().await?;
    let node = read_node(node.ok_or_else(|| Status::invalid_argument("node is missing"))?);
    let Some(group) = group_of_node(state, &view, &node).await? else {
        return Ok(NodeGroup::default());
    };
    match view.group(group.as_str()) {
        Some(known) => Ok(write_group(known)),
        // It has appeared since, or it is gone with its machine.
        None => match state.newer_view().await?.group(group.as_str()) {
            Some(known) => Ok(write_group(known)),
            None => Ok(NodeGroup::default()),
        },
    }
}

async fn group_of_node(
    state: &State,
    view: &View,
    node: &NodeIdentity,
) -> Result<Option<Symbol>, Status> {
    let record = |machine: &str, group: Symbol| {
        // A node that the caller made up shows nothing.
        if made_up(node).is_none() {
            state.shown().record(machine, group, node);
        }
        Ok(Some(group))
    };
    if let Some((known, instance)) = view.machine(&node.provider_id) {
        return record(&instance.id, known.group.id);
    }
    match state.provider().owner(node).await {
        Ok(Whose::Machine(owner)) => match &owner.instance {
            Some(machine) => record(machine, owner.group),
            None => Ok(Some(owner.group)),
        },
        Ok(Whose::Gone(owner)) => Ok(Some(owner.group)),
        Ok(Whose::Nobodys) => {
            let mut shown = state.shown();
            let listed = shown.machine(&node.provider_id).ok().flatten();
            Ok(listed.map(|(group, _)| group).or_else(|| shown.group_of(node)))
        }
        // A node keeps its group while the provider is unreachable.
        Err(error) => match state.shown().group_of(node) {
            Some(group) => Ok(Some(group)),
            None => Err(status::write(&error)),
        },
    }
}

/// The machines of a group.
pub(crate) async fn machines(state: &State, id: &str) -> Result<Prepared, Status> {
    let view = state.view().await?;
    let (known, replies) = group_and_replies(&view, id)?;
    let group = &known.group;
    let (told, shown) = (state.told(), state.shown());
    if !told.is_about_machines(&view, group.id) && !shown.renames() {
        drop((told, shown));
        let reply = || write_machines(group.instances.iter().map(wire::instance::write));
        return Ok(replies.machines.get_or_init(reply).clone());
    }
    let write = |instance: &Machine| {
        let id = match shown.listed(&instance.id) {
            Listed::Own => instance.id.clone(),
            Listed::As(id) => id.into(),
            Listed::Hidden => return None,
        };
        let state = told.state(&view, group.id, instance);
        Some(wire::instance::write(&Machine { id, state, ..instance.clone() }))
    };
    Ok(write_machines(group.instances.iter().filter_map(write)))
}

fn write_machines(instances: impl Iterator<Item = Instance>) -> Prepared {
    Prepared::new(&NodeGroupNodesResponse { instances: instances.collect() })
}

/// What a new node would look like, in the field of every version.
///
/// A group without a template is answered as if there were no templates at all: the upstream autoscaler skips such a group, but
/// gives up its whole pass over any other error, and over a reply without a node.
pub(crate) async fn template(state: &State, id: &str) -> Result<Prepared, Status> {
    let view = state.view().await?;
    let (known, replies) = group_and_replies(&view, id)?;
    let Some(template) = &known.group.template else {
        return Err(Status::unimplemented(format!("{id} has no template")));
    };
    let reply = replies.template.get_or_init(|| {
        let node = wire::node::write(template, id, state.provider().name());
        let node_bytes = node.encode_to_vec();
        Prepared::new(&NodeGroupTemplateNodeInfoResponse { node_info: Some(node), node_bytes })
    });
    Ok(reply.clone())
}

/// The caller's defaults with the group's own settings over them; `None` for a group that has none.
///
/// Callers take every field of a reply for their own, those that their version does not have as zero. So there is none without a
/// reason: versions from 1.35 on read a `max-node-startup-time` of 0 from any reply, those from 1.28 to 1.32 that
/// `ignore-daemonsets-utilization` is off. Up to 1.28 it is a `max-node-provision-time` of 0, with which the caller deletes machines
/// that have just been started; it is known by its defaults and gets no settings at all.
pub(crate) async fn options(
    state: &State,
    id: &str,
    defaults: Option<NodeGroupAutoscalingOptions>,
) -> Result<Option<NodeGroupAutoscalingOptions>, Status> {
    let view = state.view().await?;
    let known = group_of(&view, id)?;
    if !wire::options::are_carried(&known.overrides) {
        return Ok(None);
    }
    let defaults = defaults.ok_or_else(|| Status::invalid_argument("defaults are missing"))?;
    if !wire::options::has_provision_time(&defaults) {
        state.withhold_options(known.group.id);
        return Ok(None);
    }
    Ok(Some(wire::options::answer(&defaults, &known.overrides)))
}

/// The kinds of GPU; their values mean nothing.
pub(crate) fn gpu_types(view: &View) -> BTreeMap<String, prost_types::Any> {
    let types = view.inventory.gpu_types.iter();
    types.map(|name| (name.to_string(), prost_types::Any::default())).collect()
}

/// The group whose node, or whose template, this is.
pub(crate) async fn group_of_any_node<'v>(
    state: &State,
    view: &'v Arc<View>,
    node: &NodeIdentity,
) -> Result<&'v GroupState, Status> {
    if let Some((known, _)) = view.machine(&node.provider_id) {
        return Ok(known);
    }
    let template = wire::node::template_id(state.provider().name(), "");
    let named = [
        node.provider_id.strip_prefix(&template),
        node.annotations.get(label::GROUP).map(String::as_str),
        node.labels.get(label::GROUP).map(String::as_str),
    ];
    if let Some(known) = named.into_iter().flatten().find_map(|id| view.group(id)) {
        return Ok(known);
    }
    let whose = state.provider().owner(node).await.map_err(|error| status::write(&error))?;
    whose
        .machine()
        .and_then(|owner| view.group(owner.group.as_str()))
        .ok_or_else(|| Status::not_found(format!("node {:?} belongs to no group", node.name)))
}

/// Why the caller made this node up, which stands for a machine that has no Node: it is not registered, or it did not come up.
pub(crate) fn made_up(node: &NodeIdentity) -> Option<&str> {
    node.annotations.get(NodeIdentity::MADE_UP).map(String::as_str)
}

fn write_group(state: &GroupState) -> NodeGroup {
    let group = &state.group;
    let size = |size: u32| i32::try_from(size).unwrap_or(i32::MAX);
    let debug = match &*state.about {
        "" => format!("{} ({} to {})", group.id, group.min, group.max),
        about => about.to_owned(),
    };
    NodeGroup {
        id: group.id.to_string(),
        min_size: size(group.min),
        max_size: size(group.max),
        debug,
    }
}
