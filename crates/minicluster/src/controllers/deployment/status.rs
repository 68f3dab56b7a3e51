//! What a deployment says about itself.

use jiff::{SignedDuration, Timestamp};
use serde_json::{Value, json};

use super::{REVISION, Set, fences};
use crate::{
    controllers::{
        action::Action,
        index::Ref,
        workload::{is_paused, replicas_of},
    },
    read::{items, moment, number, text, time},
};

/// A status in the making.
pub(super) struct Report<'r> {
    deployment: &'r Value,
    now: Timestamp,
    conditions: Vec<Value>,
    /// What the deployment says its revision is.
    revision: Option<i64>,
    /// How often hashes were the same by chance.
    collisions: Option<i64>,
}

// === impl Report ===

impl<'r> Report<'r> {
    pub(super) fn new(deployment: &'r Value, now: Timestamp) -> Self {
        let collisions = deployment.pointer("/status/collisionCount").and_then(Value::as_i64);
        let conditions = items(deployment, "/status/conditions").cloned().collect();
        Self { deployment, now, conditions, revision: None, collisions }
    }

    /// Progress stops while a deployment is paused, and starts anew when it goes on.
    pub(super) fn note_pause(&mut self) {
        let progress =
            self.condition("Progressing").map(|condition| text(condition, "/reason").to_owned());
        let has_deadline = self.deadline().is_some();
        let paused = is_paused(self.deployment);
        let was_paused = progress.as_deref() == Some("DeploymentPaused");
        if !has_deadline || progress.as_deref() == Some("ProgressDeadlineExceeded") {
            return;
        }
        if paused && !was_paused {
            self.set("Progressing", "Unknown", "DeploymentPaused", "Deployment is paused");
        } else if !paused && was_paused {
            self.set("Progressing", "Unknown", "DeploymentResumed", "Deployment is resumed");
        }
    }

    /// The replica set of the template is there.
    pub(super) fn found(&mut self, set: &str, revision: i64) {
        self.revision = Some(revision);
        if self.deadline().is_some() && self.condition("Progressing").is_none() {
            let message = format!("Found new replica set {set:?}");
            self.set("Progressing", "True", "FoundNewReplicaSet", &message);
        }
    }

    /// The replica set of the template has been made.
    pub(super) fn created(&mut self, set: &str, revision: i64) {
        self.revision = Some(revision);
        if self.deadline().is_some() {
            let message = format!("Created new replica set {set:?}");
            self.set("Progressing", "True", "NewReplicaSetCreated", &message);
        }
    }

    /// The name that the new replica set would have is taken by one with another template.
    pub(super) fn collided(mut self, target: &Ref, seen: u64) -> Action {
        self.collisions = Some(self.collisions.unwrap_or_default() + 1);
        let mut status = self.deployment.get("status").cloned().unwrap_or_else(|| json!({}));
        status["collisionCount"] = json!(self.collisions);
        Action::Status { target: target.clone(), seen, status, annotations: Vec::new() }
    }

    /// Whether all pods are of the template and available.
    pub(super) fn is_complete(&self, sets: &[Set], newest: Option<usize>) -> bool {
        let wanted = replicas_of(self.deployment);
        let counts = Counts::of(sets, newest);
        [counts.updated, counts.replicas, counts.available].iter().all(|count| *count == wanted)
    }

    /// The status, and when to look again.
    pub(super) fn finish(
        mut self,
        sets: &[Set],
        newest: Option<usize>,
        target: &Ref,
        seen: u64,
    ) -> Vec<Action> {
        let counts = Counts::of(sets, newest);
        let (_, unavailable) = fences(self.deployment);
        let least = replicas_of(self.deployment) - unavailable;
        if counts.available >= least {
            let message = "Deployment has minimum availability.";
            self.set("Available", "True", "MinimumReplicasAvailable", message);
        } else {
            let message = "Deployment does not have minimum availability.";
            self.set("Available", "False", "MinimumReplicasUnavailable", message);
        }
        let newest_set = newest.and_then(|at| sets.get(at));
        let check_again = self.judge_progress(&counts, newest_set, sets);
        let mut status = json!({
            "observedGeneration": number(self.deployment, "/metadata/generation"),
            "terminatingReplicas": counts.terminating,
            "conditions": self.conditions,
        });
        let numbers = [
            ("replicas", counts.replicas),
            ("updatedReplicas", counts.updated),
            ("readyReplicas", counts.ready),
            ("availableReplicas", counts.available),
            ("unavailableReplicas", (counts.wanted - counts.available).max(0)),
        ];
        for (name, count) in numbers {
            if count != 0 {
                status[name] = json!(count);
            }
        }
        if let Some(collisions) = self.collisions {
            status["collisionCount"] = json!(collisions);
        }
        let annotations: Vec<_> =
            self.revision.map(|revision| (REVISION, revision.to_string())).into_iter().collect();
        let told = annotations.iter().all(|(name, text)| {
            let own =
                self.deployment.pointer("/metadata/annotations").and_then(|own| own.get(name));
            own.and_then(Value::as_str) == Some(text)
        });
        let mut actions = Vec::new();
        if !told || self.deployment.get("status") != Some(&status) {
            actions.push(Action::Status { target: target.clone(), seen, status, annotations });
        }
        actions.extend(check_again.map(Action::Again));
        actions
    }

    /// Says how the update goes; gives the moment at which it would have taken too long.
    fn judge_progress(
        &mut self,
        counts: &Counts,
        newest: Option<&Set>,
        sets: &[Set],
    ) -> Option<Timestamp> {
        let deployment = self.deployment;
        let Some(deadline) = self.deadline() else {
            self.conditions.retain(|condition| text(condition, "/type") != "Progressing");
            return None;
        };
        if is_paused(deployment) {
            return None;
        }
        let reason =
            self.condition("Progressing").map(|condition| text(condition, "/reason").to_owned());
        let over = counts.replicas == counts.updated
            && reason.as_deref() == Some("NewReplicaSetAvailable");
        if over {
            return None;
        }
        let who = newest.map_or_else(
            || format!("Deployment {:?}", text(deployment, "/metadata/name")),
            |set| format!("ReplicaSet {:?}", set.name()),
        );
        if self.is_complete(
            sets,
            sets.iter().position(|set| newest.is_some_and(|newest| newest.name() == set.name())),
        ) {
            let message = format!("{who} has successfully progressed.");
            self.set("Progressing", "True", "NewReplicaSetAvailable", &message);
            return None;
        }
        let was = |name: &str| number(deployment, &format!("/status/{name}"));
        let progressed = counts.updated > was("updatedReplicas")
            || counts.replicas - counts.updated < was("replicas") - was("updatedReplicas")
            || counts.ready > was("readyReplicas")
            || counts.available > was("availableReplicas");
        if progressed {
            let message = format!("{who} is progressing.");
            self.progress(&message);
        }
        let updated = self
            .condition("Progressing")
            .and_then(|condition| moment(condition, "/lastUpdateTime"))?;
        let due = updated.checked_add(SignedDuration::from_secs(deadline)).ok()?;
        if due < self.now {
            let message = format!("{who} has timed out progressing.");
            self.set("Progressing", "False", "ProgressDeadlineExceeded", &message);
            return None;
        }
        due.checked_add(SignedDuration::from_secs(1)).ok()
    }

    fn deadline(&self) -> Option<i64> {
        let deadline = self.deployment.pointer("/spec/progressDeadlineSeconds")?.as_i64()?;
        // The largest number means: none.
        (deadline != i64::from(i32::MAX)).then_some(deadline)
    }

    fn condition(&self, kind: &str) -> Option<&Value> {
        self.conditions.iter().find(|condition| text(condition, "/type") == kind)
    }

    /// Sets a condition, unless it says the same already.
    fn set(&mut self, kind: &str, status: &str, reason: &str, message: &str) {
        let now = time(self.now);
        let mut since = now.clone();
        if let Some(old) = self.condition(kind) {
            if text(old, "/status") == status && text(old, "/reason") == reason {
                return;
            }
            if text(old, "/status") == status {
                text(old, "/lastTransitionTime").clone_into(&mut since);
            }
        }
        self.conditions.retain(|condition| text(condition, "/type") != kind);
        self.conditions.push(json!({
            "type": kind,
            "status": status,
            "lastUpdateTime": now,
            "lastTransitionTime": since,
            "reason": reason,
            "message": message,
        }));
    }

    /// Says that it goes on, with a new time even if it said so before.
    fn progress(&mut self, message: &str) {
        if let Some(old) = self.conditions.iter_mut().find(|old| {
            text(old, "/type") == "Progressing" && text(old, "/reason") == "ReplicaSetUpdated"
        }) {
            old["lastUpdateTime"] = json!(time(self.now));
            old["message"] = json!(message);
            return;
        }
        self.set("Progressing", "True", "ReplicaSetUpdated", message);
    }
}

/// How many pods there are of each sort.
struct Counts {
    /// As replica sets want them.
    wanted: i64,
    replicas: i64,
    updated: i64,
    ready: i64,
    available: i64,
    terminating: i64,
}

// === impl Counts ===

impl Counts {
    fn of(sets: &[Set], newest: Option<usize>) -> Self {
        let sum = |name: &str| -> i64 {
            sets.iter().map(|set| number(&set.value, &format!("/status/{name}"))).sum()
        };
        let newest = newest.and_then(|at| sets.get(at));
        Self {
            wanted: sets.iter().map(|set| set.replicas).sum(),
            replicas: sum("replicas"),
            updated: newest.map_or(0, |set| number(&set.value, "/status/replicas")),
            ready: sum("readyReplicas"),
            available: sum("availableReplicas"),
            terminating: sum("terminatingReplicas"),
        }
    }
}
