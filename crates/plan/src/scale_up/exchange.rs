//! Exchanges: a pod that is refused where the packing has room for it may go where another one is, if that one can go there.

use plimsoll_fit::NodeId;

use super::{regions::Reach, shop::Shop};
use crate::{existing::Placed, pending::Demand, scene::Scene};

/// Exchanges that are tried for one pod.
const TRIES: usize = 2_000;

/// A pod without a place, and nodes that have room for one of its size.
pub(crate) struct Refused {
    pub demand: Demand,
    pub rooms: Vec<NodeId>,
    /// Pods of the same size: places in the list of placed pods.
    pub partners: Vec<usize>,
}

/// Tries to find a place for a refused pod. Returns the room that was used up.
///
/// What was placed after the partner may have relied on it, so whoever exchanges has to settle the order afterwards.
pub(crate) fn exchange(
    scene: &mut Scene<'_>,
    shop: &mut Shop,
    refused: &Refused,
) -> Option<NodeId> {
    let mut tries = 0;
    for partner in &refused.partners {
        let Placed { demand: other, node: from, pod } = shop.placed[*partner];
        if other.shape == refused.demand.shape {
            continue;
        }
        let mut trial = scene.snapshot.fork();
        trial.evict(pod);
        if trial.fits(refused.demand.shape, from) {
            let new = trial.place(refused.demand.shape, from);
            for to in &refused.rooms {
                tries += 1;
                if trial.fits(other.shape, *to) {
                    let moved = trial.place(other.shape, *to);
                    trial.keep();
                    shop.placed[*partner] = Placed { demand: other, node: *to, pod: moved };
                    shop.placed.push(Placed { demand: refused.demand, node: from, pod: new });
                    return Some(*to);
                }
            }
        }
        tries += 1;
        if tries > TRIES {
            return None;
        }
    }
    None
}

/// Places everything again from `start` on, in an order in which each placement is admissible when it is made. Returns the
/// pods for which there is no such order.
pub(crate) fn settle(scene: &mut Scene<'_>, shop: &mut Shop, start: usize) -> Vec<Demand> {
    let pods = &scene.state.world.pods;
    let rank = |demand: &Demand| Reach::of(&pods[demand.pod].shape) as usize;
    let mut waiting = shop.placed.split_off(start);
    for placed in waiting.iter().rev() {
        scene.snapshot.evict(placed.pod);
    }
    waiting.sort_by_key(|placed| rank(&placed.demand));
    loop {
        let before = waiting.len();
        let mut refused = None;
        waiting.retain(|placed| {
            // Within a rank order matters to those that count: nobody of a later rank goes before all that can have gone.
            let own = rank(&placed.demand);
            if refused.is_some_and(|rank| rank < own) {
                return true;
            }
            if scene.snapshot.fits(placed.demand.shape, placed.node) {
                shop.place(scene, placed.demand, placed.node);
                return false;
            }
            refused = refused.or(Some(own));
            true
        });
        if waiting.len() == before {
            // Nobody moves: let the later ranks go, they may be what the earlier wait for.
            if !place_any(scene, shop, &mut waiting) {
                return waiting.into_iter().map(|placed| placed.demand).collect();
            }
        }
        if waiting.is_empty() {
            return Vec::new();
        }
    }
}

/// Places whatever is admissible, whatever its rank.
fn place_any(scene: &mut Scene<'_>, shop: &mut Shop, waiting: &mut Vec<Placed>) -> bool {
    let before = waiting.len();
    waiting.retain(|placed| {
        let fits = scene.snapshot.fits(placed.demand.shape, placed.node);
        if fits {
            shop.place(scene, placed.demand, placed.node);
        }
        !fits
    });
    waiting.len() < before
}
