//! What happens, in sentences: one for the log and for the view.

use std::{collections::BTreeMap, fmt, time::Duration};

use plimsoll_cluster::evict::Eviction;
use plimsoll_control::engine::{News, Pass};
use plimsoll_model::{PodName, Symbol};
use plimsoll_plan::Repair;

use super::facts::machines;

/// Something that happened.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Line {
    /// Since the beginning.
    pub(super) at: Duration,
    pub(super) who: Actor,
    pub(super) what: String,
}

/// Who did it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Actor {
    /// What the demo does.
    Play,
    /// What the autoscaler decides.
    Plimsoll,
    /// What machines do.
    Cloud,
    /// What pods do.
    Cluster,
}

/// What groups grow for, by group and the size to which it grows: a group may grow twice before either order is told of.
pub(super) type Purposes = BTreeMap<(Symbol, u32), String>;

/// What the autoscaler tells, in words. `None` for what is of no interest to who watches. A purpose is told once.
pub(super) fn news(news: &News, purposes: &mut Purposes) -> Option<String> {
    Some(match news {
        News::Placed(order) => {
            let (from, to) = (order.intent.from, order.target());
            let (group, count) = (order.intent.group, machines(order.machines()));
            let purpose = purposes.remove(&(group, to)).unwrap_or_default();
            format!("orders {count} of {group} ({from} → {to}){purpose}")
        }
        News::OrderFailed { order, .. } => {
            let (count, group) = (machines(order.machines()), order.intent.group);
            purposes.remove(&(group, order.target()));
            let message = if order.message.is_empty() { "refused" } else { &order.message };
            format!("does not get {count} of {group}: {message}; looks elsewhere")
        }
        News::OrderUnwritten { why } => format!("cannot write an order down: {why}"),
        News::ScaleUpHeldBack { group, machines, why } => {
            format!("holds back a scale-up of {group} by {machines}: {why}")
        }
        News::Repaired(repair) => repaired(repair),
        News::RepairFailed { message, .. } => format!("could not put a machine right: {message}"),
        News::Evicted { node, pod, outcome: Eviction::Accepted, .. } => {
            format!("evicts {} from {node}", pod.name)
        }
        News::Evicted { pod, outcome: Eviction::Blocked { why }, .. } => {
            format!("waits to evict {}: {why}", pod.name)
        }
        News::Evicted { .. } => return None,
        News::Leaving(retirement) => {
            format!("gives back {}: {}", retirement.node, retirement.why)
        }
        News::Gone(retirement) => format!("has given back {}", retirement.node),
        News::Released { retirement, why } => format!("keeps {} after all: {why}", retirement.node),
        News::Cleaned(node) => format!("takes a mark off {node} that nobody explains"),
    })
}

/// What groups grow for by this pass.
pub(super) fn purposes(pass: &Pass) -> Purposes {
    let replacement = pass.memory.replacement.as_ref();
    let bought = pass.plan.purchases.iter().filter_map(|bought| {
        let (group, to) = (bought.group, bought.to);
        if !bought.pods.is_empty() {
            return Some(((group, to), format!(" for {}", crowd(&bought.pods))));
        }
        let replacement = replacement.filter(|one| one.groups.contains_key(&group))?;
        let nodes: Vec<&str> = replacement.nodes.iter().map(|node| node.as_str()).collect();
        Some(((group, to), format!(" to replace {}", nodes.join(", "))))
    });
    let raised = pass.plan.repairs.iter().filter_map(|repair| match repair {
        Repair::RaiseToMin { group, to, .. } => Some(((*group, *to), ", its minimum".to_owned())),
        _ => None,
    });
    raised.chain(bought).collect()
}

/// Pods by what they belong to: `16 pods of web`.
fn crowd(pods: &[PodName]) -> String {
    let mut counts: BTreeMap<&str, usize> = BTreeMap::new();
    for pod in pods {
        *counts.entry(stem(&pod.name)).or_default() += 1;
    }
    let counts: Vec<String> = counts
        .into_iter()
        .map(|(stem, count)| format!("{count} pod{} of {stem}", if count == 1 { "" } else { "s" }))
        .collect();
    counts.join(", ")
}

/// What a pod belongs to: its name without what was put behind it, of a Deployment or of a Job.
pub(super) fn stem(pod: &str) -> &str {
    let owner = pod.rsplit_once('-').map_or(pod, |(owner, _)| owner);
    match owner.rsplit_once('-') {
        Some((deployment, hash)) if hash.len() >= 5 => deployment,
        _ => owner,
    }
}

fn repaired(repair: &Repair) -> String {
    match repair {
        Repair::DeleteInstance { group, instance, why } => {
            format!("deletes {instance} of {group}: {why}")
        }
        Repair::LowerTarget { group, to, why, .. } => format!("wants only {to} of {group}: {why}"),
        Repair::RaiseToMin { group, from, to } => {
            format!("raises {group} to its minimum ({from} → {to})")
        }
    }
}

// === impl Line ===

impl fmt::Display for Line {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let seconds = self.at.as_secs_f64();
        write!(f, "{seconds:6.1}s  {:<8}  {}", self.who.name(), self.what)
    }
}

// === impl Actor ===

impl Actor {
    pub(super) fn name(self) -> &'static str {
        match self {
            Self::Play => "play",
            Self::Plimsoll => "plimsoll",
            Self::Cloud => "cloud",
            Self::Cluster => "cluster",
        }
    }
}

#[cfg(test)]
mod tests;
