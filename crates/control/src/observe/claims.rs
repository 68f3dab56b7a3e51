//! Nodes that say which machine they are, and which of them is believed.
//!
//! Names of machines are given again once their machines are gone, and anybody who may write Nodes can write a provider id. So a
//! machine may have several claimants. Predecessors ([`Kinship`]) are out. Of the others:
//!
//! | claimants | the machine's node | the others |
//! |-----------|--------------------|------------|
//! | one | that one | |
//! | one that is Ready, others that fell silent before it came | the Ready one | have outlived their machine |
//! | any other number | the one that the provider names, else a Ready one, else the youngest | contested: none of them, nor the machine, may be touched |

use plimsoll_model::{Instance, Kinship, Node, Symbol, Timestamp};
use rustc_hash::FxHashMap;

/// Nodes by the machine that they say they are.
#[derive(Debug, Default)]
pub(super) struct Claims<'w> {
    by_id: FxHashMap<&'w str, Vec<&'w Node>>,
    by_owner: FxHashMap<(Symbol, &'w str), Vec<&'w Node>>,
}

/// Whose a machine is.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct Verdict {
    /// The node that the machine became.
    pub owner: Option<Symbol>,
    /// Nodes whose machine was an earlier one of the same name.
    pub outlived: Vec<Symbol>,
    /// All nodes that may be the machine's, the owner included, when that cannot be told; sorted.
    pub contested: Vec<Symbol>,
}

// === impl Claims ===

impl<'w> Claims<'w> {
    /// The node gives this provider id as its own.
    pub(super) fn claim_id(&mut self, machine: &'w str, node: &'w Node) {
        self.by_id.entry(machine).or_default().push(node);
    }

    /// The provider was asked about the node, and says that it is this machine of the group.
    pub(super) fn claim_owner(&mut self, machine: (Symbol, &'w str), node: &'w Node) {
        self.by_owner.entry(machine).or_default().push(node);
    }

    /// Whose the machine is, given the node that its provider names for it.
    pub(super) fn judge(
        &self,
        group: Symbol,
        machine: &Instance,
        named: Option<&'w Node>,
        now: Timestamp,
    ) -> Verdict {
        let by_id = self.by_id.get(&*machine.id);
        let by_owner = self.by_owner.get(&(group, &*machine.id));
        let claimants = [by_id, by_owner].into_iter().flatten().flatten().copied();
        let mut claimants: Vec<&Node> = named.into_iter().chain(claimants).collect();
        claimants.sort_unstable_by_key(|node| node.name);
        claimants.dedup_by_key(|node| node.name);
        judge(machine, named, &claimants, now)
    }
}

/// Decides between claimants, of which no two have one name.
fn judge(machine: &Instance, named: Option<&Node>, claimants: &[&Node], now: Timestamp) -> Verdict {
    let kin = |node: &Node| node.kinship(machine, now);
    let own = claimants.iter().copied().filter(|node| kin(node) == Kinship::Own);
    let is_named = |node: &Node| named.is_some_and(|named| named.name == node.name);
    let rank = |node: &&Node| (is_named(node), node.conditions.ready, node.created, node.name);
    let Some(owner) = own.max_by_key(rank) else {
        // The machine has yet to register; who claims it is older.
        let outlived = claimants.iter().map(|node| node.name).collect();
        return Verdict { owner: None, outlived, contested: Vec::new() };
    };
    let has_outlived = |node: &Node| match kin(node) {
        Kinship::Predecessor => true,
        Kinship::Own | Kinship::Unproven => {
            // Who was heard of after the owner registered did not make way for it.
            let is_silent = !node.conditions.ready && !node.conditions.suspended;
            owner.conditions.ready && is_silent && !node.was_alive_after(owner.created, now)
        }
    };
    let others = claimants.iter().copied().filter(|node| node.name != owner.name);
    let (outlived, rivals): (Vec<&Node>, Vec<&Node>) = others.partition(|node| has_outlived(node));
    let mut contested: Vec<Symbol> = rivals.iter().map(|node| node.name).collect();
    if !contested.is_empty() {
        contested.push(owner.name);
        contested.sort_unstable();
    }
    let outlived = outlived.iter().map(|node| node.name).collect();
    Verdict { owner: Some(owner.name), outlived, contested }
}

#[cfg(test)]
mod tests;
