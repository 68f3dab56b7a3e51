//! Which nodes could be given back at all, by what is seen at a glance.

use plimsoll_model::{Consolidation, Pod, Symbol};
use rustc_hash::FxHashSet;

use super::utilization::{Gauge, Reading};
use crate::{
    plan::BlockReason,
    scene::{Scene, is_expendable},
    state::{Readiness, marks},
};

/// Judges nodes, cheap reasons first, in the order of the upstream autoscaler.
#[derive(Debug)]
pub(super) struct Judge<'a, 'w> {
    scene: &'a Scene<'w>,
    gauge: Gauge<'w>,
    /// Nodes of which another claims the same machine.
    contested: FxHashSet<Symbol>,
}

/// A node that could go: its group, and how much it is used.
#[derive(Clone, Copy, Debug)]
pub(super) struct Eligible {
    pub group: usize,
    pub used: f64,
}

// === impl Judge ===

impl<'a, 'w> Judge<'a, 'w> {
    pub(super) fn new(scene: &'a Scene<'w>) -> Self {
        let world = scene.state.world;
        let contested = world.contested.iter().flat_map(|machine| machine.nodes.iter().copied());
        Self { scene, gauge: Gauge::new(world), contested: contested.collect() }
    }

    /// Whether the node could go, or the first reason why it stays.
    pub(super) fn judge(&self, place: usize) -> Result<Eligible, BlockReason> {
        let world = self.scene.state.world;
        let (node, found) = (&*world.nodes[place], self.scene.state.nodes[place]);
        if self.scene.state.departed.contains(&place) {
            return Err(BlockReason::MachineGone);
        }
        if found.readiness == Readiness::BeingDeleted {
            return Err(BlockReason::CurrentlyBeingDeleted);
        }
        if self.contested.contains(&node.name) {
            return Err(BlockReason::DuplicateProviderId);
        }
        if node.keep {
            return Err(BlockReason::ScaleDownDisabledAnnotation);
        }
        let group = found.group.ok_or(BlockReason::NoNodeGroup)?;
        if marks::is_control_plane(node) {
            return Err(BlockReason::ScaleDownDisabledAnnotation);
        }
        if world.groups[group].frozen.is_some() {
            return Err(BlockReason::GroupFrozen);
        }
        match found.readiness {
            // Neither is at fault, so the time after which an unready node is given up has not even begun.
            Readiness::NotStarted | Readiness::Suspended => {
                return Err(BlockReason::NotUnreadyLongEnough);
            }
            Readiness::Unready { .. } if !world.settings.scale_down.unready_enabled => {
                return Err(BlockReason::ScaleDownUnreadyDisabled);
            }
            _ => {}
        }
        let reading = self.read(place, group);
        // To save money, any node will do whose pods have another place.
        let any = world.settings.scale_down.consolidation == Consolidation::Cost;
        if self.is_awaited(place) || (reading.is_above_threshold() && !any) {
            return Err(BlockReason::NotUnderutilized);
        }
        if !is_enabled(world.settings.scale_down.enabled, world.settings.scale_down.consolidation) {
            // No number of nodes may leave at once: of the reasons there are, the one that says neither that the node is
            // needed nor that it will go by itself.
            return Err(BlockReason::Budget);
        }
        Ok(Eligible { group, used: reading.used })
    }

    /// Expendable pods count for nothing: they are preempted when others want the room.
    fn read(&self, place: usize, group: usize) -> Reading {
        let world = self.scene.state.world;
        let residents = self.scene.residents.of(place).iter().map(|pod| &world.pods[*pod]);
        let residents = residents.filter(|pod: &&Pod| !is_expendable(&self.scene.state, pod));
        self.gauge.read(&world.nodes[place], &residents, &world.groups[group].options)
    }

    /// Whether a pod that waits, or has to leave its own node, was given a place here in this pass: then the node is needed.
    fn is_awaited(&self, place: usize) -> bool {
        let residents = self.scene.residents.of(place).iter();
        let here = residents.filter(|pod| self.scene.pod_ids[**pod].is_some()).count();
        self.scene.snapshot.pods_on(self.scene.node_ids[place]).len() > here
    }
}

fn is_enabled(enabled: bool, consolidation: Consolidation) -> bool {
    enabled && consolidation > Consolidation::Off
}
