//! From a packing to nodes and places.
//!
//! All nodes are opened first, since the scheduler will find them all. Then pods take the slots that the packing has for
//! their kind, each placement checked against the full rules. Pods that look at others in a whole region go first, then those
//! that look at their host, then the rest: in this order nobody spoils what an earlier one counted on. Slots are tried in
//! rounds: a spread over zones advances one zone at a time. Who is refused everywhere may exchange places with another.

use std::sync::Arc;

use plimsoll_fit::NodeId;
use rustc_hash::FxHashMap;

use super::{
    exchange::{self, Refused},
    items::{Packable, Pool},
    regions::Reach,
    shop::Shop,
};
use crate::{
    existing,
    pack::{Packing, Problem},
    pending::Demand,
    scene::Scene,
};

/// Room that the packing keeps for pods of an item.
struct Slot {
    node: NodeId,
    item: usize,
    left: u32,
}

/// Which pods and items are of one size, whatever else sets them apart.
struct Sizes {
    /// By item: the first item of its size.
    of_item: Vec<usize>,
    /// The item of each pod.
    item_of: FxHashMap<usize, usize>,
}

impl Sizes {
    fn new(problem: &Problem, pools: &[Pool]) -> Self {
        let mut first: FxHashMap<&[i64], usize> = FxHashMap::default();
        let sizes = problem.items.iter().enumerate();
        let of_item =
            sizes.map(|(place, item)| *first.entry(&item.size).or_insert(place)).collect();
        let pods = pools
            .iter()
            .enumerate()
            .flat_map(|(item, pool)| pool.values().flatten().map(move |demand| (demand.pod, item)));
        Self { of_item, item_of: pods.collect() }
    }

    fn of_pod(&self, demand: &Demand) -> usize {
        self.of_item[self.item_of[&demand.pod]]
    }
}

/// Opens the nodes of a packing and places what it can. Returns the pods that found no place.
pub(crate) fn realise(
    scene: &mut Scene<'_>,
    shop: &mut Shop,
    packable: Packable,
    packing: &Packing,
) -> Vec<Demand> {
    let start = shop.placed.len();
    let mut slots = open_nodes(scene, shop, &packable, packing);
    let mut pools = packable.pools;
    // Places are taken from the end of each list, and the first in it have waited longest.
    pools.iter_mut().flat_map(Pool::values_mut).for_each(|demands| demands.reverse());
    let sizes = Sizes::new(&packable.problem, &pools);
    place_in_order(scene, shop, &mut slots, &mut pools, &sizes, &packable.order);
    for reach in [Reach::Region, Reach::Host, Reach::Nothing, Reach::Host, Reach::Region] {
        while fill(scene, shop, &mut slots, &mut pools, reach) {}
    }
    let mut rest: Vec<Demand> = pools
        .into_iter()
        .flat_map(|pool| pool.into_values().flat_map(|one| one.into_iter().rev()))
        .collect();
    if !rest.is_empty() {
        rest = exchange_places(scene, shop, &mut slots, &sizes, rest, start);
    }
    place_beside(scene, shop, &mut rest);
    shop.drop_unused(scene);
    rest
}

fn open_nodes(
    scene: &mut Scene<'_>,
    shop: &mut Shop,
    packable: &Packable,
    packing: &Packing,
) -> Vec<Slot> {
    let similar = Arc::clone(&shop.similar);
    // One node of each kind in turn, so that zones are filled side by side.
    let mut openings: Vec<(u32, usize)> = Vec::new();
    for (place, bin) in packing.bins.iter().enumerate() {
        openings.extend((0..bin.times).map(|turn| (turn, place)));
    }
    openings.sort_unstable();
    let mut slots = Vec::new();
    for (_, place) in openings {
        let bin = &packing.bins[place];
        let offer = similar.choose(shop, bin, &packable.problem);
        let Some(node) = shop.open(scene, offer) else { continue };
        slots.extend(bin.contents.iter().map(|(item, count)| Slot {
            node,
            item: *item,
            left: *count,
        }));
    }
    slots
}

/// Places the pods that were given a region in the order in which they were given it, each in the first slot that takes it.
fn place_in_order(
    scene: &mut Scene<'_>,
    shop: &mut Shop,
    slots: &mut [Slot],
    pools: &mut [Pool],
    sizes: &Sizes,
    order: &[usize],
) {
    if order.is_empty() {
        return;
    }
    let mut slots_of: Vec<Vec<usize>> = vec![Vec::new(); pools.len()];
    for (place, slot) in slots.iter().enumerate() {
        slots_of[slot.item].push(place);
    }
    for pod in order {
        let Some(item) = sizes.item_of.get(pod).copied() else { continue };
        let waiting = pools[item].values_mut().find_map(|demands| {
            let place = demands.iter().rposition(|demand| demand.pod == *pod)?;
            Some((demands, place))
        });
        let Some((demands, place)) = waiting else { continue };
        let shape = demands[place].shape;
        let open = slots_of[item].iter().position(|slot| {
            let slot = &slots[*slot];
            slot.left > 0 && scene.snapshot.fits(shape, slot.node)
        });
        if let Some(open) = open {
            let slot = &mut slots[slots_of[item][open]];
            slot.left -= 1;
            shop.place(scene, demands.remove(place), slot.node);
            if slot.left == 0 {
                slots_of[item].remove(open);
            }
        }
    }
}

/// One round over all slots; says whether anything was placed.
fn fill(
    scene: &mut Scene<'_>,
    shop: &mut Shop,
    slots: &mut [Slot],
    pools: &mut [Pool],
    reach: Reach,
) -> bool {
    let world = scene.state.world;
    let mut placed = false;
    for slot in slots.iter_mut().filter(|slot| slot.left > 0) {
        for (shape, demands) in &mut pools[slot.item] {
            let Some(first) = demands.last() else { continue };
            if Reach::of(&world.pods[first.pod].shape) != reach {
                continue;
            }
            while slot.left > 0 && !demands.is_empty() && scene.snapshot.fits(*shape, slot.node) {
                if let Some(demand) = demands.pop() {
                    shop.place(scene, demand, slot.node);
                    slot.left -= 1;
                    placed = true;
                }
            }
            if slot.left == 0 {
                break;
            }
        }
    }
    placed
}

/// Lets refused pods exchange places with others of their size. Returns those that still have none.
fn exchange_places(
    scene: &mut Scene<'_>,
    shop: &mut Shop,
    slots: &mut [Slot],
    sizes: &Sizes,
    refused: Vec<Demand>,
    start: usize,
) -> Vec<Demand> {
    let mut partners: FxHashMap<usize, Vec<usize>> = FxHashMap::default();
    for (place, placed) in shop.placed.iter().enumerate().skip(start) {
        partners.entry(sizes.of_pod(&placed.demand)).or_default().push(place);
    }
    let mut rest = Vec::new();
    let mut exchanged = false;
    for demand in refused {
        let size = sizes.of_pod(&demand);
        let is_room = |slot: &Slot| slot.left > 0 && sizes.of_item[slot.item] == size;
        let rooms = slots.iter().filter(|slot| is_room(slot)).map(|slot| slot.node).collect();
        let partners = partners.get(&size).cloned().unwrap_or_default();
        let refused = Refused { demand, rooms, partners };
        match exchange::exchange(scene, shop, &refused) {
            Some(used) => {
                exchanged = true;
                let slot = slots.iter_mut().find(|slot| is_room(slot) && slot.node == used);
                if let Some(slot) = slot {
                    slot.left -= 1;
                }
            }
            None => rest.push(demand),
        }
    }
    if exchanged {
        rest.extend(exchange::settle(scene, shop, start));
    }
    rest
}

/// What the packing had no slot for may still fit beside what it had.
pub(crate) fn place_beside(scene: &mut Scene<'_>, shop: &mut Shop, rest: &mut Vec<Demand>) {
    let fitted = existing::place(scene, std::mem::take(rest));
    shop.placed.extend(fitted.placed);
    *rest = fitted.rest;
}
