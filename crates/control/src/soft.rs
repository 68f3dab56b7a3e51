//! Marks on nodes that nobody needs, as advice to the scheduler: a few in every pass.

use std::{
    collections::{BTreeMap, BTreeSet},
    sync::Arc,
};

use jiff::Timestamp;
use plimsoll_cluster::taints::{Mark, Marking};
use plimsoll_model::{Node, SignedDuration, Symbol};
use plimsoll_plan::Unneeded;

/// Which nodes to mark or unmark now, those that are needed first: they are the ones that wait for pods.
pub(crate) fn changes(
    nodes: &[Arc<Node>],
    unneeded: &[Unneeded],
    busy: &BTreeSet<Symbol>,
    most: usize,
) -> Vec<(Symbol, Marking)> {
    let since: BTreeMap<Symbol, Timestamp> =
        unneeded.iter().map(|unneeded| (unneeded.node, unneeded.since)).collect();
    let mut changes: Vec<(Symbol, Marking)> = Vec::new();
    for node in nodes.iter().filter(|node| !busy.contains(&node.name)) {
        let marked = node.taints.iter().any(|taint| taint.key.as_str() == Mark::Candidate.key());
        match (since.get(&node.name), marked) {
            (Some(since), false) => changes.push((node.name, Marking::Put(*since))),
            (None, true) => changes.push((node.name, Marking::Take)),
            _ => {}
        }
    }
    changes.sort_by_key(|(node, marking)| (*marking != Marking::Take, *node));
    changes.truncate(most);
    changes
}

/// Since when nodes have been unneeded, by the marks of an earlier run that are young enough to be trusted.
pub(crate) fn remembered(
    nodes: &[Arc<Node>],
    trust: SignedDuration,
    now: Timestamp,
) -> BTreeMap<Symbol, Timestamp> {
    let since = |node: &Arc<Node>| {
        let mark = node.taints.iter().find(|taint| taint.key.as_str() == Mark::Candidate.key())?;
        let since = Timestamp::from_second(mark.value.integer()?).ok()?;
        (since <= now && now.duration_since(since) < trust).then_some((node.name, since))
    };
    nodes.iter().filter_map(since).collect()
}
