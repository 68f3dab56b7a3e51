//! Events on objects of the cluster, as `kubectl describe` shows them.
//!
//! What is worth an event is decided elsewhere; here it is written. The same thing said again of the same object raises the count
//! of the event that is there, also after a restart: an event's name follows from what it says.

use std::{
    hash::{Hash as _, Hasher as _},
    time::Duration,
};

use jiff::Timestamp;
use k8s_openapi::{
    api::core::v1::{Event as Written, EventSource, ObjectReference},
    apimachinery::pkg::apis::meta::v1::Time,
};
use kube::{
    Api, Client,
    api::{ObjectMeta, Patch, PatchParams, PostParams},
};
use plimsoll_model::{PodName, Symbol};
use rustc_hash::FxHasher;
use serde_json::json;
use thiserror::Error;
use tokio::time::timeout;

/// Who says it: tools that look for the upstream autoscaler's events find ours.
const COMPONENT: &str = "cluster-autoscaler";

/// The API server takes no longer messages.
const LONGEST: usize = 1024;

/// Objects without a namespace have their events here.
const NOWHERE: &str = "default";

/// An event is not worth waiting longer for.
const PATIENCE: Duration = Duration::from_secs(10);

/// Something worth telling about an object.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Event {
    /// About what.
    pub about: About,
    /// How bad it is.
    pub level: Level,
    /// A word for programs.
    pub reason: &'static str,
    /// Words for people.
    pub message: String,
}

/// The object that an event is about.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum About {
    /// A pod.
    Pod {
        /// Which.
        name: PodName,
        /// Its uid, if known.
        uid: Option<Box<str>>,
    },
    /// A node.
    Node {
        /// Which.
        name: Symbol,
        /// Its uid, if known.
        uid: Option<Box<str>>,
    },
    /// The status ConfigMap: what concerns the cluster or a group.
    Status,
}

/// How bad it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Level {
    /// Nothing to worry about.
    Normal,
    /// Somebody may want to look.
    Warning,
}

/// Writes events.
#[derive(Clone)]
pub struct Journal {
    client: Client,
    host: String,
    namespace: String,
    status_name: String,
}

/// An event was not written.
#[derive(Debug, Error)]
pub enum JournalError {
    /// The API server refused, or could not be reached.
    #[error("cannot write an event: {0}")]
    Refused(#[from] Box<kube::Error>),
    /// The API server did not answer.
    #[error("cannot write an event: no answer within {} s", PATIENCE.as_secs())]
    Slow,
}

// === impl Level ===

impl Level {
    const fn name(self) -> &'static str {
        match self {
            Self::Normal => "Normal",
            Self::Warning => "Warning",
        }
    }
}

// === impl Journal ===

impl Journal {
    /// Writes as `host`. What is about the status is about this ConfigMap.
    pub fn new(client: Client, host: &str, namespace: &str, status_name: &str) -> Self {
        let [host, namespace, status_name] = [host, namespace, status_name].map(str::to_owned);
        Self { client, host, namespace, status_name }
    }

    /// Writes an event, or raises the count of the one that says the same.
    pub async fn write(
        &self,
        event: &Event,
        status_uid: Option<&str>,
        now: Timestamp,
    ) -> Result<(), JournalError> {
        match timeout(PATIENCE, self.put(event, status_uid, now)).await {
            Ok(outcome) => Ok(outcome.map_err(Box::new)?),
            Err(_) => Err(JournalError::Slow),
        }
    }

    async fn put(
        &self,
        event: &Event,
        status_uid: Option<&str>,
        now: Timestamp,
    ) -> Result<(), kube::Error> {
        let written = self.event(event, status_uid, now);
        let namespace = written.metadata.namespace.clone().unwrap_or_default();
        let name = written.metadata.name.clone().unwrap_or_default();
        let api: Api<Written> = Api::namespaced(self.client.clone(), &namespace);
        match api.create(&PostParams::default(), &written).await {
            Err(kube::Error::Api(status)) if status.is_already_exists() => {}
            outcome => return outcome.map(drop),
        }
        // Upstream's role may create and patch events but not read them; the answer to a patch tells how often it was said.
        let parameters = PatchParams::default();
        let patch = json!({ "lastTimestamp": Time(now) });
        let known = api.patch(&name, &parameters, &Patch::Merge(&patch)).await?;
        let patch = json!({ "count": known.count.unwrap_or(1).saturating_add(1) });
        api.patch(&name, &parameters, &Patch::Merge(&patch)).await?;
        Ok(())
    }

    fn event(&self, event: &Event, status_uid: Option<&str>, now: Timestamp) -> Written {
        let object = self.object(&event.about, status_uid);
        let name = object.name.clone().unwrap_or_default();
        let namespace = object.namespace.clone().unwrap_or_else(|| NOWHERE.to_owned());
        let mut hasher = FxHasher::default();
        (&object.uid, event.reason, &event.message).hash(&mut hasher);
        Written {
            metadata: ObjectMeta {
                name: Some(format!("{name}.{:016x}", hasher.finish())),
                namespace: Some(namespace),
                ..ObjectMeta::default()
            },
            involved_object: object,
            reason: Some(event.reason.to_owned()),
            message: Some(shorten(&event.message).to_owned()),
            type_: Some(event.level.name().to_owned()),
            source: Some(EventSource {
                component: Some(COMPONENT.to_owned()),
                host: Some(self.host.clone()).filter(|host| !host.is_empty()),
            }),
            reporting_component: Some(COMPONENT.to_owned()),
            reporting_instance: Some(self.host.clone()),
            first_timestamp: Some(Time(now)),
            last_timestamp: Some(Time(now)),
            count: Some(1),
            ..Written::default()
        }
    }

    fn object(&self, about: &About, status_uid: Option<&str>) -> ObjectReference {
        let (kind, namespace, name, uid) = match about {
            About::Pod { name, uid } => {
                ("Pod", Some(name.namespace.as_str()), &*name.name, uid.as_deref())
            }
            About::Node { name, uid } => ("Node", None, name.as_str(), uid.as_deref()),
            About::Status => ("ConfigMap", Some(&*self.namespace), &*self.status_name, status_uid),
        };
        ObjectReference {
            api_version: Some("v1".to_owned()),
            kind: Some(kind.to_owned()),
            namespace: namespace.map(str::to_owned),
            name: Some(name.to_owned()),
            uid: uid.map(str::to_owned),
            ..ObjectReference::default()
        }
    }
}

impl std::fmt::Debug for Journal {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Journal").field("host", &self.host).finish_non_exhaustive()
    }
}

fn shorten(message: &str) -> &str {
    &message[..message.floor_char_boundary(LONGEST)]
}
