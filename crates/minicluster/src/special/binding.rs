//! `pods/binding`: a pod gets its node.

use jiff::Timestamp;
use serde_json::{Value, json};

use super::{check_type, success};
use crate::{
    Api, ApiError, FieldError, Kind,
    api::{Target, WriteOptions},
    kind::Subresource,
    read::{items, make, put_condition, text, time},
};

/// Gives the pod `at` the node that a `Binding` names. Only the first binding of a pod succeeds.
pub fn bind(
    api: &Api,
    pods: &Kind,
    at: &Target<'_>,
    binding: &Value,
    options: &WriteOptions,
) -> Result<Value, ApiError> {
    check_type(binding, "Binding", &["v1"])?;
    if text(binding, "/metadata/name") != at.name {
        return Err(ApiError::bad_request("name in URL does not match name in Binding object"));
    }
    check_target(binding)?;
    let now = api.clock().now();
    if options.dry_run {
        let mut pod = api.get(pods, at.namespace, at.name)?.value();
        assign(&mut pod, binding, now)?;
        return Ok(success());
    }
    let mut verdict = Ok(());
    let place = Target { subresource: Some(Subresource::Binding), ..*at };
    api.modify(pods, &place, |pod| verdict = assign(pod, binding, now))?;
    verdict.map(|()| success())
}

/// The real server does not turn these mistakes into a proper refusal: they are internal errors.
fn check_target(binding: &Value) -> Result<(), ApiError> {
    let mut mistakes = Vec::new();
    let kind = text(binding, "/target/kind");
    if !matches!(kind, "" | "Node") {
        mistakes.push(FieldError::not_supported("target.kind", kind, &["Node", "<empty>"]));
    }
    if text(binding, "/target/name").is_empty() {
        mistakes.push(FieldError::required("target.name", ""));
    }
    if mistakes.is_empty() {
        return Ok(());
    }
    let texts: Vec<String> = mistakes.iter().map(ToString::to_string).collect();
    let message = match texts.as_slice() {
        [one] => one.clone(),
        many => format!("[{}]", many.join(", ")),
    };
    Err(ApiError::new(500, "", message))
}

/// Writes the node into a pod that may have one; otherwise leaves the pod alone.
fn assign(pod: &mut Value, binding: &Value, now: Timestamp) -> Result<(), ApiError> {
    let name = text(binding, "/metadata/name");
    let wanted = text(binding, "/metadata/uid");
    let uid = text(pod, "/metadata/uid");
    if !wanted.is_empty() && wanted != uid {
        let namespace = text(pod, "/metadata/namespace");
        let why = format!(
            "StorageError: invalid object, Code: 4, Key: /registry/pods/{namespace}/{name}, ResourceVersion: 0, \
             AdditionalErrorMsg: Precondition failed: UID in precondition: {wanted}, UID in object meta: {uid}"
        );
        return Err(ApiError::conflict("", "pods", name, &why));
    }
    let node = text(pod, "/spec/nodeName");
    let why = if !text(pod, "/metadata/deletionTimestamp").is_empty() {
        Some(format!("pod {name} is being deleted, cannot be assigned to a host"))
    } else if !node.is_empty() {
        Some(format!("pod {name} is already assigned to node {node:?}"))
    } else if items(pod, "/spec/schedulingGates").next().is_some() {
        Some(format!("pod {name} has non-empty .spec.schedulingGates"))
    } else {
        None
    };
    if let Some(why) = why {
        return Err(ApiError::conflict("", "pods/binding", name, &why));
    }
    make(pod, &["spec"]).insert("nodeName".to_owned(), json!(text(binding, "/target/name")));
    for kind in ["annotations", "labels"] {
        if let Some(Value::Object(more)) = binding.pointer(&format!("/metadata/{kind}")) {
            make(pod, &["metadata", kind]).extend(more.clone());
        }
    }
    let status = make(pod, &["status"]);
    status.remove("nominatedNodeName");
    let conditions = status.entry("conditions").or_insert_with(|| json!([]));
    if let Value::Array(conditions) = conditions {
        let scheduled = json!({
            "type": "PodScheduled",
            "status": "True",
            "lastProbeTime": null,
            "lastTransitionTime": time(now),
        });
        put_condition(conditions, scheduled);
    }
    Ok(())
}
