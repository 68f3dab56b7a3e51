//! The cluster that a plan counts on, as a plain list: what is here, what is on its way and what is bought.

use std::{collections::BTreeMap, sync::Arc};

use plimsoll_model::{
    Group, Node, PodName, PodShape, SignedDuration, Symbol, World, first_untolerated, label,
};
use plimsoll_plan::{Place, Plan, Repair};

use crate::fit::reference::Cluster;

/// What is here and on its way, before anything is bought.
pub(super) fn before(world: &World, plan: &Plan) -> Cluster {
    let cutoff = world.settings.scale_up.expendable_cutoff;
    let holds_room = |pod: &&plimsoll_model::Pod| !pod.has_ended() && pod.priority >= cutoff;
    let residents = world.pods.iter().filter(holds_room);
    let residents = residents.filter_map(|pod| Some((Arc::clone(&pod.shape), pod.node?)));
    let mut cluster = Cluster {
        namespaces: world.namespaces.clone(),
        storage: world.storage.clone(),
        nodes: world.nodes.clone(),
        pods: residents.collect(),
    };
    let raised: BTreeMap<Symbol, u32> = (plan.repairs.iter())
        .filter_map(|repair| match repair {
            Repair::RaiseToMin { group, from, to } => Some((*group, to - from)),
            _ => None,
        })
        .collect();
    for report in &plan.groups {
        let group = group(world, report.id);
        let more = raised.get(&report.id).copied().unwrap_or(0);
        for number in 1..=report.upcoming + more {
            let place = Place::Upcoming { group: group.id, number };
            let node = new_node(group, &place.to_string());
            add_node(&mut cluster, world, node);
        }
    }
    cluster
}

/// The nodes that the plan buys.
pub(super) fn bought(world: &World, plan: &Plan) -> Vec<Node> {
    let each = plan.purchases.iter().flat_map(|purchase| {
        let group = group(world, purchase.group);
        let numbers = 1..=purchase.to - purchase.from;
        let place = move |number| Place::New { group: group.id, number };
        numbers.map(move |number| new_node(group, &place(number).to_string()))
    });
    each.collect()
}

/// Adds a node with the pods of its DaemonSets.
pub(super) fn add_node(cluster: &mut Cluster, world: &World, node: Node) {
    cluster.pods.extend(daemons(world, &node).into_iter().map(|pod| (pod, node.name)));
    cluster.nodes.push(Arc::new(node));
}

/// The group of that name.
pub(super) fn group(world: &World, id: Symbol) -> &Group {
    world.groups.iter().find(|group| group.id == id).unwrap()
}

/// A new node of a group, by its template.
pub(super) fn new_node(group: &Group, name: &str) -> Node {
    let template = group.template.as_ref().unwrap();
    let name = Symbol::new(name);
    let own = [(Symbol::new(label::HOSTNAME), name)];
    let labels = template.labels.with(own);
    Node { name, labels, ..(**template).clone() }
}

/// The pods that DaemonSets put on a node.
pub(super) fn daemons(world: &World, node: &Node) -> Vec<Arc<PodShape>> {
    let runs = |pod: &PodShape| {
        pod.node_affinity.matches(node.name, &node.labels)
            && first_untolerated(&node.taints, &pod.tolerations).is_none()
            && pod.requests.iter().all(|(name, amount)| amount <= node.allocatable.get(name))
    };
    let sets = world.daemon_sets.iter().filter(|set| runs(&set.pod));
    sets.map(|set| Arc::clone(&set.pod)).collect()
}

/// The shapes of all pods by name.
pub(super) fn shapes(world: &World) -> BTreeMap<PodName, Arc<PodShape>> {
    world.pods.iter().map(|pod| (pod.id(), Arc::clone(&pod.shape))).collect()
}

/// Whether a node should be ready and is not: nobody counts on it.
pub(super) fn is_broken(world: &World, name: Symbol) -> bool {
    let node = world.nodes.iter().find(|node| node.name == name);
    node.is_some_and(|node| {
        let age = world.now.duration_since(node.created);
        !node.conditions.ready && age >= SignedDuration::from_mins(15)
    })
}
