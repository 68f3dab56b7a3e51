//! `StatefulSet`s.

use serde_json::{Value, json};

use super::{
    at::{At, each, fill, keep, object, remove, same, set},
    names, pod_template, storage, workload,
};
use crate::{FieldError, kind::Rules};

/// What is done with `StatefulSets`.
pub(crate) const RULES: Rules = Rules { defaults, validate, validate_update, ..workload::COMMON };

fn defaults(set: &mut Value) {
    let Some(spec) = object(set, "spec") else { return };
    fill(spec, "replicas", 1);
    fill(spec, "revisionHistoryLimit", 10);
    fill(spec, "podManagementPolicy", "OrderedReady");
    // Unlike the other workloads, one that names its strategy and says nothing more keeps it that way.
    let strategy = At::root(spec).field("updateStrategy");
    if strategy.field("type").is_empty() || strategy.field("rollingUpdate").is_set() {
        workload::rolling(spec, "updateStrategy", &[("partition", json!(0))]);
    }
    if let Some(policy) = object(spec, "persistentVolumeClaimRetentionPolicy") {
        fill(policy, "whenDeleted", "Retain");
        fill(policy, "whenScaled", "Retain");
    }
    workload::template(spec);
    for claim in each(spec, "volumeClaimTemplates") {
        storage::default_claim(claim);
        fill(claim, "apiVersion", "v1");
        fill(claim, "kind", "PersistentVolumeClaim");
    }
}

fn validate(set: &Value) -> Vec<FieldError> {
    let spec = At::root(set).field("spec");
    let mut errors = Vec::new();
    let policy = spec.field("podManagementPolicy");
    if !["OrderedReady", "Parallel"].contains(&policy.text()) {
        errors.push(policy.invalid("must be 'OrderedReady' or 'Parallel'"));
    }
    let strategy = spec.field("updateStrategy");
    let update = strategy.field("rollingUpdate");
    match strategy.field("type").text() {
        "OnDelete" => {
            if update.is_set() {
                errors.push(update.invalid("only allowed for updateStrategy 'RollingUpdate'"));
            }
        }
        "RollingUpdate" => errors.extend(update.field("partition").not_negative()),
        _ => errors.push(strategy.invalid("must be 'RollingUpdate' or 'OnDelete'")),
    }
    errors.extend(spec.field("replicas").not_negative());
    errors.extend(spec.field("minReadySeconds").not_negative());
    let service = spec.field("serviceName");
    if !service.is_empty() {
        errors.extend(service.objections(names::label(service.text())));
    }
    let mut with_claims = set.clone();
    add_claim_volumes(&mut with_claims);
    let whole = At::root(&with_claims).field("spec");
    pod_template::check_selected(&whole, "statefulset", &mut errors);
    pod_template::check_runs_forever(&spec, "StatefulSet", &mut errors);
    errors
}

/// Pods get a volume for each claim template, so their containers may mount it.
fn add_claim_volumes(owner: &mut Value) {
    let Some(spec) = object(owner, "spec") else { return };
    let claims: Vec<Value> = At::root(spec)
        .field("volumeClaimTemplates")
        .items()
        .map(|claim| claim.at(&["metadata", "name"]).value.clone())
        .collect();
    if claims.is_empty() {
        return;
    }
    let Some(pod) = object(spec, "template").and_then(|template| object(template, "spec")) else {
        return;
    };
    let mut volumes: Vec<Value> =
        pod.get("volumes").and_then(Value::as_array).cloned().unwrap_or_default();
    volumes.retain(|volume| volume.get("name").is_none_or(|name| !claims.contains(name)));
    for name in claims {
        volumes.push(json!({ "name": name, "persistentVolumeClaim": { "claimName": name } }));
    }
    set(pod, "volumes", volumes);
}

fn validate_update(new: &Value, old: &Value) -> Vec<FieldError> {
    let mut spec = new.get("spec").cloned().unwrap_or_default();
    let before = old.get("spec").cloned().unwrap_or_default();
    for name in [
        "replicas",
        "ordinals",
        "template",
        "updateStrategy",
        "revisionHistoryLimit",
        "persistentVolumeClaimRetentionPolicy",
        "minReadySeconds",
    ] {
        keep(&mut spec, &before, name);
    }
    let mut stored = before;
    for side in [&mut spec, &mut stored] {
        // Templates of claims are stored with the status that a claim begins with; it is no part of the wish.
        for claim in each(side, "volumeClaimTemplates") {
            remove(claim, "status");
        }
    }
    if same(&spec, &stored) {
        return Vec::new();
    }
    vec![FieldError::forbidden(
        "spec",
        "updates to statefulset spec for fields other than 'replicas', 'ordinals', 'template', 'updateStrategy', \
         'revisionHistoryLimit', 'persistentVolumeClaimRetentionPolicy' and 'minReadySeconds' are forbidden",
    )]
}
