//! Every place that a plan gives to a pod is one that the scheduler would give it.

use std::{collections::BTreeMap, sync::Arc};

use plimsoll_fit::Plugin;
use plimsoll_model::{Node, PodName, PodShape, Symbol, World};
use plimsoll_plan::{Outcome, Place, Placement, Plan, plan};
use proptest::prelude::*;

use super::{Checked, check, cluster};
use crate::{
    fit::reference::{Cluster, rejecting_plugins},
    fixture::{show, world},
    worlds::{Kinds, Lines},
};

/// A plan's placements, made one after the other on a plain list of nodes.
struct Replay<'a> {
    plan: &'a Plan,
    world: &'a World,
    shapes: BTreeMap<PodName, Arc<PodShape>>,
    now: Cluster,
    /// New nodes that have not come yet.
    bought: Vec<Node>,
}

#[test]
fn the_scheduler_agrees_with_every_place() {
    check(256, Kinds::PLAIN, scheduler_agrees);
}

/// Without ranks: for each rank nodes are bought by themselves, see below.
#[test]
fn the_scheduler_agrees_where_pods_look_at_each_other() {
    check(256, Kinds { ranks: false, ..Kinds::COMPANY }, scheduler_agrees);
}

#[test]
fn the_scheduler_agrees_in_all_kinds_of_worlds() {
    check(256, Kinds::EVERYTHING, scheduler_agrees_in_turn);
}

#[test]
fn who_is_said_to_have_a_place_has_one() {
    check(256, Kinds::EVERYTHING, outcomes_have_places);
}

/// Plays the placements in the plan's order on a plain list of nodes, and asks the reference about each.
///
/// Pods that fit on what is here are placed at once; those that need new nodes find all of them there.
fn scheduler_agrees(lines: &Lines) -> Checked {
    let world = world(&lines.to_string());
    let plan = plan(&world);
    let mut replay = Replay::new(&world, &plan);
    for placement in &plan.placements {
        if replay.refusing(placement).is_none_or(|by| !by.is_empty()) {
            replay.add_all();
        }
        if replay.contradicts_itself(placement) {
            return Ok(());
        }
        replay.place(placement)?;
    }
    Ok(())
}

/// The same, but new nodes come when they are first used: with ranks and named expanders a plan is made in several rounds,
/// and a zone that is opened late changes what spread says to those that were placed early.
fn scheduler_agrees_in_turn(lines: &Lines) -> Checked {
    let world = world(&lines.to_string());
    let plan = plan(&world);
    let mut replay = Replay::new(&world, &plan);
    for placement in &plan.placements {
        if replay.refusing(placement).is_none_or(|by| !by.is_empty()) {
            replay.add(name(placement.node));
        }
        if replay.refusing(placement).is_none_or(|by| !by.is_empty()) {
            replay.add_all();
        }
        replay.place(placement)?;
    }
    Ok(())
}

// === impl Replay ===

impl<'a> Replay<'a> {
    fn new(world: &'a World, plan: &'a Plan) -> Self {
        let bought = cluster::bought(world, plan);
        Self {
            plan,
            world,
            shapes: cluster::shapes(world),
            now: cluster::before(world, plan),
            bought,
        }
    }

    /// The filters that refuse a placement as things are; `None` when the node is not there.
    fn refusing(&self, placement: &Placement) -> Option<Vec<Plugin>> {
        let node = self.now.node(name(placement.node))?;
        Some(rejecting_plugins(&self.now, &self.shapes[&placement.pod], node))
    }

    /// Whether spread refuses a pod that has to be near others: where there are two zones, such pods cannot be had.
    fn contradicts_itself(&self, placement: &Placement) -> bool {
        let by_spread = self.refusing(placement) == Some(vec![Plugin::PodTopologySpread]);
        by_spread && !self.shapes[&placement.pod].affinity.is_empty()
    }

    fn add_all(&mut self) {
        for node in std::mem::take(&mut self.bought) {
            cluster::add_node(&mut self.now, self.world, node);
        }
    }

    fn add(&mut self, name: Symbol) {
        if let Some(place) = self.bought.iter().position(|node| node.name == name) {
            cluster::add_node(&mut self.now, self.world, self.bought.remove(place));
        }
    }

    fn place(&mut self, placement: &Placement) -> Checked {
        let refused = self.refusing(placement);
        prop_assert!(
            refused.as_ref().is_some_and(Vec::is_empty)
                && !cluster::is_broken(self.world, name(placement.node)),
            "{placement:?} is refused by {refused:?}\n{}\n{:#?}",
            show(self.plan),
            self.plan.placements,
        );
        self.now.pods.push((self.shapes[&placement.pod].clone(), name(placement.node)));
        Ok(())
    }
}

/// The name of a node in the replay.
fn name(place: Place) -> Symbol {
    Symbol::new(&place.to_string())
}

fn outcomes_have_places(lines: &Lines) -> Checked {
    let world = world(&lines.to_string());
    let plan = plan(&world);
    let mut places: BTreeMap<&PodName, Place> = BTreeMap::new();
    for placement in &plan.placements {
        let before = places.insert(&placement.pod, placement.node);
        prop_assert!(before.is_none(), "{placement:?} is not the only one\n{}", show(&plan));
    }
    for pod in &plan.pods {
        let place = places.get(&pod.pod).copied();
        let expected = match pod.outcome {
            Outcome::TriggeredScaleUp => {
                place.is_some_and(|place| place.is_new_of(pod.group.unwrap()))
            }
            Outcome::FitsExisting | Outcome::Nominated => place == pod.node && place.is_some(),
            _ => place.is_none() && pod.node.is_none() && pod.group.is_none(),
        };
        prop_assert!(expected, "{pod:?} at {place:?}\n{}", show(&plan));
    }
    let waiting = world.pods.iter().filter(|pod| pod.node.is_none()).count();
    prop_assert_eq!(plan.pods.len(), waiting);
    Ok(())
}
