//! Daemon sets: a pod on every node that takes one.

use std::{collections::BTreeMap, sync::Arc};

use jiff::Timestamp;
use serde_json::{Value, json};

use super::{
    Reconcile, View,
    action::Action,
    facts::{Node, Pod},
    index::{Change, Ref},
    placement::{is_drawn_to, repelled_by},
    revision::{self, REVISION_LABEL},
    workload::{
        Rounding, claim, create_pod, delete_pod, is_leaving, next_available, owners_affected,
        pod_of_template, share,
    },
};
use crate::{
    read::{items, make, number, text},
    store::Resource,
};

const SOURCE: &str = "daemonset-controller";
const GENERATION: &str = "deprecated.daemonset.template.generation";
/// What every daemon pod tolerates: key and effect.
const TOLERATED: [(&str, &str); 6] = [
    ("node.kubernetes.io/not-ready", "NoExecute"),
    ("node.kubernetes.io/unreachable", "NoExecute"),
    ("node.kubernetes.io/disk-pressure", "NoSchedule"),
    ("node.kubernetes.io/memory-pressure", "NoSchedule"),
    ("node.kubernetes.io/pid-pressure", "NoSchedule"),
    ("node.kubernetes.io/unschedulable", "NoSchedule"),
];

/// The controller.
pub(super) struct DaemonSets;

/// What a daemon set is decided on.
struct Scene<'s> {
    set: &'s Value,
    nodes: Vec<&'s Arc<Node>>,
    pods: &'s [Arc<Pod>],
    /// The name of the revision of its template, without the set's name.
    hash: &'s str,
    /// How many templates it has had.
    generation: i64,
    now: Timestamp,
}

/// What a node is to a daemon set.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Fit {
    /// It should have a pod.
    Runs,
    /// It would not get one, but may keep the one it has.
    Keeps,
    /// It should have none.
    Refuses,
}

// === impl DaemonSets ===

impl Reconcile for DaemonSets {
    fn affected(&mut self, change: &Change, view: &View<'_>, look: &mut dyn FnMut(Ref)) {
        let resource = Resource::new("apps", "daemonsets");
        if change.is("", "nodes") {
            let matters = match (&change.node_before, &change.node) {
                (Some(old), Some(new)) => {
                    old.object.labels != new.object.labels || old.taints != new.taints
                }
                _ => true,
            };
            if matters {
                for object in view.list(&resource, "") {
                    look(Ref { resource: resource.clone(), key: object.key.clone() });
                }
            }
        } else if change.is_pod()
            || change.is("apps", "controllerrevisions")
            || change.target.resource == resource
        {
            owners_affected(change, view, &resource, "DaemonSet", look);
        }
    }

    fn reconcile(&mut self, target: &Ref, view: &View<'_>) -> Vec<Action> {
        let Some(seen) = view.get(&target.resource, &target.key) else { return Vec::new() };
        let set = &seen.value;
        let (pods, mut actions) = claim(view, set);
        let name = text(set, "/metadata/name");
        let live: Vec<String> = pods
            .iter()
            .filter_map(|pod| pod.object.labels.get(REVISION_LABEL))
            .map(|hash| format!("{name}-{hash}"))
            .collect();
        let live: Vec<&str> = live.iter().map(String::as_str).collect();
        let mut revisions = revision::settle(view, set, &live);
        actions.append(&mut revisions.actions);
        let hash = revisions.update.rsplit('-').next().unwrap_or_default();
        let nodes = view.index.nodes().collect();
        let generation = revisions.number;
        let scene = Scene { set, nodes, pods: &pods, hash, generation, now: view.now };
        actions.extend(scene.plan(target, seen.object.revision));
        actions.extend(next_available(&pods, number(set, "/spec/minReadySeconds"), view.now));
        actions
    }
}

// === impl Scene ===

impl Scene<'_> {
    fn plan(&self, target: &Ref, seen: u64) -> Vec<Action> {
        let template = self.template();
        let by_node = self.by_node();
        let mut actions = Vec::new();
        let mut counts = Counts::default();
        let mut outdated = Vec::new();
        let leaving = is_leaving(self.set);
        for node in &self.nodes {
            let pods = by_node.get(&**node.name()).map_or(&[][..], Vec::as_slice);
            let fit = fit(&template["spec"], node);
            self.count(fit, pods, &mut counts);
            let living: Vec<&Arc<Pod>> =
                pods.iter().filter(|pod| !pod.meta.deleting).copied().collect();
            if leaving {
                continue;
            }
            // A pod that has ended makes room for another; of several the oldest stays.
            let over = living.iter().filter(|pod| pod.is_over());
            let mut unwanted: Vec<&Arc<Pod>> = over.copied().collect();
            let mut running = living.iter().filter(|pod| !pod.is_over()).copied();
            match fit {
                Fit::Refuses => unwanted.extend(running),
                Fit::Keeps => unwanted.extend(running.skip(1)),
                Fit::Runs => match running.next() {
                    // One that is going must be gone first.
                    None if pods.is_empty() => actions.push(self.create(&template, node)),
                    None => {}
                    Some(pod) => {
                        unwanted.extend(running);
                        if !self.is_updated(pod) {
                            outdated.push(pod);
                        }
                    }
                },
            }
            actions.extend(unwanted.into_iter().map(|pod| delete_pod(SOURCE, self.set, pod)));
        }
        if !leaving {
            // Pods of nodes that are gone.
            let known = |pod: &&Arc<Pod>| {
                self.nodes.binary_search_by(|node| (**node.name()).cmp(node_of(pod))).is_ok()
            };
            let stray = self.pods.iter().filter(|pod| pod.node.is_empty() && !pod.meta.deleting);
            actions.extend(
                stray.filter(|pod| !known(pod)).map(|pod| delete_pod(SOURCE, self.set, pod)),
            );
            actions.extend(self.replace(&outdated, &counts));
        }
        let status = counts.status(number(self.set, "/metadata/generation"));
        if self.set.get("status") != Some(&status) {
            let target = target.clone();
            actions.insert(0, Action::Status { target, seen, status, annotations: Vec::new() });
        }
        actions
    }

    /// The template with what every daemon pod has.
    fn template(&self) -> Value {
        let mut template = self.set.pointer("/spec/template").cloned().unwrap_or_default();
        let labels = make(&mut template, &["metadata", "labels"]);
        labels.insert(REVISION_LABEL.to_owned(), json!(self.hash));
        let own = self.set.pointer("/metadata/annotations").and_then(|own| own.get(GENERATION));
        let generation = own.cloned().unwrap_or_else(|| json!(self.generation.to_string()));
        labels.insert("pod-template-generation".to_owned(), generation);
        let mut tolerations: Vec<Value> = items(&template, "/spec/tolerations").cloned().collect();
        for (key, effect) in TOLERATED {
            let toleration = json!({ "key": key, "operator": "Exists", "effect": effect });
            if !tolerations.contains(&toleration) {
                tolerations.push(toleration);
            }
        }
        make(&mut template, &["spec"]).insert("tolerations".to_owned(), Value::Array(tolerations));
        template
    }

    /// The pods of each node, the oldest first. A pod that is not bound yet belongs to the node that it is made for.
    fn by_node(&self) -> BTreeMap<&str, Vec<&Arc<Pod>>> {
        let mut by_node: BTreeMap<&str, Vec<&Arc<Pod>>> = BTreeMap::new();
        for pod in self.pods {
            by_node.entry(node_of(pod)).or_default().push(pod);
        }
        for pods in by_node.values_mut() {
            pods.sort_by_key(|pod| (pod.created, pod.object.uid.clone()));
        }
        by_node
    }

    fn is_updated(&self, pod: &Pod) -> bool {
        pod.object.labels.get(REVISION_LABEL) == Some(self.hash)
    }

    fn count(&self, fit: Fit, pods: &[&Arc<Pod>], counts: &mut Counts) {
        if fit != Fit::Runs {
            counts.misscheduled += i64::from(!pods.is_empty());
            return;
        }
        counts.desired += 1;
        let Some(pod) = pods.first() else { return };
        let least = number(self.set, "/spec/minReadySeconds");
        counts.current += 1;
        counts.ready += i64::from(pod.is_ready());
        counts.available += i64::from(pod.is_available(least, self.now));
        counts.updated += i64::from(self.is_updated(pod));
        let works = |pod: &&&Arc<Pod>| !pod.meta.deleting && pod.is_available(least, self.now);
        counts.working += i64::from(pods.iter().any(|pod| works(&pod)));
    }

    fn create(&self, template: &Value, node: &Node) -> Action {
        let mut pod = pod_of_template(self.set, template);
        let term = json!({
            "matchFields": [{ "key": "metadata.name", "operator": "In", "values": [**node.name()] }],
        });
        make(&mut pod, &["spec", "affinity", "nodeAffinity"]).insert(
            "requiredDuringSchedulingIgnoredDuringExecution".to_owned(),
            json!({ "nodeSelectorTerms": [term] }),
        );
        create_pod(SOURCE, self.set, pod)
    }

    /// Deletes pods of an old template, as many as may be missing at a time.
    fn replace(&self, outdated: &[&Arc<Pod>], counts: &Counts) -> Vec<Action> {
        if text(self.set, "/spec/updateStrategy/type") == "OnDelete" {
            return Vec::new();
        }
        let most = self.set.pointer("/spec/updateStrategy/rollingUpdate/maxUnavailable");
        let most = share(most, counts.desired, Rounding::Up).max(1);
        let least = number(self.set, "/spec/minReadySeconds");
        let (fine, broken): (Vec<&Arc<Pod>>, Vec<&Arc<Pod>>) =
            outdated.iter().partition(|pod| pod.is_available(least, self.now));
        let room = most - (counts.desired - counts.working);
        let room = usize::try_from(room).unwrap_or_default();
        // Pods that do not work are no loss.
        let victims = broken.into_iter().chain(fine.into_iter().take(room));
        victims.map(|pod| delete_pod(SOURCE, self.set, pod)).collect()
    }
}

#[derive(Debug, Default)]
struct Counts {
    desired: i64,
    current: i64,
    misscheduled: i64,
    ready: i64,
    updated: i64,
    available: i64,
    /// Nodes with an available pod that stays.
    working: i64,
}

// === impl Counts ===

impl Counts {
    fn status(&self, generation: i64) -> Value {
        let mut status = json!({
            "currentNumberScheduled": self.current,
            "numberMisscheduled": self.misscheduled,
            "desiredNumberScheduled": self.desired,
            "numberReady": self.ready,
            "observedGeneration": generation,
        });
        let more = [
            ("updatedNumberScheduled", self.updated),
            ("numberAvailable", self.available),
            ("numberUnavailable", self.desired - self.available),
        ];
        for (name, count) in more {
            if count > 0 {
                status[name] = json!(count);
            }
        }
        status
    }
}

/// Whether a node should have a pod of this spec.
fn fit(spec: &Value, node: &Node) -> Fit {
    let named = text(spec, "/nodeName");
    if !(named.is_empty() || *named == **node.name()) || !is_drawn_to(spec, node) {
        return Fit::Refuses;
    }
    if repelled_by(spec, node, &["NoSchedule", "NoExecute"]).is_none() {
        return Fit::Runs;
    }
    if repelled_by(spec, node, &["NoExecute"]).is_none() { Fit::Keeps } else { Fit::Refuses }
}

/// The node that a pod is on, or is made for.
fn node_of(pod: &Pod) -> &str {
    if pod.node.is_empty() { &pod.made_for } else { &pod.node }
}

#[cfg(test)]
mod tests;
