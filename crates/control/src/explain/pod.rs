//! A pod: what becomes of it, and what each group has against it.

use plimsoll_model::{Pod, PodName};
use plimsoll_plan::{PodReport, words};
use serde::Serialize;

use super::{Explained, Facts, Unknown, near};
use crate::engine::Pass;

/// A pod as data.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct PodFacts {
    /// What becomes of it: `NoGroupFits`, `TriggeredScaleUp`, …; `Running` for one that has a node and stays there.
    pub outcome: &'static str,
    /// The group that grows for it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub group: Option<&'static str>,
    /// The node that it is on, or that takes it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub node: Option<String>,
    /// What each group has against it.
    pub rejections: Vec<RejectionFacts>,
}

/// What a group has against a pod.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct RejectionFacts {
    /// The group.
    pub group: &'static str,
    /// Its reason in a word.
    pub reason: &'static str,
    /// Its reason in words.
    pub message: String,
}

pub(super) fn explain(pass: &Pass, name: &str) -> Result<Explained, Unknown> {
    let reports = pass.plan.pods.iter();
    let running = pass.world.iter().flat_map(|world| &world.pods);
    let evicted = pass.plan.retirements.iter().flat_map(|leaving| &leaving.evict);
    let mut known: Vec<PodName> = reports.map(|report| report.pod.clone()).collect();
    known.extend(evicted.cloned());
    known.extend(running.map(Pod::id));
    known.sort_unstable();
    known.dedup();
    let pod = find(&known, name)?;
    if let Some(report) = pass.plan.pods.iter().find(|report| report.pod == pod) {
        return Ok(waiting(pass, report));
    }
    let leaving = pass.plan.retirements.iter().find(|leaving| leaving.evict.contains(&pod));
    let found = pass.world.iter().flat_map(|world| &world.pods).find(|known| known.id() == pod);
    let node = found.and_then(|pod| pod.node).or_else(|| leaving.map(|leaving| leaving.node));
    let has_ended = found.is_some_and(Pod::has_ended);
    let (outcome, sentence) = match (leaving, node) {
        (Some(leaving), _) => {
            ("Evicted", format!("pod {pod} is evicted: {}", words::leaves(leaving)))
        }
        (None, Some(node)) if has_ended => ("Ended", format!("pod {pod} has ended on {node}")),
        (None, Some(node)) => ("Running", format!("pod {pod} is on {node} and stays there")),
        (None, None) => ("Ended", format!("pod {pod} has ended")),
    };
    let node = node.map(|node| node.to_string());
    let facts = Facts::Pod(PodFacts { outcome, node, ..PodFacts::default() });
    Ok(Explained::new(pass, "pod", pod.to_string(), vec![sentence], facts))
}

/// The pod of this name; without a namespace, the only one, or the one of `default`.
fn find(known: &[PodName], name: &str) -> Result<PodName, Unknown> {
    let is_called = |pod: &&PodName| match name.split_once('/') {
        Some((namespace, name)) => pod.namespace.as_str() == namespace && &*pod.name == name,
        None => &*pod.name == name,
    };
    let found: Vec<&PodName> = known.iter().filter(is_called).collect();
    match found.as_slice() {
        [pod] => Ok((*pod).clone()),
        [] => {
            let names: Vec<String> = known
                .iter()
                .map(|pod| if name.contains('/') { pod.to_string() } else { pod.name.to_string() })
                .collect();
            Err(near::unknown("pod", name, names.iter().map(String::as_str)))
        }
        several => match several.iter().find(|pod| pod.namespace.as_str() == "default") {
            Some(pod) => Ok((*pod).clone()),
            None => Err(Unknown {
                kind: "pod",
                name: name.to_owned(),
                nearest: several.iter().map(ToString::to_string).collect(),
            }),
        },
    }
}

/// A pod without a node. Every group has its line.
fn waiting(pass: &Pass, report: &PodReport) -> Explained {
    let now = Some(pass.at);
    let message = |reason| words::Reason { reason, now }.to_string();
    let mut sentences = vec![words::pod(report)];
    let names = report.rejections.iter().map(|rejection| rejection.group.as_str().chars().count());
    let width = names.max().unwrap_or_default();
    for rejection in report.rejections.iter() {
        let (group, why) = (rejection.group, message(&rejection.reason));
        sentences.push(format!("  {group:width$}  {why}"));
    }
    let rejections = report.rejections.iter().map(|rejection| RejectionFacts {
        group: rejection.group.as_str(),
        reason: words::reason_name(&rejection.reason),
        message: message(&rejection.reason),
    });
    let facts = Facts::Pod(PodFacts {
        outcome: words::outcome_name(report.outcome),
        group: report.group.map(plimsoll_model::Symbol::as_str),
        node: report.node.map(|node| node.to_string()),
        rejections: rejections.collect(),
    });
    Explained::new(pass, "pod", report.pod.to_string(), sentences, facts)
}
