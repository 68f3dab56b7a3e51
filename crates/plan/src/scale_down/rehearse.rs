//! A replacement on trial: what is saved when its nodes leave one after the other, once the new ones are there.
//!
//! The purchase was made as if all of them were emptied at once. They will not be, and some may have to stay. If nothing is saved by
//! those that leave, the new nodes would only take the place of their like, and the next look would find the same again.

use plimsoll_fit::NodeId;
use plimsoll_model::{Money, Symbol};

use super::{candidates::Unit, simulate::Moves};
use crate::{
    scale_up::{NewNode, Shop},
    scene::Scene,
};

/// What those that can leave cost an hour.
pub(super) fn saved(scene: &mut Scene<'_>, shop: &Shop, units: &[&Unit]) -> Money {
    let mark = scene.snapshot.mark();
    let nodes = shop.nodes.iter().enumerate();
    let new: Vec<NodeId> = nodes.filter_map(|(number, node)| open(scene, number, *node)).collect();
    // Nobody moves to where he would have to move away from.
    for member in units.iter().flat_map(|unit| &unit.members) {
        scene.snapshot.close_node(member.id);
    }
    let mut moves = Moves::new(scene, &[]).and_to(new);
    let mut pod_ids = scene.pod_ids.clone();
    let mut leaving = units.to_vec();
    leaving.sort_by(|one, other| one.order(other));
    leaving.retain(|unit| moves.vacate(&mut scene.snapshot, &mut pod_ids, unit).is_ok());
    scene.snapshot.undo(mark);
    leaving.iter().map(|unit| unit.cost()).sum()
}

fn open(scene: &mut Scene<'_>, number: usize, node: NewNode) -> Option<NodeId> {
    let template = scene.templates[node.group].as_ref()?;
    let name = Symbol::new(&format!("a new node {number}"));
    Some(Scene::open(&mut scene.snapshot, template, name))
}
