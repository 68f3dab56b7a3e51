//! Why nobody takes a pod: one reason a group.

use std::sync::Arc;

use plimsoll_fit::{NodeId, Rejection, ShapeId, Snapshot};
use plimsoll_model::{Group, PodShape, Storage, World};
use rustc_hash::FxHashMap;

use super::{lots::probe, market::Market, shop::Shop};
use crate::{
    pending::Demand,
    plan::{GroupReason, GroupRejection, Outcome},
    scene::Scene,
    template::Template,
};

/// What becomes of a pod without a place, and what each group says to it. Pods of one shape share the answer.
pub(crate) type Explained = FxHashMap<ShapeId, (Outcome, Arc<[GroupRejection]>)>;

/// Explains the pods that are left. `brake` is what keeps everything from being bought, if something does.
pub(crate) fn explain(
    scene: &mut Scene<'_>,
    market: &Market,
    shop: &Shop,
    rest: &[Demand],
    brake: Option<&GroupReason>,
) -> Explained {
    let mut explained = Explained::default();
    if rest.is_empty() {
        return explained;
    }
    let world = scene.state.world;
    let mut groups: Vec<usize> = (0..world.groups.len()).collect();
    groups.sort_by_key(|group| world.groups[*group].id);
    let mut shapes: Vec<ShapeId> = rest.iter().map(|demand| demand.shape).collect();
    shapes.sort_unstable();
    shapes.dedup();
    let mut answers: Vec<(bool, Vec<GroupRejection>)> = vec![(false, Vec::new()); shapes.len()];
    for group in groups {
        let id = world.groups[group].id;
        let used_up = exhausted(scene, shop, group);
        // Without a template nothing is known of the filters.
        let mut trial = scene.snapshot.fork();
        let node = scene.templates[group].as_ref().map(|template| probe(&mut trial, template));
        let mut alone = scene.templates[group].as_ref().map(|template| Alone::new(world, template));
        for (shape, (hopeful, rejections)) in shapes.iter().zip(&mut answers) {
            let never = node.filter(|node| {
                !trial.fits_alone(*shape, *node)
                    || alone.as_mut().is_some_and(|alone| alone.repels(trial.pod_shape(*shape)))
            });
            let reason = match (never, brake, &market.closed[group]) {
                (Some(node), _, _) => filter(&trial, *shape, node),
                (None, Some(brake), _) => Some(brake.clone()),
                (None, None, Some(closed)) => Some(closed.clone()),
                (None, None, None) => used_up.clone().or_else(|| filter(&trial, *shape, node?)),
            };
            *hopeful |= never.is_none();
            rejections.push(GroupRejection {
                group: id,
                reason: reason.unwrap_or(GroupReason::NotChosen),
            });
        }
    }
    for (shape, (hopeful, rejections)) in shapes.into_iter().zip(answers) {
        let outcome = if hopeful { Outcome::AwaitsNextPass } else { Outcome::NoGroupFits };
        explained.insert(shape, (outcome, rejections.into()));
    }
    explained
}

/// A new node with nothing but what it carries from the start.
struct Alone {
    snapshot: Snapshot,
    node: NodeId,
    /// Some of it wants to be away from others.
    is_wary: bool,
}

impl Alone {
    fn new(world: &World, template: &Template) -> Self {
        let mut snapshot = Snapshot::new(world.namespaces.clone(), Storage::default())
            .following(&world.settings.profile);
        let node = probe(&mut snapshot, template);
        let is_wary = template.overhead.iter().any(|pod| !pod.anti_affinity.is_empty());
        Self { snapshot, node, is_wary }
    }

    /// Whether the pods that every new node carries and a pod of this shape do not want each other near. No other pod's
    /// leaving will cure that.
    fn repels(&mut self, shape: &Arc<PodShape>) -> bool {
        if shape.anti_affinity.is_empty() && !self.is_wary {
            return false;
        }
        let shape = self.snapshot.shape(shape);
        let rejections = self.snapshot.judge(shape, self.node);
        rejections
            .iter()
            .any(|one| matches!(one, Rejection::TooNear { .. } | Rejection::Repelled { .. }))
    }
}

/// The first filter that objects.
fn filter(snapshot: &Snapshot, shape: ShapeId, node: NodeId) -> Option<GroupReason> {
    snapshot.judge(shape, node).into_iter().next().map(GroupReason::Filter)
}

/// What this pass's purchases have used up.
fn exhausted(scene: &Scene<'_>, shop: &Shop, group: usize) -> Option<GroupReason> {
    let offer = shop.offers.iter().find(|offer| offer.group == group)?;
    // An atomic group comes whole or not at all.
    let count = if offer.atomic { offer.room.max(1) } else { 1 };
    if let Some(limit) = shop.allowance.refuses(scene.templates[group].as_ref()?, count) {
        return Some(GroupReason::QuotaExceeded { limit });
    }
    if offer.room > 0 {
        return None;
    }
    let bought = shop.nodes.iter().filter(|node| node.group == group).count();
    let Group { max, stock, .. } = scene.state.world.groups[group];
    let full = scene.state.groups[group].target as usize + bought >= max as usize;
    Some(if full {
        GroupReason::MaxSizeReached { max }
    } else if stock.is_some_and(|stock| bought >= stock as usize) {
        GroupReason::OutOfStock { stock: 0 }
    } else {
        GroupReason::ScaleUpLimitReached { flag: "max-nodes-per-scaleup" }
    })
}
