//! What becomes of each node, gathered while it is decided.

use std::sync::Arc;

use plimsoll_model::{Node, PodName, Timestamp};

use super::{GivenBack, budgets::Budgets, candidates::Unit, drain};
use crate::{
    plan::{BlockReason, Blocked, PodBlockReason, Retirement, RetirementReason, Unneeded},
    scene::Scene,
    state::Readiness,
};

/// Why nodes stay that would go together.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Hold {
    /// The member of the unit that is held, when the others stay only for its sake.
    member: Option<usize>,
    reason: BlockReason,
    /// The pod that holds it, by its place in the World's list.
    pod: Option<usize>,
    pod_reason: Option<PodBlockReason>,
}

/// What becomes of the nodes of the World.
#[derive(Debug)]
pub(super) struct Fates {
    /// By node. A node of which nothing was found out is needed.
    fates: Vec<Fate>,
    /// By node: since when nobody needs it.
    unneeded: Vec<Option<Timestamp>>,
}

#[derive(Clone, Debug)]
enum Fate {
    Stays(Hold),
    Leaves { group: usize, why: RetirementReason, evict: Vec<PodName> },
}

// === impl Hold ===

impl Hold {
    /// The same for all members.
    pub(super) fn all(reason: BlockReason) -> Self {
        Self { member: None, reason, pod: None, pod_reason: None }
    }

    /// For one member; the others stay because they go together or not at all.
    pub(super) fn one(member: usize, reason: BlockReason) -> Self {
        Self { member: Some(member), ..Self::all(reason) }
    }

    /// For one member, because of a pod.
    pub(super) fn by_pod(member: usize, pod: usize, pod_reason: PodBlockReason) -> Self {
        let pod_reason = Some(pod_reason);
        Self { pod: Some(pod), pod_reason, ..Self::one(member, BlockReason::BlockedByPod) }
    }

    /// For one member, because of a pod that runs to its end.
    pub(super) fn by_completion(member: usize, pod: usize) -> Self {
        Self { pod: Some(pod), ..Self::one(member, BlockReason::BlockedByOnCompletionPod) }
    }
}

// === impl Fates ===

impl Fates {
    pub(super) fn new(scene: &Scene<'_>) -> Self {
        let count = scene.state.nodes.len();
        let needed = Fate::Stays(Hold::all(BlockReason::NotUnderutilized));
        Self { fates: vec![needed; count], unneeded: vec![None; count] }
    }

    /// A node stays, for a reason of its own.
    pub(super) fn stay_alone(&mut self, node: usize, hold: Hold) {
        self.fates[node] = Fate::Stays(hold);
    }

    /// All nodes of a unit stay.
    pub(super) fn stay(&mut self, unit: &Unit, hold: Hold) {
        for (place, member) in unit.members.iter().enumerate() {
            let bystander = hold.member.is_some_and(|held| held != place);
            let together = Hold::all(BlockReason::AtomicScaleDownFailed);
            self.stay_alone(member.node, if bystander { together } else { hold });
        }
    }

    /// All nodes of a unit leave. Their pods have been given other places, and their budgets have been charged.
    pub(super) fn leave(
        &mut self,
        scene: &Scene<'_>,
        budgets: &mut Budgets<'_>,
        unit: &Unit,
        replaced: bool,
    ) {
        let world = scene.state.world;
        for member in &unit.members {
            let why = match scene.state.nodes[member.node].readiness {
                Readiness::Unready { .. } => RetirementReason::Unready,
                _ if replaced => RetirementReason::Consolidate,
                _ if member.load.is_empty() => RetirementReason::Empty,
                _ => RetirementReason::Underutilized,
            };
            let daemons = drain::evicted_daemons(world, budgets, &member.load);
            let evicted = member.load.moving.iter().copied().chain(daemons);
            let mut evict: Vec<_> = evicted.map(|pod| world.pods[pod].id()).collect();
            evict.sort_unstable();
            self.fates[member.node] = Fate::Leaves { group: unit.group, why, evict };
        }
        self.unneeded(unit, world.now);
    }

    /// Nobody needs the nodes of a unit: their clocks run on, or start now.
    pub(super) fn unneeded(&mut self, unit: &Unit, now: Timestamp) {
        for member in &unit.members {
            self.unneeded[member.node] = Some(member.since.unwrap_or(now));
        }
    }

    /// A unit is not judged: its nodes stay, and their clocks stand as they were.
    pub(super) fn pass_over(&mut self, unit: &Unit, reason: BlockReason) {
        self.stay(unit, Hold::all(reason));
        for member in &unit.members {
            self.unneeded[member.node] = member.since;
        }
    }

    /// Nothing is judged: all nodes stay, and clocks stand as they were.
    pub(super) fn freeze(&mut self, scene: &Scene<'_>, reason: BlockReason) {
        let world = scene.state.world;
        self.fates.fill(Fate::Stays(Hold::all(reason)));
        let since = |node: &Arc<Node>| world.memory.unneeded_since.get(&node.name).copied();
        self.unneeded = world.nodes.iter().map(since).collect();
    }

    /// The lists of the plan, sorted.
    pub(super) fn settle(self, scene: &Scene<'_>) -> GivenBack {
        let world = scene.state.world;
        let mut given = GivenBack::default();
        for ((node, fate), since) in world.nodes.iter().zip(self.fates).zip(self.unneeded) {
            let node = node.name;
            given.unneeded.extend(since.map(|since| Unneeded { node, since }));
            match fate {
                Fate::Leaves { group, why, evict } => {
                    let group = world.groups[group].id;
                    given.retirements.push(Retirement { node, group, why, evict });
                }
                Fate::Stays(Hold { reason, pod, pod_reason, .. }) => {
                    let pod = pod.map(|pod| world.pods[pod].id());
                    given.blocked.push(Blocked { node, reason, pod, pod_reason });
                }
            }
        }
        given.retirements.sort_unstable();
        given.unneeded.sort_unstable();
        given.blocked.sort_unstable();
        given
    }
}
