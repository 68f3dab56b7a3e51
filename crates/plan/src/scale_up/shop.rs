//! What is being bought: new nodes, and the pods they were bought for.

use std::sync::Arc;

use plimsoll_fit::NodeId;
use plimsoll_model::{Question, Salvo, Symbol};

use super::{
    market::{Allowance, Market, Offer},
    patience::{Way, goes_on},
    similar::Similar,
};
use crate::{existing::Placed, pack::Effort, pending::Demand, plan::Place, scene::Scene};

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
    /// The user's service wants nothing to be bought for the pods that the choice under way is about.
    pub is_declined: bool,
    /// Groups that stand in for each other.
    pub similar: Arc<Similar>,
    /// What all packings of the pass have taken, those included that came to nothing.
    pub spent: Effort,
    /// The number of the choice that is under way.
    choice: u32,
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
    /// The number of the choice that it is of.
    choice: u32,
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
            is_declined: false,
            similar: Arc::new(Similar::new(scene, &market.offers)),
            spent: Effort { steps: 0 },
            choice: 0,
            opened: vec![0; scene.templates.len()],
        }
    }

    /// The same, in a pass that has taken some effort already.
    pub(crate) fn after(self, spent: Effort) -> Self {
        Self { spent, ..self }
    }

    /// What is bought from now on is for others than what was bought before, and a choice of its own.
    pub(crate) fn begin(&mut self) {
        self.choice += 1;
        self.is_declined = false;
    }

    /// Counts what a packing took.
    pub(crate) fn charge(&mut self, steps: u64) {
        self.spent.steps = self.spent.steps.saturating_add(steps);
    }

    /// Whether there may be another choice for those that are left.
    pub(crate) fn goes_on(&self, scene: &Scene<'_>) -> bool {
        let salvo = scene.state.world.settings.scale_up.salvo;
        !self.is_declined && goes_on(salvo, self.chosen().is_some(), self.spent)
    }

    /// Whether nodes of an offer may be bought as things stand: where a pass makes one choice, and a rule of the user's makes it, they
    /// are all of one group and of those alike.
    pub(crate) fn admits(&self, scene: &Scene<'_>, offer: usize) -> bool {
        let settings = &scene.state.world.settings.scale_up;
        let one = settings.salvo == Salvo::One && Way::of(settings) == Way::Named;
        let alike = |chosen| chosen == offer || self.similar.are_alike(chosen, offer);
        !one || self.chosen().is_none_or(alike)
    }

    /// The first offer from which the choice that is under way buys.
    fn chosen(&self) -> Option<usize> {
        self.nodes.iter().find(|node| node.choice == self.choice).map(|node| node.offer)
    }

    /// Opens a node of an offer, if it has room and the limits allow it.
    pub(crate) fn open(&mut self, scene: &mut Scene<'_>, offer: usize) -> Option<NodeId> {
        let group = self.offers[offer].group;
        let template = scene.templates[group].as_ref()?;
        let is_refused = || self.allowance.refuses(template, 1).is_some();
        if self.offers[offer].room == 0 || is_refused() || !self.admits(scene, offer) {
            return None;
        }
        self.offers[offer].room -= 1;
        self.allowance.take(template);
        self.opened[group] += 1;
        // The name stays for the run of the pass; final numbers are given when the purchase is settled.
        let name =
            Place::New { group: scene.state.world.groups[group].id, number: self.opened[group] };
        let name = Symbol::new(&name.to_string());
        let id = Scene::open(&mut scene.snapshot, template, name);
        self.nodes.push(NewNode { offer, group, id, choice: self.choice });
        Some(id)
    }

    pub(crate) fn place(&mut self, scene: &mut Scene<'_>, demand: Demand, node: NodeId) {
        let pod = scene.snapshot.place(demand.shape, node);
        self.placed.push(Placed { demand, node, pod });
    }

    /// Gives back new nodes that nobody uses, but those of a group that was bought whole.
    pub(crate) fn drop_unused(&mut self, scene: &mut Scene<'_>) {
        let mut used: Vec<NodeId> = self.placed.iter().map(|placed| placed.node).collect();
        used.sort_unstable();
        used.dedup();
        let (kept, unused) = self.nodes.iter().copied().partition(|node| {
            self.offers[node.offer].atomic || used.binary_search(&node.id).is_ok()
        });
        self.nodes = kept;
        for node in unused {
            self.give_back(scene, node);
        }
    }

    /// Gives back a new node; its pods have found another place.
    pub(crate) fn give_back(&mut self, scene: &mut Scene<'_>, node: NewNode) {
        scene.snapshot.remove_node(node.id);
        self.refund(scene, node);
    }

    /// Counts a new node that is gone as not bought.
    pub(crate) fn refund(&mut self, scene: &Scene<'_>, node: NewNode) {
        self.offers[node.offer].room += 1;
        if let Some(template) = &scene.templates[node.group] {
            self.allowance.give(template);
        }
    }
}
