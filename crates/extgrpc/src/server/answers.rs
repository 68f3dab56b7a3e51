//! What is asked without a wish: answered from the last inventory, and what was told since.

use std::{collections::BTreeMap, sync::Arc};

use plimsoll_model::label;
use plimsoll_provider::{GroupState, NodeIdentity};
use prost::Message as _;
use tonic::Status;

use crate::{
    proto::external::{
        ExternalGrpcNode, Instance, NodeGroup, NodeGroupAutoscalingOptions, NodeGroupNodesResponse,
        NodeGroupTemplateNodeInfoResponse, NodeGroupsResponse,
    },
    server::{
        prepared::{Prepared, Replies},
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
pub(crate) async fn group_for_node(
    state: &State,
    node: Option<ExternalGrpcNode>,
) -> Result<NodeGroup, Status> {
    let view = state.view().await?;
    let node = read_node(node.ok_or_else(|| Status::invalid_argument("node is missing"))?);
    if let Some((known, _)) = view.machine(&node.provider_id) {
        return Ok(write_group(known));
    }
    let whose = state.provider().owner(&node).await.map_err(|error| status::write(&error))?;
    let Some(owner) = whose.machine() else { return Ok(NodeGroup::default()) };
    match view.group(owner.group.as_str()) {
        Some(known) => Ok(write_group(known)),
        // It has appeared since.
        None => Ok(write_group(group_of(&*state.newer_view().await?, owner.group.as_str())?)),
    }
}

/// The machines of a group.
pub(crate) async fn machines(state: &State, id: &str) -> Result<Prepared, Status> {
    let view = state.view().await?;
    let (known, replies) = group_and_replies(&view, id)?;
    let group = &known.group;
    let told = state.told();
    if !told.is_about_machines(&view, group.id) {
        drop(told);
        let reply = || write_machines(group.instances.iter().map(wire::instance::write));
        return Ok(replies.machines.get_or_init(reply).clone());
    }
    let write = |instance: &plimsoll_model::Instance| {
        let state = told.state(&view, group.id, instance);
        wire::instance::write(&plimsoll_model::Instance { state, ..instance.clone() })
    };
    Ok(write_machines(group.instances.iter().map(write)))
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

/// The caller's defaults with the group's own settings over them.
pub(crate) async fn options(
    state: &State,
    id: &str,
    defaults: Option<NodeGroupAutoscalingOptions>,
) -> Result<NodeGroupAutoscalingOptions, Status> {
    let view = state.view().await?;
    let known = group_of(&view, id)?;
    let defaults = defaults.ok_or_else(|| Status::invalid_argument("defaults are missing"))?;
    Ok(wire::options::answer(&defaults, &known.overrides))
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
