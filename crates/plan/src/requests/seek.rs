//! Room for requests: what is booked is kept, and for those whose turn it is it is looked for.

use std::collections::BTreeMap;

use plimsoll_fit::NodeId;
use plimsoll_model::{Truth, World};
use rustc_hash::FxHashSet;

use super::{
    Class, Entry, Requests, Stage,
    conditions::{FAILED, PROVISIONED, Word, say},
    survey::{BOOKING, later},
};
use crate::{
    existing::{self, Placed},
    pending::Demand,
    plan::GroupReason,
    scale_up::{self, Market, Shop},
    scene::Scene,
    serve::Served,
    words,
};

/// More groups than this are not named.
const MOST_REASONS: usize = 5;

/// What became of booked room.
#[derive(Debug, Default)]
pub(crate) struct Kept {
    /// Pods that have it, or are stood for there.
    pub placed: Vec<Placed>,
    /// By request: pods for which it is not there any more, or not yet.
    missing: BTreeMap<usize, Vec<Demand>>,
}

/// Room was found.
struct Found {
    /// It has to be bought first.
    bought: bool,
}

/// Keeps the room that is booked, before anybody else gets any.
pub(crate) fn keep(
    scene: &mut Scene<'_>,
    requests: &Requests,
    mut booked: BTreeMap<usize, Vec<Demand>>,
) -> Kept {
    let mut kept = Kept::default();
    for entry in &requests.entries {
        let Some(demands) = booked.remove(&entry.place) else { continue };
        let fitted = existing::place(scene, demands);
        kept.placed.extend(fitted.placed);
        if !fitted.rest.is_empty() {
            kept.missing.insert(entry.place, fitted.rest);
        }
    }
    kept
}

/// Looks for the room that is missing, and says what came of it. `brake` is what keeps everything from being bought.
pub(crate) fn seek(
    scene: &mut Scene<'_>,
    market: &Market,
    requests: &mut Requests,
    mut sought: BTreeMap<usize, Vec<Demand>>,
    mut kept: Kept,
    served: &mut Served,
    brake: Option<&GroupReason>,
) {
    let world = scene.state.world;
    for entry in &requests.entries {
        let Some(missing) = kept.missing.remove(&entry.place) else { continue };
        // What was promised and bought may not have come. Where nothing was bought there is nothing to be bought again.
        let again = entry.class == Class::AtomicScaleUp && brake.is_none();
        if !again || scale_up::together(scene, market, &mut served.bought.shop, &missing).is_err() {
            served.held.extend(missing);
        }
    }
    served.fitted.splice(0..0, kept.placed);
    for entry in &mut requests.entries {
        let Some(demands) = sought.remove(&entry.place) else { continue };
        let found = match entry.class {
            Class::CheckCapacity => check(scene, &served.bought.shop, &demands)
                .map(|placed| {
                    served.fitted.extend(placed);
                    Found { bought: false }
                })
                .map_err(|missing| shortage(missing, demands.len(), None)),
            Class::AtomicScaleUp if brake.is_some() => {
                entry.stage = Stage::Waits(world.now);
                continue;
            }
            Class::AtomicScaleUp => provision(scene, market, &mut served.bought.shop, &demands),
        };
        entry.conclude(world, found);
    }
}

/// Looks for room among what is here or on its way. What is only being bought in this pass may still be refused.
fn check(scene: &mut Scene<'_>, shop: &Shop, demands: &[Demand]) -> Result<Vec<Placed>, usize> {
    let mark = scene.snapshot.mark();
    for node in &shop.nodes {
        scene.snapshot.close_node(node.id);
    }
    let fitted = existing::place(scene, demands.to_vec());
    scene.snapshot.undo(mark);
    if !fitted.rest.is_empty() {
        return Err(fitted.rest.len());
    }
    let placed = fitted.placed.into_iter().map(|placed| {
        let pod = scene.snapshot.place(placed.demand.shape, placed.node);
        Placed { pod, ..placed }
    });
    Ok(placed.collect())
}

/// Finds room for all, and buys what is missing.
fn provision(
    scene: &mut Scene<'_>,
    market: &Market,
    shop: &mut Shop,
    demands: &[Demand],
) -> Result<Found, String> {
    match scale_up::together(scene, market, shop, demands) {
        Ok(()) => {
            let ours: FxHashSet<usize> = demands.iter().map(|demand| demand.pod).collect();
            let new: FxHashSet<NodeId> = shop.nodes.iter().map(|node| node.id).collect();
            let is_new =
                |placed: &Placed| ours.contains(&placed.demand.pod) && new.contains(&placed.node);
            Ok(Found { bought: shop.placed.iter().any(is_new) })
        }
        Err((missing, explained)) => {
            let first = missing.first().and_then(|demand| explained.get(&demand.shape));
            let now = scene.state.world.now;
            let why = first.map(|(_, rejections)| {
                let alike = words::alike(rejections);
                let reasons = alike.iter().take(MOST_REASONS).map(|(reason, groups)| {
                    let reason = words::Reason { reason, now: Some(now) };
                    format!("{}: {reason}", groups.join(", "))
                });
                reasons.collect::<Vec<_>>().join("; ")
            });
            Err(shortage(missing.len(), demands.len(), why))
        }
    }
}

fn shortage(missing: usize, all: usize, why: Option<String>) -> String {
    let why = why.filter(|why| !why.is_empty()).map(|why| format!(" ({why})"));
    let why = why.unwrap_or_else(|| " on the nodes that are here or on their way".to_owned());
    format!("no room for {missing} of {all} pods{why}")
}

// === impl Entry ===

impl Entry {
    /// Says whether room was found.
    fn conclude(&mut self, world: &World, found: Result<Found, String>) {
        let request = &world.requests[self.place];
        let (word, stage) = match found {
            Ok(Found { bought }) => {
                let (reason, message) = if bought {
                    ("CapacityIsProvisioned", "Capacity is bought, and on its way")
                } else {
                    ("CapacityIsFound", "Capacity is found in the cluster")
                };
                let message = message.to_owned();
                let word = Word { name: PROVISIONED, status: Truth::True, reason, message };
                (word, Stage::Booked(later(world.now, BOOKING)))
            }
            Err(problem) => {
                let never =
                    self.class == Class::CheckCapacity && request.parameter("noRetry") == "true";
                let (name, status) =
                    if never { (FAILED, Truth::True) } else { (PROVISIONED, Truth::False) };
                let reason = "CapacityIsNotFound";
                let again = if never { "" } else { "; it is looked for again" };
                let message = format!("Capacity is not found: {problem}{again}");
                let stage = if never { Stage::Over } else { Stage::Waits(world.now) };
                (Word { name, status, reason, message }, stage)
            }
        };
        say(&mut self.conditions, request, word, world.now);
        self.stage = stage;
    }
}
