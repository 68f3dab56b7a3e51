//! How the nodes of machines showed themselves to us, in `NodeGroupForNode`.
//!
//! The upstream autoscaler knows a machine by the provider id of its node. Some infrastructures know the machine by another name, and
//! some nodes have no provider id at all. A machine that is listed under an id that no node has counts as unregistered there, and is
//! deleted after a while although its node does its work.

use std::collections::{BTreeSet, HashMap};

use plimsoll_model::Symbol;
use plimsoll_provider::NodeIdentity;
use tracing::warn;

use crate::server::view::View;

/// A node has shown itself recently when it did since this many refreshes: callers ask about every node between two of them.
const RECENT: u64 = 2;

/// A node whose machine is gone is forgotten when it was not asked about for this many refreshes.
const FORGOTTEN: u64 = 100;

/// More nodes than this do not say of one machine that they are it.
const MOST_CLAIMS: usize = 4;

/// What nodes said of themselves.
#[derive(Debug, Default)]
pub(crate) struct Shown {
    /// How many refreshes callers have asked for.
    round: u64,
    /// The nodes of each machine: one, unless two say that they are the same machine or a node got another name.
    claims: HashMap<Box<str>, Vec<Claim>>,
    /// Machines whose nodes do not have the machine's id as their provider id.
    renamed: BTreeSet<Box<str>>,
    /// The groups of nodes whose machines are gone, by name and provider id, and the round in which they were last asked about.
    gone: HashMap<(String, String), (Symbol, u64)>,
}

/// Under which id a machine is listed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Listed<'s> {
    /// Under its own.
    Own,
    /// Under the provider id of its node.
    As(&'s str),
    /// Not at all: its node is there and has no provider id, so that any id would be one that no node has.
    Hidden,
}

#[derive(Clone, Debug)]
struct Claim {
    group: Symbol,
    node: String,
    provider_id: String,
    /// When it was last made.
    round: u64,
}

// === impl Shown ===

impl Shown {
    /// A caller asked for a refresh.
    pub(crate) fn begin_round(&mut self) {
        self.round += 1;
        let round = self.round;
        self.gone.retain(|_, (_, asked)| *asked + FORGOTTEN >= round);
    }

    /// This node is a machine of this group.
    pub(crate) fn record(&mut self, machine: &str, group: Symbol, node: &NodeIdentity) {
        let round = self.round;
        if !self.gone.is_empty() {
            self.gone.remove(&(node.name.clone(), node.provider_id.clone()));
        }
        let claim =
            Claim { group, node: node.name.clone(), provider_id: node.provider_id.clone(), round };
        if claim.provider_id != machine {
            self.renamed.insert(machine.into());
        }
        let claims = self.claims.entry(machine.into()).or_default();
        if let Some(known) = claims.iter_mut().find(|known| known.node == claim.node) {
            *known = claim;
            return;
        }
        if let Some(other) = claims.iter().find(|other| is_recent(other, round)) {
            let (node, other) = (&claim.node, &other.node);
            warn!(machine, node, other, "two nodes claim to be one machine");
        }
        if claims.len() == MOST_CLAIMS {
            claims.remove(0);
        }
        claims.push(claim);
    }

    /// Whether any machine is listed under another id than its own.
    pub(crate) fn renames(&self) -> bool {
        !self.renamed.is_empty()
    }

    /// Under which id a machine is listed.
    pub(crate) fn listed(&self, machine: &str) -> Listed<'_> {
        let Some(claims) = self.claims.get(machine).filter(|_| self.renamed.contains(machine))
        else {
            return Listed::Own;
        };
        let newest = |claims: &mut dyn Iterator<Item = &'_ Claim>| {
            claims.max_by_key(|claim| claim.round).cloned()
        };
        let named = newest(&mut claims.iter().filter(|claim| !claim.provider_id.is_empty()));
        let nameless = claims.iter().any(|claim| claim.provider_id.is_empty());
        match named {
            Some(named) if is_recent(&named, self.round) || !nameless => {
                let same = |claim: &&Claim| claim.provider_id == named.provider_id;
                claims.iter().find(same).map_or(Listed::Own, |claim| Listed::As(&claim.provider_id))
            }
            // Once the node without an id is gone, the machine is one that has no node.
            _ if claims.iter().any(|claim| is_recent(claim, self.round)) => Listed::Hidden,
            _ => Listed::Own,
        }
    }

    /// The machine that is listed under this id which is not its own. An error when there are two.
    pub(crate) fn machine(&self, listed: &str) -> Result<Option<(Symbol, &str)>, String> {
        let mut found: Option<(Symbol, &str)> = None;
        for machine in self.renamed.iter().filter(|_| !listed.is_empty()) {
            let claims = self.claims.get(machine).into_iter().flatten();
            let Some(claim) = claims.into_iter().find(|claim| claim.provider_id == listed) else {
                continue;
            };
            if let Some((_, other)) = found {
                return Err(format!(
                    "nodes of the machines {other} and {machine} both have the provider id {listed:?}"
                ));
            }
            found = Some((claim.group, machine));
        }
        Ok(found)
    }

    /// The nodes that said lately that they are this machine.
    pub(crate) fn nodes_of(&self, machine: &str) -> Vec<&str> {
        let claims = self.claims.get(machine).into_iter().flatten();
        claims.filter(|claim| is_recent(claim, self.round)).map(|claim| &*claim.node).collect()
    }

    /// The group of a node that was a machine when it last showed itself, whether that machine is gone or not.
    pub(crate) fn group_of(&mut self, node: &NodeIdentity) -> Option<Symbol> {
        let is_it =
            |claim: &&Claim| claim.node == node.name && claim.provider_id == node.provider_id;
        if let Some(claim) = self.claims.values().flatten().find(is_it) {
            return Some(claim.group);
        }
        let round = self.round;
        let (group, asked) = self.gone.get_mut(&(node.name.clone(), node.provider_id.clone()))?;
        *asked = round;
        Some(*group)
    }

    /// Forgets machines that are not there any more; their nodes may be.
    pub(crate) fn forget(&mut self, view: &View) {
        let round = self.round;
        let gone = self.claims.extract_if(|machine, _| view.machine(machine).is_none());
        for claim in gone.flat_map(|(_, claims)| claims) {
            self.gone.insert((claim.node, claim.provider_id), (claim.group, round));
        }
        self.renamed.retain(|machine| view.machine(machine).is_some());
    }
}

fn is_recent(claim: &Claim, round: u64) -> bool {
    claim.round + RECENT >= round
}

#[cfg(test)]
mod tests {
    use plimsoll_provider::NodeIdentity;

    use super::{FORGOTTEN, Listed, RECENT, Shown};
    use crate::server::view::View;

    fn node(name: &str, provider_id: &str) -> NodeIdentity {
        let (name, provider_id) = (name.to_owned(), provider_id.to_owned());
        NodeIdentity { name, provider_id, ..NodeIdentity::default() }
    }

    fn pass(shown: &mut Shown, rounds: u64) {
        for _ in 0..rounds {
            shown.begin_round();
        }
    }

    #[test]
    fn a_machine_is_listed_as_its_node_says() {
        let mut shown = Shown::default();
        shown.record("m-0", "pool".into(), &node("a", "m-0"));
        assert!(!shown.renames());
        shown.record("m-1", "pool".into(), &node("b", "k3s://b"));
        shown.record("m-2", "pool".into(), &node("c", ""));
        assert_eq!(shown.listed("m-0"), Listed::Own);
        assert_eq!(shown.listed("m-1"), Listed::As("k3s://b"));
        assert_eq!(shown.listed("m-2"), Listed::Hidden);
        assert_eq!(shown.listed("m-3"), Listed::Own);
        // The Nodes are deleted: what is left are machines without one.
        pass(&mut shown, RECENT + 1);
        assert_eq!(shown.listed("m-1"), Listed::As("k3s://b"));
        assert_eq!(shown.listed("m-2"), Listed::Own);
        // The node gets a provider id late.
        shown.record("m-2", "pool".into(), &node("c", "k3s://c"));
        assert_eq!(shown.listed("m-2"), Listed::As("k3s://c"));
    }

    #[test]
    fn a_listed_id_leads_back_to_one_machine_or_to_none() {
        let mut shown = Shown::default();
        shown.record("m-0", "pool".into(), &node("a", "k3s://a"));
        shown.record("m-1", "pool".into(), &node("b", ""));
        assert_eq!(shown.machine("k3s://a").unwrap(), Some(("pool".into(), "m-0")));
        assert_eq!(shown.machine("").unwrap(), None);
        assert_eq!(shown.machine("m-0").unwrap(), None);
        shown.record("m-2", "pool".into(), &node("copy", "k3s://a"));
        shown.machine("k3s://a").unwrap_err();
    }

    #[test]
    fn nodes_that_show_themselves_no_more_claim_nothing() {
        let mut shown = Shown::default();
        shown.record("m-0", "pool".into(), &node("old", "x"));
        shown.record("m-0", "pool".into(), &node("new", "x"));
        assert_eq!(shown.nodes_of("m-0"), ["old", "new"]);
        pass(&mut shown, RECENT);
        shown.record("m-0", "pool".into(), &node("new", "x"));
        shown.begin_round();
        assert_eq!(shown.nodes_of("m-0"), ["new"]);
    }

    #[test]
    fn a_node_keeps_its_group_when_its_machine_is_gone_while_it_is_asked_about() {
        let nothing = View::new(std::sync::Arc::default(), jiff::Timestamp::UNIX_EPOCH);
        let mut shown = Shown::default();
        shown.record("m-0", "pool".into(), &node("a", "m-0"));
        shown.forget(&nothing);
        for _ in 0..3 {
            pass(&mut shown, FORGOTTEN);
            assert_eq!(shown.group_of(&node("a", "m-0")), Some("pool".into()));
        }
        assert_eq!(shown.group_of(&node("b", "m-0")), None);
        pass(&mut shown, FORGOTTEN + 1);
        assert_eq!(shown.group_of(&node("a", "m-0")), None);
    }
}
