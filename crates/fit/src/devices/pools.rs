//! Pools of devices as each node sees them.

use std::sync::Arc;

use indexmap::IndexMap;
use plimsoll_model::{Device, DeviceReach, Devices, Node, ResourceSlice, Symbol};
use rustc_hash::{FxBuildHasher, FxHashMap, FxHashSet};

use super::{DeviceProblem, counters::Counters, looks::Looks};
use crate::ids::{DeviceId, LookId, NodeId};

/// A driver's pool.
type PoolKey = (Symbol, Symbol);

/// Where the devices of a node come from.
#[derive(Clone, Debug, Default)]
pub enum Equipment {
    /// What is published for its name.
    #[default]
    Published,
    /// What another node like it publishes: slices of that node's own.
    Like(Arc<[Arc<ResourceSlice>]>),
    /// Nobody knows what it will have.
    Unknown,
}

/// All pools.
#[derive(Debug, Default)]
pub(crate) struct Pools {
    /// Published devices by driver, pool and name.
    ids: FxHashMap<(Symbol, Symbol, Symbol), DeviceId>,
    /// How many devices there are, those of nodes that are not there yet included.
    count: usize,
    /// Slices of nodes' own, by node.
    local: FxHashMap<Symbol, Vec<Arc<ResourceSlice>>>,
    /// Slices that more than one node may use.
    shared: Vec<Arc<ResourceSlice>>,
    /// All slices by pool.
    all: FxHashMap<PoolKey, Vec<Arc<ResourceSlice>>>,
    views: Vec<View>,
}

/// What a node sees.
#[derive(Debug)]
pub(crate) struct View {
    /// In the order in which they are searched.
    pub pools: Box<[PoolView]>,
    /// Which devices it has is known.
    is_known: bool,
    /// How many devices there were before it came.
    before: usize,
}

/// A pool as a node sees it.
#[derive(Debug)]
pub(crate) struct PoolView {
    pub key: PoolKey,
    pub state: PoolState,
}

/// Whether devices of a pool can be had.
#[derive(Debug)]
pub(crate) enum PoolState {
    /// These, in the order in which they are tried.
    Usable {
        devices: Box<[Candidate]>,
        /// `None` for pools without.
        counters: Option<Box<Counters>>,
    },
    /// Slices of its newest generation are missing.
    Incomplete,
    /// Its slices contradict each other.
    Invalid,
}

/// A device that a node may use.
#[derive(Clone, Debug)]
pub(crate) struct Candidate {
    pub id: DeviceId,
    pub look: LookId,
    pub slice: Arc<ResourceSlice>,
    place: usize,
}

// === impl Candidate ===

impl Candidate {
    pub(crate) fn device(&self) -> &Device {
        &self.slice.devices[self.place]
    }
}

// === impl View ===

impl View {
    /// Devices that can be had at all.
    pub(crate) fn usable(&self) -> impl Iterator<Item = &Candidate> {
        self.pools.iter().flat_map(|pool| match &pool.state {
            PoolState::Usable { devices, .. } => &devices[..],
            PoolState::Incomplete | PoolState::Invalid => &[],
        })
    }

    /// Nothing is to be had of a node of which nothing is known, and that is the reason.
    pub(crate) fn explain(&self, problem: DeviceProblem) -> DeviceProblem {
        match problem {
            DeviceProblem::NotEnough if !self.is_known => DeviceProblem::Unknown,
            problem => problem,
        }
    }
}

// === impl Pools ===

impl Pools {
    pub(crate) fn publish(&mut self, objects: &Devices) {
        for slice in objects.slices.values() {
            self.all.entry((slice.driver, slice.pool)).or_default().push(Arc::clone(slice));
            if !slice.counters.is_empty() {
                // Found by its pool.
                continue;
            }
            match slice.reach {
                DeviceReach::Node(node) => {
                    self.local.entry(node).or_default().push(Arc::clone(slice));
                }
                _ => self.shared.push(Arc::clone(slice)),
            }
        }
        for slice in objects.slices.values() {
            for device in slice.devices.iter() {
                self.id((slice.driver, slice.pool, device.name));
            }
        }
    }

    /// The handle of a published device, or of one that a claim has and nobody publishes any more.
    pub(crate) fn id(&mut self, name: (Symbol, Symbol, Symbol)) -> DeviceId {
        *self.ids.entry(name).or_insert_with(|| {
            self.count += 1;
            DeviceId::new(self.count - 1)
        })
    }

    pub(crate) fn view(&self, node: NodeId) -> &View {
        &self.views[node.index()]
    }

    pub(crate) fn push(&mut self, node: &Node, equipment: &Equipment, looks: &mut Looks) {
        let before = self.count;
        let is_known = !matches!(equipment, Equipment::Unknown);
        let mut pools = Vec::new();
        let local = match equipment {
            Equipment::Published => self.local.get(&node.name).cloned().unwrap_or_default(),
            Equipment::Like(slices) => {
                self.push_like(slices, looks, &mut pools);
                Vec::new()
            }
            Equipment::Unknown => Vec::new(),
        };
        if !local.is_empty() || !self.shared.is_empty() {
            self.push_published(node, &local, looks, &mut pools);
        }
        let awaits_binding = |pool: &PoolView| match &pool.state {
            PoolState::Usable { devices, .. } => {
                devices.iter().any(|one| one.device().awaits_binding)
            }
            PoolState::Incomplete | PoolState::Invalid => false,
        };
        pools.sort_by_key(|pool| (awaits_binding(pool), pool.key));
        self.views.push(View { pools: pools.into_boxed_slice(), is_known, before });
    }

    pub(crate) fn pop(&mut self) {
        if let Some(view) = self.views.pop() {
            self.count = view.before;
        }
    }

    /// Pools of the node's own that are like those of another: all of their slices, with devices of their own.
    fn push_like(
        &mut self,
        slices: &[Arc<ResourceSlice>],
        looks: &mut Looks,
        pools: &mut Vec<PoolView>,
    ) {
        let mut by_pool: IndexMap<PoolKey, Vec<Arc<ResourceSlice>>, FxBuildHasher> =
            IndexMap::default();
        for slice in slices {
            by_pool.entry((slice.driver, slice.pool)).or_default().push(Arc::clone(slice));
        }
        for (key, all) in by_pool {
            let relevant: Vec<_> =
                all.iter().filter(|slice| slice.counters.is_empty()).cloned().collect();
            let mut ids: FxHashMap<Symbol, DeviceId> = FxHashMap::default();
            let count = &mut self.count;
            let mut id = |device: Symbol| {
                Some(*ids.entry(device).or_insert_with(|| {
                    *count += 1;
                    DeviceId::new(*count - 1)
                }))
            };
            let state = assemble(&relevant, &all, |_| true, &mut id, looks);
            pools.extend(state.map(|state| PoolView { key, state }));
        }
    }

    fn push_published(
        &mut self,
        node: &Node,
        local: &[Arc<ResourceSlice>],
        looks: &mut Looks,
        pools: &mut Vec<PoolView>,
    ) {
        let mut by_pool: IndexMap<PoolKey, Vec<Arc<ResourceSlice>>, FxBuildHasher> =
            IndexMap::default();
        for slice in local.iter().chain(&self.shared) {
            let is_relevant = match &slice.reach {
                DeviceReach::PerDevice => {
                    slice.devices.iter().any(|device| reaches(&device.reach, node))
                }
                reach => reaches(reach, node),
            };
            if is_relevant {
                by_pool.entry((slice.driver, slice.pool)).or_default().push(Arc::clone(slice));
            }
        }
        for (key, relevant) in by_pool {
            let nothing = Vec::new();
            let all = self.all.get(&key).unwrap_or(&nothing);
            let ids = &self.ids;
            let mut id = |device: Symbol| ids.get(&(key.0, key.1, device)).copied();
            let state = assemble(&relevant, all, |reach| reaches(reach, node), &mut id, looks);
            pools.extend(state.map(|state| PoolView { key, state }));
        }
    }
}

fn reaches(reach: &DeviceReach, node: &Node) -> bool {
    match reach {
        DeviceReach::Node(name) => *name == node.name,
        DeviceReach::Nodes(nodes) => nodes.matches(node.name, &node.labels),
        DeviceReach::Everywhere => true,
        DeviceReach::PerDevice | DeviceReach::Unknown => false,
    }
}

/// A pool out of its slices: those that the node can use, and all. `None` if a newer generation is on its way.
fn assemble(
    relevant: &[Arc<ResourceSlice>],
    all: &[Arc<ResourceSlice>],
    device_reaches: impl Fn(&DeviceReach) -> bool,
    id: &mut impl FnMut(Symbol) -> Option<DeviceId>,
    looks: &mut Looks,
) -> Option<PoolState> {
    let generation = relevant.iter().map(|slice| slice.generation).max()?;
    let mut slices: Vec<_> =
        relevant.iter().filter(|slice| slice.generation == generation).collect();
    slices.sort_by_key(|slice| slice.name);
    let of_pool: Vec<_> = all.iter().filter(|slice| slice.generation == generation).collect();
    let counter_slices = of_pool.iter().filter(|slice| !slice.counters.is_empty());
    let is_whole = |count: usize| i64::try_from(count) == Ok(slices[0].slices);
    if !is_whole(slices.len() + counter_slices.clone().count()) {
        if all.iter().any(|slice| slice.generation > generation) {
            return None;
        }
        if !is_whole(of_pool.len()) {
            return Some(PoolState::Incomplete);
        }
    }
    let mut candidates = |slice: &Arc<ResourceSlice>, all: bool| -> Vec<Candidate> {
        let devices = slice.devices.iter().enumerate();
        let usable = devices.filter(|(_, device)| {
            all || slice.reach != DeviceReach::PerDevice || device_reaches(&device.reach)
        });
        let candidate = |(place, device): (usize, &Device)| {
            let look = looks.look(slice, device);
            Some(Candidate { id: id(device.name)?, look, slice: Arc::clone(slice), place })
        };
        usable.filter_map(candidate).collect()
    };
    let mut names = FxHashSet::default();
    let mut devices = slices.iter().flat_map(|slice| slice.devices.iter());
    if !devices.all(|device| names.insert(device.name)) {
        return Some(PoolState::Invalid);
    }
    let mut counters = Counters::default();
    for set in counter_slices.flat_map(|slice| slice.counters.iter()) {
        if counters.sets.iter().any(|other| other.name == set.name) {
            return Some(PoolState::Invalid);
        }
        counters.sets.push(set.clone());
    }
    for slice in of_pool {
        if !slice.devices.iter().all(|device| counters.cover(device)) {
            return Some(PoolState::Invalid);
        }
        let consumers = candidates(slice, true);
        let consumers = consumers.into_iter().filter(|one| !one.device().consumes.is_empty());
        counters.consumers.extend(consumers);
    }
    let devices = slices.into_iter().flat_map(|slice| candidates(slice, false)).collect();
    let counters = (!counters.consumers.is_empty()).then(|| Box::new(counters));
    Some(PoolState::Usable { devices, counters })
}
