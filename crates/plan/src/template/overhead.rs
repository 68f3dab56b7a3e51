//! What runs on a new node from the start.

use std::sync::Arc;

use plimsoll_model::{DaemonSet, Node, PodShape, World, first_untolerated};

use crate::state::State;

/// The priority of `system-node-critical`: such a pod makes room for itself.
const NODE_CRITICAL: i32 = 2_000_001_000;

/// Pods of DaemonSets that a new node carries. `pods` are those of the node that it is modelled on, if there is one to look at.
pub(super) fn daemons(world: &World, node: &Node, pods: Option<&[usize]>) -> Vec<Arc<PodShape>> {
    let every = world.settings.models.every_daemon;
    let runs_there = |set: &DaemonSet, pods: &[usize]| {
        let mut owners = pods.iter().filter_map(|pod| world.pods[*pod].owner.as_ref());
        owners.any(|owner| owner.uid == set.uid)
    };
    let counts = |set: &DaemonSet| {
        every || set.priority >= NODE_CRITICAL || pods.is_none_or(|pods| runs_there(set, pods))
    };
    let sets = world.daemon_sets.iter().filter(|set| would_run(&set.pod, node) && counts(set));
    sets.map(|set| Arc::clone(&set.pod)).collect()
}

/// Whether a DaemonSet puts its pod on such a node: labels, taints, and room at all.
fn would_run(pod: &PodShape, node: &Node) -> bool {
    pod.node_affinity.matches(node.name, &node.labels)
        && first_untolerated(&node.taints, &pod.tolerations).is_none()
        && pod.requests.iter().all(|(name, amount)| amount <= node.allocatable.get(name))
}

/// Static pods of a member, and pods of DaemonSets that the World does not list: a new node will have them too.
pub(super) fn unexplained_pods<'a>(
    state: &'a State<'_>,
    pods: &'a [usize],
) -> impl Iterator<Item = Arc<PodShape>> + 'a {
    let world = state.world;
    let listed = |uid: &str| world.daemon_sets.iter().any(|set| &*set.uid == uid);
    let pods = pods.iter().map(|place| &world.pods[*place]);
    pods.filter(move |pod| {
        let explained = pod.owner.as_ref().is_some_and(|owner| listed(&owner.uid));
        pod.is_mirror() || (pod.is_daemon() && !explained)
    })
    .map(|pod| Arc::clone(&pod.shape))
}
