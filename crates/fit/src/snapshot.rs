//! The state of a cluster as the scheduler sees it, kept up to date pod by pod and node by node.

use std::sync::Arc;

use indexmap::IndexSet;
use plimsoll_model::{
    Devices, HostPort, Namespaces, Node, PodShape, PodVolume, Profile, Storage, Symbol, Text,
};
use rustc_hash::{FxBuildHasher, FxHashMap};

use crate::{
    capacity::Capacity,
    census::{Census, CensusState},
    counter::{Counter, Question},
    devices::Stock,
    domains::Topology,
    fork::Journal,
    gates::Gates,
    ids::{CounterId, NodeId, PodId, ShapeId},
    shapes::Shapes,
    volumes::VolumeLimits,
};

/// A cluster: nodes, the pods on them, and what follows from them for the next pod.
///
/// Every change is incremental. [`Snapshot::fork`] tries something out; dropping the fork undoes it.
#[derive(Debug)]
pub struct Snapshot {
    pub(crate) namespaces: Namespaces,
    pub(crate) storage: Storage,
    /// Which filters are at work.
    pub(crate) profile: Profile,
    pub(crate) devices: Stock,
    /// Nodes in the order they were added; one that was removed stays as an absent row.
    pub(crate) rows: Vec<Row>,
    pub(crate) pods: Vec<Slot>,
    /// Slots of evicted pods, used again last in, first out: so a dropped fork gives every pod its old slot.
    vacant: Vec<PodId>,
    pub(crate) capacity: Capacity,
    pub(crate) gates: Gates,
    pub(crate) topology: Topology,
    pub(crate) census_ids: IndexSet<Census, FxBuildHasher>,
    pub(crate) censuses: Vec<CensusState>,
    pub(crate) questions: IndexSet<Question, FxBuildHasher>,
    pub(crate) counters: Vec<Counter>,
    /// Counters whose pods all have some label, by that label.
    pub(crate) counters_by_pair: FxHashMap<(Symbol, Text), Vec<CounterId>>,
    pub(crate) counters_without_pair: Vec<CounterId>,
    pub(crate) shapes: Shapes,
    /// How many pods use a claim, by namespace and name.
    pub(crate) claim_users: FxHashMap<(Symbol, Symbol), u32>,
    /// How often room appeared anywhere: what searches remember of refused nodes is worthless after that.
    pub(crate) loosened: u64,
    /// How often a pod with volumes was placed: a node that refused a volume because of its limit may take it once another
    /// pod there uses it.
    pub(crate) volumes_placed: u64,
    pub(crate) journal: Journal,
}

/// A node of the snapshot.
#[derive(Debug)]
pub(crate) struct Row {
    pub node: Arc<Node>,
    pub standing: Standing,
    pub pods: Vec<PodId>,
    /// Host ports in use, with the number of pods that use them.
    pub ports: Vec<(HostPort, u32)>,
    pub volume_limits: VolumeLimits,
}

/// Whether a node takes part.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Standing {
    /// Takes pods.
    Open,
    /// Takes no pods, but still counts for spread and affinity: a node that is leaving.
    Closed,
    /// Gone.
    Absent,
}

/// A pod of the snapshot, or a vacant slot.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Slot {
    pub shape: ShapeId,
    pub node: NodeId,
    /// Places in the lists of the node and the shape, for removal without a search.
    in_node: u32,
    in_shape: u32,
}

// === impl Row ===

impl Row {
    pub(crate) fn is_present(&self) -> bool {
        self.standing != Standing::Absent
    }
}

// === impl Snapshot ===

impl Snapshot {
    /// A cluster without nodes, whose scheduler has the default profile.
    pub fn new(namespaces: Namespaces, storage: Storage) -> Self {
        Self {
            namespaces,
            storage,
            profile: Profile::default(),
            devices: Stock::default(),
            rows: Vec::new(),
            pods: Vec::new(),
            vacant: Vec::new(),
            capacity: Capacity::new(),
            gates: Gates::default(),
            topology: Topology::default(),
            census_ids: IndexSet::default(),
            censuses: Vec::new(),
            questions: IndexSet::default(),
            counters: Vec::new(),
            counters_by_pair: FxHashMap::default(),
            counters_without_pair: Vec::new(),
            shapes: Shapes::default(),
            claim_users: FxHashMap::default(),
            loosened: 0,
            volumes_placed: 0,
            journal: Journal::default(),
        }
    }

    /// The same cluster with another profile of its scheduler. It has no nodes yet, and knows no shapes.
    #[must_use]
    pub fn following(mut self, profile: &Profile) -> Self {
        self.gates = Gates::new(profile);
        self.profile = profile.clone();
        self
    }

    /// The same cluster with these devices and claims. Nothing has been added to it yet.
    #[must_use]
    pub fn with_devices(mut self, devices: &Devices) -> Self {
        self.devices = Stock::new(devices);
        self
    }

    /// The nodes that are present, in the order they were added.
    pub fn node_ids(&self) -> impl Iterator<Item = NodeId> + '_ {
        self.numbered_rows().filter(|(_, row)| row.is_present()).map(|(id, _)| id)
    }

    /// A node.
    pub fn node(&self, id: NodeId) -> &Arc<Node> {
        &self.rows[id.index()].node
    }

    /// The pods on a node.
    pub fn pods_on(&self, id: NodeId) -> impl ExactSizeIterator<Item = PodId> + '_ {
        self.rows[id.index()].pods.iter().copied()
    }

    /// The shape of a pod.
    pub fn shape_of(&self, pod: PodId) -> ShapeId {
        self.pods[pod.index()].shape
    }

    /// What is behind a shape's handle.
    pub fn pod_shape(&self, shape: ShapeId) -> &Arc<PodShape> {
        self.shapes.shape(shape)
    }

    /// The node of a pod.
    pub fn node_of(&self, pod: PodId) -> NodeId {
        self.pods[pod.index()].node
    }

    /// How much of a resource is free on a node, in the scheduler's units; negative when it is overcommitted.
    pub fn free(&self, id: NodeId, resource: Symbol) -> i64 {
        match self.capacity.find_column(resource) {
            Some(column) => self.capacity.free(id, column),
            None => self.node(id).allocatable.get(resource),
        }
    }

    /// How many devices of each class a shape asks for by claims of its own that say a number.
    pub fn device_demand(&self, shape: ShapeId) -> Vec<(Symbol, i64)> {
        match self.shapes.entry(shape).claims.as_deref() {
            Some(Ok(wanted)) => wanted.demand(),
            _ => Vec::new(),
        }
    }

    /// How many devices of a class are free on a node.
    pub fn device_supply(&mut self, id: NodeId, class: Symbol) -> i64 {
        self.devices.supply(id, class)
    }

    pub(crate) fn numbered_rows(&self) -> impl Iterator<Item = (NodeId, &Row)> + '_ {
        self.rows.iter().enumerate().map(|(place, row)| (NodeId::new(place), row))
    }

    /// Puts a pod on a node, whether it fits there or not.
    pub fn place(&mut self, shape: ShapeId, node: NodeId) -> PodId {
        let pod = self.vacant.pop().unwrap_or_else(|| PodId::new(self.pods.len()));
        self.occupy(pod, shape, node);
        self.reserve_devices(pod, shape, node);
        self.journal.placed(pod);
        pod
    }

    /// Takes a pod off its node.
    pub fn evict(&mut self, pod: PodId) {
        let Slot { shape, node, .. } = self.pods[pod.index()];
        self.vacate(pod);
        self.release_devices(pod, shape);
        self.journal.evicted(pod, shape, node);
    }

    /// Gives a pod back the slot it had.
    pub(crate) fn restore(&mut self, pod: PodId, shape: ShapeId, node: NodeId) {
        if let Some(place) = self.vacant.iter().rposition(|vacant| *vacant == pod) {
            self.vacant.remove(place);
        }
        self.occupy(pod, shape, node);
    }

    fn occupy(&mut self, pod: PodId, shape: ShapeId, node: NodeId) {
        let entry = self.shapes.entry_mut(shape);
        let row = &mut self.rows[node.index()];
        let slot = Slot {
            shape,
            node,
            in_node: PodId::new(row.pods.len()).index().try_into().unwrap_or(u32::MAX),
            in_shape: PodId::new(entry.pods.len()).index().try_into().unwrap_or(u32::MAX),
        };
        row.pods.push(pod);
        entry.pods.push(pod);
        match self.pods.get_mut(pod.index()) {
            Some(vacant) => *vacant = slot,
            None => self.pods.push(slot),
        }
        self.capacity.take(node, &entry.uses);
        self.tell_counters(shape, node, true);
        self.use_ports_and_claims(shape, node, true);
    }

    pub(crate) fn vacate(&mut self, pod: PodId) {
        let Slot { shape, node, in_node, in_shape } = self.pods[pod.index()];
        let entry = self.shapes.entry_mut(shape);
        let row = &mut self.rows[node.index()];
        row.pods.swap_remove(in_node as usize);
        if let Some(moved) = row.pods.get(in_node as usize) {
            self.pods[moved.index()].in_node = in_node;
        }
        entry.pods.swap_remove(in_shape as usize);
        if let Some(moved) = entry.pods.get(in_shape as usize) {
            self.pods[moved.index()].in_shape = in_shape;
        }
        self.capacity.give(node, &entry.uses);
        self.vacant.push(pod);
        self.loosened += 1;
        self.tell_counters(shape, node, false);
        self.use_ports_and_claims(shape, node, false);
    }

    fn tell_counters(&mut self, shape: ShapeId, node: NodeId, more: bool) {
        for place in 0..self.shapes.entry(shape).counted_in.len() {
            let counter = self.shapes.entry(shape).counted_in[place];
            self.count(counter, node, more);
        }
    }

    /// One pod more or less on a node, for one counter.
    pub(crate) fn count(&mut self, id: CounterId, node: NodeId, more: bool) {
        let Counter { question, tally } = &mut self.counters[id.index()];
        let domain = match question.census {
            Some(census) => self.censuses[census.index()].domain(node, &self.topology),
            None => self.topology.domain(question.key, node),
        };
        match domain {
            Some(domain) if more => tally.add(domain),
            Some(domain) => tally.remove(domain),
            None => {}
        }
    }

    fn use_ports_and_claims(&mut self, shape: ShapeId, node: NodeId, more: bool) {
        let shape = self.shapes.shape(shape);
        let ports = &mut self.rows[node.index()].ports;
        for port in &shape.ports {
            change_users(ports, *port, more);
        }
        self.volumes_placed += u64::from(!shape.volumes.is_empty());
        for volume in &shape.volumes {
            if let PodVolume::Claim(claim) = volume {
                let users = self.claim_users.entry((shape.namespace, *claim)).or_default();
                *users = if more { *users + 1 } else { *users - 1 };
            }
        }
    }
}

fn change_users(ports: &mut Vec<(HostPort, u32)>, port: HostPort, more: bool) {
    match ports.iter().position(|(other, _)| *other == port) {
        Some(place) if more => ports[place].1 += 1,
        Some(place) if ports[place].1 > 1 => ports[place].1 -= 1,
        Some(place) => {
            ports.swap_remove(place);
        }
        None => ports.push((port, 1)),
    }
}
