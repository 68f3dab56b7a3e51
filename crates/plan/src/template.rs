//! What a new node of a group looks like, and what runs on it from the start.

mod overhead;
mod volumes;

use std::sync::Arc;

use plimsoll_fit::{Equipment, Outfit, VolumeLimits, local_slices};
use plimsoll_model::{
    Exemplar, Group, Labels, Money, Node, PodShape, PriceWeights, Resources, SignedDuration,
    Symbol, TaintSettings, label, resource,
};

use crate::{
    exemplar::anonymous,
    residents::Residents,
    state::{Readiness, State, marks},
};

/// A member has to be up so long before new nodes are taken to look like it.
pub(crate) const SETTLED: SignedDuration = SignedDuration::from_mins(1);

/// A new node of a group.
#[derive(Clone, Debug)]
pub(crate) struct Template {
    /// Without a name of its own; see [`Template::node`].
    node: Node,
    /// Pods that every new node carries: those of DaemonSets that would run there, and static pods of the member that it is
    /// modelled on.
    pub overhead: Vec<Arc<PodShape>>,
    /// What it costs an hour for the purpose of choosing, the fee per node included.
    pub cost: Money,
    /// Accelerators, of whatever kind.
    pub gpus: i64,
    /// Devices that its pods can claim, and how many volumes it takes.
    pub outfit: Outfit,
    /// What is to be remembered of the member that it is modelled on, if it is modelled on one.
    exemplar: Option<Arc<Exemplar>>,
}

// === impl Template ===

/// By group: what a new node looks like, if anybody knows.
pub(crate) fn templates(state: &State<'_>, residents: &Residents) -> Vec<Option<Template>> {
    let drivers = volumes::limited_drivers(state.world);
    let groups = 0..state.world.groups.len();
    groups.map(|group| Template::of(state, group, residents, &drivers)).collect()
}

impl Template {
    /// What a new node of the group looks like: like a ready, schedulable member that has been up for a while, else like the
    /// last such member that is remembered, else as the provider says. `None` when nothing of it is there.
    fn of(
        state: &State<'_>,
        place: usize,
        residents: &Residents,
        drivers: &[Symbol],
    ) -> Option<Self> {
        let world = state.world;
        let group = &world.groups[place];
        let member = sample(state, place);
        let recalled = state.recalled[place].filter(|_| member.is_none());
        let model: &Node = match (member, recalled) {
            (Some(member), _) => &world.nodes[member],
            (None, Some(exemplar)) => &exemplar.node,
            (None, None) => group.template.as_ref()?,
        };
        let node = cleaned(model, &world.settings.taints);
        let pods = member.map(|member| residents.of(member));
        let unexplained: Vec<_> = match recalled {
            Some(exemplar) => exemplar.pods.to_vec(),
            None => overhead::unexplained_pods(state, pods.unwrap_or_default()).collect(),
        };
        let gpus = marks::gpus(&node.capacity).max(marks::gpus(&node.allocatable));
        let settings = &world.settings.scale_up;
        let price = group.price.unwrap_or_else(|| stand_in_price(&node, gpus, &settings.weights));
        let devices = equipment(state, place, member, recalled);
        let volume_limits = volumes::limits(state, place, drivers, recalled);
        let outfit = Outfit { devices, volume_limits };
        let exemplar = member
            .filter(|_| !world.settings.models.remembered.is_zero())
            .map(|_| Arc::new(exemplar(state, group, &node, &unexplained, &outfit)));
        let mut overhead = overhead::daemons(world, &node, pods);
        overhead.extend(unexplained);
        Some(Self { node, overhead, cost: price + settings.node_fee, gpus, outfit, exemplar })
    }

    /// What is to be remembered of the member that it is modelled on, if it is modelled on one.
    pub(crate) fn exemplar(&self) -> Option<&Arc<Exemplar>> {
        self.exemplar.as_ref()
    }

    /// A node of this kind with a name and a hostname.
    pub(crate) fn node(&self, name: Symbol) -> Arc<Node> {
        let hostname = (Symbol::new(label::HOSTNAME), name);
        let labels = self.node.labels.with([hostname]);
        Arc::new(Node { name, labels, ..self.node.clone() })
    }

    /// What is left for other pods beside those that every new node carries.
    pub(crate) fn free(&self) -> Resources {
        let mut free = self.node.allocatable.clone();
        for (name, amount) in self.overhead.iter().flat_map(|shape| shape.requests.iter()) {
            free.add(name, -amount);
        }
        free
    }

    /// The node without a name.
    pub(crate) fn unnamed(&self) -> &Node {
        &self.node
    }
}

/// The first member, by name, that stands for the group.
fn sample(state: &State<'_>, group: usize) -> Option<usize> {
    let world = state.world;
    let fit = |place: &&usize| {
        let node = &world.nodes[**place];
        state.nodes[**place].readiness == Readiness::Ready
            && !node.unschedulable
            && world.now.duration_since(node.created) >= SETTLED
    };
    let members = state.groups[group].nodes.iter().filter(fit);
    members.min_by_key(|place| world.nodes[**place].name).copied()
}

/// The devices of a new node: those of the first member, by name, whose drivers publish some. If none do, there are none, or,
/// without a member to stand for the group, those that are remembered, or nobody knows.
fn equipment(
    state: &State<'_>,
    group: usize,
    sample: Option<usize>,
    recalled: Option<&Arc<Exemplar>>,
) -> Equipment {
    let world = state.world;
    let members = state.groups[group].nodes.iter().map(|place| world.nodes[*place].name);
    let has_devices = |node: &Symbol| world.devices.local_slices(*node).next().is_some();
    let known =
        if world.devices.slices.is_empty() { None } else { members.filter(has_devices).min() };
    match (known, sample, recalled) {
        (Some(node), ..) => Equipment::Like(local_slices(&world.devices, node)),
        (None, Some(_), _) => Equipment::Like(Arc::default()),
        (None, None, Some(exemplar)) => Equipment::Like(Arc::clone(&exemplar.slices)),
        (None, None, None) => Equipment::Unknown,
    }
}

fn exemplar(
    state: &State<'_>,
    group: &Group,
    node: &Node,
    pods: &[Arc<PodShape>],
    outfit: &Outfit,
) -> Exemplar {
    let taints = &state.world.settings.taints;
    Exemplar {
        node: anonymous(node, taints),
        pods: pods.into(),
        slices: match &outfit.devices {
            Equipment::Like(slices) => Arc::clone(slices),
            Equipment::Published | Equipment::Unknown => Arc::default(),
        },
        volume_limits: match &outfit.volume_limits {
            VolumeLimits::Like(limits) => Arc::clone(limits),
            VolumeLimits::Published => Arc::default(),
        },
        template: group.template.as_deref().map(|template| anonymous(template, taints)),
    }
}

/// A node as it will be once it has started: without name, cordon and the taints that go away by themselves.
pub(crate) fn cleaned(node: &Node, taints: &TaintSettings) -> Node {
    let hostname = Symbol::new(label::HOSTNAME);
    Node {
        name: Symbol::new(""),
        labels: Labels::from_pairs(node.labels.iter().filter(|(key, _)| *key != hostname)),
        taints: node
            .taints
            .iter()
            .filter(|taint| !marks::is_passing_taint(taint, taints))
            .copied()
            .collect(),
        unschedulable: false,
        ..node.clone()
    }
}

/// A price in proportion to what the node has, for groups whose provider knows none.
fn stand_in_price(node: &Node, gpus: i64, weights: &PriceWeights) -> Money {
    let has = |name: &str| {
        node.capacity.get(Symbol::new(name)).max(node.allocatable.get(Symbol::new(name)))
    };
    let part = |amount: i64, unit: i64, weight: Money| {
        let micros = i128::from(amount) * i128::from(weight.micros()) / i128::from(unit);
        Money::from_micros(i64::try_from(micros).unwrap_or(i64::MAX))
    };
    part(has(resource::CPU), 1000, weights.cpu)
        + part(has(resource::MEMORY), 1 << 30, weights.memory_gib)
        + part(gpus, 1, weights.gpu)
}

/// What the nodes of a group cost an hour by the provider's word; nothing when it says nothing.
pub(crate) fn listed_price(group: &Group) -> Money {
    group.price.unwrap_or(Money::ZERO)
}
