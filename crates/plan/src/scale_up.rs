//! What to buy: all pending pods and all groups at once, for the least money.
//!
//! ```text
//! demands ──▶ lots ──▶ regions ──▶ items ──▶ pack ──▶ realise ──▶ nodes and places
//!             alike    zones for   sizes     which    every placement
//!             pods     those that            nodes,   checked by the
//!                      need one              cheapest scheduler's rules
//! ```
//!
//! What is left over goes another round, unless a pass is to make one choice (`salvo-scale-up`). A named expander replaces the
//! packing over all groups by one group at a time.

mod company;
mod dissolve;
mod exchange;
mod expander;
mod items;
mod last_resort;
mod lots;
mod market;
mod patience;
mod realise;
mod reasons;
mod regions;
mod shop;
mod similar;
mod spare_gpus;
mod together;
mod trim;
mod whole;

use std::cmp::Reverse;

use plimsoll_fit::ShapeId;
use plimsoll_model::Expander;
use rustc_hash::FxHashMap;

use self::{
    items::Packable,
    market::Offer,
    patience::{Patience, Way},
};
pub(crate) use self::{
    market::{Allowance, Market},
    reasons::{Explained, explain},
    shop::Shop,
    together::together,
};
use crate::{
    pack::{Effort, pack},
    pending::Demand,
    scene::Scene,
};

/// Rounds of packing: the second places what the first could not for reasons that the packing does not know.
const ROUNDS: usize = 4;

/// The effort of every round after the first: few pods are left, and their nodes are few.
const AFTERTHOUGHT: Effort = Effort { steps: 20_000_000 };

/// The effort of trying out a replacement.
const TRIAL: Effort = Effort { steps: 40_000_000 };

/// What was bought, and who still has no place.
#[derive(Debug)]
pub(crate) struct Bought {
    pub shop: Shop,
    pub rest: Vec<Demand>,
}

/// Buys nodes for the demands: all at once if there is room for all, otherwise for the most important first, so that none of
/// them waits behind one of less importance. `empty` is a shop in which nothing was bought.
pub(crate) fn buy(
    scene: &mut Scene<'_>,
    market: &Market,
    empty: Shop,
    demands: &[Demand],
) -> Bought {
    let mark = scene.snapshot.mark();
    let mut shop = empty.clone();
    let rest = shop_for(scene, &mut shop, demands.to_vec(), Effort::default());
    if !is_overtaken(scene, market, &shop, &rest) {
        scene.snapshot.keep(mark);
        return Bought { shop, rest };
    }
    scene.snapshot.undo(mark);
    let mut shop = empty.after(shop.spent);
    let mut rest = Vec::new();
    let mut tier = demands;
    while let Some(first) = tier.first() {
        let end = tier.partition_point(|demand| demand.priority >= first.priority);
        rest.extend(shop_for(scene, &mut shop, tier[..end].to_vec(), Effort::default()));
        tier = &tier[end..];
    }
    Bought { shop, rest }
}

/// New places for pods that are to leave their nodes: on what is here, or else on new nodes. Returns those without.
pub(crate) fn rehouse(
    scene: &mut Scene<'_>,
    market: &Market,
    allowance: &Allowance,
    mut demands: Vec<Demand>,
) -> (Shop, Vec<Demand>) {
    let mut shop = Shop::new(scene, market, allowance.clone());
    demands.sort_by_cached_key(|demand| {
        let size = crate::pending::share(&scene.state.world.pods[demand.pod]);
        (Reverse(demand.priority), Reverse(size), demand.shape, demand.pod)
    });
    realise::place_beside(scene, &mut shop, &mut demands);
    let rest = shop_for(scene, &mut shop, demands, TRIAL);
    (shop, rest)
}

/// What pods of each shape are worth: what they would cost an hour on nodes bought for them, at the cheapest offer.
pub(crate) fn worth(
    scene: &mut Scene<'_>,
    market: &Market,
    demands: &[Demand],
) -> FxHashMap<ShapeId, f64> {
    let lots = lots::lots(scene, &market.offers, demands);
    let world = scene.state.world;
    lots.iter()
        .map(|lot| {
            let shape = &world.pods[lot.pods[0].pod].shape;
            let costs = lot.takers.ones().filter_map(|place| {
                let offer = &market.offers[place];
                let offered = &scene.templates[offer.group].as_ref()?.unnamed().allocatable;
                Some(offer.cost.units() * regions::largest_share(shape, offered))
            });
            let least = costs.fold(f64::INFINITY, f64::min);
            (lot.shape, if least.is_finite() { least } else { 0.0 })
        })
        .collect()
}

/// Whether a pod that some group could take waits while one of less importance is served.
fn is_overtaken(scene: &mut Scene<'_>, market: &Market, shop: &Shop, rest: &[Demand]) -> bool {
    let least = shop.placed.iter().map(|placed| placed.demand.priority).min();
    let Some(least) = least else { return false };
    let above: Vec<Demand> =
        rest.iter().filter(|demand| demand.priority > least).copied().collect();
    let lots = lots::lots(scene, &market.offers, &above);
    lots.iter().any(|lot| !lot.takers.is_clear())
}

fn shop_for(
    scene: &mut Scene<'_>,
    shop: &mut Shop,
    demands: Vec<Demand>,
    effort: Effort,
) -> Vec<Demand> {
    let settings = &scene.state.world.settings.scale_up;
    let (way, patience) = (Way::of(settings), Patience::new(settings));
    let groups = if way == Way::Joint { shop.offers.len() } else { 1 };
    let open_before = !shop.nodes.is_empty();
    let mut goes_on = shop.goes_on(scene);
    // How many nodes there were, each time that some had come.
    let mut stages = vec![shop.nodes.len()];
    let mut rest = if goes_on { company::place(scene, shop, demands) } else { demands };
    stages.push(shop.nodes.len());
    let rounds = if way == Way::Joint { ROUNDS } else { shop.offers.len() + 1 };
    for number in 0..rounds {
        if open_before || number > 0 {
            // What was bought for others may have room. What this purchase has only begun to open waits for the rest of it:
            // with one zone open, a spread over zones would put all pods there.
            realise::place_beside(scene, shop, &mut rest);
        }
        if rest.is_empty() || !goes_on {
            break;
        }
        let before = rest.len();
        let effort = if number == 0 { effort } else { AFTERTHOUGHT };
        let (packable, unplaced) = prepare(scene, shop, &rest, patience.limit(effort, groups));
        rest = unplaced;
        rest.extend(match way {
            Way::Joint => buy_jointly(scene, shop, packable),
            Way::Named => expand(scene, shop, packable, &settings.expanders),
        });
        stages.push(shop.nodes.len());
        goes_on = shop.goes_on(scene);
        if rest.len() == before {
            break;
        }
    }
    if goes_on {
        rest = last_resort::place(scene, shop, rest);
        rest = whole::place(scene, shop, rest);
        stages.push(shop.nodes.len());
    }
    stages.dedup();
    if stages.len() > 2 {
        // Who was placed before all nodes had come was not asked about the others: to a spread over hosts an empty one makes a
        // difference.
        rest.extend(settle(scene, shop));
    }
    let dissolved = dissolve::dissolve(scene, shop);
    if dissolved && shop.goes_on(scene) {
        // A zone that was given up again may be what somebody waits for.
        rest = last_resort::place(scene, shop, rest);
    }
    let trimmed = way == Way::Joint && settings.balance.is_none() && trim::trim(scene, shop);
    if trimmed {
        // The cheaper ones may have room for each other's pods.
        dissolve::dissolve(scene, shop);
    }
    if dissolved || trimmed {
        // Who was placed after a pod that moved may have relied on it.
        rest.extend(settle(scene, shop));
    }
    rest
}

/// Places everybody again in an order that the scheduler can keep to. Who finds no place in it may find one beside the others; returns the
/// pods without.
fn settle(scene: &mut Scene<'_>, shop: &mut Shop) -> Vec<Demand> {
    let mut refused = exchange::settle(scene, shop, 0);
    realise::place_beside(scene, shop, &mut refused);
    refused
}

/// One joint purchase over all groups. Returns the pods without a place.
fn buy_jointly(scene: &mut Scene<'_>, shop: &mut Shop, packable: Packable) -> Vec<Demand> {
    let packing = pack(&packable.problem);
    let packing = spare_gpus::spare_gpus(&packable, &shop.offers, packing);
    shop.charge(packing.steps);
    realise::realise(scene, shop, packable, &packing)
}

/// One purchase from the group that the user's rules choose. Returns the pods without a place.
fn expand(
    scene: &mut Scene<'_>,
    shop: &mut Shop,
    packable: Packable,
    rules: &[Expander],
) -> Vec<Demand> {
    match expander::choose(scene, shop, &packable, rules) {
        Some(choice) => realise::realise(scene, shop, packable, &choice.packing),
        None => packable.pools.into_iter().flat_map(|pool| pool.into_values().flatten()).collect(),
    }
}

/// The packing problem, and the pods that are no part of it because no offer takes them.
fn prepare(
    scene: &mut Scene<'_>,
    shop: &Shop,
    demands: &[Demand],
    effort: Effort,
) -> (Packable, Vec<Demand>) {
    let offers: &[Offer] = &shop.offers;
    let lots = lots::lots(scene, offers, demands);
    let (lots, hopeless): (Vec<_>, Vec<_>) =
        lots.into_iter().partition(|lot| !lot.takers.is_clear());
    let mut rest: Vec<Demand> = hopeless.into_iter().flat_map(|lot| lot.pods).collect();
    let mut assigned = regions::assign(scene, offers, lots);
    rest.append(&mut assigned.shut_out);
    let packable = items::packable(scene, offers, assigned, shop.allowance.nodes, effort);
    (packable, rest)
}
