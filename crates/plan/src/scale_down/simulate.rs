//! Whether the pods of a node find another place, and what is left for the next node after they have.

mod company;
mod destinations;
mod kinds;

use std::cmp::Reverse;

use plimsoll_fit::{NodeId, PodId, ShapeId, Snapshot};
use rustc_hash::FxHashMap;

use self::destinations::Destinations;
use super::candidates::Unit;
use crate::{existing, pack::Effort, scene::Scene};

/// What a node counts for beside its pods: a trial is opened and closed again, for about as much as a place for a pod.
const STEPS_A_NODE: u64 = existing::STEPS_A_POD;

/// Moves pods off nodes, one unit after the other, each on top of those before it.
#[derive(Debug)]
pub(super) struct Moves<'w> {
    destinations: Destinations<'w>,
    /// By node: pods that earlier moves brought there, by their places in the World's list. If that node goes as well they
    /// move on.
    arrivals: FxHashMap<NodeId, Vec<usize>>,
    /// What may still be done in this pass.
    left: Effort,
}

/// A pod between two places.
#[derive(Clone, Copy, Debug)]
struct Mover {
    pod: usize,
    shape: ShapeId,
    /// Where it was, to be put back.
    old: PodId,
    /// The member of the unit that it leaves.
    member: usize,
}

// === impl Moves ===

impl<'w> Moves<'w> {
    pub(super) fn new(scene: &Scene<'w>, units: &[Unit]) -> Self {
        let destinations = Destinations::new(scene, units);
        let left = Effort::within(scene.state.world.settings.scale_down.simulation_time);
        Self { destinations, arrivals: FxHashMap::default(), left }
    }

    /// Whether there is no time to try another unit.
    pub(super) fn is_spent(&self) -> bool {
        self.left.steps == 0
    }

    /// Closes the nodes of a unit and finds another place for each of their pods. If one finds none, nothing has changed
    /// and the answer is the member that it is on.
    ///
    /// The nodes stay in the snapshot as ghosts: until they are gone, spread counts their domains.
    pub(super) fn vacate(
        &mut self,
        snapshot: &mut Snapshot,
        pod_ids: &mut [Option<PodId>],
        unit: &Unit,
    ) -> Result<(), usize> {
        let movers = self.movers(snapshot, pod_ids, unit);
        let nodes = Effort { steps: STEPS_A_NODE }.times(unit.members.len());
        let pods = Effort { steps: existing::STEPS_A_POD }.times(movers.len());
        self.left = self.left.less(nodes.steps).less(pods.steps);
        let mut trial = snapshot.fork();
        for member in &unit.members {
            trial.close_node(member.id);
        }
        for mover in &movers {
            trial.evict(mover.old);
        }
        self.destinations.begin();
        let landed = match self.parting(&mut trial, &movers) {
            Some(member) => Err(member),
            None => self.land(&mut trial, &movers),
        };
        match landed {
            Ok(landed) => {
                trial.keep();
                for member in &unit.members {
                    self.arrivals.remove(&member.id);
                }
                for (pod, node, id) in landed {
                    pod_ids[pod] = Some(id);
                    self.arrivals.entry(node).or_default().push(pod);
                }
                Ok(())
            }
            Err(member) => {
                drop(trial);
                self.destinations.revert();
                Err(member)
            }
        }
    }

    /// The member of the unit whose pods might lose each other on the way.
    fn parting(&mut self, trial: &mut Snapshot, movers: &[Mover]) -> Option<usize> {
        let nodes = self.destinations.nodes();
        company::companies(self.destinations.world(), movers).iter().find_map(|company| {
            let tries = Effort { steps: STEPS_A_NODE }.times(nodes.len()).times(company.len());
            self.left = self.left.less(tries.steps);
            company::may_part(trial, nodes, company).then_some(company[0].member)
        })
    }

    /// The pods to move, in the order in which the scheduler will take them, and the largest first: what is hard to place is tried
    /// while there is still most room, and fails soonest.
    fn movers(
        &mut self,
        snapshot: &Snapshot,
        pod_ids: &[Option<PodId>],
        unit: &Unit,
    ) -> Vec<Mover> {
        let mut movers = Vec::new();
        for (member, candidate) in unit.members.iter().enumerate() {
            let arrivals = self.arrivals.get(&candidate.id);
            for pod in candidate.load.moving.iter().chain(arrivals.into_iter().flatten()) {
                let Some(old) = pod_ids[*pod] else { continue };
                movers.push(Mover { pod: *pod, shape: snapshot.shape_of(old), old, member });
            }
        }
        movers.sort_by_cached_key(|mover| {
            let priority = self.destinations.world().pods[mover.pod].priority;
            let size = self.destinations.size(mover.shape, mover.pod);
            (Reverse(priority), Reverse(size), mover.pod)
        });
        movers
    }

    /// Finds places for all. A pod that looks at others may fit only after they have their places, so it is tried again as
    /// long as that helps somebody.
    fn land(
        &mut self,
        trial: &mut Snapshot,
        movers: &[Mover],
    ) -> Result<Vec<(usize, NodeId, PodId)>, usize> {
        let mut landed = Vec::with_capacity(movers.len());
        let mut rest: Vec<Mover> = movers.to_vec();
        while !rest.is_empty() {
            let before = landed.len();
            for mover in std::mem::take(&mut rest) {
                match self.destinations.find(trial, mover.shape, mover.pod) {
                    Some(node) => {
                        landed.push((mover.pod, node, trial.place(mover.shape, node)));
                    }
                    None if self.destinations.may_wait(mover.pod) => rest.push(mover),
                    None => return Err(mover.member),
                }
            }
            if landed.len() == before {
                break;
            }
        }
        match rest.first() {
            Some(stuck) => Err(stuck.member),
            None => Ok(landed),
        }
    }
}
