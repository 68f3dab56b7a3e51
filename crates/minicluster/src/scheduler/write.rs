//! What the scheduler writes: bindings, conditions, nominations, deletions, events.

use std::sync::Arc;

use jiff::Timestamp;
use serde_json::{Value, json};
use tracing::debug;

use crate::{
    Api, ApiError, Kind,
    api::{DeleteOptions, Preconditions, Target, WriteOptions},
    object::Key,
    read::{make, number, put_condition, text, time},
    special::binding,
};

/// Who writes; also the scheduler's name in pods.
pub(super) const NAME: &str = "default-scheduler";
const MANAGER: &str = "kube-scheduler";
/// Longer notes are refused.
const LONGEST_NOTE: usize = 1024;

/// The API as the scheduler uses it.
#[derive(Debug)]
pub(super) struct Writer {
    api: Api,
    pods: Arc<Kind>,
    claims: Arc<Kind>,
    classes: Arc<Kind>,
    events: Arc<Kind>,
    options: WriteOptions,
    /// Makes names of events that come at the same moment different.
    written: u64,
}

/// A pod as events name it.
#[derive(Clone, Copy, Debug)]
pub(super) struct About<'p> {
    pub(super) key: &'p Key,
    pub(super) uid: &'p str,
    pub(super) revision: u64,
}

/// What an event says.
#[derive(Clone, Copy, Debug)]
pub(super) struct Note<'n> {
    pub(super) reason: &'n str,
    pub(super) action: &'n str,
    pub(super) warning: bool,
    pub(super) text: &'n str,
}

// === impl Writer ===

impl Writer {
    /// None if the API does not have the kinds that a scheduler needs.
    pub(super) fn new(api: Api) -> Option<Self> {
        Some(Self {
            pods: api.kind("", "v1", "pods")?,
            claims: api.kind("", "v1", "persistentvolumeclaims")?,
            classes: api.kind("storage.k8s.io", "v1", "storageclasses")?,
            events: api.kind("events.k8s.io", "v1", "events")?,
            options: WriteOptions::manager(MANAGER),
            written: 0,
            api,
        })
    }

    pub(super) fn now(&self) -> Timestamp {
        self.api.clock().now()
    }

    /// Gives a pod its node, by the same way as a client would.
    pub(super) fn bind(&self, key: &Key, uid: &str, node: &str) -> Result<(), ApiError> {
        let at = Target::new(&key.namespace, &key.name);
        let body = json!({
            "apiVersion": "v1",
            "kind": "Binding",
            "metadata": { "name": &*key.name, "namespace": &*key.namespace, "uid": uid },
            "target": { "kind": "Node", "name": node },
        });
        binding::bind(&self.api, &self.pods, &at, &body, &self.options).map(|_| ())
    }

    /// Says that there is no node for a pod, and for which one room is being made. Answers whether that is news.
    pub(super) fn refuse(
        &self,
        key: &Key,
        uid: &str,
        message: &str,
        nomination: Nomination<'_>,
    ) -> Result<bool, ApiError> {
        let now = time(self.now());
        let mut news = false;
        self.status(key, uid, |pod| {
            let generation = number(pod, "/metadata/generation");
            let status = make(pod, &["status"]);
            match nomination {
                Nomination::Keep => {}
                Nomination::None => {
                    status.remove("nominatedNodeName");
                }
                Nomination::Node(node) => {
                    status.insert("nominatedNodeName".to_owned(), json!(node));
                }
            }
            let conditions = status.entry("conditions").or_insert_with(|| json!([]));
            if let Value::Array(conditions) = conditions {
                let known = conditions.iter().find(|known| text(known, "/type") == "PodScheduled");
                news = known.is_none_or(|known| text(known, "/message") != message);
                put_condition(
                    conditions,
                    json!({
                        "type": "PodScheduled",
                        "observedGeneration": generation,
                        "status": "False",
                        "lastProbeTime": null,
                        "lastTransitionTime": now,
                        "reason": "Unschedulable",
                        "message": message,
                    }),
                );
            }
        })?;
        Ok(news)
    }

    /// Takes back a promise.
    pub(super) fn forget_nomination(&self, key: &Key, uid: &str) -> Result<(), ApiError> {
        self.status(key, uid, |pod| {
            make(pod, &["status"]).remove("nominatedNodeName");
        })
    }

    /// Makes a pod leave, with its grace period.
    pub(super) fn preempt(&self, victim: &Key, uid: &str) -> Result<(), ApiError> {
        let now = time(self.now());
        self.status(victim, uid, |pod| {
            let generation = number(pod, "/metadata/generation");
            let status = make(pod, &["status"]);
            let conditions = status.entry("conditions").or_insert_with(|| json!([]));
            if let Value::Array(conditions) = conditions {
                put_condition(
                    conditions,
                    json!({
                        "type": "DisruptionTarget",
                        "observedGeneration": generation,
                        "status": "True",
                        "lastProbeTime": null,
                        "lastTransitionTime": now,
                        "reason": "PreemptionByScheduler",
                        "message": format!("{NAME}: preempting to accommodate a higher priority pod"),
                    }),
                );
            }
        })?;
        let preconditions = Preconditions { uid: Some(uid.to_owned()), ..Preconditions::default() };
        let options = DeleteOptions { preconditions, ..DeleteOptions::default() };
        let at = Target::new(&victim.namespace, &victim.name);
        self.api.delete(&self.pods, &at, &options).map(|_| ())
    }

    /// Says where the volume of a claim is wanted, if it waits for that.
    pub(super) fn select_node(&self, namespace: &str, claim: &str, node: &str) {
        let Ok(found) = self.api.get(&self.claims, namespace, claim) else { return };
        let found = found.value();
        let class = text(&found, "/spec/storageClassName");
        let Ok(class) = self.api.get(&self.classes, "", class) else { return };
        let waits = text(&class.value(), "/volumeBindingMode") == "WaitForFirstConsumer";
        if !waits || !text(&found, "/spec/volumeName").is_empty() {
            return;
        }
        let at = Target::new(namespace, claim);
        let outcome = self.api.modify(&self.claims, &at, |claim| {
            make(claim, &["metadata", "annotations"])
                .insert("volume.kubernetes.io/selected-node".to_owned(), json!(node));
        });
        if let Err(error) = outcome {
            debug!(%error, claim, "could not say where a volume is wanted");
        }
    }

    /// Tells of something that happened to a pod.
    pub(super) fn note(&mut self, about: About<'_>, related: Option<About<'_>>, note: Note<'_>) {
        let now = self.now();
        self.written += 1;
        let number = now.as_nanosecond() + i128::from(self.written);
        let mut end = note.text.len().min(LONGEST_NOTE - 4);
        while !note.text.is_char_boundary(end) {
            end -= 1;
        }
        let (shown, rest) = note.text.split_at(end);
        let shown = if rest.is_empty() { shown.to_owned() } else { format!("{shown} ...") };
        let mut body = json!({
            "metadata": {
                "name": format!("{}.{number:x}", about.key.name),
                "namespace": &*about.key.namespace,
            },
            "eventTime": now.strftime("%Y-%m-%dT%H:%M:%S%.6fZ").to_string(),
            "reportingController": NAME,
            "reportingInstance": format!("{NAME}-plimsoll"),
            "action": note.action,
            "reason": note.reason,
            "regarding": reference(about),
            "note": shown,
            "type": if note.warning { "Warning" } else { "Normal" },
        });
        if let Some(related) = related {
            body["related"] = reference(related);
        }
        if let Err(error) = self.api.create(&self.events, &about.key.namespace, body, &self.options)
        {
            debug!(%error, "could not write an event");
        }
    }

    /// Changes the status of this very pod; one that took its name later is left alone.
    fn status(
        &self,
        key: &Key,
        uid: &str,
        change: impl FnOnce(&mut Value),
    ) -> Result<(), ApiError> {
        let at = Target::status(&key.namespace, &key.name);
        let changed = self.api.modify(&self.pods, &at, |pod| {
            if text(pod, "/metadata/uid") == uid {
                change(pod);
            }
        });
        changed.map(|_| ())
    }
}

/// What becomes of `status.nominatedNodeName`.
#[derive(Clone, Copy, Debug)]
pub(super) enum Nomination<'n> {
    /// It stays as it is.
    Keep,
    /// It goes.
    None,
    /// It is this node from now on.
    Node(&'n str),
}

fn reference(about: About<'_>) -> Value {
    json!({
        "kind": "Pod",
        "namespace": &*about.key.namespace,
        "name": &*about.key.name,
        "uid": about.uid,
        "apiVersion": "v1",
        "resourceVersion": about.revision.to_string(),
    })
}
