//! Node objects: a last look at one, taking one away whose machine is gone, and closing a new one until it is whole.

use jiff::Timestamp;
use k8s_openapi::api::core::v1::Node;
use kube::{
    Api, Client, ResourceExt as _,
    api::{DeleteParams, GetParams, ListParams, Preconditions},
    core::Request,
};
use plimsoll_provider::NodeIdentity;
use serde::de::Error as _;
use serde_json::{Value, json};

use crate::taints::{self, Marked};

/// The annotation on a node that we closed because it is new: since when, in seconds since 1970, or [`OPENED`].
pub const HELD_BACK: &str = "plimsoll.dev/held-back";

/// The annotation's value once the node has been opened: it is not new any more.
const OPENED: &str = "opened";

/// The annotation of a node that is not to be removed, if it is `true`.
const KEEP: &str = "cluster-autoscaler.kubernetes.io/scale-down-disabled";

/// A node as the API server has it at this moment: what a last look before a deletion goes by.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LiveNode {
    /// `metadata.uid`, which tells the node from another that had its name.
    pub uid: Box<str>,
    /// `spec.providerID`; empty when the node does not say.
    pub provider_id: Box<str>,
    /// Somebody does not want the node to be removed. The same as `model::Node::keep`.
    pub keep: bool,
    /// What its provider may know it by.
    pub identity: NodeIdentity,
}

/// How many nodes are asked for at once.
const PAGE: u32 = 500;

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

// === impl LiveNode ===

impl LiveNode {
    /// An answer that is not a node, or does not say which one, is an error: taken for a node it would be one that nobody wants.
    fn read(node: &Value) -> Result<Self, kube::Error> {
        let uid = node.pointer("/metadata/uid").and_then(Value::as_str).unwrap_or_default();
        if node["kind"] != "Node" || uid.is_empty() {
            let problem = serde_json::Error::custom("the API server's answer is not a Node");
            return Err(kube::Error::SerdeError(problem));
        }
        let provider_id = node.pointer("/spec/providerID").and_then(Value::as_str);
        Ok(Self {
            uid: uid.into(),
            provider_id: provider_id.unwrap_or_default().into(),
            keep: node["metadata"]["annotations"][KEEP] == "true",
            identity: identity(node),
        })
    }
}

/// What a provider may know a Node by: whatever of it can be read.
pub(crate) fn identity(node: &Value) -> NodeIdentity {
    let text = |value: Option<&Value>| {
        value.and_then(Value::as_str).map(ToOwned::to_owned).unwrap_or_default()
    };
    let pairs = |pointer: &str| {
        let pairs = node.pointer(pointer).and_then(Value::as_object).into_iter().flatten();
        pairs.filter_map(|(key, value)| Some((key.clone(), value.as_str()?.to_owned()))).collect()
    };
    let addresses = node.pointer("/status/addresses").and_then(Value::as_array);
    NodeIdentity {
        name: text(node.pointer("/metadata/name")),
        provider_id: text(node.pointer("/spec/providerID")),
        labels: pairs("/metadata/labels"),
        annotations: pairs("/metadata/annotations"),
        addresses: addresses
            .into_iter()
            .flatten()
            .filter_map(|address| Some(address.get("address")?.as_str()?.to_owned()))
            .collect(),
    }
}

/// The Node of this name as of now, whatever the rest of it looks like; `None` if the API server has none.
pub async fn live_node(client: &Client, name: &str) -> Result<Option<LiveNode>, kube::Error> {
    let request = Request::new("/api/v1/nodes").get(name, &GetParams::default());
    match client.request::<Value>(request.map_err(kube::Error::BuildRequest)?).await {
        Ok(node) => LiveNode::read(&node).map(Some),
        Err(kube::Error::Api(status)) if status.is_not_found() => Ok(None),
        Err(error) => Err(error),
    }
}

/// The first Node that says at this moment that it is this machine: by its providerID, or by a label, as nodes of some
/// infrastructures do. Answers are read leniently, so that no Node can fail to be looked at.
pub async fn claimant(client: &Client, machine: &str) -> Result<Option<String>, kube::Error> {
    let mut wanted = ListParams::default().limit(PAGE);
    loop {
        let request = Request::new("/api/v1/nodes").list(&wanted);
        let page: Value = client.request(request.map_err(kube::Error::BuildRequest)?).await?;
        if page["kind"] != "NodeList" {
            let problem = serde_json::Error::custom("the API server's answer is not a NodeList");
            return Err(kube::Error::SerdeError(problem));
        }
        let nodes = page["items"].as_array().into_iter().flatten();
        if let Some(node) = nodes.into_iter().find(|node| claims(node, machine)) {
            return Ok(Some(node["metadata"]["name"].as_str().unwrap_or_default().to_owned()));
        }
        match page.pointer("/metadata/continue").and_then(Value::as_str) {
            Some(token) if !token.is_empty() => wanted = wanted.continue_token(token),
            _ => return Ok(None),
        }
    }
}

fn claims(node: &Value, machine: &str) -> bool {
    let labels = node.pointer("/metadata/labels").and_then(Value::as_object);
    node.pointer("/spec/providerID").is_some_and(|id| id == machine)
        || labels.is_some_and(|labels| labels.values().any(|value| value == machine))
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
    fn a_live_node_is_read_whatever_else_it_says() {
        let mut node = json!({
            "kind": "Node",
            "metadata": { "name": "n", "uid": "u", "annotations": { KEEP: "true" } },
            "spec": { "providerID": "simulated://n", "taints": [{ "effect": "FromTheFuture" }] },
            "status": { "allocatable": { "memory": "1e30" } },
        });
        let read = LiveNode::read(&node).unwrap();
        assert_eq!((&*read.uid, &*read.provider_id, read.keep), ("u", "simulated://n", true));
        node["metadata"]["annotations"][KEEP] = json!("false");
        node["spec"] = json!(null);
        let read = LiveNode::read(&node).unwrap();
        assert_eq!((&*read.provider_id, read.keep), ("", false));
        node["metadata"]["uid"] = json!(null);
        assert!(LiveNode::read(&node).is_err(), "a node without a uid could be any");
        assert!(LiveNode::read(&json!({ "kind": "Status" })).is_err());
    }

    #[test]
    fn a_node_claims_a_machine_by_its_id_or_by_a_label() {
        let node = json!({
            "metadata": { "labels": { "stackpoint.io/instance_id": "spc-1" } },
            "spec": { "providerID": "cloud://a" },
        });
        assert!(claims(&node, "cloud://a") && claims(&node, "spc-1"));
        assert!(!claims(&node, "cloud://b") && !claims(&json!({}), "cloud://a"));
    }

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
