//! Which events to write: upstream's reasons and words, on pods, nodes and the status ConfigMap.
//!
//! Pure: a [`Teller`] takes passes and news and says which events follow. It remembers what it has told, so that nothing is told
//! twice within a while, and keeps to a budget, so that many thousand pods that wait do not flood the API server: what is new or has
//! changed comes first, and the rest in later passes.

use std::{
    cmp::Reverse,
    collections::{BTreeMap, VecDeque},
    hash::{Hash as _, Hasher as _},
    sync::Arc,
};

use jiff::{SignedDuration, Timestamp};
use plimsoll_cluster::events::{About, Event, Level};
use plimsoll_model::{PodName, Symbol};
use plimsoll_plan::{GroupRejection, Outcome, PodReport, Removal, words};
use plimsoll_provider::OrderId;
use rustc_hash::{FxHashMap, FxHasher};

use crate::engine::{HeldBack, Pass};

mod happened;
mod refusals;

/// The same is not said again of the same object within this time.
const QUIET: SignedDuration = SignedDuration::from_mins(5);

/// How many events may wait to be written; what comes then is lost, and comes again if it stays so.
const WAITING: usize = 1000;

/// Why a pod waits.
const NOT_TRIGGERED: &str = "NotTriggerScaleUp";

/// What has been told, and what follows from what happens.
#[derive(Debug)]
pub(crate) struct Teller {
    duplicates: Duplicates,
    /// When what was told was told, by a fingerprint of the object, the reason and the message.
    told: FxHashMap<u64, Timestamp>,
    /// Events that wait to be written, in the order in which they came.
    waiting: VecDeque<Event>,
    /// Orders that have begun, until their provider answers.
    bought: BTreeMap<OrderId, Bought>,
    /// The last failure of each group that has been told.
    failures: BTreeMap<Symbol, Timestamp>,
    node_uids: Arc<BTreeMap<Symbol, Box<str>>>,
    maxima: BTreeMap<Symbol, u32>,
    told_passes: u64,
}

/// Whether the same is told again.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Duplicates {
    /// Not within a while.
    Left,
    /// Whenever it happens: `record-duplicated-events`.
    Told,
}

/// For whom machines were bought.
#[derive(Clone, Debug, Default)]
struct Bought {
    pods: Vec<(PodName, Option<Box<str>>)>,
}

// === impl Teller ===

impl Teller {
    pub(crate) fn new(duplicates: Duplicates) -> Self {
        Self {
            duplicates,
            told: FxHashMap::default(),
            waiting: VecDeque::new(),
            bought: BTreeMap::new(),
            failures: BTreeMap::new(),
            node_uids: Arc::default(),
            maxima: BTreeMap::new(),
            told_passes: 0,
        }
    }

    /// Takes a pass. What it begins is told at once, and what it cannot do as far as `budget` allows.
    pub(crate) fn pass(&mut self, pass: &Pass, budget: usize) {
        self.told.retain(|_, told| pass.at.duration_since(*told) < QUIET);
        self.node_uids = Arc::new(pass.seen.node_uids.clone());
        self.maxima = pass.seen.groups.iter().map(|group| (group.id, group.max)).collect();
        self.remember_orders(pass);
        self.tell_departures(pass);
        self.tell_removals(pass);
        self.tell_failures(pass);
        self.tell_limits(pass);
        self.tell_doubts(pass);
        // What is known may not be so any more while the cluster cannot be seen.
        if budget > 0 && !matches!(pass.held_back, Some(HeldBack::Stale(_))) {
            self.tell_refusals(pass, budget);
        }
        self.told_passes += 1;
    }

    /// Events to write now, in order.
    pub(crate) fn take(&mut self, most: usize) -> Vec<Event> {
        let count = most.min(self.waiting.len());
        self.waiting.drain(..count).collect()
    }

    /// How many wait.
    pub(crate) fn waiting(&self) -> usize {
        self.waiting.len()
    }

    /// Somebody else leads, and tells.
    pub(crate) fn stand_by(&mut self) {
        *self = Self::new(self.duplicates);
    }

    fn tell(&mut self, at: Timestamp, event: Event) {
        let key = fingerprint(&event.about, event.reason, &event.message);
        if self.duplicates == Duplicates::Left && self.told.contains_key(&key) {
            return;
        }
        if self.waiting.len() < WAITING {
            self.told.insert(key, at);
            self.waiting.push_back(event);
        }
    }

    fn tell_status(&mut self, at: Timestamp, level: Level, reason: &'static str, message: String) {
        self.tell(at, Event { about: About::Status, level, reason, message });
    }

    fn tell_node(
        &mut self,
        at: Timestamp,
        name: Symbol,
        (level, reason): (Level, &'static str),
        message: String,
    ) {
        let about = About::Node { name, uid: self.node_uids.get(&name).cloned() };
        self.tell(at, Event { about, level, reason, message });
    }

    /// Pods get to know that machines are bought for them when the provider has agreed.
    fn remember_orders(&mut self, pass: &Pass) {
        for order in pass.orders.iter().filter(|order| pass.begun.orders.contains(&order.id)) {
            let purchase = pass.plan.purchases.iter().find(|one| one.group == order.intent.group);
            let pods = purchase.into_iter().flat_map(|purchase| &purchase.pods);
            let uid = |pod: &PodName| pass.seen.pod_uids.get(pod).cloned();
            let pods = pods.map(|pod| (pod.clone(), uid(pod))).collect();
            self.bought.insert(order.id.clone(), Bought { pods });
        }
        let is_open = |id: &OrderId| pass.orders.iter().any(|order| order.id == *id);
        self.bought.retain(|id, _| is_open(id));
    }

    fn tell_departures(&mut self, pass: &Pass) {
        for leaving in &pass.retirements {
            let planned = pass.plan.retirements.iter().find(|one| one.node == leaving.node);
            let Some(planned) = planned.filter(|_| pass.begun.retirements.contains(&leaving.id))
            else {
                continue;
            };
            let node = leaving.node;
            if leaving.drains {
                let pods: Vec<String> = planned.evict.iter().map(ToString::to_string).collect();
                let message = format!(
                    "Scale-down: removing node {node}, {}, pods to reschedule: {}",
                    leaving.why,
                    pods.join(",")
                );
                self.tell_status(pass.at, Level::Normal, "ScaleDown", message);
            } else {
                let message = format!("Scale-down: removing empty node {:?}", node.as_str());
                self.tell_status(pass.at, Level::Normal, "ScaleDownEmpty", message);
            }
        }
    }

    /// The words are those of the cloud controllers that do the same elsewhere.
    fn tell_removals(&mut self, pass: &Pass) {
        for Removal { node, .. } in &pass.begun.removals {
            let message =
                format!("Deleting node {node} because it does not exist in the cloud provider");
            self.tell_node(pass.at, *node, (Level::Normal, "DeletingNode"), message);
        }
    }

    /// Groups that have failed since they were last looked at, but for orders that were refused: those are news.
    fn tell_failures(&mut self, pass: &Pass) {
        let first = self.told_passes == 0;
        for (group, backoff) in &pass.plan.memory.backoff {
            let known = self.failures.insert(*group, backoff.failed);
            // What is remembered from an earlier run was told by it.
            if first || known == Some(backoff.failed) {
                continue;
            }
            let Some(found) = pass.seen.groups.iter().find(|one| one.id == *group) else {
                continue;
            };
            if &*backoff.code == "timeout" {
                let time = super::go_duration(found.options.provision_time);
                let message =
                    format!("Nodes added to group {group} failed to register within {time}");
                self.tell_status(pass.at, Level::Warning, "ScaleUpTimedOut", message);
                continue;
            }
            let failed = found.instances.iter().filter_map(|instance| instance.error.as_ref());
            let failed: Vec<_> = failed.collect();
            if let Some(error) = failed.first() {
                let (count, code, words) = (failed.len(), &backoff.code, &error.message);
                let message = format!(
                    "Failed adding {count} nodes to group {group} due to {code}; source errors: {words}"
                );
                self.tell_status(pass.at, Level::Warning, "ScaleUpFailed", message);
            }
        }
        self.failures.retain(|group, _| pass.plan.memory.backoff.contains_key(group));
    }

    fn tell_limits(&mut self, pass: &Pass) {
        if !pass.plan.healthy {
            let message = "Cluster is unhealthy".to_owned();
            self.tell_status(pass.at, Level::Warning, "ClusterUnhealthy", message);
        }
        if super::limits_reached(&pass.plan).contains(&Symbol::new("max-nodes-total")) {
            let nodes = pass.settings.plan.limits.nodes;
            let message = format!("Max total nodes in cluster reached: {nodes}");
            self.tell_status(pass.at, Level::Warning, "MaxNodesTotalReached", message);
        }
    }

    /// Nodes that claim one machine, and machines of which most have no node.
    fn tell_doubts(&mut self, pass: &Pass) {
        for contested in &pass.plan.contested {
            for node in &contested.nodes {
                let message = words::contested(contested);
                self.tell_node(pass.at, *node, (Level::Warning, "DuplicateProviderID"), message);
            }
        }
        if let Some(contradiction) = &pass.plan.contradiction {
            let message = words::contradiction(contradiction, pass.at);
            self.tell_status(pass.at, Level::Warning, "MachinesWithoutNodes", message);
        }
    }

    /// Every pod that no group grows for is told why, whatever else the pass does.
    fn tell_refusals(&mut self, pass: &Pass, budget: usize) {
        let mut messages: FxHashMap<*const GroupRejection, Arc<str>> = FxHashMap::default();
        let mut candidates = Vec::new();
        for report in pass.plan.pods.iter().filter(|report| is_refused(report)) {
            // Pods of one shape share the list of rejections, and so the words.
            let message = messages
                .entry(report.rejections.as_ptr())
                .or_insert_with(|| refusals::message(&report.rejections).into());
            let message = Arc::clone(message);
            let uid = pass.seen.pod_uids.get(&report.pod).cloned();
            let about = About::Pod { name: report.pod.clone(), uid };
            let told = self.told.get(&fingerprint(&about, NOT_TRIGGERED, &message)).copied();
            if told.is_none() || self.duplicates == Duplicates::Told {
                candidates.push((told, &report.pod, about, message));
            }
        }
        if candidates.is_empty() {
            return;
        }
        // What was never told comes first, and of that the youngest.
        let pending = pass.seen.pending.iter();
        let created: FxHashMap<(Symbol, &str), Timestamp> =
            pending.map(|pod| ((pod.shape.namespace, &*pod.name), pod.created)).collect();
        let created = |pod: &PodName| created.get(&(pod.namespace, &*pod.name)).copied();
        candidates.sort_by_cached_key(|(told, pod, _, _)| (*told, Reverse(created(pod))));
        for (_, _, about, message) in candidates.into_iter().take(budget) {
            let (level, message) = (Level::Normal, message.to_string());
            self.tell(pass.at, Event { about, level, reason: NOT_TRIGGERED, message });
        }
    }
}

fn is_refused(report: &PodReport) -> bool {
    matches!(report.outcome, Outcome::NoGroupFits | Outcome::AwaitsNextPass)
}

fn fingerprint(about: &About, reason: &str, message: &str) -> u64 {
    let mut hasher = FxHasher::default();
    (about, reason, message).hash(&mut hasher);
    hasher.finish()
}

#[cfg(test)]
mod tests;
