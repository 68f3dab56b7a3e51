//! Workloads that run pods from a template: Deployment, ReplicaSet, DaemonSet; StatefulSet has a file of its own.

use serde_json::{Value, json};

use super::{
    PLAIN,
    at::{At, fill, keep, object},
    drop_status, keep_spec, keep_status, pod_template,
    share::{self, at_most_all, count_or_share},
};
use crate::{FieldError, kind::Rules};

/// What all four have in common.
pub(super) const COMMON: Rules = Rules {
    prepare_create: drop_status,
    prepare_update: keep_status,
    prepare_status: keep_spec,
    validate_update: selector_stays,
    validate_status: counts,
    generation: true,
    ..PLAIN
};

/// What is done with Deployments.
pub(crate) const DEPLOYMENT: Rules = Rules {
    defaults: default_deployment,
    prepare_status: status_of_deployment,
    validate: validate_deployment,
    ..COMMON
};

/// What is done with `ReplicaSets`.
pub(crate) const REPLICA_SET: Rules = Rules {
    defaults: default_replica_set,
    validate: validate_replica_set,
    fields: &[("status.replicas", replicas)],
    ..COMMON
};

/// What is done with DaemonSets.
pub(crate) const DAEMON_SET: Rules =
    Rules { defaults: default_daemon_set, validate: validate_daemon_set, ..COMMON };

fn default_deployment(deployment: &mut Value) {
    let Some(spec) = object(deployment, "spec") else { return };
    fill(spec, "replicas", 1);
    fill(spec, "revisionHistoryLimit", 10);
    fill(spec, "progressDeadlineSeconds", 600);
    rolling(spec, "strategy", &[("maxUnavailable", json!("25%")), ("maxSurge", json!("25%"))]);
    template(spec);
}

fn default_replica_set(set: &mut Value) {
    let Some(spec) = object(set, "spec") else { return };
    fill(spec, "replicas", 1);
    template(spec);
}

fn default_daemon_set(set: &mut Value) {
    let Some(spec) = object(set, "spec") else { return };
    fill(spec, "revisionHistoryLimit", 10);
    rolling(spec, "updateStrategy", &[("maxUnavailable", json!(1)), ("maxSurge", json!(0))]);
    template(spec);
}

/// The strategy is a rolling update unless something else is said, with these bounds.
pub(super) fn rolling(spec: &mut Value, name: &str, bounds: &[(&str, Value)]) {
    let Some(strategy) = object(spec, name) else { return };
    fill(strategy, "type", "RollingUpdate");
    if strategy.get("type").is_none_or(|kind| kind != "RollingUpdate") {
        return;
    }
    if let Some(update) = object(strategy, "rollingUpdate") {
        for (bound, value) in bounds {
            fill(update, bound, value.clone());
        }
    }
}

pub(super) fn template(spec: &mut Value) {
    if let Some(template) = object(spec, "template") {
        pod_template::defaults(template);
    }
}

/// A write of a Deployment's status leaves its labels alone.
fn status_of_deployment(new: &mut Value, old: &Value) {
    keep_spec(new, old);
    if let (Some(metadata), Some(before)) = (object(new, "metadata"), old.get("metadata")) {
        keep(metadata, before, "labels");
    }
}

fn validate_deployment(deployment: &Value) -> Vec<FieldError> {
    let spec = At::root(deployment).field("spec");
    let mut errors = Vec::new();
    errors.extend(spec.field("replicas").not_negative());
    pod_template::check_selected(&spec, "deployment", &mut errors);
    pod_template::check_runs_forever(&spec, "ReplicaSet", &mut errors);
    let strategy = spec.field("strategy");
    let update = strategy.field("rollingUpdate");
    match strategy.field("type").text() {
        "Recreate" => {
            if update.is_set() {
                let detail = "may not be specified when strategy `type` is 'Recreate'";
                errors.push(update.forbidden(detail));
            }
        }
        "RollingUpdate" => {
            let [unavailable, surge] =
                ["maxUnavailable", "maxSurge"].map(|name| update.field(name));
            count_or_share(&unavailable, &mut errors);
            count_or_share(&surge, &mut errors);
            if share::number(&unavailable) == 0 && share::number(&surge) == 0 {
                errors.push(unavailable.invalid("may not be 0 when `maxSurge` is 0"));
            }
            errors.extend(at_most_all(&unavailable));
        }
        _ => errors.push(strategy.not_supported(&["Recreate", "RollingUpdate"])),
    }
    for name in ["minReadySeconds", "revisionHistoryLimit", "progressDeadlineSeconds"] {
        errors.extend(spec.field(name).not_negative());
    }
    let deadline = spec.field("progressDeadlineSeconds");
    let ready = spec.field("minReadySeconds").number().unwrap_or_default();
    if deadline.number().is_some_and(|seconds| seconds <= ready) {
        errors.push(deadline.invalid("must be greater than minReadySeconds"));
    }
    errors
}

fn validate_replica_set(set: &Value) -> Vec<FieldError> {
    let spec = At::root(set).field("spec");
    let mut errors = Vec::new();
    errors.extend(spec.field("replicas").not_negative());
    errors.extend(spec.field("minReadySeconds").not_negative());
    pod_template::check_selected(&spec, "deployment", &mut errors);
    pod_template::check_runs_forever(&spec, "ReplicaSet", &mut errors);
    errors
}

fn validate_daemon_set(set: &Value) -> Vec<FieldError> {
    let spec = At::root(set).field("spec");
    let mut errors = Vec::new();
    pod_template::check_selected(&spec, "daemonset", &mut errors);
    pod_template::check_runs_forever(&spec, "DaemonSet", &mut errors);
    errors.extend(spec.field("minReadySeconds").not_negative());
    let strategy = spec.field("updateStrategy");
    match strategy.field("type").text() {
        "OnDelete" => {}
        "RollingUpdate" => {
            let update = strategy.field("rollingUpdate");
            let [unavailable, surge] =
                ["maxUnavailable", "maxSurge"].map(|name| update.field(name));
            count_or_share(&unavailable, &mut errors);
            count_or_share(&surge, &mut errors);
            match (share::number(&unavailable), share::number(&surge)) {
                (0, 0) => {
                    errors.push(unavailable.invalid("cannot be 0 when maxSurge is 0"));
                }
                (1.., 1..) => {
                    errors.push(surge.invalid("may not be set when maxUnavailable is non-zero"));
                }
                _ => {}
            }
            errors.extend(at_most_all(&unavailable));
        }
        _ => errors.push(strategy.field("type").not_supported(&["RollingUpdate", "OnDelete"])),
    }
    errors.extend(spec.field("revisionHistoryLimit").not_negative());
    errors
}

fn selector_stays(new: &Value, old: &Value) -> Vec<FieldError> {
    let selector = |object| At::root(object).at(&["spec", "selector"]);
    selector(new).unchanged(&selector(old)).into_iter().collect()
}

/// Numbers in a status are counts.
fn counts(new: &Value, _: &Value) -> Vec<FieldError> {
    let status = At::root(new).field("status");
    status.entries().filter_map(|(name, _)| status.field(name).not_negative()).collect()
}

fn replicas(set: &Value) -> String {
    let number = set.pointer("/status/replicas").and_then(Value::as_i64);
    number.unwrap_or_default().to_string()
}
