//! Regions: where pods go that care about more than their own host.
//!
//! A pod spread over zones, drawn to others in its zone or kept from them needs a zone before it needs a node. Offers that
//! agree in every label that some such pod looks at form a region. Each region is tried as one node without bounds, so the
//! scheduler's own rules say which regions are open to the next pod; of those it takes the cheapest, or the emptiest of
//! equally cheap ones.

use std::sync::Arc;

use fixedbitset::FixedBitSet;
use plimsoll_fit::NodeId;
use plimsoll_model::{Node, PodShape, PodTerm, Profile, Resources, Symbol, Taint, Text, label};
use rustc_hash::FxHashMap;

use super::{lots::Lot, market::Offer};
use crate::{pending::Demand, scene::Scene, template::Template};

/// Offers that look the same to all pods concerned.
struct Region {
    offers: FixedBitSet,
    node: NodeId,
    /// How much was assigned to it, in shares of its cheapest nodes.
    load: f64,
}

/// Lots by region, and the order in which pods were given theirs: in that order every one of them was admissible.
pub(crate) struct Assigned {
    pub lots: Vec<Lot>,
    /// Places in the World's list.
    pub order: Vec<usize>,
    /// Pods for which no region is open.
    pub shut_out: Vec<Demand>,
}

/// Splits lots with such constraints by region; each part may go to the offers of its region only. Lots without pass as they
/// are. Pods for which no region is open are left for another round: what is bought in this one may open one.
pub(crate) fn assign(scene: &mut Scene<'_>, offers: &[Offer], lots: Vec<Lot>) -> Assigned {
    let shape_of =
        |scene: &Scene<'_>, lot: &Lot| Arc::clone(&scene.state.world.pods[lot.pods[0].pod].shape);
    let concerned: Vec<bool> =
        lots.iter().map(|lot| Reach::of(&shape_of(scene, lot)) == Reach::Region).collect();
    if !concerned.contains(&true) {
        return Assigned { lots, order: Vec::new(), shut_out: Vec::new() };
    }
    let profile = &scene.state.world.settings.profile;
    let keys = relevant_keys(profile, lots.iter().map(|lot| shape_of(scene, lot)));
    let shapes: Vec<_> = lots.iter().map(|lot| shape_of(scene, lot)).collect();
    let templates = &scene.templates;
    let mut trial = scene.snapshot.fork();
    let mut regions: Vec<Region> = Vec::new();
    let mut looks: Vec<(Vec<Option<Text>>, &[Taint])> = Vec::new();
    for (place, offer) in offers.iter().enumerate() {
        let Some(template) = &templates[offer.group] else { continue };
        let node = template.unnamed();
        let look = (keys.iter().map(|key| node.labels.get(*key).cloned()).collect(), &*node.taints);
        let region = looks.iter().position(|other| *other == look).unwrap_or_else(|| {
            let name = Symbol::new(&format!("region-{}", regions.len()));
            let node = trial.add_node(boundless(template, name, &shapes));
            regions.push(Region {
                offers: FixedBitSet::with_capacity(offers.len()),
                node,
                load: 0.0,
            });
            looks.push(look);
            regions.len() - 1
        });
        regions[region].offers.insert(place);
    }
    let followers: Vec<Follower> = lots
        .iter()
        .zip(&shapes)
        .filter(|(_, shape)| !shape.affinity.is_empty())
        .map(|(lot, shape)| (Arc::clone(shape), lot.takers.clone(), lot.pods.len()))
        .collect();
    let mut cramped: FxHashMap<&[PodTerm], Vec<bool>> = FxHashMap::default();
    let mut assigned = Vec::new();
    let (mut order, mut shut_out) = (Vec::new(), Vec::new());
    for ((lot, concerned), shape) in lots.into_iter().zip(concerned).zip(&shapes) {
        if !concerned {
            assigned.push(lot);
            continue;
        }
        let stripped = trial.shape(&Arc::new(without_host_rules(shape)));
        let prices: Vec<f64> = regions
            .iter()
            .map(|region| cheapest(shape, &lot.takers, region, offers, templates))
            .collect();
        let cramped = cramped.entry(&shape.affinity).or_insert_with(|| {
            let cramped = |region| is_cramped(shape, &followers, region, offers, templates);
            regions.iter().map(cramped).collect::<Vec<bool>>()
        });
        // Pods that are not to be spread over regions stay together: scattered, they would shut others out everywhere.
        let spreads = shape.spread.iter().any(|one| one.topology_key.as_str() != label::HOSTNAME);
        let mut last: Option<usize> = None;
        let mut parts: Vec<Lot> = Vec::new();
        for pod in &lot.pods {
            let open = (0..regions.len())
                .filter(|place| prices[*place].is_finite())
                .filter(|place| trial.fits(stripped, regions[*place].node));
            let chosen = open.min_by(|one, other| {
                let strays = |place: usize| !spreads && last.is_some_and(|last| last != place);
                let key = |place: usize| {
                    (cramped[place], prices[place], strays(place), regions[place].load)
                };
                key(*one).partial_cmp(&key(*other)).unwrap_or(std::cmp::Ordering::Equal)
            });
            let Some(place) = chosen else {
                shut_out.push(*pod);
                continue;
            };
            trial.place(stripped, regions[place].node);
            order.push(pod.pod);
            last = Some(place);
            regions[place].load += prices[place];
            let mut takers = lot.takers.clone();
            takers.intersect_with(&regions[place].offers);
            match parts.iter_mut().find(|part| part.takers == takers) {
                Some(part) => part.pods.push(*pod),
                None => parts.push(Lot { shape: lot.shape, pods: vec![*pod], takers }),
            }
        }
        assigned.extend(parts);
    }
    drop(trial);
    Assigned { lots: assigned, order, shut_out }
}

/// How far a pod looks around for others.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Reach {
    /// It has a constraint by a key other than the hostname.
    Region,
    /// It has constraints by the hostname only.
    Host,
    /// Other pods are nothing to it.
    Nothing,
}

impl Reach {
    pub(crate) fn of(shape: &PodShape) -> Self {
        let mut keys = topology_keys(shape).peekable();
        if keys.peek().is_none() {
            Self::Nothing
        } else if keys.all(|key| key.as_str() == label::HOSTNAME) {
            Self::Host
        } else {
            Self::Region
        }
    }
}

fn topology_keys(shape: &PodShape) -> impl Iterator<Item = Symbol> + '_ {
    let spread = shape.spread.iter().map(|constraint| constraint.topology_key);
    let terms = shape.affinity.iter().chain(&shape.anti_affinity);
    spread.chain(terms.map(|term| term.topology_key))
}

/// Every label that some shape looks at, but the hostname.
fn relevant_keys(profile: &Profile, shapes: impl Iterator<Item = Arc<PodShape>>) -> Vec<Symbol> {
    let mut keys: Vec<Symbol> = Vec::new();
    for shape in shapes {
        let affinity = profile.node_affinity(&shape.node_affinity);
        keys.extend(topology_keys(&shape).chain(affinity.label_keys()));
    }
    keys.sort_unstable();
    keys.dedup();
    keys.retain(|key| key.as_str() != label::HOSTNAME);
    keys
}

/// A node of a template with more of everything than all shapes together could ask for.
fn boundless(template: &Template, name: Symbol, shapes: &[Arc<PodShape>]) -> Arc<Node> {
    let plenty = i64::MAX / 4;
    let asked = shapes.iter().flat_map(|shape| shape.requests.iter()).map(|(name, _)| name);
    let slots = Symbol::new(plimsoll_model::resource::PODS);
    let mut names: Vec<Symbol> = asked.chain([slots]).collect();
    names.sort_unstable();
    names.dedup();
    let allocatable = Resources::from_amounts(names.into_iter().map(|name| (name, plenty)));
    let node = Arc::unwrap_or_clone(template.node(name));
    Arc::new(Node { allocatable, ..node })
}

/// The shape without what concerns a single host: those rules are for the nodes, not for the region.
fn without_host_rules(shape: &PodShape) -> PodShape {
    let shape = with_rules_by(shape, |key| key.as_str() != label::HOSTNAME);
    PodShape { ports: Box::default(), ..shape }
}

/// A pod that asks for nothing, and of whose rules about other pods only those by some topology keys are left.
pub(crate) fn with_rules_by(shape: &PodShape, keep: impl Fn(Symbol) -> bool) -> PodShape {
    let kept =
        |terms: &[PodTerm]| terms.iter().filter(|term| keep(term.topology_key)).cloned().collect();
    PodShape {
        requests: Resources::default(),
        device_claims: Box::default(),
        spread: shape.spread.iter().filter(|one| keep(one.topology_key)).cloned().collect(),
        affinity: kept(&shape.affinity),
        anti_affinity: kept(&shape.anti_affinity),
        ..shape.clone()
    }
}

/// Pods that go where others of their kind are: their shape, who takes them, and how many there are.
type Follower = (Arc<PodShape>, FixedBitSet, usize);

/// Whether a region has too little room for a pod and all that have to follow it. Where the first one goes, the others have
/// to go, so a cheap region that cannot hold them is no choice.
fn is_cramped(
    shape: &PodShape,
    followers: &[Follower],
    region: &Region,
    offers: &[Offer],
    templates: &[Option<Template>],
) -> bool {
    if shape.affinity.is_empty() {
        return false;
    }
    let room: f64 = region.offers.ones().map(|place| f64::from(offers[place].room)).sum();
    let bound = followers.iter().filter(|(other, _, _)| other.affinity == shape.affinity);
    let needed: f64 = bound
        .map(|(other, takers, count)| {
            let shares = takers.intersection(&region.offers).filter_map(|place| {
                let offered = &templates[offers[place].group].as_ref()?.unnamed().allocatable;
                Some(largest_share(other, offered))
            });
            let each = shares.fold(f64::INFINITY, f64::min);
            u32::try_from(*count).map_or(f64::INFINITY, f64::from) * each
        })
        .sum();
    needed > room
}

/// The least that a pod costs in a region: its largest share of a node, times the node's price.
fn cheapest(
    shape: &PodShape,
    takers: &FixedBitSet,
    region: &Region,
    offers: &[Offer],
    templates: &[Option<Template>],
) -> f64 {
    let costs = takers.intersection(&region.offers).filter_map(|place| {
        let offer = &offers[place];
        let offered = &templates[offer.group].as_ref()?.unnamed().allocatable;
        Some(offer.cost.units().max(1e-6) * largest_share(shape, offered))
    });
    costs.fold(f64::INFINITY, f64::min)
}

/// The largest part that a pod takes of any of a node's resources, a little for one that asks for nothing.
pub(crate) fn largest_share(shape: &PodShape, offered: &Resources) -> f64 {
    let shares = shape.requests.iter().map(|(name, asked)| ratio(asked, offered.get(name)));
    shares.fold(1e-3, f64::max)
}

#[expect(clippy::cast_precision_loss, reason = "a score, compared only")]
fn ratio(part: i64, whole: i64) -> f64 {
    part as f64 / whole.max(1) as f64
}
