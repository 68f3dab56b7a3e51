//! What runs on a node at this moment, asked of the API server and not of what was watched.
//!
//! The last look before a machine is deleted. It must not depend on the watches, which may be behind, nor on what we can read of a pod:
//! answers are taken as JSON, and only names and marks are read out of them, each by itself. What has another form than expected
//! counts as a pod that somebody needs.

use std::time::Duration;

use kube::{Client, api::ListParams, core::Request};
use serde::de::Error as _;
use serde_json::Value;
use tokio::time::timeout;

/// How many pods are asked for at once. Few nodes may run more.
const PAGE: u32 = 500;

/// How long the API server gets for the whole answer. A connection that begins an answer and freezes must not hold up the caller for ever.
const PATIENCE: Duration = Duration::from_secs(30);

/// The annotation of the image of a static pod.
const MIRROR: &str = "kubernetes.io/config.mirror";

/// The annotation of a pod that is to be treated as one of a DaemonSet, if it is `true`.
const DAEMON: &str = "cluster-autoscaler.kubernetes.io/daemonset-pod";

/// A pod that has not ended, as the API server has it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LivePod {
    /// `metadata.namespace`.
    pub namespace: Box<str>,
    /// `metadata.name`.
    pub name: Box<str>,
    /// `metadata.uid`, which tells the pod from another that had its name.
    pub uid: Box<str>,
    /// Whether somebody would miss the pod if its node went.
    pub kind: LiveKind,
    /// Its deletion has been asked for, and it still runs.
    pub is_ending: bool,
}

/// Whether somebody would miss a pod if its node went. The same distinction as `model::Pod::is_mirror` and `is_daemon` make.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LiveKind {
    /// It does work that is lost, or has to be done elsewhere.
    Workload,
    /// It belongs to a DaemonSet, or says that it is to be treated so: it is there for the node.
    Daemon,
    /// The image of a static pod: the node's own.
    Mirror,
}

/// The pods of a node that have not ended, as of now: a list that is served from the API server's store and never from a cache of
/// ours. It is complete or an error. A phase that we do not know counts as not ended.
pub async fn on_node(client: &Client, node: &str) -> Result<Vec<LivePod>, kube::Error> {
    timeout(PATIENCE, list(client, node)).await.unwrap_or_else(|_| {
        let seconds = PATIENCE.as_secs();
        let problem = format!("the API server did not list the pods of node {node} in {seconds} s");
        Err(kube::Error::Service(problem.into()))
    })
}

async fn list(client: &Client, node: &str) -> Result<Vec<LivePod>, kube::Error> {
    let fields = format!("spec.nodeName={node},status.phase!=Succeeded,status.phase!=Failed");
    let mut wanted = ListParams::default().fields(&fields).limit(PAGE);
    let mut pods = Vec::new();
    loop {
        let request = Request::new("/api/v1/pods").list(&wanted);
        let mut page: Value = client.request(request.map_err(kube::Error::BuildRequest)?).await?;
        pods.extend(items(&mut page)?.iter().map(LivePod::read));
        match page.pointer("/metadata/continue").and_then(Value::as_str) {
            Some(token) if !token.is_empty() => wanted = wanted.continue_token(token),
            _ => return Ok(pods),
        }
    }
}

/// The entries of a list of pods. An answer that is no list of pods is an error: taken for an empty list it would cost a machine.
fn items(page: &mut Value) -> Result<Vec<Value>, kube::Error> {
    let refuse = |what: &str| Err(kube::Error::SerdeError(serde_json::Error::custom(what)));
    if page["kind"] != "PodList" {
        return refuse("the API server's answer is not a PodList");
    }
    match page.get_mut("items").map(Value::take) {
        Some(Value::Array(items)) => Ok(items),
        // What an API server writes for a list without entries that it has not filled at all.
        Some(Value::Null) => Ok(Vec::new()),
        _ => refuse("the API server's PodList has no list of items"),
    }
}

// === impl LivePod ===

impl LivePod {
    fn read(pod: &Value) -> Self {
        let metadata = &pod["metadata"];
        let text = |field: &str| metadata[field].as_str().unwrap_or_default().into();
        Self {
            namespace: text("namespace"),
            name: text("name"),
            uid: text("uid"),
            kind: LiveKind::of(metadata),
            is_ending: !metadata["deletionTimestamp"].is_null(),
        }
    }
}

// === impl LiveKind ===

impl LiveKind {
    fn of(metadata: &Value) -> Self {
        let annotations = &metadata["annotations"];
        let owners = metadata["ownerReferences"].as_array();
        // An object has one controller at most.
        let controller = owners.into_iter().flatten().find(|owner| owner["controller"] == true);
        if !annotations[MIRROR].is_null() {
            Self::Mirror
        } else if annotations[DAEMON] == "true"
            || controller.is_some_and(|owner| owner["kind"] == "DaemonSet")
        {
            Self::Daemon
        } else {
            Self::Workload
        }
    }
}

#[cfg(test)]
mod tests;
