//! From lots of pods to the packing problem.

mod volumes;

use std::sync::Arc;

use fixedbitset::FixedBitSet;
use indexmap::IndexMap;
use plimsoll_fit::ShapeId;
use plimsoll_model::{
    HostPort, LabelSelector, PodShape, PodTerm, Profile, Resources, Symbol, label, resource,
};
use rustc_hash::FxBuildHasher;

use self::volumes::AttachedVolumes;
use super::{
    lots::{Lot, probe},
    market::Offer,
    regions::{Assigned, with_rules_by},
};
use crate::{
    pack::{Bin, Class, Effort, Item, Problem},
    pending::Demand,
    scene::Scene,
    template::Template,
};

/// A packing problem, and which pods its items stand for.
#[derive(Debug)]
pub(crate) struct Packable {
    pub problem: Problem,
    /// By item: its pods, by shape.
    pub pools: Vec<Pool>,
    /// By item: whether it asks for an accelerator.
    pub needs_gpu: Vec<bool>,
    /// Pods that were given a region, in that order.
    pub order: Vec<usize>,
}

/// Pods that are alike to the packing, by shape.
pub(crate) type Pool = IndexMap<ShapeId, Vec<Demand>, FxBuildHasher>;

/// What makes pods exclude each other from a node.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
enum Exclusion {
    Term(PodTerm),
    Spread { namespace: Symbol, selector: LabelSelector, max_skew: u32 },
    Port(HostPort),
}

/// What makes pods alike to the packing.
#[derive(PartialEq, Eq, Hash)]
struct Likeness {
    size: Vec<i64>,
    takers: FixedBitSet,
    exclusive: Vec<u32>,
}

/// Builds the problem. Pods that no offer takes are left out.
pub(crate) fn packable(
    scene: &mut Scene<'_>,
    offers: &[Offer],
    assigned: Assigned,
    max_nodes: Option<u32>,
    effort: Effort,
) -> Packable {
    let world = scene.state.world;
    let shape_of = |lot: &Lot| &world.pods[lot.pods[0].pod].shape;
    let Assigned { lots, order, .. } = assigned;
    let profile = &world.settings.profile;
    let names = dimensions(profile, lots.iter().map(|lot| &**shape_of(lot)));
    let claimed = ClaimedDevices::new(scene, offers, &lots);
    let attached = AttachedVolumes::new(scene, offers, &lots);
    let mut exclusions: IndexMap<Exclusion, u32, FxBuildHasher> = IndexMap::default();
    let mut items: IndexMap<Likeness, Pool, FxBuildHasher> = IndexMap::default();
    for (number, lot) in lots.iter().enumerate() {
        let Some(taker) = lot.takers.ones().next() else { continue };
        let shape = shape_of(lot);
        let found = exclusions_of(shape);
        let mut exclusive = Vec::new();
        if !found.is_empty() {
            let per_bin = fits_together(scene, offers[taker].group, lot, &names);
            if let Some(per_bin) = per_bin {
                for exclusion in found {
                    let entry = exclusions.entry(exclusion);
                    let place = entry.index();
                    let least = entry.or_insert(per_bin);
                    *least = (*least).min(per_bin);
                    exclusive.push(u32::try_from(place).unwrap_or(u32::MAX));
                }
            }
        }
        exclusive.sort_unstable();
        let mut size = size(&shape.requests, &names, 1);
        size.extend(claimed.demand(scene, lot.shape));
        size.extend(attached.demand(number));
        let likeness = Likeness { size, takers: lot.takers.clone(), exclusive };
        items.entry(likeness).or_default().entry(lot.shape).or_default().extend(&lot.pods);
    }
    let gpu = |pool: &Pool| {
        let first = pool.values().flatten().next();
        first.is_some_and(|demand| {
            crate::state::marks::gpus(&world.pods[demand.pod].shape.requests) > 0
        })
    };
    let needs_gpu = items.values().map(gpu).collect();
    let (items, pools) = items
        .into_iter()
        .map(|(likeness, pool)| {
            let count = pool.values().map(Vec::len).sum::<usize>();
            let item = Item {
                count: u32::try_from(count).unwrap_or(u32::MAX),
                size: likeness.size,
                bins: likeness.takers,
                exclusive: likeness.exclusive,
            };
            (item, pool)
        })
        .unzip();
    let mut bins: Vec<Bin> =
        offers.iter().map(|offer| bin(offer, &scene.templates, &names)).collect();
    if !profile.counts(names[0]) {
        // Nothing is short on any node, so one takes them all.
        let all: usize = lots.iter().map(|lot| lot.pods.len()).sum();
        let all = i64::try_from(all).unwrap_or(i64::MAX);
        bins.iter_mut().filter_map(|bin| bin.capacity.first_mut()).for_each(|slots| *slots = all);
    }
    for (place, bin) in bins.iter_mut().enumerate() {
        bin.capacity.extend(claimed.supply(place));
        bin.capacity.extend(attached.supply(place));
    }
    let classes = exclusions.values().map(|per_bin| Class { per_bin: *per_bin }).collect();
    let problem = Problem { items, bins, classes, max_bins_total: max_nodes, effort };
    Packable { problem, pools, needs_gpu, order }
}

/// Devices that pods claim by number, by class: dimensions of the packing beside resources. Who gets which is settled by the full
/// rules when the nodes are filled.
struct ClaimedDevices {
    classes: Vec<Symbol>,
    /// By offer, by class.
    supplies: Vec<Vec<i64>>,
}

impl ClaimedDevices {
    fn new(scene: &mut Scene<'_>, offers: &[Offer], lots: &[Lot]) -> Self {
        let demands = lots.iter().flat_map(|lot| scene.snapshot.device_demand(lot.shape));
        let mut classes: Vec<Symbol> = demands.map(|(class, _)| class).collect();
        classes.sort_unstable();
        classes.dedup();
        if classes.is_empty() {
            return Self { classes, supplies: Vec::new() };
        }
        let templates = &scene.templates;
        let mut trial = scene.snapshot.fork();
        let supply = |offer: &Offer| {
            let Some(template) = &templates[offer.group] else { return vec![0; classes.len()] };
            let node = probe(&mut trial, template);
            let supply = classes.iter().map(|class| trial.device_supply(node, *class)).collect();
            trial.remove_node(node);
            supply
        };
        let supplies = offers.iter().map(supply).collect();
        Self { classes, supplies }
    }

    fn demand(&self, scene: &Scene<'_>, shape: ShapeId) -> Vec<i64> {
        if self.classes.is_empty() {
            return Vec::new();
        }
        let demand = scene.snapshot.device_demand(shape);
        let count = |class: &Symbol| {
            demand.iter().find(|(other, _)| other == class).map_or(0, |(_, count)| *count)
        };
        self.classes.iter().map(count).collect()
    }

    fn supply(&self, offer: usize) -> impl Iterator<Item = i64> + '_ {
        self.supplies.get(offer).into_iter().flatten().copied()
    }
}

/// The resources that some pod asks for, the slot for the pod first.
fn dimensions<'a>(profile: &Profile, shapes: impl Iterator<Item = &'a PodShape>) -> Vec<Symbol> {
    let slots = Symbol::new(resource::PODS);
    let asked = shapes.flat_map(|shape| shape.requests.iter().map(|(name, _)| name));
    let mut names: Vec<Symbol> =
        asked.filter(|name| *name != slots && profile.counts(*name)).collect();
    names.sort_unstable();
    names.dedup();
    names.insert(0, slots);
    names
}

fn size(amounts: &Resources, names: &[Symbol], slots: i64) -> Vec<i64> {
    let mut size: Vec<i64> = names.iter().map(|name| amounts.get(*name)).collect();
    size[0] = size[0].saturating_add(slots);
    size
}

/// A node of the offer, less what it carries from the start.
fn bin(offer: &Offer, templates: &[Option<Template>], names: &[Symbol]) -> Bin {
    let mut capacity = vec![0; names.len()];
    if let Some(template) = &templates[offer.group] {
        capacity = size(&template.unnamed().allocatable, names, 0);
        for pod in &template.overhead {
            for (left, taken) in capacity.iter_mut().zip(size(&pod.requests, names, 1)) {
                *left -= taken;
            }
        }
    }
    // Bins of atomic groups are not bought piece by piece.
    let max = if offer.atomic { 0 } else { offer.room };
    let cost = u64::try_from(offer.cost.micros()).unwrap_or(0);
    Bin { cost, capacity: capacity.into_iter().map(|left| left.max(0)).collect(), max }
}

/// Rules by which pods of a shape keep others of their kind from their host.
fn exclusions_of(shape: &PodShape) -> Vec<Exclusion> {
    let by_host = |key: Symbol| key.as_str() == label::HOSTNAME;
    let terms = shape.anti_affinity.iter();
    let terms = terms.filter(|term| by_host(term.topology_key) && term.selects(&shape.labels));
    let spread = shape.spread.iter().filter_map(|one| {
        let selector = one.selector.clone()?;
        let counts = by_host(one.topology_key) && selector.matches(&shape.labels);
        let namespace = shape.namespace;
        counts.then_some(Exclusion::Spread { namespace, selector, max_skew: one.max_skew })
    });
    let ports = shape.ports.iter().map(|port| Exclusion::Port(HostPort { ip: None, ..*port }));
    terms.cloned().map(Exclusion::Term).chain(spread).chain(ports).collect()
}

/// How many pods of a lot a new node takes beside each other, were it large enough; `None` when nothing but room limits it.
/// The scheduler's own rules answer: pods are put on such a node until one is refused.
fn fits_together(scene: &mut Scene<'_>, group: usize, lot: &Lot, names: &[Symbol]) -> Option<u32> {
    let template = scene.templates[group].as_ref()?;
    let mut node = Arc::unwrap_or_clone(template.node(Symbol::new("a new node")));
    node.allocatable = Resources::from_amounts(names.iter().map(|name| (*name, i64::MAX / 4)));
    let most = u32::try_from(lot.pods.len()).unwrap_or(u32::MAX).clamp(2, 1000);
    let alone = only_host_rules(&scene.state.world.pods[lot.pods[0].pod].shape);
    let mut trial = scene.snapshot.fork();
    let id = trial.add_node(Arc::new(node));
    let shape = trial.shape(&Arc::new(alone));
    for count in 0..most {
        if !trial.fits(shape, id) {
            // A node that refuses the first one tells nothing about company.
            return (count > 0).then_some(count);
        }
        trial.place(shape, id);
    }
    None
}

/// The shape with nothing but what concerns a single host.
fn only_host_rules(shape: &PodShape) -> PodShape {
    let shape = with_rules_by(shape, |key| key.as_str() == label::HOSTNAME);
    PodShape { volumes: Box::default(), ..shape }
}
