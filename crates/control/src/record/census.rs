//! Counts of nodes by what can be expected of them, by group and in all.
//!
//! How far a node can be relied on was judged by the planner; here its judgement is only counted.

use std::collections::{BTreeMap, BTreeSet};

use plimsoll_model::{Group, InstanceState, Symbol};

use crate::{engine::Pass, observe::is_leaving};

/// Nodes, and machines that are none yet.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Counts {
    /// Nodes in all.
    pub registered: u32,
    /// They take pods.
    pub ready: u32,
    /// They have registered lately, and are not ready yet.
    pub not_started: u32,
    /// Their infrastructure has put them to sleep.
    pub suspended: u32,
    /// They are on their way out.
    pub being_deleted: u32,
    /// They should be ready, and are not.
    pub unready: u32,
    /// Machines that will not become nodes any more.
    pub long_unregistered: u32,
    /// Machines that may still become nodes.
    pub unregistered: u32,
}

/// Counts of a pass.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Census {
    /// By group.
    pub groups: BTreeMap<Symbol, Counts>,
    /// Nodes of no group included.
    pub all: Counts,
}

/// Counts what a pass saw.
pub(crate) fn census(pass: &Pass) -> Census {
    let group_of = owners(&pass.seen.groups);
    let leaving: BTreeSet<Symbol> = pass.retirements.iter().map(|one| one.node).collect();
    let mut census = Census::default();
    for group in &pass.seen.groups {
        census.groups.insert(group.id, strays(pass, group));
    }
    let unready = &pass.plan.memory.unready_since;
    for node in &pass.seen.nodes {
        let mut counts = Counts { registered: 1, ..Counts::default() };
        if node.deleting || is_leaving(node) || leaving.contains(&node.name) {
            counts.being_deleted = 1;
        } else if node.conditions.suspended {
            counts.suspended = 1;
        } else if unready.contains_key(&node.name) {
            counts.unready = 1;
        } else if node.conditions.ready && !node.conditions.network_unavailable {
            counts.ready = 1;
        } else {
            counts.not_started = 1;
        }
        match group_of.get(&node.name) {
            Some(group) => census.groups.entry(*group).or_default().add(&counts),
            None => census.all.add(&counts),
        }
    }
    for report in &pass.plan.groups {
        // The planner knows more: a node may be ready by its own word while its devices are still missing.
        if let Some(counts) = census.groups.get_mut(&report.id) {
            let started = counts.ready + counts.not_started;
            counts.ready = report.ready.min(started);
            counts.not_started = started - counts.ready;
        }
    }
    for counts in census.groups.values() {
        census.all.add(counts);
    }
    census
}

/// The group of each node.
pub(crate) fn owners(groups: &[Group]) -> BTreeMap<Symbol, Symbol> {
    let nodes = groups.iter().flat_map(|group| {
        let nodes = group.instances.iter().filter_map(|instance| instance.node);
        nodes.map(|node| (node, group.id))
    });
    nodes.collect()
}

/// Machines of a group that are not nodes.
fn strays(pass: &Pass, group: &Group) -> Counts {
    let mut counts = Counts::default();
    let unregistered = group
        .instances
        .iter()
        .filter(|instance| instance.node.is_none() && instance.state != InstanceState::Deleting);
    for instance in unregistered {
        let key = (group.id, instance.id.clone());
        let seen = pass.plan.memory.unregistered.get(&key).map(|machine| &machine.since);
        let since = seen.or(instance.created.as_ref());
        let is_over = |since| pass.at.duration_since(since) > group.options.provision_time;
        if since.copied().is_some_and(is_over) {
            counts.long_unregistered += 1;
        } else {
            counts.unregistered += 1;
        }
    }
    counts
}

// === impl Counts ===

impl Counts {
    fn add(&mut self, other: &Self) {
        self.registered += other.registered;
        self.ready += other.ready;
        self.not_started += other.not_started;
        self.suspended += other.suspended;
        self.being_deleted += other.being_deleted;
        self.unready += other.unready;
        self.long_unregistered += other.long_unregistered;
        self.unregistered += other.unregistered;
    }
}
