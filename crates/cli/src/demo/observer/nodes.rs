//! Nodes, and machines that will be nodes.

use std::collections::{BTreeMap, BTreeSet};

use plimsoll_control::engine::Pass;
use plimsoll_model::{InstanceState, Quantity, label};
use serde_json::Value;

use super::{Node, NodeState};
use crate::demo::{books::Books, stage::text, workload::APP};

/// The taint of a node that is on its way out.
const LEAVING: &str = "ToBeDeletedByClusterAutoscaler";

/// All nodes by group and name, then the machines that are coming.
pub(super) fn all(
    nodes: &[Value],
    pods: &[Value],
    pass: Option<&Pass>,
    books: &Books,
) -> Vec<Node> {
    let groups = pass.map(|pass| pass.seen.groups.as_slice()).unwrap_or_default();
    let machines =
        || groups.iter().flat_map(|group| group.instances.iter().map(move |one| (group, one)));
    let owners: BTreeMap<&str, &str> = machines()
        .filter_map(|(group, machine)| Some((machine.node?.as_str(), group.id.as_str())))
        .collect();
    let mut all: Vec<Node> = nodes.iter().map(|node| of(node, pods, &owners)).collect();
    let coming = machines().filter(|(_, machine)| {
        let known =
            machine.node.is_some_and(|name| all.iter().any(|node| node.name == name.as_str()));
        // Some infrastructures take a machine to run as soon as it is there.
        let boots = match machine.state {
            InstanceState::Creating => true,
            InstanceState::Running => !books.has_joined(&machine.id),
            InstanceState::Deleting => false,
        };
        boots && machine.error.is_none() && !known
    });
    let coming: Vec<Node> = coming
        .map(|(group, machine)| Node {
            name: machine.id.rsplit('/').next().unwrap_or_default().to_owned(),
            group: group.id.to_string(),
            state: NodeState::Booting,
            ..Node::default()
        })
        .collect();
    all.extend(coming);
    let place = |id: &str| groups.iter().position(|group| group.id.as_str() == id);
    // Where names are numbered, the second comes before the tenth.
    let key = |node: &Node| {
        let boots = node.state == NodeState::Booting;
        (place(&node.group), boots, node.name.len(), node.name.clone())
    };
    all.sort_by_key(key);
    all
}

fn of(node: &Value, pods: &[Value], owners: &BTreeMap<&str, &str>) -> Node {
    let name = text(node, "/metadata/name");
    let own = |pod: &&Value| {
        text(pod, "/spec/nodeName") == name
            && !matches!(text(pod, "/status/phase"), "Succeeded" | "Failed")
    };
    let own: Vec<&Value> = pods.iter().filter(own).collect();
    let labels = node.pointer("/metadata/labels");
    let label = |key: &str| labels.and_then(|labels| labels.get(key)).and_then(Value::as_str);
    let owner = owners.get(name).copied().or_else(|| label(label::GROUP));
    let service = |pod: &&Value| text(pod, &format!("/metadata/labels/{APP}")).to_owned();
    Node {
        name: name.to_owned(),
        group: owner.unwrap_or_default().to_owned(),
        zone: label(label::ZONE).unwrap_or("no zone").to_owned(),
        state: state(node),
        pods: own.len(),
        services: own.iter().map(service).collect::<BTreeSet<_>>(),
        load: load(node, &own),
        line: share(amount(node, "/status/allocatable/cpu"), amount(node, "/status/capacity/cpu")),
    }
}

fn state(node: &Value) -> NodeState {
    let items =
        |pointer: &str| node.pointer(pointer).and_then(Value::as_array).into_iter().flatten();
    if items("/spec/taints").any(|taint| text(taint, "/key") == LEAVING) {
        return NodeState::Leaving;
    }
    let is_ready = |condition: &Value| {
        text(condition, "/type") == "Ready" && text(condition, "/status") == "True"
    };
    if items("/status/conditions").any(is_ready) { NodeState::Ready } else { NodeState::NotReady }
}

/// How much is taken of the resource of which the most is taken, in thousandths of what pods may ask for.
fn load(node: &Value, pods: &[&Value]) -> u32 {
    let room = node.pointer("/status/allocatable").and_then(Value::as_object);
    let resources = room.into_iter().flatten().map(|(name, _)| name.replace('/', "~1"));
    let taken = |resource: &str| -> i64 {
        let asked = pods.iter().flat_map(|pod| {
            let containers = pod.pointer("/spec/containers").and_then(Value::as_array);
            containers
                .into_iter()
                .flatten()
                .map(|one| amount(one, &format!("/resources/requests/{resource}")))
        });
        asked.sum()
    };
    let loads = resources.map(|resource| {
        share(taken(&resource), amount(node, &format!("/status/allocatable/{resource}")))
    });
    loads.max().unwrap_or_default()
}

/// A quantity in thousandths; nothing where none is given.
fn amount(object: &Value, pointer: &str) -> i64 {
    text(object, pointer)
        .parse::<Quantity>()
        .ok()
        .and_then(|amount| amount.milli().ok())
        .unwrap_or_default()
}

/// A part in thousandths of the whole.
fn share(part: i64, whole: i64) -> u32 {
    let share = i128::from(part) * 1000 / i128::from(whole.max(1));
    u32::try_from(share).unwrap_or_default()
}
