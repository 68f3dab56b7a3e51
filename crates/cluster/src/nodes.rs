//! Node objects: taking one away whose machine is gone, and closing a new one until it is whole.

use jiff::Timestamp;
use k8s_openapi::api::core::v1::Node;
use kube::{
    Api, Client, ResourceExt as _,
    api::{DeleteParams, Preconditions},
};
use serde_json::{Value, json};

use crate::taints::{self, Marked};

/// The annotation on a node that we closed because it is new: since when, in seconds since 1970, or [`OPENED`].
pub const HELD_BACK: &str = "plimsoll.dev/held-back";

/// The annotation's value once the node has been opened: it is not new any more.
const OPENED: &str = "opened";

/// Whether a node is held back.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Hold {
    /// Nobody has looked at it yet.
    Never,
    /// We closed it.
    Since(Timestamp),
    /// It has been opened since.
    Opened,
}

// === impl Hold ===

impl Hold {
    /// What the annotation of a node says.
    pub fn read(annotation: Option<&str>) -> Self {
        let Some(text) = annotation else { return Self::Never };
        let since = text.parse().ok().and_then(|seconds| Timestamp::from_second(seconds).ok());
        since.map_or(Self::Opened, Self::Since)
    }
}

/// Deletes the Node of this uid. One that is gone, or has been replaced by another of its name, is left as it is.
pub async fn delete(client: &Client, name: &str, uid: &str) -> Result<(), kube::Error> {
    let api: Api<Node> = Api::all(client.clone());
    let parameters = DeleteParams {
        preconditions: Some(Preconditions { uid: Some(uid.to_owned()), resource_version: None }),
        ..DeleteParams::default()
    };
    match api.delete(name, &parameters).await {
        Ok(_) => Ok(()),
        Err(kube::Error::Api(status)) if status.is_not_found() || status.is_conflict() => Ok(()),
        Err(error) => Err(error),
    }
}

/// Closes a new node. One that somebody has closed already is left to them.
pub async fn hold(client: &Client, name: &str, now: Timestamp) -> Result<Marked, kube::Error> {
    taints::write(client, name, |node| close(node, now)).await
}

/// Opens a node that was held back.
pub async fn open(client: &Client, name: &str) -> Result<Marked, kube::Error> {
    taints::write(client, name, reopen).await
}

fn close(node: &Node, now: Timestamp) -> Option<Value> {
    let is_new = hold_of(node) == Hold::Never && !is_closed(node);
    is_new.then(|| {
        json!({
            "metadata": {
                "resourceVersion": node.metadata.resource_version,
                "annotations": { HELD_BACK: now.as_second().to_string() },
            },
            "spec": { "unschedulable": true },
        })
    })
}

fn reopen(node: &Node) -> Option<Value> {
    let held = matches!(hold_of(node), Hold::Since(_));
    held.then(|| {
        json!({
            "metadata": {
                "resourceVersion": node.metadata.resource_version,
                "annotations": { HELD_BACK: OPENED },
            },
            "spec": { "unschedulable": null },
        })
    })
}

fn hold_of(node: &Node) -> Hold {
    Hold::read(node.annotations().get(HELD_BACK).map(String::as_str))
}

fn is_closed(node: &Node) -> bool {
    node.spec.as_ref().and_then(|spec| spec.unschedulable).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_new_node_is_closed_once_and_opened_once() {
        let node = |annotation: Option<&str>, closed: bool| -> Node {
            let annotations = annotation.map(|text| json!({ HELD_BACK: text }));
            let metadata = json!({ "resourceVersion": "7", "annotations": annotations });
            let node = json!({ "metadata": metadata, "spec": { "unschedulable": closed } });
            serde_json::from_value(node).unwrap()
        };
        let now = Timestamp::constant(1_800_000_000, 0);
        let patch = close(&node(None, false), now).unwrap();
        assert_eq!(patch["spec"], json!({ "unschedulable": true }));
        assert_eq!(patch["metadata"]["resourceVersion"], "7");
        let text = patch["metadata"]["annotations"][HELD_BACK].as_str();
        assert_eq!(Hold::read(text), Hold::Since(now));
        assert_eq!(close(&node(None, true), now), None, "somebody else closed it");
        assert_eq!(close(&node(text, true), now), None);
        assert_eq!(reopen(&node(None, true)), None, "somebody else closed it");
        let patch = reopen(&node(text, true)).unwrap();
        assert_eq!(patch["spec"], json!({ "unschedulable": null }));
        let text = patch["metadata"]["annotations"][HELD_BACK].as_str();
        assert_eq!(Hold::read(text), Hold::Opened);
        assert_eq!((close(&node(text, false), now), reopen(&node(text, true))), (None, None));
    }
}
