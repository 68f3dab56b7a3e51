//! Stateful sets: pods with names, in an order.

use std::{collections::BTreeMap, sync::Arc};

use jiff::Timestamp;
use serde_json::{Value, json};

use super::{
    Reconcile, View,
    action::Action,
    facts::{Phase, Pod},
    index::{Change, Ref},
    recorder::Note,
    revision::{self, REVISION_LABEL, Revisions},
    workload::{
        Rounding, claim, is_leaving, next_available, owners_affected, pod_of_template, pod_ref,
        pods as pods_resource, replicas_of, share,
    },
};
use crate::{
    object::Key,
    read::{items, make, number, text},
    store::Resource,
};

const SOURCE: &str = "statefulset-controller";
const NAME_LABEL: &str = "statefulset.kubernetes.io/pod-name";
const INDEX_LABEL: &str = "apps.kubernetes.io/pod-index";

/// The controller.
pub(super) struct StatefulSets;

/// What a stateful set is decided on.
struct Scene<'s> {
    set: &'s Value,
    /// Its pods by ordinal.
    pods: BTreeMap<i64, Arc<Pod>>,
    revisions: &'s Revisions,
    /// The revision that the pods had before an update, if one is under way.
    current: String,
    /// Claims that are there already.
    has_claim: &'s dyn Fn(&str) -> bool,
    now: Timestamp,
}

// === impl StatefulSets ===

impl Reconcile for StatefulSets {
    fn affected(&mut self, change: &Change, view: &View<'_>, look: &mut dyn FnMut(Ref)) {
        let resource = Resource::new("apps", "statefulsets");
        if change.is_pod()
            || change.is("apps", "controllerrevisions")
            || change.target.resource == resource
        {
            owners_affected(change, view, &resource, "StatefulSet", look);
        }
    }

    fn reconcile(&mut self, target: &Ref, view: &View<'_>) -> Vec<Action> {
        let Some(seen) = view.get(&target.resource, &target.key) else { return Vec::new() };
        let set = &seen.value;
        let (claimed, mut actions) = claim(view, set);
        let live: Vec<&str> =
            claimed.iter().filter_map(|pod| pod.object.labels.get(REVISION_LABEL)).collect();
        let mut revisions = revision::settle(view, set, &live);
        actions.append(&mut revisions.actions);
        let name = text(set, "/metadata/name");
        let by_ordinal = claimed.iter().filter_map(|pod| {
            let (base, ordinal) = pod.name().rsplit_once('-')?;
            (base == name).then_some((ordinal.parse().ok()?, Arc::clone(pod)))
        });
        let current = Some(text(set, "/status/currentRevision"))
            .filter(|current| revisions.template(current).is_some())
            .unwrap_or(&revisions.update)
            .to_owned();
        let claims = Resource::new("", "persistentvolumeclaims");
        let namespace = &target.key.namespace;
        let has_claim = |name: &str| view.get(&claims, &Key::new(namespace, name)).is_some();
        let scene = Scene {
            set,
            pods: by_ordinal.collect(),
            revisions: &revisions,
            current,
            has_claim: &has_claim,
            now: view.now,
        };
        actions.extend(scene.plan(target, seen.object.revision));
        actions.extend(next_available(&claimed, number(set, "/spec/minReadySeconds"), view.now));
        actions
    }
}

// === impl Scene ===

impl Scene<'_> {
    fn plan(&self, target: &Ref, seen: u64) -> Vec<Action> {
        let status = self.status();
        let mut actions = Vec::new();
        if self.set.get("status") != Some(&status) {
            let target = target.clone();
            actions.push(Action::Status { target, seen, status, annotations: Vec::new() });
        }
        if !is_leaving(self.set) {
            self.work(&mut actions);
        }
        actions
    }

    /// Which ordinals there should be.
    fn ordinals(&self) -> std::ops::Range<i64> {
        let start = number(self.set, "/spec/ordinals/start");
        start..start + replicas_of(self.set)
    }

    /// One step at a time where the order matters, all at once where it does not.
    fn work(&self, actions: &mut Vec<Action>) {
        let in_order = text(self.set, "/spec/podManagementPolicy") != "Parallel";
        for ordinal in self.ordinals() {
            let waits = match self.pods.get(&ordinal) {
                None => {
                    self.create(ordinal, actions);
                    true
                }
                Some(pod) if pod.is_over() => {
                    if !pod.meta.deleting {
                        actions.push(self.delete(pod));
                    }
                    true
                }
                Some(pod) => !self.is_fine(pod),
            };
            if waits && in_order {
                return;
            }
        }
        let unwanted =
            self.pods.iter().rev().filter(|(ordinal, _)| !self.ordinals().contains(ordinal));
        let mut going = false;
        for (_, pod) in unwanted {
            if in_order && going {
                return;
            }
            going = true;
            if !pod.meta.deleting {
                actions.push(self.delete(pod));
            }
        }
        if !(in_order && going) {
            self.update(actions);
        }
    }

    /// Replaces pods of old revisions, the last first.
    fn update(&self, actions: &mut Vec<Action>) {
        if text(self.set, "/spec/updateStrategy/type") == "OnDelete" {
            return;
        }
        let at =
            |name: &str| self.set.pointer(&format!("/spec/updateStrategy/rollingUpdate/{name}"));
        let partition = at("partition").and_then(Value::as_i64).unwrap_or_default();
        let most =
            at("maxUnavailable").map(|most| share(Some(most), replicas_of(self.set), Rounding::Up));
        let most = most.unwrap_or(1).max(1);
        let start = self.ordinals().start;
        let broken = self
            .ordinals()
            .filter(|ordinal| self.pods.get(ordinal).is_none_or(|pod| !self.is_fine(pod)));
        let mut room = most - i64::try_from(broken.count()).unwrap_or(i64::MAX);
        for ordinal in self.ordinals().rev() {
            if room <= 0 || ordinal - start < partition {
                return;
            }
            let Some(pod) = self.pods.get(&ordinal) else { continue };
            if !pod.meta.deleting && revision_of(pod) != self.revisions.update {
                actions.push(self.delete(pod));
                room -= 1;
            }
        }
    }

    /// Whether a pod runs, is available and stays.
    fn is_fine(&self, pod: &Pod) -> bool {
        let least = number(self.set, "/spec/minReadySeconds");
        pod.phase == Phase::Running && !pod.meta.deleting && pod.is_available(least, self.now)
    }

    fn create(&self, ordinal: i64, actions: &mut Vec<Action>) {
        let start = self.ordinals().start;
        let partition = self.set.pointer("/spec/updateStrategy/rollingUpdate/partition");
        let is_rolling = text(self.set, "/spec/updateStrategy/type") == "RollingUpdate";
        let kept = match partition.and_then(Value::as_i64) {
            Some(partition) => ordinal - start < partition,
            None => ordinal - start < number(self.set, "/status/currentReplicas"),
        };
        let revision = if is_rolling && kept { &self.current } else { &self.revisions.update };
        let Some(template) = self.revisions.template(revision) else { return };
        let set_name = text(self.set, "/metadata/name");
        let name = format!("{set_name}-{ordinal}");
        let mut pod = pod_of_template(self.set, template);
        pod["metadata"]["name"] = json!(name);
        let labels = make(&mut pod, &["metadata", "labels"]);
        labels.insert(NAME_LABEL.to_owned(), json!(name));
        labels.insert(INDEX_LABEL.to_owned(), json!(ordinal.to_string()));
        labels.insert(REVISION_LABEL.to_owned(), json!(revision));
        let spec = make(&mut pod, &["spec"]);
        spec.insert("hostname".to_owned(), json!(name));
        let service = text(self.set, "/spec/serviceName");
        if !service.is_empty() {
            spec.insert("subdomain".to_owned(), json!(service));
        }
        let namespace: Arc<str> = Arc::from(text(self.set, "/metadata/namespace"));
        for template in items(self.set, "/spec/volumeClaimTemplates") {
            let volume = text(template, "/metadata/name");
            let claim = format!("{volume}-{name}");
            let volumes = spec.entry("volumes").or_insert_with(|| json!([]));
            if let Value::Array(volumes) = volumes {
                volumes.retain(|other| text(other, "/name") != volume);
                volumes.push(
                    json!({ "name": volume, "persistentVolumeClaim": { "claimName": claim } }),
                );
            }
            if !(self.has_claim)(&claim) {
                let mut object = json!({
                    "metadata": template["metadata"],
                    "spec": template["spec"],
                });
                object["metadata"]["name"] = json!(claim);
                if let Some(Value::Object(selected)) =
                    self.set.pointer("/spec/selector/matchLabels")
                {
                    make(&mut object, &["metadata", "labels"]).extend(selected.clone());
                }
                let message =
                    format!("create Claim {claim} Pod {name} in StatefulSet {set_name} success");
                actions.push(Action::Create {
                    resource: Resource::new("", "persistentvolumeclaims"),
                    namespace: Arc::clone(&namespace),
                    object,
                    note: Some(self.note("SuccessfulCreate", message)),
                });
            }
        }
        let message = format!("create Pod {name} in StatefulSet {set_name} successful");
        actions.push(Action::Create {
            resource: pods_resource(),
            namespace,
            object: pod,
            note: Some(self.note("SuccessfulCreate", message)),
        });
    }

    fn delete(&self, pod: &Pod) -> Action {
        let set_name = text(self.set, "/metadata/name");
        let message = format!("delete Pod {} in StatefulSet {set_name} successful", pod.name());
        Action::Delete {
            target: pod_ref(pod),
            uid: pod.object.uid.clone(),
            grace: None,
            propagation: None,
            note: Some(self.note("SuccessfulDelete", message)),
        }
    }

    fn note(&self, reason: &'static str, message: String) -> Note {
        Note::new(SOURCE, self.set, reason, message)
    }

    fn status(&self) -> Value {
        let least = number(self.set, "/spec/minReadySeconds");
        let count =
            |test: &dyn Fn(&Pod) -> bool| self.pods.values().filter(|pod| test(pod)).count();
        let runs = |pod: &Pod| pod.phase == Phase::Running && pod.is_ready();
        let of = |revision: &str| count(&|pod| !pod.meta.deleting && revision_of(pod) == revision);
        let replicas = self.pods.len();
        let (ready, updated) = (count(&runs), of(&self.revisions.update));
        let wanted = usize::try_from(replicas_of(self.set)).unwrap_or_default();
        let is_rolling = text(self.set, "/spec/updateStrategy/type") == "RollingUpdate";
        let complete =
            is_rolling && [replicas, ready, updated].iter().all(|count| *count == wanted);
        let current = if complete { &self.revisions.update } else { &self.current };
        let mut status = json!({
            "observedGeneration": number(self.set, "/metadata/generation"),
            "replicas": replicas,
            "availableReplicas": count(&|pod| runs(pod) && pod.is_available(least, self.now)),
            "currentRevision": current,
            "updateRevision": self.revisions.update,
            "collisionCount": number(self.set, "/status/collisionCount"),
        });
        let current_replicas = if complete { updated } else { of(&self.current) };
        let counts = [
            ("readyReplicas", ready),
            ("currentReplicas", current_replicas),
            ("updatedReplicas", updated),
        ];
        for (name, count) in counts {
            if count > 0 {
                status[name] = json!(count);
            }
        }
        status
    }
}

/// The revision that a pod is of.
fn revision_of(pod: &Pod) -> &str {
    pod.object.labels.get(REVISION_LABEL).unwrap_or_default()
}
