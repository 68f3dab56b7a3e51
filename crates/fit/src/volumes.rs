//! Volumes that CSI drivers attach to nodes: what counts as one, and how many a node takes.

use std::sync::Arc;

use plimsoll_model::{Claim, Disk, PodShape, PodVolume, Symbol};
use rustc_hash::{FxHashMap, FxHashSet};

use crate::{
    Snapshot,
    ids::{NodeId, ShapeId},
};

/// How many volumes of each driver a node takes.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum VolumeLimits {
    /// What is published for its name (CSINode).
    #[default]
    Published,
    /// What another node like it publishes: drivers with a limit. All others take any number.
    Like(Arc<[(Symbol, i64)]>),
}

/// A driver and one of its volumes.
pub(crate) type Handle = (Symbol, Name);

/// How a volume is known.
#[derive(Clone, PartialEq, Eq, Hash)]
pub(crate) enum Name {
    /// By the driver's own name for it.
    Given(Box<str>),
    /// Not made yet: by the claim that it will be made for.
    Of((Symbol, Symbol)),
}

// === impl Snapshot ===

impl Snapshot {
    /// By shape: how many volumes of each driver a pod of it brings along that none of the other pods brings too. How many
    /// pods there are of a shape stands beside it.
    pub fn volume_demand(&self, shapes: &[(ShapeId, usize)]) -> Vec<Vec<(Symbol, i64)>> {
        let handles = shapes.iter().map(|(shape, _)| self.handles(self.shapes.shape(*shape)));
        let handles: Vec<FxHashSet<Handle>> = handles.collect();
        let mut users: FxHashMap<&Handle, usize> = FxHashMap::default();
        for (of_shape, (_, pods)) in handles.iter().zip(shapes) {
            for handle in of_shape {
                *users.entry(handle).or_default() += pods;
            }
        }
        let demand = |of_shape: &FxHashSet<Handle>| {
            let own = of_shape.iter().filter(|handle| users.get(handle) == Some(&1));
            let mut drivers: Vec<Symbol> = own.map(|(driver, _)| *driver).collect();
            drivers.sort_unstable();
            let alike = drivers.chunk_by(|one, other| one == other);
            alike.map(|alike| (alike[0], count(alike.len()))).collect()
        };
        handles.iter().map(demand).collect()
    }

    /// How many more volumes of a driver a node takes; `None` if nothing limits them.
    pub fn volume_supply(&self, node: NodeId, driver: Symbol) -> Option<i64> {
        let limit = self.volume_limit(node, driver)?;
        let shapes = self.pods_on(node).map(|pod| self.shapes.shape(self.shape_of(pod)));
        let mut used: FxHashSet<Handle> = self.attachments(node).collect();
        used.extend(shapes.flat_map(|shape| self.handles(shape)));
        let used = used.iter().filter(|(other, _)| *other == driver).count();
        Some(limit.saturating_sub(count(used)).max(0))
    }

    /// How many volumes of a driver a node takes, if anybody says.
    pub(crate) fn volume_limit(&self, node: NodeId, driver: Symbol) -> Option<i64> {
        let row = &self.rows[node.index()];
        match &row.volume_limits {
            VolumeLimits::Published => self.storage.limits.get(&(row.node.name, driver)).copied(),
            VolumeLimits::Like(limits) => {
                limits.iter().find(|(other, _)| *other == driver).map(|(_, limit)| *limit)
            }
        }
    }

    /// Whether anything limits volumes on a node.
    pub(crate) fn has_volume_limits(&self, node: NodeId) -> bool {
        let row = &self.rows[node.index()];
        match &row.volume_limits {
            VolumeLimits::Published => {
                self.storage.limits.keys().any(|(name, _)| *name == row.node.name)
            }
            VolumeLimits::Like(limits) => !limits.is_empty(),
        }
    }

    /// What a volume of a pod counts as; `None` when it does not count, an error when its claim makes an answer impossible.
    pub(crate) fn handle(
        &self,
        shape: &PodShape,
        volume: &PodVolume,
    ) -> Result<Option<Handle>, Symbol> {
        let (name, owner) = match volume {
            PodVolume::Claim(name) => (*name, None),
            PodVolume::Ephemeral { claim, pod_uid } => (*claim, Some(*pod_uid)),
            PodVolume::Disk(Disk::AwsElasticBlockStore { volume }) => {
                let id = volume.as_str();
                let handle = id.rsplit('/').next().unwrap_or(id);
                return Ok(Some((Symbol::new("ebs.csi.aws.com"), Name::Given(handle.into()))));
            }
            PodVolume::Disk(_) => return Ok(None),
        };
        let claim = self.storage.claims.get(&(shape.namespace, name)).ok_or(name)?;
        if owner.is_some() && claim.controller != owner {
            return Err(name);
        }
        Ok(self.claim_handle(claim))
    }

    /// Volumes that are attached to a node, whether a pod uses them or not.
    pub(crate) fn attachments(&self, node: NodeId) -> impl Iterator<Item = Handle> + '_ {
        let attached = self.storage.attachments.get(&self.node(node).name);
        attached.into_iter().flatten().filter_map(|name| {
            let (driver, handle) = self.storage.volume(*name)?.csi?;
            Some((driver, Name::Given(handle.as_str().into())))
        })
    }

    fn claim_handle(&self, claim: &Claim) -> Option<Handle> {
        if let Some(volume) = claim.volume.and_then(|name| self.storage.volume(name)) {
            return volume
                .csi
                .map(|(driver, handle)| (driver, Name::Given(handle.as_str().into())));
        }
        // Not there yet, or gone: the claim stands for the volume that its class will provide.
        let driver = self.storage.classes.get(&claim.class)?.provisioner;
        Some((driver, Name::Of(claim.id)))
    }

    /// The volumes of a pod that count.
    fn handles(&self, shape: &PodShape) -> FxHashSet<Handle> {
        let volumes = shape.volumes.iter();
        volumes.filter_map(|volume| self.handle(shape, volume).ok().flatten()).collect()
    }
}

fn count(length: usize) -> i64 {
    i64::try_from(length).unwrap_or(i64::MAX)
}
