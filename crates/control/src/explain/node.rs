//! A node: why it is kept, what its removal waits for, or how far that has come.

use std::{collections::BTreeMap, fmt::Write as _};

use jiff::Timestamp;
use plimsoll_model::{Group, Symbol};
use plimsoll_plan::{
    BlockReason, Blocked, Removal, Retirement,
    words::{self, Clock},
};
use serde::Serialize;

use super::{Explained, Facts, Unknown, near};
use crate::{
    engine::{OpenRetirement, Pass},
    record::census::owners,
};

/// A node as data.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct NodeFacts {
    /// Its group.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub group: Option<&'static str>,
    /// `Kept`, `Unneeded` or `Leaving`.
    pub state: &'static str,
    /// Why it is kept, in a word.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub reason: Option<&'static str>,
    /// The pod that holds it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub pod: Option<String>,
    /// What holds that pod, in a word.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub pod_reason: Option<&'static str>,
    /// Since when nobody needs it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub unneeded_since: Option<Timestamp>,
    /// When it can go at the earliest.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub removable_at: Option<Timestamp>,
    /// How far its removal has come, in a word.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub stage: Option<&'static str>,
    /// What its removal waits for.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub waits_for: Option<String>,
}

/// Speaks of the nodes of a pass, of many as quickly as of one.
#[derive(Debug)]
pub(crate) struct NodeTeller<'p> {
    pass: &'p Pass,
    owners: &'p BTreeMap<Symbol, Symbol>,
    leaving: BTreeMap<Symbol, &'p OpenRetirement>,
    planned: BTreeMap<Symbol, &'p Retirement>,
    removed: BTreeMap<Symbol, &'p Removal>,
    blocked: BTreeMap<Symbol, &'p Blocked>,
    unneeded: BTreeMap<Symbol, Timestamp>,
}

pub(super) fn explain(pass: &Pass, name: &str) -> Result<Explained, Unknown> {
    let nodes = &pass.seen.nodes;
    let Some(node) = nodes.iter().map(|node| node.name).find(|known| known.as_str() == name) else {
        return Err(near::unknown("node", name, nodes.iter().map(|node| node.name.as_str())));
    };
    let owners = owners(&pass.seen.groups);
    let (sentence, facts) = NodeTeller::new(pass, &owners).about(node);
    let kept = words::kept(&pass.plan, node).filter(|kept| !sentence.ends_with(kept.as_str()));
    let mut sentences = vec![sentence];
    sentences.extend(kept);
    if let Some(group) = facts.group
        && facts.state != "Leaving"
    {
        sentences.push(format!("it is of group {group}"));
    }
    Ok(Explained::new(pass, "node", name.to_owned(), sentences, Facts::Node(facts)))
}

// === impl NodeTeller ===

impl<'p> NodeTeller<'p> {
    pub(crate) fn new(pass: &'p Pass, owners: &'p BTreeMap<Symbol, Symbol>) -> Self {
        Self {
            pass,
            owners,
            leaving: pass.retirements.iter().map(|one| (one.node, one)).collect(),
            planned: pass.plan.retirements.iter().map(|one| (one.node, one)).collect(),
            removed: pass.plan.removals.iter().map(|one| (one.node, one)).collect(),
            blocked: pass.plan.blocked.iter().map(|one| (one.node, one)).collect(),
            unneeded: pass.plan.unneeded.iter().map(|one| (one.node, one.since)).collect(),
        }
    }

    /// A sentence about a node, and the same as data.
    pub(crate) fn about(&self, node: Symbol) -> (String, NodeFacts) {
        let pass = self.pass;
        let group = self.owners.get(&node).copied();
        let mut facts =
            NodeFacts { group: group.map(Symbol::as_str), state: "Kept", ..NodeFacts::default() };
        facts.unneeded_since = self.unneeded.get(&node).copied();
        if let Some(leaving) = self.leaving.get(&node) {
            facts.state = "Leaving";
            facts.stage = Some(leaving.stage);
            facts.waits_for = Some(leaving.waits_for.clone()).filter(|words| !words.is_empty());
            return (progress(leaving, pass.at), facts);
        }
        if let Some(leaving) = self.planned.get(&node) {
            facts.state = "Leaving";
            return (words::leaves(leaving), facts);
        }
        if let Some(removed) = self.removed.get(&node) {
            facts.state = "Leaving";
            return (words::removal(removed, pass.at), facts);
        }
        let blocked = self.blocked.get(&node).copied();
        if let Some(blocked) = blocked {
            facts.reason = Some(words::block_reason(blocked.reason).0);
            facts.pod = blocked.pod.as_ref().map(ToString::to_string);
            facts.pod_reason = blocked.pod_reason.map(|reason| words::pod_reason(reason).0);
        }
        let stays = blocked.map(|blocked| words::stays(blocked, &pass.plan, pass.at));
        let Some(since) = facts.unneeded_since else {
            return (stays.unwrap_or_else(|| format!("node {node} stays")), facts);
        };
        facts.state = "Unneeded";
        let found = group.and_then(|id| pass.seen.groups.iter().find(|group| group.id == id));
        let is_least = found.is_some_and(|group| group.target <= group.min);
        let reason = blocked.map(|blocked| blocked.reason);
        let held = if is_least { Some(BlockReason::NodeGroupMinSizeReached) } else { reason }
            .filter(|reason| *reason != BlockReason::NotUnneededLongEnough);
        let clock = |at| Clock { at, now: Some(pass.at) };
        let mut sentence = format!("node {node} is unneeded since {}", clock(since));
        if let Some(reason) = held {
            let _ = write!(sentence, "; it waits: {}", words::block_reason(reason).1);
        } else if let Some(at) = found.and_then(|group| removable_at(group, since)) {
            facts.removable_at = Some(at);
            let _ = write!(sentence, " and goes at {} if it stays so", clock(at));
        }
        (sentence, facts)
    }
}

fn removable_at(group: &Group, since: Timestamp) -> Option<Timestamp> {
    since.checked_add(group.options.unneeded_time).ok()
}

/// How far a node on its way out has come.
fn progress(leaving: &OpenRetirement, now: Timestamp) -> String {
    let OpenRetirement { node, group, why, stage, since, waits_for, .. } = leaving;
    let since = Clock { at: *since, now: Some(now) };
    let waits = if waits_for.is_empty() { String::new() } else { format!(", {waits_for}") };
    let stage = stage.to_lowercase();
    format!("node {node} of {group} has been leaving since {since}: {why} ({stage}{waits})")
}
