//! `--why`: what the plan says about one pod, node or group.

use plimsoll_model::{Pod, PodName, Symbol, World};
use plimsoll_plan::{
    Plan,
    Repair::{DeleteInstance, LowerTarget, RaiseToMin},
    words::{self, Count},
};

use super::{
    crowd::Stems,
    text::{Story, changes, groups, nodes, pods},
};

/// Whether the world has anything of this name.
pub(super) fn is_known(name: &str, world: &World) -> bool {
    world.pods.iter().any(|pod| is_called(pod, name))
        || world.nodes.iter().any(|node| node.name.as_str() == name)
        || world.groups.iter().any(|group| group.id.as_str() == name)
}

/// Sentences about everything that has this name.
pub(super) fn why(name: &str, world: &World, plan: &Plan) -> Vec<String> {
    let story = Story { world, plan, stems: Stems::new(world) };
    let mut sentences = Vec::new();
    for pod in world.pods.iter().filter(|pod| is_called(pod, name)) {
        sentences.extend(about_pod(&story, pod));
    }
    if let Some(node) = world.nodes.iter().find(|node| node.name.as_str() == name) {
        sentences.push(about_node(&story, node.name));
    }
    if let Some(group) = world.groups.iter().find(|group| group.id.as_str() == name) {
        sentences.extend(about_group(&story, group.id));
    }
    sentences
}

/// A pod may be named without its namespace.
fn is_called(pod: &Pod, name: &str) -> bool {
    match name.split_once('/') {
        Some((namespace, name)) => pod.shape.namespace.as_str() == namespace && &*pod.name == name,
        None => &*pod.name == name,
    }
}

fn about_pod(story: &Story<'_>, pod: &Pod) -> Vec<String> {
    let id: PodName = pod.id();
    if let Some(report) = story.plan.pods.iter().find(|report| report.pod == id) {
        return pods::report(story, report);
    }
    let leaving = story.plan.retirements.iter().find(|leaving| leaving.evict.contains(&id));
    vec![match (leaving, pod.node) {
        (Some(leaving), _) => {
            format!("pod {id} is evicted: {}", changes::retirement(story, leaving))
        }
        (None, Some(node)) if pod.has_ended() => format!("pod {id} has ended on {node}"),
        (None, Some(node)) => format!("pod {id} is on {node} and stays there"),
        (None, None) => format!("pod {id} has ended"),
    }]
}

fn about_node(story: &Story<'_>, node: Symbol) -> String {
    let leaving = story.plan.retirements.iter().find(|leaving| leaving.node == node);
    let blocked = story.plan.blocked.iter().find(|blocked| blocked.node == node);
    match (leaving, blocked) {
        (Some(leaving), _) => changes::retirement(story, leaving),
        (None, Some(blocked)) => nodes::sentence(story, blocked),
        (None, None) => format!("node {node} stays"),
    }
}

fn about_group(story: &Story<'_>, id: Symbol) -> Vec<String> {
    let plan = story.plan;
    let mut sentences = Vec::new();
    if let Some(group) = plan.groups.iter().find(|group| group.id == id) {
        sentences.push(format!("group {id}: {}", groups::state(story, group)));
    }
    for bought in plan.purchases.iter().filter(|bought| bought.group == id) {
        let (from, to) = (bought.from, bought.to);
        sentences.push(format!("it grows from {from} to {to} {}", changes::purpose(story, bought)));
    }
    let leaving = plan.retirements.iter().filter(|leaving| leaving.group == id).count();
    if leaving > 0 {
        sentences.push(format!("{} of it are given back", Count(leaving, "node")));
    }
    for repair in &plan.repairs {
        let (DeleteInstance { group, .. } | LowerTarget { group, .. } | RaiseToMin { group, .. }) =
            repair;
        if *group == id {
            sentences.push(words::repair(repair));
        }
    }
    sentences
}
