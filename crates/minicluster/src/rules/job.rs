//! Jobs.

use serde_json::{Value, json};

use super::{
    PLAIN,
    at::{At, fill, is_empty, object, same, set},
    drop_status, keep_spec, keep_status, pod_template, text_at,
};
use crate::{FieldError, kind::Rules};

/// The label that makes a job's pods its own.
const UID_LABEL: &str = "batch.kubernetes.io/controller-uid";
const NAME_LABEL: &str = "batch.kubernetes.io/job-name";
const OLD_UID_LABEL: &str = "controller-uid";
const OLD_NAME_LABEL: &str = "job-name";

/// What is done with Jobs.
pub(crate) const RULES: Rules = Rules {
    defaults,
    prepare_create,
    prepare_update: keep_status,
    prepare_status: keep_spec,
    validate,
    validate_update,
    fields: &[("status.successful", successful)],
    generation: true,
    orphans: true,
    ..PLAIN
};

fn defaults(job: &mut Value) {
    let Some(spec) = object(job, "spec") else { return };
    let said = |spec: &Value, name: &str| At::root(spec).field(name).is_set();
    if !said(spec, "completions") && !said(spec, "parallelism") {
        fill(spec, "completions", 1);
    }
    fill(spec, "parallelism", 1);
    let retries = if said(spec, "backoffLimitPerIndex") { i64::from(i32::MAX) } else { 6 };
    fill(spec, "backoffLimit", retries);
    fill(spec, "completionMode", "NonIndexed");
    fill(spec, "suspend", false);
    fill(spec, "manualSelector", false);
    let replacement = if said(spec, "podFailurePolicy") { "Failed" } else { "TerminatingOrFailed" };
    fill(spec, "podReplacementPolicy", replacement);
    if let Some(template) = object(spec, "template") {
        pod_template::defaults(template);
    }
    labels_from_template(job);
}

/// A job without labels has those of its pods.
fn labels_from_template(job: &mut Value) {
    let labels = At::root(job).at(&["spec", "template", "metadata", "labels"]).value.clone();
    if is_empty(&labels) || !At::root(job).at(&["metadata", "labels"]).is_empty() {
        return;
    }
    if let Some(metadata) = object(job, "metadata") {
        set(metadata, "labels", labels);
    }
}

fn prepare_create(job: &mut Value) {
    drop_status(job);
    if !At::root(job).at(&["spec", "manualSelector"]).is_true() {
        generate_selector(job);
        labels_from_template(job);
    }
}

/// Pods carry the job's name and uid, and the selector asks for the uid. Labels that somebody gave stay; the check finds out.
fn generate_selector(job: &mut Value) {
    let (name, uid) = (text_at(job, "/metadata/name"), text_at(job, "/metadata/uid"));
    let Some(spec) = object(job, "spec") else { return };
    let metadata = object(spec, "template").and_then(|template| object(template, "metadata"));
    if let Some(labels) = metadata.and_then(|metadata| object(metadata, "labels")) {
        for (label, value) in
            [(OLD_NAME_LABEL, &name), (NAME_LABEL, &name), (OLD_UID_LABEL, &uid), (UID_LABEL, &uid)]
        {
            fill(labels, label, value.as_str());
        }
    }
    let selector = object(spec, "selector");
    if let Some(pairs) = selector.and_then(|selector| object(selector, "matchLabels")) {
        fill(pairs, UID_LABEL, uid);
    }
}

fn validate(job: &Value) -> Vec<FieldError> {
    let root = At::root(job);
    let spec = root.field("spec");
    let template = spec.field("template");
    let mut errors = Vec::new();
    if spec.field("manualSelector").is_true() {
        pod_template::check_selector(&spec, "job", &mut errors);
    } else {
        generated_labels(&root, &mut errors);
    }
    for name in [
        "parallelism",
        "completions",
        "activeDeadlineSeconds",
        "backoffLimit",
        "ttlSecondsAfterFinished",
        "backoffLimitPerIndex",
        "maxFailedIndexes",
    ] {
        errors.extend(spec.field(name).not_negative());
    }
    let mode = spec.field("completionMode");
    errors.extend(mode.one_of(&["NonIndexed", "Indexed"]));
    if mode.text() == "Indexed" {
        if !spec.field("completions").is_set() {
            let completions = spec.field("completions");
            errors.push(completions.required("when completion mode is Indexed"));
        }
    } else {
        for name in ["backoffLimitPerIndex", "maxFailedIndexes"] {
            let part = spec.field(name);
            if part.is_set() {
                errors.push(part.invalid("requires indexed completion mode"));
            }
        }
    }
    pod_template::check(&template, &mut errors);
    let restart = template.at(&["spec", "restartPolicy"]);
    match restart.text() {
        "OnFailure" | "Never" => {}
        "Always" | "" => {
            errors.push(restart.required("valid values: \"OnFailure\", \"Never\""));
        }
        _ => errors.push(restart.not_supported(&["OnFailure", "Never"])),
    }
    errors
}

/// Nobody else may have set the labels that are generated to something else.
fn generated_labels(job: &At<'_>, errors: &mut Vec<FieldError>) {
    let (name, uid) = (job.at(&["metadata", "name"]), job.at(&["metadata", "uid"]));
    let labels = job.at(&["spec", "template", "metadata", "labels"]);
    for (label, wanted) in [(UID_LABEL, uid.text()), (NAME_LABEL, name.text())] {
        let given = labels.key(label);
        if !given.is_set() {
            errors.push(given.required(&format!("must be '{wanted}'")));
        } else if given.text() != wanted {
            errors.push(given.invalid(format!("must be '{wanted}'")));
        }
    }
    let selector = job.at(&["spec", "selector"]);
    let wanted = json!({ "matchLabels": { UID_LABEL: uid.text() } });
    if !same(selector.value, &wanted) {
        errors.push(selector.invalid("`selector` not auto-generated"));
    }
}

fn validate_update(new: &Value, old: &Value) -> Vec<FieldError> {
    let (spec, before) = (At::root(new).field("spec"), At::root(old).field("spec"));
    let mut errors = Vec::new();
    let indexed = before.field("completionMode").text() == "Indexed";
    for name in ["completions", "selector", "template", "completionMode", "podFailurePolicy"] {
        // An indexed job may grow and shrink; a suspended one may be placed anew.
        let may_change = (name == "completions" && indexed)
            || (name == "template" && before.field("suspend").is_true());
        if !may_change {
            errors.extend(spec.field(name).unchanged(&before.field(name)));
        }
    }
    errors
}

fn successful(job: &Value) -> String {
    let number = job.pointer("/status/succeeded").and_then(Value::as_i64);
    number.unwrap_or_default().to_string()
}
