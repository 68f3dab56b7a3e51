//! What a kubelet writes about a pod.

use std::{net::Ipv4Addr, time::Duration};

use jiff::Timestamp;
use serde_json::{Value, json};

use super::{
    Behaviour,
    knobs::{duration_of, number_of},
};
use crate::read::{is_true, items, moment, number, text, time};

/// How far a pod has come.
///
/// | stage    | leaves when                          | what is written                        |
/// |----------|--------------------------------------|----------------------------------------|
/// | Bound    | at once                              | waiting containers, if images take time |
/// | Creating | the images are there                 | running containers, the pod is ready   |
/// | Running  | the containers end by themselves     | they ended, or were started again      |
/// | Ended    | never                                |                                        |
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Stage {
    Bound,
    Creating,
    Running,
    Ended,
}

/// What a kubelet has to know of a pod to run it.
#[derive(Clone, Debug)]
pub(super) struct Plan {
    pub(super) uid: String,
    containers: Vec<Container>,
    first: Vec<Container>,
    restarts: Restarts,
    host_network: bool,
    generation: i64,
    pub(super) pull: Duration,
    pub(super) run_for: Option<Duration>,
    exit_code: i64,
    termination: Option<Duration>,
}

/// How a pod is now.
#[derive(Clone, Copy, Debug)]
pub(super) struct Progress {
    pub(super) stage: Stage,
    /// When the stage began.
    pub(super) since: Timestamp,
    /// When the kubelet first saw the pod.
    pub(super) started: Timestamp,
    pub(super) restarts: u32,
    pub(super) address: Option<Ipv4Addr>,
}

#[derive(Clone, Debug)]
struct Container {
    name: String,
    image: String,
    /// An init container that stays.
    sidecar: bool,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Restarts {
    Always,
    OnFailure,
    Never,
}

/// What happens when the containers end by themselves.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Ending {
    /// They are started again.
    Restart,
    /// The pod has ended.
    Over,
}

// === impl Plan ===

impl Plan {
    pub(super) fn read(pod: &Value, behaviour: &Behaviour) -> Self {
        let containers = |pointer: &str| {
            items(pod, pointer)
                .map(|container| Container {
                    name: text(container, "/name").to_owned(),
                    image: text(container, "/image").to_owned(),
                    sidecar: text(container, "/restartPolicy") == "Always",
                })
                .collect()
        };
        Self {
            uid: text(pod, "/metadata/uid").to_owned(),
            containers: containers("/spec/containers"),
            first: containers("/spec/initContainers"),
            restarts: match text(pod, "/spec/restartPolicy") {
                "Never" => Restarts::Never,
                "OnFailure" => Restarts::OnFailure,
                _ => Restarts::Always,
            },
            host_network: is_true(pod, "/spec/hostNetwork"),
            generation: number(pod, "/metadata/generation"),
            pull: duration_of(pod, "pull-time").unwrap_or(behaviour.pull),
            run_for: duration_of(pod, "run-for"),
            exit_code: number_of(pod, "exit-code").unwrap_or_default(),
            termination: duration_of(pod, "terminates-in").or(behaviour.termination),
        }
    }

    /// When a pod that is being deleted is gone; none if it is not being deleted.
    pub(super) fn gone_at(&self, pod: &Value) -> Option<Timestamp> {
        let deadline = moment(pod, "/metadata/deletionTimestamp")?;
        let grace = number(pod, "/metadata/deletionGracePeriodSeconds");
        let begun = deadline.checked_sub(jiff::SignedDuration::from_secs(grace)).ok()?;
        let needs = self.termination.and_then(|needs| jiff::SignedDuration::try_from(needs).ok());
        Some(
            needs
                .and_then(|needs| begun.checked_add(needs).ok())
                .map_or(deadline, |end| end.min(deadline)),
        )
    }

    /// What happens when the containers end by themselves.
    pub(super) fn ending(&self) -> Ending {
        match self.restarts {
            Restarts::Always => Ending::Restart,
            Restarts::OnFailure if self.exit_code != 0 => Ending::Restart,
            _ => Ending::Over,
        }
    }

    /// How the pod is written down at its stage. `host` is the address of the node.
    pub(super) fn status(&self, progress: &Progress, host: &str) -> Value {
        let Progress { since, started, .. } = *progress;
        let (ready, reason, message) = match progress.stage {
            Stage::Running => ("True", None, None),
            Stage::Ended => ("False", Some(self.verdict()), None),
            _ => {
                let names: Vec<&str> =
                    self.containers.iter().map(|one| one.name.as_str()).collect();
                let message = format!("containers with unready status: [{}]", names.join(" "));
                ("False", Some("ContainersNotReady"), Some(message))
            }
        };
        let initialized = match progress.stage {
            Stage::Ended if self.exit_code == 0 => Some("PodCompleted"),
            _ => None,
        };
        let sandbox = if progress.stage == Stage::Running { "True" } else { "False" };
        let conditions = json!([
            self.condition("PodReadyToStartContainers", sandbox, since, None, None),
            self.condition("Initialized", "True", started, initialized, None),
            self.condition("Ready", ready, since, reason, message.as_deref()),
            self.condition("ContainersReady", ready, since, reason, message.as_deref()),
        ]);
        let mut status = json!({
            "phase": self.phase(progress.stage),
            "observedGeneration": self.generation,
            "conditions": conditions,
            "hostIP": host,
            "hostIPs": [{ "ip": host }],
            "startTime": time(started),
            "containerStatuses": self.containers(progress, &self.containers),
        });
        if !self.first.is_empty() {
            status["initContainerStatuses"] = self.containers(progress, &self.first);
        }
        let address = progress.address.map(|address| address.to_string());
        let address = if self.host_network { Some(host.to_owned()) } else { address };
        if let Some(address) = address.filter(|_| progress.stage == Stage::Running) {
            status["podIP"] = json!(address);
            status["podIPs"] = json!([{ "ip": address }]);
        }
        json!({ "metadata": { "uid": self.uid }, "status": status })
    }

    /// The last state of a pod that was told to end: it ended well if it was quicker than its grace period.
    pub(super) fn last_status(&self, progress: &Progress, host: &str, now: Timestamp) -> Value {
        let quick = self.termination.is_some();
        let plan = Self { exit_code: if quick { 0 } else { 137 }, ..self.clone() };
        plan.status(&Progress { stage: Stage::Ended, since: now, ..*progress }, host)
    }

    fn phase(&self, stage: Stage) -> &'static str {
        match stage {
            Stage::Bound | Stage::Creating => "Pending",
            Stage::Running => "Running",
            Stage::Ended if self.exit_code == 0 => "Succeeded",
            Stage::Ended => "Failed",
        }
    }

    fn verdict(&self) -> &'static str {
        if self.exit_code == 0 { "PodCompleted" } else { "PodFailed" }
    }

    fn condition(
        &self,
        kind: &str,
        status: &str,
        since: Timestamp,
        reason: Option<&str>,
        message: Option<&str>,
    ) -> Value {
        json!({
            "type": kind,
            "observedGeneration": self.generation,
            "status": status,
            "lastProbeTime": null,
            "lastTransitionTime": time(since),
            // A patch keeps what it does not name.
            "reason": reason,
            "message": message,
        })
    }

    fn containers(&self, progress: &Progress, containers: &[Container]) -> Value {
        let first = std::ptr::eq(containers, self.first.as_slice());
        let of = |container: &Container| {
            let done = first && !container.sidecar;
            let runs = progress.stage == Stage::Running && !done;
            let id = format!("plimsoll://{}-{}-{}", self.uid, container.name, progress.restarts);
            let ended = |code: i64, at: Timestamp| {
                json!({ "terminated": {
                    "exitCode": code,
                    "reason": if code == 0 { "Completed" } else { "Error" },
                    "startedAt": time(progress.started),
                    "finishedAt": time(at),
                    "containerID": id,
                } })
            };
            let state = match progress.stage {
                Stage::Bound | Stage::Creating => json!({ "waiting": {
                    "reason": if self.first.is_empty() || first { "ContainerCreating" } else { "PodInitializing" },
                } }),
                _ if done => ended(0, progress.started),
                Stage::Running => json!({ "running": { "startedAt": time(progress.since) } }),
                Stage::Ended => ended(self.exit_code, progress.since),
            };
            let seen = !matches!(progress.stage, Stage::Bound | Stage::Creating);
            let last = if progress.restarts > 0 && !done {
                ended(self.exit_code, progress.since)
            } else {
                json!({})
            };
            json!({
                "name": container.name,
                "state": state,
                "lastState": last,
                "ready": runs || (done && seen),
                "restartCount": progress.restarts,
                "image": container.image,
                "imageID": if seen { format!("plimsoll://{}", container.image) } else { String::new() },
                "containerID": if seen { json!(id) } else { Value::Null },
                "started": runs,
            })
        };
        Value::Array(containers.iter().map(of).collect())
    }
}

// === impl Progress ===

impl Progress {
    /// Where a pod stands that is seen for the first time: what its status says, from an earlier life of this kubelet.
    pub(super) fn read(pod: &Value, now: Timestamp) -> Self {
        let started = moment(pod, "/status/startTime");
        let first = items(pod, "/status/containerStatuses").next().unwrap_or(&Value::Null);
        let stage = match text(pod, "/status/phase") {
            "Succeeded" | "Failed" => Stage::Ended,
            "Running" => Stage::Running,
            _ if started.is_some() => Stage::Creating,
            _ => Stage::Bound,
        };
        let since = match stage {
            Stage::Running => moment(first, "/state/running/startedAt"),
            _ => started,
        };
        Self {
            stage,
            since: since.unwrap_or(now),
            started: started.unwrap_or(now),
            restarts: u32::try_from(number(first, "/restartCount")).unwrap_or_default(),
            address: text(pod, "/status/podIP").parse().ok(),
        }
    }
}
