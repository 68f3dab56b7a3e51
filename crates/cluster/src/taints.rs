//! The marks that a node carries on its way out, as the upstream autoscaler writes them.

use jiff::Timestamp;
use k8s_openapi::api::core::v1::{Node, Taint};
use kube::{
    Api, Client,
    api::{Patch, PatchParams},
};
use serde_json::json;
use tracing::debug;

/// A mark of ours.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Mark {
    /// The node leaves: nothing new is put on it.
    Leaving,
    /// Nobody needs the node: the scheduler prefers others.
    Candidate,
}

/// What to do about a node's marks.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Marking {
    /// Put the mark on, with the moment as its value. One that is there already stays as it is.
    Put(Timestamp),
    /// Take the mark off.
    Take,
}

/// What to do about a taint that is advice to the scheduler.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Advice {
    /// Put it on.
    Given,
    /// Take it off.
    Withdrawn,
}

/// Whether the node is closed for new pods as well: `kubectl cordon`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Cordon {
    /// Close it.
    Close,
    /// Open it.
    Open,
    /// Leave it as it is.
    Keep,
}

/// What became of a change of marks.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Marked {
    /// It was written.
    Written,
    /// It was so already.
    Already,
    /// There is no such node.
    Gone,
}

/// The effect of a taint that is advice.
const SOFT: &str = "PreferNoSchedule";

/// How often a write is tried when somebody else was quicker.
const ATTEMPTS: usize = 5;

// === impl Mark ===

impl Mark {
    /// The taint's key.
    pub const fn key(self) -> &'static str {
        match self {
            Self::Leaving => "ToBeDeletedByClusterAutoscaler",
            Self::Candidate => "DeletionCandidateOfClusterAutoscaler",
        }
    }

    const fn effect(self) -> &'static str {
        match self {
            Self::Leaving => "NoSchedule",
            Self::Candidate => SOFT,
        }
    }

    /// When the mark was put on a node with these taints: the value is in seconds since 1970.
    pub fn since(self, taints: &[Taint]) -> Option<Timestamp> {
        let taint = taints.iter().find(|taint| taint.key == self.key())?;
        Timestamp::from_second(taint.value.as_ref()?.parse().ok()?).ok()
    }
}

/// Changes a node's marks. With a uid, another Node of that name is left as it is.
pub async fn mark(
    client: &Client,
    (node, uid): (&str, Option<&str>),
    mark: Mark,
    marking: Marking,
    cordon: Cordon,
) -> Result<Marked, kube::Error> {
    write(client, node, |found| {
        let is_it = uid.is_none() || found.metadata.uid.as_deref() == uid;
        is_it.then(|| change(found, mark, marking, cordon)).flatten()
    })
    .await
}

/// Puts the taint `key=value:PreferNoSchedule` on a node, or takes it off. Another value of that key gives way.
pub async fn advise(
    client: &Client,
    node: &str,
    (key, value): (&str, &str),
    advice: Advice,
) -> Result<Marked, kube::Error> {
    write(client, node, |found| advised(found, key, value, advice)).await
}

/// Writes to a node what `change` makes of it. A patch holds only for the version that it was made for; when somebody else was
/// quicker, it is made anew.
pub(crate) async fn write(
    client: &Client,
    node: &str,
    change: impl Fn(&Node) -> Option<serde_json::Value>,
) -> Result<Marked, kube::Error> {
    let api: Api<Node> = Api::all(client.clone());
    let mut attempts = 1;
    loop {
        let Some(found) = api.get_opt(node).await? else { return Ok(Marked::Gone) };
        let Some(patch) = change(&found) else { return Ok(Marked::Already) };
        match api.patch(node, &PatchParams::default(), &Patch::Merge(&patch)).await {
            Ok(_) => return Ok(Marked::Written),
            Err(kube::Error::Api(status)) if status.is_not_found() => return Ok(Marked::Gone),
            Err(kube::Error::Api(status)) if status.is_conflict() && attempts < ATTEMPTS => {
                debug!(node, "somebody else wrote to the node; trying again");
                attempts += 1;
            }
            Err(error) => return Err(error),
        }
    }
}

/// The patch that is needed, if any. It holds only for the version of the node that it was made for: taints are a list, and a
/// list is replaced whole.
fn change(node: &Node, mark: Mark, marking: Marking, cordon: Cordon) -> Option<serde_json::Value> {
    let spec = node.spec.as_ref();
    let taints = spec.and_then(|spec| spec.taints.as_deref()).unwrap_or_default();
    let closed = spec.and_then(|spec| spec.unschedulable).unwrap_or_default();
    let marked = taints.iter().any(|taint| taint.key == mark.key());
    let new_taints = match (marking, marked) {
        (Marking::Put(at), false) => Some(with(taints, mark, at)),
        (Marking::Take, true) => Some(without(taints, mark)),
        _ => None,
    };
    let new_closed = match (cordon, closed) {
        (Cordon::Close, false) => Some(true),
        (Cordon::Open, true) => Some(false),
        _ => None,
    };
    if new_taints.is_none() && new_closed.is_none() {
        return None;
    }
    let mut patch = json!({
        "metadata": { "resourceVersion": node.metadata.resource_version },
        "spec": {},
    });
    if let Some(taints) = new_taints {
        patch["spec"]["taints"] = json!(taints);
    }
    if let Some(closed) = new_closed {
        patch["spec"]["unschedulable"] = if closed { json!(true) } else { json!(null) };
    }
    Some(patch)
}

/// The patch that is needed for a taint of advice, if any.
fn advised(node: &Node, key: &str, value: &str, advice: Advice) -> Option<serde_json::Value> {
    let spec = node.spec.as_ref();
    let taints = spec.and_then(|spec| spec.taints.as_deref()).unwrap_or_default();
    let is_of_key = |taint: &&Taint| taint.key == key && taint.effect == SOFT;
    let is_it = |taint: &Taint| taint.value.as_deref().unwrap_or_default() == value;
    let is_there = taints.iter().filter(is_of_key).any(is_it);
    if is_there == (advice == Advice::Given) {
        return None;
    }
    let taint = Taint {
        key: key.to_owned(),
        value: Some(value.to_owned()),
        effect: SOFT.to_owned(),
        time_added: None,
    };
    let others = taints.iter().filter(|taint| !is_of_key(taint)).cloned();
    let taints: Vec<Taint> = match advice {
        Advice::Given => others.chain([taint]).collect(),
        Advice::Withdrawn => others.collect(),
    };
    Some(json!({
        "metadata": { "resourceVersion": node.metadata.resource_version },
        "spec": { "taints": taints },
    }))
}

fn with(taints: &[Taint], mark: Mark, at: Timestamp) -> Vec<Taint> {
    let taint = Taint {
        key: mark.key().to_owned(),
        value: Some(at.as_second().to_string()),
        effect: mark.effect().to_owned(),
        time_added: None,
    };
    taints.iter().cloned().chain([taint]).collect()
}

fn without(taints: &[Taint], mark: Mark) -> Vec<Taint> {
    taints.iter().filter(|taint| taint.key != mark.key()).cloned().collect()
}

#[cfg(test)]
mod tests;
