//! Defaults of a pod's spec, wherever it stands: in a Pod, in the template of a workload, or in a template by itself.

use serde_json::{Value, json};

use super::{
    PLAIN,
    at::{At, each, fill, fill_zero, member, object, set},
    metadata,
    pod::spec,
    selector,
};
use crate::{FieldError, kind::Rules};

/// `rw-r--r--`, in decimal as JSON has it.
const FILE_MODE: i64 = 0o644;

/// Containers of all sorts.
pub(crate) const CONTAINERS: [&str; 3] = ["initContainers", "containers", "ephemeralContainers"];

/// What is done with objects that are a template and nothing else.
pub(crate) const RULES: Rules =
    Rules { defaults: default_template, validate: validate_template, generation: true, ..PLAIN };

fn default_template(owner: &mut Value) {
    if let Some(template) = object(owner, "template") {
        defaults(template);
    }
}

fn validate_template(owner: &Value) -> Vec<FieldError> {
    let mut errors = Vec::new();
    check(&At::root(owner).field("template"), &mut errors);
    errors
}

/// Fills in the template of a workload.
pub(crate) fn defaults(template: &mut Value) {
    if let Some(spec) = object(template, "spec") {
        spec_defaults(spec);
    }
}

/// Fills in a pod's spec.
pub(crate) fn spec_defaults(spec: &mut Value) {
    fill(spec, "restartPolicy", "Always");
    fill(spec, "terminationGracePeriodSeconds", 30);
    fill(spec, "dnsPolicy", "ClusterFirst");
    fill(spec, "securityContext", json!({}));
    fill(spec, "schedulerName", "default-scheduler");
    account_names(spec);
    for kind in CONTAINERS {
        for container in each(spec, kind) {
            container_defaults(container);
        }
    }
    for volume in each(spec, "volumes") {
        volume_defaults(volume);
    }
}

/// With the host's network, a container's ports are the host's.
pub(crate) fn host_ports(spec: &mut Value) {
    if spec.get("hostNetwork") != Some(&Value::Bool(true)) {
        return;
    }
    for kind in CONTAINERS {
        for container in each(spec, kind) {
            for port in each(container, "ports") {
                let number = port.get("containerPort").and_then(Value::as_i64).unwrap_or_default();
                fill_zero(port, "hostPort", number);
            }
        }
    }
}

/// `serviceAccount` is the old name of `serviceAccountName`; the server shows both.
pub(crate) fn account_names(spec: &mut Value) {
    let at = At::root(spec);
    let (name, old) = (at.field("serviceAccountName"), at.field("serviceAccount"));
    if !name.is_empty() {
        set(spec, "serviceAccount", name.value.clone());
    } else if !old.is_empty() {
        set(spec, "serviceAccountName", old.value.clone());
    }
}

fn container_defaults(container: &mut Value) {
    let image = container.get("image").and_then(Value::as_str).unwrap_or_default();
    let policy = pull_policy(image);
    fill(container, "imagePullPolicy", policy);
    fill(container, "terminationMessagePath", "/dev/termination-log");
    fill(container, "terminationMessagePolicy", "File");
    for port in each(container, "ports") {
        fill(port, "protocol", "TCP");
    }
    for variable in each(container, "env") {
        if let Some(source) = variable.get_mut("valueFrom") {
            field_version(source);
        }
    }
    for name in ["livenessProbe", "readinessProbe", "startupProbe"] {
        if let Some(probe) = container.get_mut(name) {
            probe_defaults(probe);
        }
    }
    if let Some(lifecycle) = container.get_mut("lifecycle") {
        for name in ["postStart", "preStop"] {
            if let Some(hook) = lifecycle.get_mut(name) {
                http_defaults(hook);
            }
        }
    }
}

/// `Always` for the tag `latest`, said or not; a digest is never `latest`.
fn pull_policy(image: &str) -> &'static str {
    let (name, digest) = image.split_once('@').map_or((image, ""), |(name, digest)| (name, digest));
    let last = name.rsplit('/').next().unwrap_or(name);
    match last.split_once(':') {
        Some((_, "latest")) => "Always",
        None if digest.is_empty() && !image.is_empty() => "Always",
        _ => "IfNotPresent",
    }
}

fn probe_defaults(probe: &mut Value) {
    if !probe.is_object() {
        return;
    }
    fill_zero(probe, "timeoutSeconds", 1);
    fill_zero(probe, "periodSeconds", 10);
    fill_zero(probe, "successThreshold", 1);
    fill_zero(probe, "failureThreshold", 3);
    http_defaults(probe);
    if let Some(grpc) = probe.get_mut("grpc")
        && grpc.get("service").is_none_or(Value::is_null)
    {
        set(grpc, "service", "");
    }
}

fn http_defaults(handler: &mut Value) {
    if let Some(get) = handler.get_mut("httpGet") {
        fill(get, "path", "/");
        fill(get, "scheme", "HTTP");
    }
}

fn volume_defaults(volume: &mut Value) {
    let Some(map) = volume.as_object_mut() else { return };
    if !map.iter().any(|(name, source)| name != "name" && !source.is_null()) {
        let _ = member(map, "emptyDir");
    }
    for name in ["configMap", "secret", "downwardAPI", "projected"] {
        if let Some(source) = volume.get_mut(name) {
            fill(source, "defaultMode", FILE_MODE);
        }
    }
    if let Some(path) = volume.get_mut("hostPath").filter(|path| path.is_object()) {
        // An empty type is the default, and it is shown.
        if path.get("type").is_none_or(Value::is_null) {
            set(path, "type", "");
        }
    }
    if let Some(api) = volume.get_mut("downwardAPI") {
        each(api, "items").for_each(field_version);
    }
    if let Some(projected) = volume.get_mut("projected") {
        for source in each(projected, "sources") {
            if let Some(token) = source.get_mut("serviceAccountToken") {
                fill(token, "expirationSeconds", 3600);
            }
            if let Some(api) = source.get_mut("downwardAPI") {
                each(api, "items").for_each(field_version);
            }
        }
    }
    if let Some(template) =
        volume.get_mut("ephemeral").and_then(|source| source.get_mut("volumeClaimTemplate"))
        && let Some(spec) = object(template, "spec")
    {
        fill(spec, "volumeMode", "Filesystem");
    }
}

/// A reference to a field of the pod is in terms of `v1`.
fn field_version(source: &mut Value) {
    if let Some(reference) = source.get_mut("fieldRef") {
        fill(reference, "apiVersion", "v1");
    }
}

/// What is wrong with a template.
pub(crate) fn check(template: &At<'_>, errors: &mut Vec<FieldError>) {
    let metadata = template.field("metadata");
    // The real server leaves `metadata` out of these two paths.
    errors.extend(metadata::labels(&At::new(
        metadata.field("labels").value,
        format!("{}.labels", template.path),
    )));
    errors.extend(metadata::annotations(&At::new(
        metadata.field("annotations").value,
        format!("{}.annotations", template.path),
    )));
    spec::check(&template.field("spec"), errors);
}

/// What is wrong with a selector and the template whose pods it must match. `kind` is the word for the workload in messages.
pub(crate) fn check_selected(owner: &At<'_>, kind: &str, errors: &mut Vec<FieldError>) {
    check_selector(owner, kind, errors);
    check(&owner.field("template"), errors);
}

/// What is wrong with a selector that must match the pods of a template.
pub(crate) fn check_selector(owner: &At<'_>, kind: &str, errors: &mut Vec<FieldError>) {
    let selector = owner.field("selector");
    if selector.is_set() {
        selector::check(&selector, errors);
        let says = selector.field("matchLabels").len() + selector.field("matchExpressions").len();
        if says == 0 {
            errors.push(selector.invalid(format!("empty selector is invalid for {kind}")));
            return;
        }
    } else {
        errors.push(selector.required(""));
    }
    let labels = owner.at(&["template", "metadata", "labels"]);
    if !selector.is_set() || !selector::matches(selector.value, labels.value) {
        errors.push(labels.invalid("`selector` does not match template `labels`"));
    }
}

/// Pods of these workloads run until they are deleted.
pub(crate) fn check_runs_forever(owner: &At<'_>, kind: &str, errors: &mut Vec<FieldError>) {
    let spec = owner.at(&["template", "spec"]);
    let restart = spec.field("restartPolicy");
    if !restart.is_empty() && restart.text() != "Always" {
        errors.push(restart.not_supported(&["Always"]));
    }
    let deadline = spec.field("activeDeadlineSeconds");
    if deadline.is_set() {
        let detail = format!("activeDeadlineSeconds in {kind} is not Supported");
        errors.push(deadline.forbidden(detail));
    }
}
