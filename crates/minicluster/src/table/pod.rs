//! Pods.

use jiff::Timestamp;
use serde_json::{Value, json};

use super::{
    age,
    column::{
        AGE,
        Cell::{Made, TextOr},
        Column, NAME, text,
    },
    read::{self, NONE},
    words,
};

pub(super) const POD: &[Column] = &[
    NAME,
    text(
        "Ready",
        "The aggregate readiness state of this pod for accepting traffic.",
        Made(|pod, _| {
            let seen = Summary::of(pod);
            format!("{}/{}", seen.ready, seen.total).into()
        }),
    ),
    text(
        "Status",
        "The aggregate status of the containers in this pod.",
        Made(|pod, _| Summary::of(pod).reason.into()),
    ),
    text(
        "Restarts",
        "The number of times the containers in this pod have been restarted and when the last container in this pod has \
         restarted.",
        Made(|pod, now| Summary::of(pod).restarts.show(now).into()),
    ),
    AGE,
    text("IP", words::POD_STATUS_POD_IP, TextOr("/status/podIPs/0/ip", NONE)).wide(),
    text("Node", words::POD_SPEC_NODE_NAME, TextOr("/spec/nodeName", NONE)).wide(),
    text(
        "Nominated Node",
        words::POD_STATUS_NOMINATED_NODE_NAME,
        TextOr("/status/nominatedNodeName", NONE),
    )
    .wide(),
    text("Readiness Gates", words::POD_SPEC_READINESS_GATES, Made(readiness_gates)).wide(),
];

/// What a pod's containers amount to.
struct Summary {
    ready: usize,
    /// The containers that are meant to run as long as the pod does.
    total: usize,
    reason: String,
    restarts: Restarts,
}

#[derive(Clone, Copy, Default)]
struct Restarts {
    count: i64,
    last: Option<Timestamp>,
}

/// The condition of a row: that the pod has finished.
pub(super) fn conditions(pod: &Value) -> Option<Value> {
    let phase = read::text(pod, "/status/phase");
    let message = match phase {
        "Succeeded" => "The pod has completed successfully.",
        "Failed" => "The pod failed.",
        _ => return None,
    };
    Some(json!([{ "type": "Completed", "status": "True", "reason": phase, "message": message }]))
}

// === impl Summary ===

impl Summary {
    fn of(pod: &Value) -> Self {
        let sidecars: Vec<&str> = read::list(pod, "/spec/initContainers")
            .iter()
            .filter(|container| container["restartPolicy"] == "Always")
            .map(|container| read::text(container, "/name"))
            .collect();
        let gated = read::list(pod, "/status/conditions").iter().any(|condition| {
            condition["type"] == "PodScheduled" && condition["reason"] == "SchedulingGated"
        });
        let reason = match read::text(pod, "/status/reason") {
            _ if gated => "SchedulingGated",
            "" => read::text(pod, "/status/phase"),
            reason => reason,
        };
        let mut summary = Self {
            ready: 0,
            total: read::count(pod, "/spec/containers") + sidecars.len(),
            reason: reason.to_owned(),
            restarts: Restarts::default(),
        };
        let (initialising, of_sidecars) = summary.look_at_init_containers(pod, &sidecars);
        if !initialising || read::holds(pod, "Initialized") {
            summary.restarts = of_sidecars;
            summary.look_at_containers(pod);
        }
        if read::at(pod, "/metadata/deletionTimestamp").is_some() {
            if pod["status"]["reason"] == "NodeLost" {
                "Unknown".clone_into(&mut summary.reason);
            } else if !matches!(read::text(pod, "/status/phase"), "Failed" | "Succeeded") {
                "Terminating".clone_into(&mut summary.reason);
            }
        }
        summary
    }

    /// Goes through the init containers up to the first that is not done. Tells whether there is one, and how often those were
    /// restarted that go on running beside the others.
    fn look_at_init_containers(&mut self, pod: &Value, sidecars: &[&str]) -> (bool, Restarts) {
        let mut of_sidecars = Restarts::default();
        for (position, container) in
            read::list(pod, "/status/initContainerStatuses").iter().enumerate()
        {
            self.restarts.add(container);
            let is_sidecar = sidecars.contains(&read::text(container, "/name"));
            if is_sidecar {
                of_sidecars.add(container);
            }
            let terminated = read::at(container, "/state/terminated");
            if terminated.is_some_and(|end| read::number(end, "/exitCode") == 0) {
                continue;
            }
            if is_sidecar && read::flag(container, "/started") {
                self.ready += usize::from(read::flag(container, "/ready"));
                continue;
            }
            let waits_for = read::text(container, "/state/waiting/reason");
            self.reason = match terminated {
                Some(end) => format!("Init:{}", reason_of_end(end)),
                None if !matches!(waits_for, "" | "PodInitializing") => format!("Init:{waits_for}"),
                None => format!("Init:{position}/{}", read::count(pod, "/spec/initContainers")),
            };
            return (true, of_sidecars);
        }
        (false, of_sidecars)
    }

    /// The first container has the last word.
    fn look_at_containers(&mut self, pod: &Value) {
        let mut some_run = false;
        let mut failure = None;
        for container in read::list(pod, "/status/containerStatuses").iter().rev() {
            self.restarts.add(container);
            let waits_for = read::text(container, "/state/waiting/reason");
            if !waits_for.is_empty() {
                waits_for.clone_into(&mut self.reason);
            } else if let Some(end) = read::at(container, "/state/terminated") {
                self.reason = reason_of_end(end);
                if read::number(end, "/exitCode") != 0 {
                    failure = Some(self.reason.clone());
                }
            } else if read::flag(container, "/ready")
                && read::at(container, "/state/running").is_some()
            {
                some_run = true;
                self.ready += 1;
            }
        }
        if self.reason != "Completed" {
            return;
        }
        // A pod of which one container has completed is not complete.
        let is_ready = read::list(pod, "/status/conditions")
            .iter()
            .any(|condition| condition["type"] == "Ready" && condition["status"] == "True");
        if some_run && is_ready {
            "Running".clone_into(&mut self.reason);
        } else if let Some(failure) = failure {
            self.reason = failure;
        } else if some_run {
            "NotReady".clone_into(&mut self.reason);
        }
    }
}

// === impl Restarts ===

impl Restarts {
    fn add(&mut self, container: &Value) {
        self.count = self.count.saturating_add(read::number(container, "/restartCount"));
        let ended = age::parse(read::text(container, "/lastState/terminated/finishedAt"));
        self.last = self.last.max(ended);
    }

    fn show(self, now: Timestamp) -> String {
        match self.last {
            Some(last) if self.count != 0 => {
                format!("{} ({} ago)", self.count, age::human(now.duration_since(last)))
            }
            _ => self.count.to_string(),
        }
    }
}

/// Why a container ended.
fn reason_of_end(end: &Value) -> String {
    match (read::text(end, "/reason"), read::number(end, "/signal")) {
        ("", 0) => format!("ExitCode:{}", read::number(end, "/exitCode")),
        ("", signal) => format!("Signal:{signal}"),
        (reason, _) => reason.to_owned(),
    }
}

fn readiness_gates(pod: &Value, _now: Timestamp) -> Value {
    let gates = read::list(pod, "/spec/readinessGates");
    if gates.is_empty() {
        return NONE.into();
    }
    let open = gates.iter().filter(|gate| read::holds(pod, read::text(gate, "/conditionType")));
    format!("{}/{}", open.count(), gates.len()).into()
}
