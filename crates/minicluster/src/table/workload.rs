//! Workloads, their budgets and their scale.

use jiff::Timestamp;
use serde_json::Value;

use super::{
    age,
    column::{
        AGE,
        Cell::{Made, Number, Text},
        Column, NAME, integer, text,
    },
    read::{self, NONE},
    words,
};

const TEMPLATE_CONTAINERS: &str = "/template/spec/containers";

const CONTAINERS: Column = text(
    "Containers",
    "Names of each container in the template.",
    Made(|object, _| read::joined(containers(object), "/name").into()),
)
.wide();

const IMAGES: Column = text(
    "Images",
    "Images referenced by each container in the template.",
    Made(|object, _| read::joined(containers(object), "/image").into()),
)
.wide();

const READY: Column = text(
    "Ready",
    "Number of the pod with ready state",
    Made(|object, _| {
        let ready = read::number(object, "/status/readyReplicas");
        format!("{ready}/{}", read::number(object, "/spec/replicas")).into()
    }),
);

pub(super) const DEPLOYMENT: &[Column] = &[
    NAME,
    READY,
    text(
        "Up-to-date",
        words::DEPLOYMENT_STATUS_UPDATED_REPLICAS,
        Number("/status/updatedReplicas"),
    ),
    text(
        "Available",
        words::DEPLOYMENT_STATUS_AVAILABLE_REPLICAS,
        Number("/status/availableReplicas"),
    ),
    AGE,
    CONTAINERS,
    IMAGES,
    text(
        "Selector",
        words::DEPLOYMENT_SPEC_SELECTOR,
        Made(|deployment, _| read::selector(deployment, "/spec/selector").into()),
    )
    .wide(),
];

pub(super) const REPLICA_SET: &[Column] = &[
    NAME,
    integer("Desired", words::REPLICA_SET_SPEC_REPLICAS, Number("/spec/replicas")),
    integer("Current", words::REPLICA_SET_STATUS_REPLICAS, Number("/status/replicas")),
    integer("Ready", words::REPLICA_SET_STATUS_READY_REPLICAS, Number("/status/readyReplicas")),
    AGE,
    CONTAINERS,
    IMAGES,
    text("Selector", words::REPLICA_SET_SPEC_SELECTOR, Made(selector)).wide(),
];

/// It stands for no workload of its own, so its pods are described one level higher than those of the others.
pub(super) const POD_TEMPLATE: &[Column] = &[
    NAME,
    text(
        "Containers",
        "Names of each container in the template.",
        Made(|object, _| read::joined(read::list(object, TEMPLATE_CONTAINERS), "/name").into()),
    ),
    text(
        "Images",
        "Images referenced by each container in the template.",
        Made(|object, _| read::joined(read::list(object, TEMPLATE_CONTAINERS), "/image").into()),
    ),
    text(
        "Pod Labels",
        "The labels for the pod template.",
        Made(|object, _| read::labels(object, "/template/metadata/labels").into()),
    ),
];

pub(super) const REPLICATION_CONTROLLER: &[Column] = &[
    NAME,
    integer("Desired", words::REPLICATION_CONTROLLER_SPEC_REPLICAS, Number("/spec/replicas")),
    integer("Current", words::REPLICATION_CONTROLLER_STATUS_REPLICAS, Number("/status/replicas")),
    integer(
        "Ready",
        words::REPLICATION_CONTROLLER_STATUS_READY_REPLICAS,
        Number("/status/readyReplicas"),
    ),
    AGE,
    CONTAINERS,
    IMAGES,
    text(
        "Selector",
        words::REPLICATION_CONTROLLER_SPEC_SELECTOR,
        Made(|controller, _| read::labels(controller, "/spec/selector").into()),
    )
    .wide(),
];

pub(super) const STATEFUL_SET: &[Column] = &[NAME, READY, AGE, CONTAINERS, IMAGES];

pub(super) const DAEMON_SET: &[Column] = &[
    NAME,
    integer(
        "Desired",
        words::DAEMON_SET_STATUS_DESIRED_NUMBER_SCHEDULED,
        Number("/status/desiredNumberScheduled"),
    ),
    integer(
        "Current",
        words::DAEMON_SET_STATUS_CURRENT_NUMBER_SCHEDULED,
        Number("/status/currentNumberScheduled"),
    ),
    integer("Ready", words::DAEMON_SET_STATUS_NUMBER_READY, Number("/status/numberReady")),
    integer(
        "Up-to-date",
        words::DAEMON_SET_STATUS_UPDATED_NUMBER_SCHEDULED,
        Number("/status/updatedNumberScheduled"),
    ),
    integer(
        "Available",
        words::DAEMON_SET_STATUS_NUMBER_AVAILABLE,
        Number("/status/numberAvailable"),
    ),
    text(
        "Node Selector",
        words::POD_SPEC_NODE_SELECTOR,
        Made(|set, _| read::labels(set, "/spec/template/spec/nodeSelector").into()),
    ),
    AGE,
    CONTAINERS,
    IMAGES,
    text("Selector", words::DAEMON_SET_SPEC_SELECTOR, Made(selector)).wide(),
];

pub(super) const JOB: &[Column] = &[
    NAME,
    text("Status", "Status of the job.", Made(job_status)),
    text("Completions", words::JOB_STATUS_SUCCEEDED, Made(completions)),
    text("Duration", "Time required to complete the job.", Made(job_duration)),
    AGE,
    CONTAINERS,
    IMAGES,
    text("Selector", words::JOB_SPEC_SELECTOR, Made(selector)).wide(),
];

pub(super) const CONTROLLER_REVISION: &[Column] = &[
    NAME,
    text("Controller", "Controller of the object", Made(controller)),
    text("Revision", words::CONTROLLER_REVISION_REVISION, Number("/revision")),
    AGE,
];

pub(super) const POD_DISRUPTION_BUDGET: &[Column] = &[
    NAME,
    text(
        "Min Available",
        "The minimum number of pods that must be available.",
        Made(|budget, _| limit(budget, "/spec/minAvailable")),
    ),
    text(
        "Max Unavailable",
        "The maximum number of pods that may be unavailable.",
        Made(|budget, _| limit(budget, "/spec/maxUnavailable")),
    ),
    integer(
        "Allowed Disruptions",
        "Calculated number of pods that may be disrupted at this time.",
        Number("/status/disruptionsAllowed"),
    ),
    AGE,
];

pub(super) const SCALE: &[Column] = &[
    text("Name", words::OBJECT_META_NAME, Text("/metadata/name")),
    integer("Desired", words::SCALE_SPEC_REPLICAS, Number("/spec/replicas")),
    integer("Available", words::SCALE_STATUS_REPLICAS, Number("/status/replicas")),
    AGE,
];

fn containers(object: &Value) -> &[Value] {
    read::list(object, "/spec/template/spec/containers")
}

fn selector(object: &Value, _now: Timestamp) -> Value {
    read::or(&read::selector(object, "/spec/selector"), NONE).into()
}

fn job_status(job: &Value, _now: Timestamp) -> Value {
    let ended = ["Complete", "Failed"];
    let going_on = ["Suspended", "FailureTarget", "SuccessCriteriaMet"];
    if let Some(status) = ended.into_iter().find(|kind| read::holds(job, kind)) {
        status.into()
    } else if read::at(job, "/metadata/deletionTimestamp").is_some() {
        "Terminating".into()
    } else {
        going_on.into_iter().find(|kind| read::holds(job, kind)).unwrap_or("Running").into()
    }
}

fn completions(job: &Value, _now: Timestamp) -> Value {
    let succeeded = read::number(job, "/status/succeeded");
    if read::at(job, "/spec/completions").is_some() {
        return format!("{succeeded}/{}", read::number(job, "/spec/completions")).into();
    }
    match read::number(job, "/spec/parallelism") {
        ..=1 => format!("{succeeded}/1").into(),
        parallelism => format!("{succeeded}/1 of {parallelism}").into(),
    }
}

fn job_duration(job: &Value, now: Timestamp) -> Value {
    let Some(start) = age::parse(read::text(job, "/status/startTime")) else { return "".into() };
    let end = age::parse(read::text(job, "/status/completionTime")).unwrap_or(now);
    age::human(end.duration_since(start)).into()
}

/// Kind, group and name of the owner that is in charge.
fn controller(object: &Value, _now: Timestamp) -> Value {
    let owners = read::list(object, "/metadata/ownerReferences");
    let Some(owner) = owners.iter().find(|owner| owner["controller"] == true) else {
        return NONE.into();
    };
    let kind = read::text(owner, "/kind");
    let kind = match read::text(owner, "/apiVersion").split_once('/') {
        Some((group, _)) => format!("{kind}.{group}"),
        None => kind.to_owned(),
    };
    format!("{}/{}", kind.to_lowercase(), read::text(owner, "/name")).into()
}

/// A number or a share, as the budget has it.
fn limit(budget: &Value, path: &str) -> Value {
    match read::at(budget, path) {
        Some(Value::String(share)) => share.clone().into(),
        Some(number) => number.to_string().into(),
        None => "N/A".into(),
    }
}
