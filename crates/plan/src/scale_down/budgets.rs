//! What disruption budgets still allow.
//!
//! All nodes that leave in a pass draw on the same budgets, and so do the drains that are under way: a budget is charged
//! when a node is chosen, so that what is planned together can also be done together.

mod allowed;

use plimsoll_model::{Budget, PodShape, Symbol, Text, World};
use rustc_hash::FxHashMap;
use smallvec::SmallVec;

use crate::{scene::Scene, state::Readiness};

/// Budgets, found by the labels of a pod, and what is left of them.
#[derive(Debug)]
pub(super) struct Budgets<'w> {
    listed: &'w [Budget],
    /// Budgets whose pods all have some label, by namespace and that label.
    by_pair: FxHashMap<(Symbol, Symbol, Text), Vec<usize>>,
    /// The others, by namespace.
    by_namespace: FxHashMap<Symbol, Vec<usize>>,
    /// By budget: how many disruptions it still allows.
    left: Vec<i64>,
}

/// Places of budgets, sorted. A pod rarely has more than one.
type Places = SmallVec<[usize; 2]>;

// === impl Budgets ===

impl<'w> Budgets<'w> {
    pub(super) fn new(scene: &Scene<'w>) -> Self {
        let world = scene.state.world;
        let mut budgets = Self {
            listed: &world.budgets,
            by_pair: FxHashMap::default(),
            by_namespace: FxHashMap::default(),
            left: Vec::new(),
        };
        for (place, budget) in world.budgets.iter().enumerate() {
            let Some(selector) = &budget.selector else { continue };
            let list = match selector.exact_pair() {
                Some((key, value)) => {
                    budgets.by_pair.entry((budget.namespace, key, value.clone())).or_default()
                }
                None => budgets.by_namespace.entry(budget.namespace).or_default(),
            };
            list.push(place);
        }
        budgets.left = allowed::allowed(world, &budgets);
        budgets.charge_drains(scene);
        budgets
    }

    /// Whether some budget speaks for such pods.
    pub(super) fn covers(&self, shape: &PodShape) -> bool {
        !self.of(shape).is_empty()
    }

    /// The first of these pods that budgets do not allow to evict beside those before it.
    pub(super) fn shortage(
        &self,
        world: &World,
        pods: impl IntoIterator<Item = usize>,
    ) -> Option<usize> {
        if self.listed.is_empty() {
            return None;
        }
        let mut needed: SmallVec<[(usize, i64); 4]> = SmallVec::new();
        for pod in pods {
            for budget in self.of(&world.pods[pod].shape) {
                let place = needed.iter().position(|(other, _)| *other == budget);
                let place = place.unwrap_or_else(|| {
                    needed.push((budget, 0));
                    needed.len() - 1
                });
                needed[place].1 += 1;
                if needed[place].1 > self.left[budget] {
                    return Some(pod);
                }
            }
        }
        None
    }

    /// These pods are evicted.
    pub(super) fn take(&mut self, world: &World, pods: impl IntoIterator<Item = usize>) {
        for pod in pods {
            for budget in self.of(&world.pods[pod].shape) {
                self.left[budget] = (self.left[budget] - 1).max(0);
            }
        }
    }

    /// Pods on nodes that are leaving will be evicted too, and have not been as long as nothing says so.
    fn charge_drains(&mut self, scene: &Scene<'_>) {
        let world = scene.state.world;
        for (node, found) in scene.state.nodes.iter().enumerate() {
            if found.readiness != Readiness::BeingDeleted || self.listed.is_empty() {
                continue;
            }
            let pods = scene.residents.of(node).iter().copied().filter(|pod| {
                let pod = &world.pods[*pod];
                pod.deletion.is_none() && !pod.is_daemon() && !pod.is_mirror()
            });
            self.take(world, pods);
        }
    }

    /// The budgets that speak for such pods.
    fn of(&self, shape: &PodShape) -> Places {
        let mut places = Places::new();
        if self.listed.is_empty() {
            return places;
        }
        let namespace = shape.namespace;
        let by_label = shape.labels.iter();
        let by_label =
            by_label.filter_map(|(key, value)| self.by_pair.get(&(namespace, key, value.clone())));
        for place in by_label.chain(self.by_namespace.get(&namespace)).flatten() {
            let selector = self.listed[*place].selector.as_ref();
            if selector.is_some_and(|selector| selector.matches(&shape.labels)) {
                places.push(*place);
            }
        }
        places.sort_unstable();
        places
    }
}
