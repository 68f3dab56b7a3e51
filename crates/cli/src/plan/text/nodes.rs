//! Nodes that stay, and why.

use std::collections::BTreeMap;

use plimsoll_plan::{
    BlockReason, Blocked, PodBlockReason,
    words::{self, block_reason, pod_reason},
};

use super::Story;

/// Of more nodes than this only the first are named.
const MOST_NAMED: usize = 4;

/// More nodes than this that pods hold in the same way are spoken of together.
const MOST_SENTENCES: usize = 8;

/// A sentence for each node that a pod holds, and one for all nodes that stay for another reason.
pub(in crate::plan) fn lines(story: &Story<'_>) -> Vec<String> {
    let mut alike: BTreeMap<(BlockReason, Option<PodBlockReason>), Vec<&Blocked>> = BTreeMap::new();
    for blocked in &story.plan.blocked {
        alike.entry((blocked.reason, blocked.pod_reason)).or_default().push(blocked);
    }
    let mut lines = Vec::new();
    for ((reason, held), nodes) in alike {
        let tells_more = nodes.iter().any(|blocked| blocked.pod.is_some());
        if nodes.len() == 1 || (tells_more && nodes.len() <= MOST_SENTENCES) {
            lines.extend(nodes.iter().map(|blocked| sentence(story, blocked)));
            continue;
        }
        let names: Vec<&str> = nodes.iter().map(|blocked| blocked.node.as_str()).collect();
        let held = held.map_or(String::new(), |held| format!(", {}", pod_reason(held).1));
        let why = block_reason(reason).1;
        lines.push(format!("{} nodes stay: {why}{held} ({})", names.len(), named(&names)));
    }
    lines
}

/// Why one node stays.
pub(in crate::plan) fn sentence(story: &Story<'_>, blocked: &Blocked) -> String {
    words::stays(blocked, story.plan, story.world.now)
}

/// The first names of a list.
pub(in crate::plan) fn named(names: &[&str]) -> String {
    match names.get(..MOST_NAMED) {
        Some(first) if names.len() > MOST_NAMED => format!("{} …", first.join(", ")),
        _ => names.join(", "),
    }
}
