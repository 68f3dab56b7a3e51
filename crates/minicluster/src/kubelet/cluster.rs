//! What kubelets need of an API server.

use async_trait::async_trait;
use futures::stream::BoxStream;
use serde_json::Value;
use thiserror::Error;

/// Nodes.
pub(super) const NODES: Collection = Collection { group: "", version: "v1", plural: "nodes" };
/// Pods.
pub(super) const PODS: Collection = Collection { group: "", version: "v1", plural: "pods" };
/// Leases.
pub(super) const LEASES: Collection =
    Collection { group: "coordination.k8s.io", version: "v1", plural: "leases" };

/// A kind of objects, as paths name it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Collection {
    /// The group; empty for the core.
    pub group: &'static str,
    /// The version.
    pub version: &'static str,
    /// The plural.
    pub plural: &'static str,
}

/// What is there.
pub struct Listing {
    /// The objects. One after the other, because as trees they are large.
    pub items: Box<dyn Iterator<Item = Value> + Send>,
    /// From where a watch can go on.
    pub version: String,
}

/// What a watch tells.
#[derive(Clone, Debug, PartialEq)]
pub enum Event {
    /// The object is there, in this state.
    Put(Value),
    /// The object is gone.
    Gone(Value),
}

/// The cluster did not do what it was asked.
#[derive(Clone, Debug, Error, PartialEq, Eq)]
#[error("{message}")]
pub struct ClusterError {
    /// The HTTP status; 0 if there was no answer.
    pub code: u16,
    /// What it said.
    pub message: String,
}

/// An API server, in this process or elsewhere.
///
/// Errors: 404 and 409 mean what they mean in Kubernetes; after anything else the same call may be tried again later.
#[async_trait]
pub trait Cluster: Send + Sync + 'static {
    /// All objects that the field selector selects.
    async fn list(&self, of: Collection, fields: &str) -> Result<Listing, ClusterError>;

    /// What happens to them after `version`. An error ends the stream.
    async fn watch(
        &self,
        of: Collection,
        fields: &str,
        version: &str,
    ) -> Result<BoxStream<'static, Result<Event, ClusterError>>, ClusterError>;

    /// Makes an object.
    async fn create(
        &self,
        of: Collection,
        namespace: &str,
        body: Value,
    ) -> Result<Value, ClusterError>;

    /// Changes an object, or its status, by a strategic merge patch.
    async fn patch(&self, of: Collection, at: At<'_>, body: Value) -> Result<Value, ClusterError>;

    /// Deletes an object; `options` is a `DeleteOptions`.
    async fn delete(&self, of: Collection, at: At<'_>, options: Value) -> Result<(), ClusterError>;
}

/// Which object, and what of it.
#[derive(Clone, Copy, Debug)]
pub struct At<'a> {
    /// The namespace; empty for kinds of the cluster.
    pub namespace: &'a str,
    /// The name.
    pub name: &'a str,
    /// Whether its status is meant, and not the object.
    pub part: Part,
}

/// What of an object is meant.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Part {
    /// The object without its status.
    Whole,
    /// The status.
    Status,
}

// === impl ClusterError ===

impl ClusterError {
    /// There was no answer, or one that makes no sense.
    pub fn unanswered(message: impl Into<String>) -> Self {
        Self { code: 0, message: message.into() }
    }
}

impl std::fmt::Debug for Listing {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Listing").field("version", &self.version).finish_non_exhaustive()
    }
}
