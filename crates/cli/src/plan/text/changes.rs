//! What is bought, put right and given back.

use plimsoll_model::Replacement;
use plimsoll_plan::{
    Purchase, Retirement, RetirementReason,
    words::{self, Count, retirement_words},
};

use super::{Story, nodes::named};
use crate::plan::{crowd::Listed, full_name};

/// A sentence for each group that grows.
pub(in crate::plan) fn purchases(story: &Story<'_>) -> Vec<String> {
    let purchases = story.plan.purchases.iter();
    purchases
        .map(|bought| {
            let added = usize::try_from(bought.to - bought.from).unwrap_or(usize::MAX);
            let (group, from, to) = (bought.group, bought.from, bought.to);
            let added = Count(added, "node");
            format!("scale up {group} by {added} ({from} → {to}) {}", purpose(story, bought))
        })
        .collect()
}

/// What a purchase is for: the pods that wait for it, or what else it serves.
pub(in crate::plan) fn purpose(story: &Story<'_>, bought: &Purchase) -> String {
    let crowds = story.stems.crowds(full_name::sorted(&bought.pods));
    if !crowds.is_empty() {
        return format!("for {}", Listed(&crowds));
    }
    let begun = |one: &&Replacement| one.at == story.world.now;
    let replacement = story.plan.memory.replacement.as_ref().filter(begun);
    if let Some(replacement) = replacement.filter(|one| one.groups.contains_key(&bought.group)) {
        let nodes: Vec<&str> = replacement.nodes.iter().map(|node| node.as_str()).collect();
        return format!("to replace {}: drained once the new nodes are ready", named(&nodes));
    }
    match words::kept_by_growth(story.plan, bought.group) {
        kept if kept.is_empty() => "for pods whose nodes are leaving".to_owned(),
        kept => format!("to keep room for {}", kept.join(" and ")),
    }
}

/// A sentence for each repair.
pub(in crate::plan) fn repairs(story: &Story<'_>) -> Vec<String> {
    story.plan.repairs.iter().map(words::repair).collect()
}

/// A sentence for each node that goes, or for many that go alike.
pub(in crate::plan) fn retirements(story: &Story<'_>) -> Vec<String> {
    let mut empty: Vec<(&str, Vec<&str>)> = Vec::new();
    let mut lines = Vec::new();
    for leaving in &story.plan.retirements {
        if leaving.why != RetirementReason::Empty || !leaving.evict.is_empty() {
            lines.push(retirement(story, leaving));
            continue;
        }
        let group = leaving.group.as_str();
        match empty.iter_mut().find(|(known, _)| *known == group) {
            Some((_, nodes)) => nodes.push(leaving.node.as_str()),
            None => empty.push((group, vec![leaving.node.as_str()])),
        }
    }
    let empty = empty.into_iter().map(|(group, nodes)| match nodes.as_slice() {
        [node] => {
            format!(
                "node {node} of {group} goes: {}",
                retirement_words(RetirementReason::Empty, false)
            )
        }
        nodes => {
            let why = retirement_words(RetirementReason::Empty, true);
            format!("{} nodes of {group} go: {why} ({})", nodes.len(), named(nodes))
        }
    });
    empty.chain(lines).collect()
}

pub(in crate::plan) fn retirement(story: &Story<'_>, leaving: &Retirement) -> String {
    let what = words::leaves(leaving);
    let crowds = story.stems.crowds(full_name::sorted(&leaving.evict));
    if crowds.is_empty() { what } else { format!("{what}; evicts {}", Listed(&crowds)) }
}
