//! New nodes are cordoned until what their pods need is there, and uncordoned then.

use std::collections::{BTreeMap, BTreeSet};

use jiff::Timestamp;
use plimsoll_cluster::{nodes, taints::Marked};
use plimsoll_model::Symbol;
use plimsoll_provider::{HoldBack, Inventory};
use tracing::{info, warn};

use super::{
    Context, Seen,
    decide::Observation,
    leader::{Event, Leader},
};
use crate::hold::{self, Move};

// === impl Context ===

impl Context {
    /// Which groups hold their new nodes back, and until when.
    pub(super) fn holding_groups(&self, inventory: &Inventory) -> BTreeMap<Symbol, HoldBack> {
        let settings = &self.settings.hold_back;
        let rules = inventory.groups.iter().filter_map(|state| {
            let id = state.group.id;
            Some((id, settings.of(id, state.overrides.hold_back.as_ref())?))
        });
        rules.collect()
    }
}

// === impl Leader ===

impl Leader {
    /// Learns from a pass which nodes have to wait for what.
    pub(super) fn hold(
        &mut self,
        rules: &BTreeMap<Symbol, HoldBack>,
        seen: &Seen,
        context: &Context,
        observation: &mut Observation,
        now: Timestamp,
    ) {
        let nodes = seen.groups.iter().filter_map(|group| Some((group, rules.get(&group.id)?)));
        let nodes = nodes.flat_map(|(group, rule)| {
            let nodes = group.instances.iter().filter_map(|instance| instance.node);
            nodes.map(|node| (node, rule.clone()))
        });
        self.holding = nodes.collect();
        let in_question = self.step_holds(context, observation, now);
        self.holding.retain(|node, _| in_question.contains(node));
    }

    /// Cordons new nodes that lack something, and uncordons those that have it. Answers with those that have to be looked at again.
    pub(super) fn step_holds(
        &mut self,
        context: &Context,
        observation: &mut Observation,
        now: Timestamp,
    ) -> BTreeSet<Symbol> {
        let (moves, in_question) = hold::moves(&mut observation.mirror, &self.holding, now);
        for (node, what) in moves {
            if self.retiring.contains_key(&node) || !self.updating.insert(node) {
                continue;
            }
            let client = context.client.clone();
            self.spawn(async move {
                let name = node.as_str();
                let outcome = match what {
                    Move::Close => nodes::hold(&client, name, now).await,
                    Move::Open => nodes::open(&client, name).await,
                };
                match (what, outcome) {
                    (Move::Close, Ok(Marked::Written)) => {
                        info!(%node, "new node cordoned until what its pods need is there");
                    }
                    (Move::Open, Ok(Marked::Written)) => {
                        info!(%node, "new node uncordoned: what its pods need is there");
                    }
                    (_, Ok(_)) => {}
                    (_, Err(error)) => {
                        warn!(%node, %error, "cannot cordon or uncordon the new node");
                    }
                }
                Event::NodeUpdated(node)
            });
        }
        in_question
    }
}
