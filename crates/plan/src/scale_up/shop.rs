//! What is being bought: new nodes, and the pods they were bought for.

use plimsoll_fit::NodeId;
use plimsoll_model::{Question, Symbol};

use super::market::{Allowance, Market, Offer};
use crate::{existing::Placed, pending::Demand, scene::Scene};

/// Purchases of this pass so far.
#[derive(Clone, Debug)]
pub(crate) struct Shop {
    /// With the room that is left.
    pub offers: Vec<Offer>,
    pub allowance: Allowance,
    pub nodes: Vec<NewNode>,
    /// Pods that got a place, in that order.
    pub placed: Vec<Placed>,
    /// What only the user's service can answer.
    pub questions: Vec<Question>,
    /// By group: how many nodes were ever opened, for their names.
    opened: Vec<u32>,
}

/// A node that is bought.
#[derive(Clone, Copy, Debug)]
pub(crate) struct NewNode {
    /// Its place among the offers.
    pub offer: usize,
    /// Its group.
    pub group: usize,
    pub id: NodeId,
}

// === impl Shop ===

impl Shop {
    pub(crate) fn new(scene: &Scene<'_>, market: &Market, allowance: Allowance) -> Self {
        Self {
            offers: market.offers.clone(),
            allowance,
            nodes: Vec::new(),
            placed: Vec::new(),
            questions: Vec::new(),
            opened: vec![0; scene.templates.len()],
        }
    }

    /// Opens a node of an offer, if it has room and the limits allow it.
    pub(crate) fn open(&mut self, scene: &mut Scene<'_>, offer: usize) -> Option<NodeId> {
        let group = self.offers[offer].group;
        let template = scene.templates[group].as_ref()?;
        if self.offers[offer].room == 0 || self.allowance.refuses(template, 1).is_some() {
            return None;
        }
        self.offers[offer].room -= 1;
        self.allowance.take(template);
        self.opened[group] += 1;
        // The name stays for the run of the pass; final numbers are given when the purchase is settled.
        let name = format!("{}#{}", scene.state.world.groups[group].id, self.opened[group]);
        let id = Scene::open(&mut scene.snapshot, template, Symbol::new(&name));
        self.nodes.push(NewNode { offer, group, id });
        Some(id)
    }

    pub(crate) fn place(&mut self, scene: &mut Scene<'_>, demand: Demand, node: NodeId) {
        let pod = scene.snapshot.place(demand.shape, node);
        self.placed.push(Placed { demand, node, pod });
    }

    /// Gives back new nodes that nobody uses.
    pub(crate) fn drop_unused(&mut self, scene: &mut Scene<'_>) {
        let mut used: Vec<NodeId> = self.placed.iter().map(|placed| placed.node).collect();
        used.sort_unstable();
        used.dedup();
        let (kept, unused) =
            self.nodes.iter().copied().partition(|node| used.binary_search(&node.id).is_ok());
        self.nodes = kept;
        for node in unused {
            self.give_back(scene, node);
        }
    }

    /// Gives back a new node; its pods have found another place.
    pub(crate) fn give_back(&mut self, scene: &mut Scene<'_>, node: NewNode) {
        scene.snapshot.remove_node(node.id);
        self.offers[node.offer].room += 1;
        if let Some(template) = &scene.templates[node.group] {
            self.allowance.give(template);
        }
    }
}
