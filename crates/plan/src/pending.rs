//! Pods without a node: which of them matter, and to whom.

use std::{cmp::Reverse, collections::BTreeMap};

use plimsoll_fit::ShapeId;
use plimsoll_model::{Pod, SignedDuration, Symbol, Timestamp, World};
use rustc_hash::FxHashMap;

use crate::{
    plan::Outcome,
    requests::{Claim, Requests},
    scene::{Scene, is_expendable},
    state::Readiness,
};

/// A pod that needs a place.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Demand {
    /// Its place in the World's list.
    pub pod: usize,
    pub shape: ShapeId,
    pub priority: i32,
    /// It needs a place like the others but is not reported: it has a node, which is on its way out, or it does not
    /// exist.
    pub silent: bool,
    /// What keeps it from being bought for. If it fits somewhere it is served.
    pub held: Option<Outcome>,
}

/// Pods without a node, sorted out.
#[derive(Debug, Default)]
pub(crate) struct Pending {
    /// In the order in which they are served.
    pub demands: Vec<Demand>,
    /// By request for room: who is to have the room that is kept for it, those that stand for pods to come included.
    pub booked: BTreeMap<usize, Vec<Demand>>,
    /// By request for room: the pods that room is looked for now.
    pub sought: BTreeMap<usize, Vec<Demand>>,
    /// Pods that need nothing, with the reason and the node, if they have one in view.
    pub settled: Vec<(usize, Outcome, Option<Symbol>)>,
}

// === impl Pending ===

impl Pending {
    /// Sorts out the pods of the scene. Nominated pods take their room at once; pods of nodes that are leaving give theirs up.
    pub(crate) fn sort_out(scene: &mut Scene<'_>, requests: &Requests) -> Self {
        let world = scene.state.world;
        let mut pending = Self::default();
        for (place, pod) in world.pods.iter().enumerate() {
            if pod.node.is_some() {
                if let Some(demand) = moving(scene, place, pod) {
                    pending.demands.push(demand);
                }
                continue;
            }
            if let Some(outcome) = set_aside(scene, pod) {
                pending.settled.push((place, outcome, None));
                continue;
            }
            let shape = scene.snapshot.shape(&pod.shape);
            let nominated = pod.nominated.and_then(|name| scene.state.node_places.get(&name));
            if let Some(node) = nominated {
                scene.snapshot.place(shape, scene.node_ids[*node]);
                pending.settled.push((place, Outcome::Nominated, pod.nominated));
                continue;
            }
            let silent = pod.stands_for().is_some();
            let young = || is_young(scene, pod).then_some(Outcome::TooYoung);
            let held = requests.hold(pod).or_else(young);
            let demand = Demand { pod: place, shape, priority: pod.priority, silent, held };
            match requests.claim(pod) {
                Some(Claim::Booked(request)) => pending.booked.entry(request).or_default(),
                Some(Claim::Sought(request)) => pending.sought.entry(request).or_default(),
                None => &mut pending.demands,
            }
            .push(demand);
        }
        let lists = pending.booked.values_mut().chain(pending.sought.values_mut());
        lists.chain([&mut pending.demands]).for_each(|demands| order(world, demands));
        pending
    }
}

/// The most important first, then the largest; of pods alike, who has waited longest. Pods of one shape stay together, and of two
/// shapes the one with the eldest pod goes first: where they stand in the World's list says nothing.
fn order(world: &World, demands: &mut [Demand]) {
    let age = |demand: &Demand| {
        let pod = &world.pods[demand.pod];
        (pod.created, &*pod.name)
    };
    let mut eldest: FxHashMap<ShapeId, (Timestamp, &str)> = FxHashMap::default();
    for demand in &*demands {
        let age = age(demand);
        eldest.entry(demand.shape).and_modify(|other| *other = age.min(*other)).or_insert(age);
    }
    demands.sort_by_cached_key(|demand| {
        let pod = &world.pods[demand.pod];
        let shape = (eldest[&demand.shape], demand.shape);
        (Reverse(demand.priority), Reverse(share(pod)), shape, pod.created, demand.pod)
    });
}

/// Why nothing is done for a pod, whatever room there is.
fn set_aside(scene: &Scene<'_>, pod: &Pod) -> Option<Outcome> {
    let allowed = &scene.state.world.settings.scale_up.schedulers;
    let ours = if allowed.is_empty() {
        pod.scheduler.as_str() == "default-scheduler"
    } else {
        allowed.contains(&pod.scheduler)
    };
    let leaving = pod.has_ended() || pod.deletion.is_some();
    if !ours || pod.gated || leaving || pod.is_daemon() || pod.is_mirror() {
        Some(Outcome::Ignored)
    } else if is_expendable(&scene.state, pod) {
        Some(Outcome::Expendable)
    } else {
        None
    }
}

fn is_young(scene: &Scene<'_>, pod: &Pod) -> bool {
    let world = scene.state.world;
    let own = pod.extras.as_ref().and_then(|extras| extras.scale_up_delay);
    let own = own.map_or(SignedDuration::ZERO, SignedDuration::from_secs);
    let delay = world.settings.scale_up.new_pod_delay.max(own);
    world.now.duration_since(pod.created) < delay
}

/// A pod on a node that is leaving: its controller will make another one, which needs a place. One that is already on its
/// way out has been replaced, and stays where it is until it is gone.
fn moving(scene: &mut Scene<'_>, place: usize, pod: &Pod) -> Option<Demand> {
    let id = scene.pod_ids[place]?;
    let node = scene.state.node_places.get(&pod.node?)?;
    let moves = scene.state.nodes[*node].readiness == Readiness::BeingDeleted
        && pod.owner.is_some()
        && pod.deletion.is_none()
        && !pod.is_daemon()
        && !pod.is_mirror();
    if !moves {
        return None;
    }
    scene.snapshot.evict(id);
    scene.pod_ids[place] = None;
    let shape = scene.snapshot.shape(&pod.shape);
    Some(Demand { pod: place, shape, priority: pod.priority, silent: true, held: None })
}

/// A rough size, for serving large pods first: thousandths of a core, of four gibibytes or of a device, whichever is most.
pub(crate) fn share(pod: &Pod) -> i64 {
    let amounts = pod.shape.requests.iter();
    let weighed = amounts.map(|(name, amount)| match name.as_str() {
        plimsoll_model::resource::CPU => amount,
        plimsoll_model::resource::MEMORY => amount >> 22,
        device if device.contains('/') => amount.min(1 << 20) * 1000,
        _ => 0,
    });
    weighed.max().unwrap_or(0)
}
