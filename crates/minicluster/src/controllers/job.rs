//! Jobs: pods that are to end well, so many times.

use std::{collections::BTreeSet, sync::Arc};

use jiff::{SignedDuration, Timestamp};
use rustc_hash::FxHashMap;
use serde_json::{Value, json};

use self::tally::Tally;
use super::{
    Reconcile, View,
    action::{Action, Part},
    facts::Pod,
    index::{Change, Ref},
    recorder::Note,
    workload::{
        BURST, claim, create_pod, delete_pod, is_leaving, owners_affected, pod_of_template, pod_ref,
    },
};
use crate::{
    api::Propagation,
    read::{condition, is_true, items, make, moment, number, put_condition, text, time},
    store::Resource,
};

mod tally;

const SOURCE: &str = "job-controller";
/// Keeps a pod until it has been counted.
const TRACKING: &str = "batch.kubernetes.io/job-tracking";
/// Which of the pods of an indexed job a pod is.
const INDEX: &str = "batch.kubernetes.io/job-completion-index";
/// How long a job waits after its first failure; twice as long after each further one.
const FIRST_DELAY: SignedDuration = SignedDuration::from_secs(10);
const LONGEST_DELAY: SignedDuration = SignedDuration::from_mins(10);

/// The controller.
#[derive(Debug, Default)]
pub(super) struct Jobs {
    /// By uid: how often a job has failed, and until when it waits because of that.
    backoff: FxHashMap<Box<str>, (i64, Timestamp)>,
}

/// What a job is decided on.
struct Scene<'s> {
    job: &'s Value,
    pods: &'s [Arc<Pod>],
    /// Until when no further pod is made.
    waits_until: Option<Timestamp>,
    now: Timestamp,
}

/// How a job ends.
enum End {
    Complete,
    Failed { reason: &'static str, message: String },
}

// === impl Jobs ===

impl Reconcile for Jobs {
    fn affected(&mut self, change: &Change, view: &View<'_>, look: &mut dyn FnMut(Ref)) {
        let resource = jobs();
        if change.is_pod() || change.target.resource == resource {
            owners_affected(change, view, &resource, "Job", look);
        }
        if change.target.resource == resource && change.gone {
            self.backoff.remove(&change.object.uid);
        }
        // A pod that nobody counts any more is not held for its job.
        if let Some(pod) = &change.pod
            && pod.meta.is_held_by(TRACKING)
            && pod
                .meta
                .controller()
                .is_none_or(|owner| &*owner.kind != "Job" || !is_there(view, pod))
        {
            look(change.target.clone());
        }
    }

    fn reconcile(&mut self, target: &Ref, view: &View<'_>) -> Vec<Action> {
        if target.resource != jobs() {
            let pod = view.index.pod(&target.key);
            let stray = pod.filter(|pod| pod.meta.is_held_by(TRACKING) && !is_there(view, pod));
            return stray.map(|pod| untrack(pod)).into_iter().collect();
        }
        let Some(seen) = view.get(&target.resource, &target.key) else { return Vec::new() };
        let (pods, mut actions) = claim(view, &seen.value);
        let failed = number(&seen.value, "/status/failed");
        let (counted, until) =
            self.backoff.entry(seen.object.uid.clone()).or_insert((failed, Timestamp::MIN));
        let tally = Tally::of(&seen.value, &pods);
        if tally.failed > *counted {
            let doublings = u32::try_from(tally.failed - 1).unwrap_or_default().min(16);
            let delay = FIRST_DELAY.saturating_mul(1 << doublings).min(LONGEST_DELAY);
            (*counted, *until) =
                (tally.failed, view.now.checked_add(delay).unwrap_or(Timestamp::MAX));
        }
        let waits_until = Some(*until).filter(|until| *until > view.now);
        let scene = Scene { job: &seen.value, pods: &pods, waits_until, now: view.now };
        actions.extend(scene.plan(&tally, target, seen.object.revision));
        actions
    }
}

fn jobs() -> Resource {
    Resource::new("batch", "jobs")
}

/// Whether the job of a pod still exists.
fn is_there(view: &View<'_>, pod: &Pod) -> bool {
    let Some(owner) = pod.meta.controller().filter(|owner| &*owner.kind == "Job") else {
        return false;
    };
    let key = crate::object::Key::new(&pod.object.key.namespace, &owner.name);
    view.get(&jobs(), &key).is_some_and(|seen| *seen.object.uid == *owner.uid)
}

/// Lets go of a pod that has been counted.
fn untrack(pod: &Pod) -> Action {
    let rest: Vec<&str> =
        pod.meta.finalizers.iter().map(|held| &**held).filter(|held| *held != TRACKING).collect();
    let rest = if rest.is_empty() { Value::Null } else { json!(rest) };
    let patch = json!({ "metadata": { "finalizers": rest } });
    Action::Change { target: pod_ref(pod), part: Part::Object, patch, note: None }
}

// === impl Scene ===

impl Scene<'_> {
    fn plan(&self, tally: &Tally, target: &Ref, seen: u64) -> Vec<Action> {
        let finished = ["Complete", "Failed"].iter().find_map(|kind| {
            condition(self.job, kind).filter(|condition| text(condition, "/status") == "True")
        });
        if let Some(finished) = finished {
            return self.afterwards(finished, target);
        }
        let mut actions = Vec::new();
        let suspended = is_true(self.job, "/spec/suspend");
        let end = self.end(tally);
        let mut status = self.status(tally, suspended);
        match &end {
            Some(end) => self.conclude(end, &mut status),
            None if suspended || is_leaving(self.job) => {}
            None => self.make_pods(tally, &mut actions),
        }
        if end.is_some() || suspended {
            let active = self.pods.iter().filter(|pod| pod.is_active());
            actions.extend(active.map(|pod| delete_pod(SOURCE, self.job, pod)));
        }
        // Only what has been written down is let go: the plan ends here if the job has changed meanwhile.
        let mut first = Vec::new();
        if self.job.get("status") != Some(&status) {
            let target = target.clone();
            first.push(Action::Status { target, seen, status, annotations: Vec::new() });
        }
        first.extend(tally.counted.iter().map(|pod| untrack(pod)));
        if let Some(end) = &end {
            let (reason, message) = match end {
                End::Complete => ("Completed", "Job completed".to_owned()),
                End::Failed { reason, message } => (*reason, message.clone()),
            };
            let note = Note::new(SOURCE, self.job, reason, message);
            let failed = matches!(end, End::Failed { .. });
            first.push(Action::Say(if failed { note.warning() } else { note }));
        }
        first.extend(actions);
        let deadline = self.deadline().filter(|deadline| *deadline > self.now && end.is_none());
        first.extend(deadline.into_iter().chain(self.waits_until).map(Action::Again));
        first
    }

    fn completions(&self) -> Option<i64> {
        self.job.pointer("/spec/completions").and_then(Value::as_i64)
    }

    fn deadline(&self) -> Option<Timestamp> {
        let seconds = self.job.pointer("/spec/activeDeadlineSeconds")?.as_i64()?;
        moment(self.job, "/status/startTime")?.checked_add(SignedDuration::from_secs(seconds)).ok()
    }

    /// Whether the job is over.
    fn end(&self, tally: &Tally) -> Option<End> {
        let limit = self.job.pointer("/spec/backoffLimit").and_then(Value::as_i64).unwrap_or(6);
        if tally.failed > limit {
            let message = "Job has reached the specified backoff limit".to_owned();
            return Some(End::Failed { reason: "BackoffLimitExceeded", message });
        }
        if self.deadline().is_some_and(|deadline| deadline <= self.now) {
            let message = "Job was active longer than specified deadline".to_owned();
            return Some(End::Failed { reason: "DeadlineExceeded", message });
        }
        let complete = match self.completions() {
            Some(completions) => tally.succeeded >= completions,
            None => tally.succeeded > 0 && tally.active == 0,
        };
        complete.then_some(End::Complete)
    }

    fn status(&self, tally: &Tally, suspended: bool) -> Value {
        let mut status = self.job.get("status").cloned().unwrap_or_else(|| json!({}));
        if !suspended && text(&status, "/startTime").is_empty() {
            status["startTime"] = json!(time(self.now));
        }
        status["uncountedTerminatedPods"] = json!({});
        status["terminating"] = json!(tally.terminating);
        status["ready"] = json!(tally.ready);
        for (name, count) in
            [("active", tally.active), ("succeeded", tally.succeeded), ("failed", tally.failed)]
        {
            if count > 0 {
                status[name] = json!(count);
            } else if let Value::Object(status) = &mut status {
                status.remove(name);
            }
        }
        if !tally.indexes.is_empty() {
            status["completedIndexes"] = json!(tally::ranges(&tally.indexes));
        }
        let was_suspended =
            condition(self.job, "Suspended").map(|old| text(old, "/status") == "True");
        if suspended != was_suspended.unwrap_or_default() {
            let (state, reason, message) = if suspended {
                ("True", "JobSuspended", "Job suspended")
            } else {
                ("False", "JobResumed", "Job resumed")
            };
            self.say(&mut status, "Suspended", state, reason, message);
            if suspended && let Value::Object(status) = &mut status {
                status.remove("startTime");
            }
        }
        status
    }

    fn say(&self, status: &mut Value, kind: &str, state: &str, reason: &str, message: &str) {
        let condition = json!({
            "type": kind,
            "status": state,
            "lastProbeTime": time(self.now),
            "lastTransitionTime": time(self.now),
            "reason": reason,
            "message": message,
        });
        let conditions = make(status, &[]).entry("conditions").or_insert_with(|| json!([]));
        if let Value::Array(conditions) = conditions {
            put_condition(conditions, condition);
        }
    }

    fn conclude(&self, end: &End, status: &mut Value) {
        match end {
            End::Complete => {
                let (reason, message) =
                    ("CompletionsReached", "Reached expected number of succeeded pods");
                self.say(status, "SuccessCriteriaMet", "True", reason, message);
                self.say(status, "Complete", "True", reason, message);
                status["completionTime"] = json!(time(self.now));
            }
            End::Failed { reason, message } => {
                self.say(status, "FailureTarget", "True", reason, message);
                self.say(status, "Failed", "True", reason, message);
            }
        }
        // What still runs is stopped with it.
        status["terminating"] = json!(0);
        if let Value::Object(status) = status {
            status.remove("active");
            status.insert("ready".to_owned(), json!(0));
        }
    }

    /// Makes the pods that are missing, or deletes those that are too many.
    fn make_pods(&self, tally: &Tally, actions: &mut Vec<Action>) {
        let parallel = self.job.pointer("/spec/parallelism").and_then(Value::as_i64).unwrap_or(1);
        let wanted = match self.completions() {
            Some(completions) => parallel.min(completions - tally.succeeded).max(0),
            // One success is enough; then nothing new is begun.
            None if tally.succeeded > 0 => tally.active,
            None => parallel,
        };
        if tally.active > wanted {
            let surplus = usize::try_from(tally.active - wanted).unwrap_or_default();
            let mut active: Vec<&Arc<Pod>> =
                self.pods.iter().filter(|pod| pod.is_active()).collect();
            active.sort_by_key(|pod| (pod.is_ready(), std::cmp::Reverse(pod.created)));
            actions.extend(
                active.into_iter().take(surplus).map(|pod| delete_pod(SOURCE, self.job, pod)),
            );
            return;
        }
        if self.waits_until.is_some() {
            return;
        }
        let missing = usize::try_from(wanted - tally.active).unwrap_or_default();
        let indexed = text(self.job, "/spec/completionMode") == "Indexed";
        let mut free =
            tally::free_indexes(self.pods, &tally.indexes, self.completions().unwrap_or_default());
        for _ in 0..missing.min(BURST) {
            let index = if indexed { free.next() } else { None };
            if indexed && index.is_none() {
                break;
            }
            actions.push(create_pod(SOURCE, self.job, self.pod(index)));
        }
        if missing > BURST {
            actions.push(Action::Again(self.now));
        }
    }

    fn pod(&self, index: Option<i64>) -> Value {
        let template = self.job.pointer("/spec/template").cloned().unwrap_or_default();
        let mut pod = pod_of_template(self.job, &template);
        let mut finalizers: Vec<Value> = items(&pod, "/metadata/finalizers").cloned().collect();
        finalizers.push(json!(TRACKING));
        pod["metadata"]["finalizers"] = Value::Array(finalizers);
        let Some(index) = index else { return pod };
        let name = text(self.job, "/metadata/name");
        pod["metadata"]["generateName"] = json!(format!("{name}-{index}-"));
        for place in ["annotations", "labels"] {
            make(&mut pod, &["metadata", place]).insert(INDEX.to_owned(), json!(index.to_string()));
        }
        make(&mut pod, &["spec"]).insert("hostname".to_owned(), json!(format!("{name}-{index}")));
        let variable = json!({
            "name": "JOB_COMPLETION_INDEX",
            "valueFrom": { "fieldRef": { "fieldPath": format!("metadata.labels['{INDEX}']") } },
        });
        for containers in ["initContainers", "containers"] {
            let Some(Value::Array(list)) = pod["spec"].get_mut(containers) else { continue };
            for container in list {
                if let Value::Array(variables) =
                    make(container, &[]).entry("env").or_insert_with(|| json!([]))
                {
                    variables.push(variable.clone());
                }
            }
        }
        pod
    }

    /// A job that is over is taken away when its time has come.
    fn afterwards(&self, finished: &Value, target: &Ref) -> Vec<Action> {
        let mut actions: Vec<Action> = self
            .pods
            .iter()
            .filter(|pod| pod.meta.is_held_by(TRACKING) && !pod.is_active())
            .map(|pod| untrack(pod))
            .collect();
        let ttl = self.job.pointer("/spec/ttlSecondsAfterFinished").and_then(Value::as_i64);
        let since = moment(finished, "/lastTransitionTime");
        if let (Some(ttl), Some(since), false) = (ttl, since, is_leaving(self.job)) {
            let due = since.checked_add(SignedDuration::from_secs(ttl)).unwrap_or(Timestamp::MAX);
            actions.push(if due > self.now {
                Action::Again(due)
            } else {
                Action::Delete {
                    target: target.clone(),
                    uid: text(self.job, "/metadata/uid").into(),
                    grace: None,
                    propagation: Some(Propagation::Foreground),
                    note: None,
                }
            });
        }
        actions
    }
}

/// Which indexes have ended well.
type Indexes = BTreeSet<i64>;

#[cfg(test)]
mod tests;
