//! The scene: the cluster as the scheduler will find it, with what is on its way, ready to try things in.

use std::sync::Arc;

use plimsoll_fit::{Equipment, NodeId, Outfit, PodId, Snapshot, VolumeLimits};
use plimsoll_model::{Labels, Node, Pod, Resources, Symbol};

use crate::{
    plan::Place,
    residents::Residents,
    state::{NodeState, Readiness, State},
    template::{SETTLED, Template, cleaned, templates},
};

/// A snapshot of the cluster, and how it and the World refer to each other.
#[derive(Debug)]
pub(crate) struct Scene<'w> {
    pub state: State<'w>,
    pub residents: Residents,
    /// By group: what a new node looks like, if anybody knows.
    pub templates: Vec<Option<Template>>,
    pub snapshot: Snapshot,
    /// By node of the World.
    pub node_ids: Vec<NodeId>,
    /// By pod of the World: its place in the snapshot. `None` for pods without a node, and for those that hold no room: ended
    /// and expendable ones.
    pub pod_ids: Vec<Option<PodId>>,
    /// Nodes that are on their way, with their group.
    pub upcoming: Vec<(usize, NodeId)>,
}

// === impl Scene ===

impl<'w> Scene<'w> {
    pub(crate) fn new(state: State<'w>) -> Self {
        let world = state.world;
        let residents = Residents::new(&state);
        let templates = templates(&state, &residents);
        let mut snapshot = Snapshot::new(world.namespaces.clone(), world.storage.clone())
            .following(&world.settings.profile)
            .with_devices(&world.devices);
        let mut node_ids = Vec::with_capacity(world.nodes.len());
        let mut pod_ids = vec![None; world.pods.len()];
        for (place, node) in world.nodes.iter().enumerate() {
            let id = add_node(&mut snapshot, &state, &templates, place, node);
            for pod in residents.of(place) {
                if !is_expendable(&state, &world.pods[*pod]) {
                    let shape = snapshot.shape(&world.pods[*pod].shape);
                    pod_ids[*pod] = Some(snapshot.place(shape, id));
                }
            }
            node_ids.push(id);
        }
        let mut scene =
            Self { state, residents, templates, snapshot, node_ids, pod_ids, upcoming: Vec::new() };
        scene.add_upcoming();
        scene
    }

    /// Adds a new node of a group with all that it carries from the start. The group has a template.
    pub(crate) fn open(snapshot: &mut Snapshot, template: &Template, name: Symbol) -> NodeId {
        let id = snapshot.add_equipped(template.node(name), &template.outfit);
        for pod in &template.overhead {
            let shape = snapshot.shape(pod);
            snapshot.place(shape, id);
        }
        id
    }

    fn add_upcoming(&mut self) {
        for (place, group) in self.state.groups.iter().enumerate() {
            let Some(template) = &self.templates[place] else { continue };
            let id = self.state.world.groups[place].id;
            for number in 1..=group.upcoming {
                let name = Place::Upcoming { group: id, number }.to_string();
                let node = Self::open(&mut self.snapshot, template, Symbol::new(&name));
                self.upcoming.push((place, node));
            }
        }
    }
}

/// Pods below the cutoff hold no room: others will preempt them.
pub(crate) fn is_expendable(state: &State<'_>, pod: &Pod) -> bool {
    pod.priority < state.world.settings.scale_up.expendable_cutoff
}

fn add_node(
    snapshot: &mut Snapshot,
    state: &State<'_>,
    templates: &[Option<Template>],
    place: usize,
    node: &Arc<Node>,
) -> NodeId {
    let found = state.nodes[place];
    let template = found.group.and_then(|group| templates[group].as_ref());
    match found.readiness {
        Readiness::Ready => {
            match template.filter(|template| is_new(state, found, node, template)) {
                Some(template) => snapshot.add_node(Arc::new(with_labels(node, template))),
                None => snapshot.add_node(Arc::clone(node)),
            }
        }
        Readiness::NotStarted => {
            let outfit = template.map(|template| unpublished(state, node.name, template));
            let outfit = outfit.unwrap_or_default();
            snapshot.add_equipped(Arc::new(started(node, state, template)), &outfit)
        }
        Readiness::Unready { .. } | Readiness::BeingDeleted | Readiness::Suspended => {
            let id = snapshot.add_node(Arc::clone(node));
            snapshot.close_node(id);
            id
        }
    }
}

/// Whether the node is the first of its group after a time without any, and too young to say what the group looks like now.
fn is_new(state: &State<'_>, found: NodeState, node: &Node, template: &Template) -> bool {
    let recalled = found.group.and_then(|group| state.recalled[group]);
    recalled.is_some()
        && template.exemplar().is_none()
        && state.world.now.duration_since(node.created) < SETTLED
}

/// A node with the labels that others of its group had. Who adds them may not have come to this one yet, and if another node
/// were bought meanwhile for pods that ask for them, it would look no different.
fn with_labels(node: &Node, template: &Template) -> Node {
    let promised = template.unnamed().labels.iter();
    let missing = promised.filter(|(key, _)| node.labels.get(*key).is_none());
    Node { labels: Labels::from_pairs(node.labels.iter().chain(missing)), ..node.clone() }
}

/// What a node will have of which its drivers have not said anything yet: what its group has.
fn unpublished(state: &State<'_>, node: Symbol, template: &Template) -> Outfit {
    let world = state.world;
    let mut outfit = template.outfit.clone();
    if world.devices.local_slices(node).next().is_some() {
        outfit.devices = Equipment::Published;
    }
    if let VolumeLimits::Like(limits) = &outfit.volume_limits
        && limits.iter().any(|(driver, _)| world.storage.limits.contains_key(&(node, *driver)))
    {
        outfit.volume_limits = VolumeLimits::Published;
    }
    outfit
}

/// A node as it will be once it has started: without passing taints, and with the devices that its group promises.
fn started(node: &Node, state: &State<'_>, template: Option<&Template>) -> Node {
    let promised = template.map(|template| &template.unnamed().allocatable);
    let missing = promised
        .into_iter()
        .flat_map(Resources::iter)
        .filter(|(name, _)| name.as_str().contains('/') && node.allocatable.get(*name) == 0);
    Node {
        name: node.name,
        labels: node.labels.clone(),
        allocatable: Resources::from_amounts(node.allocatable.iter().chain(missing)),
        ..cleaned(node, &state.world.settings.taints)
    }
}
