//! New nodes are closed until they are whole, and opened then.

use std::collections::{BTreeMap, BTreeSet};

use jiff::Timestamp;
use plimsoll_cluster::{nodes, taints::Marked};
use plimsoll_model::Symbol;
use plimsoll_provider::{HoldBack, Inventory};
use tracing::{info, warn};

use super::{Engine, Seen, reign::Event};
use crate::hold::{self, Move};

// === impl Engine ===

impl Engine {
    /// Which groups hold their new nodes back, and until when.
    pub(super) fn holding_groups(&self, inventory: &Inventory) -> BTreeMap<Symbol, HoldBack> {
        let settings = &self.settings.hold_back;
        let rules = inventory.groups.iter().filter_map(|state| {
            let id = state.group.id;
            Some((id, settings.of(id, state.overrides.hold_back.as_ref())?))
        });
        rules.collect()
    }

    /// Learns from a pass which nodes have to wait for what.
    pub(super) fn hold(&mut self, rules: &BTreeMap<Symbol, HoldBack>, seen: &Seen, now: Timestamp) {
        let Some(reign) = &mut self.reign else { return };
        let nodes = seen.groups.iter().filter_map(|group| Some((group, rules.get(&group.id)?)));
        let nodes = nodes.flat_map(|(group, rule)| {
            let nodes = group.instances.iter().filter_map(|instance| instance.node);
            nodes.map(|node| (node, rule.clone()))
        });
        reign.holding = nodes.collect();
        let in_question = self.step_holds(now);
        if let Some(reign) = &mut self.reign {
            reign.holding.retain(|node, _| in_question.contains(node));
        }
    }

    /// Closes new nodes that are not whole, and opens those that are. Answers with those that have to be looked at again.
    pub(super) fn step_holds(&mut self, now: Timestamp) -> BTreeSet<Symbol> {
        let Some(reign) = &mut self.reign else { return BTreeSet::new() };
        let (moves, in_question) = hold::moves(&mut self.sight.mirror, &reign.holding, now);
        for (node, what) in moves {
            if reign.retiring.contains_key(&node) || !reign.marking.insert(node) {
                continue;
            }
            let client = self.client.clone();
            reign.spawn(async move {
                let name = node.as_str();
                let outcome = match what {
                    Move::Close => nodes::hold(&client, name, now).await,
                    Move::Open => nodes::open(&client, name).await,
                };
                match (what, outcome) {
                    (Move::Close, Ok(Marked::Written)) => {
                        info!(%node, "is new, and closed until it is whole");
                    }
                    (Move::Open, Ok(Marked::Written)) => info!(%node, "is whole, and opened"),
                    (_, Ok(_)) => {}
                    (_, Err(error)) => warn!(%node, %error, "could not be closed or opened"),
                }
                Event::Marked(node)
            });
        }
        in_question
    }
}
