//! `scale`: how many replicas there should be, in one form for all kinds that have them.

use std::sync::{Arc, OnceLock};

use serde_json::{Value, json};

use super::check_type;
use crate::{
    Api, ApiError, FieldError, Kind, Object,
    api::{Patch, PatchRequest, Target, WriteOptions, Written},
    kind::{Scope, Subresource},
    object::{Key, Labels, encode},
    patch,
    read::{items, number, text},
    rules, schema,
};

/// How often a patch is tried again because the object changed while it was applied.
const ATTEMPTS: usize = 16;

/// The kind of the documents: `autoscaling/v1`, `Scale`. There is no collection of them.
pub fn kind() -> &'static Kind {
    static KIND: OnceLock<Kind> = OnceLock::new();
    KIND.get_or_init(|| Kind {
        group: "autoscaling".into(),
        version: "v1".into(),
        kind: "Scale".into(),
        list_kind: "ScaleList".into(),
        plural: "scales".into(),
        singular: "scale".into(),
        short_names: Vec::new(),
        categories: Vec::new(),
        scope: Scope::Namespaced,
        subresources: Vec::new(),
        schema: schema::built_in("io.k8s.api.autoscaling.v1.Scale")
            .unwrap_or_else(schema::Type::any),
        rules: rules::PLAIN,
        custom: None,
    })
}

/// The scale of an object.
pub fn get(api: &Api, kind: &Kind, at: &Target<'_>) -> Result<Arc<Object>, ApiError> {
    let object = api.get(kind, at.namespace, at.name)?;
    Ok(shown(kind, &object))
}

/// Puts a `Scale` in the place of the one there is: sets the replicas.
pub fn update(
    api: &Api,
    kind: &Kind,
    at: &Target<'_>,
    scale: &Value,
    options: &WriteOptions,
) -> Result<Written, ApiError> {
    check_type(scale, "Scale", &["autoscaling/v1"])?;
    let name = text(scale, "/metadata/name");
    if name != at.name {
        return Err(ApiError::bad_request(if name.is_empty() {
            format!(
                "the name of the object ({} based on URL) was undeterminable: name must be provided",
                at.name
            )
        } else {
            format!(
                "the name of the object ({name}) does not match the name on the URL ({})",
                at.name
            )
        }));
    }
    let namespace = text(scale, "/metadata/namespace");
    if !namespace.is_empty() && namespace != at.namespace {
        let why =
            "the namespace of the provided object does not match the namespace sent on the request";
        return Err(ApiError::bad_request(why));
    }
    // Whether there is anything to scale comes first.
    api.get(kind, at.namespace, at.name)?;
    write(api, kind, at, scale, options)
}

/// Changes the scale of an object as a patch says.
pub fn patch(
    api: &Api,
    kind: &Kind,
    at: &Target<'_>,
    request: &PatchRequest,
    options: &WriteOptions,
) -> Result<Written, ApiError> {
    let mut attempts = ATTEMPTS;
    loop {
        attempts -= 1;
        let before = get(api, kind, at)?.value();
        let merge;
        let patch = match request {
            PatchRequest::Patch(patch) => patch,
            PatchRequest::Apply { config, .. } => {
                merge = Patch::Merge(config.clone());
                &merge
            }
        };
        let mut after = patch::apply_patch(self::kind(), &before, patch)?;
        let findings = schema::decode(&self::kind().schema, &mut after);
        if let Some(why) = findings.type_error {
            return Err(patch::refused(patch, &after, &why));
        }
        if text(&after, "/metadata/name") != at.name {
            let name = text(&after, "/metadata/name");
            return Err(ApiError::bad_request(format!(
                "the name of the object ({name}) does not match the name on the URL ({})",
                at.name
            )));
        }
        match write(api, kind, at, &after, options) {
            // Not the client's version is old, but the one that the patch was applied to.
            Err(error)
                if error.code == 409
                    && attempts > 0
                    && after.pointer("/metadata/resourceVersion")
                        == before.pointer("/metadata/resourceVersion") => {}
            outcome => return outcome,
        }
    }
}

/// Writes the replicas of a scale into its object.
fn write(
    api: &Api,
    kind: &Kind,
    at: &Target<'_>,
    scale: &Value,
    options: &WriteOptions,
) -> Result<Written, ApiError> {
    let replicas = number(scale, "/spec/replicas");
    if replicas < 0 {
        let why = "must be greater than or equal to 0";
        let error = FieldError::invalid("spec.replicas", replicas, why);
        return Err(ApiError::invalid("autoscaling", "Scale", at.name, &[error]));
    }
    let mut change = nested(&path_of(kind), json!(replicas));
    for field in ["resourceVersion", "uid"] {
        let said = text(scale, &format!("/metadata/{field}"));
        if !said.is_empty() {
            change["metadata"][field] = json!(said);
        }
    }
    let place = Target { subresource: Some(Subresource::Scale), ..*at };
    let request = PatchRequest::Patch(Patch::Merge(change));
    let written = api.patch(kind, &place, request, options)?;
    Ok(Written { object: shown(kind, &written.object), ..written })
}

/// Where a kind keeps its replicas, as names of members.
fn path_of(kind: &Kind) -> Vec<String> {
    let custom = kind.custom.as_ref().and_then(|custom| custom.scale.as_ref());
    let path = custom.map_or(".spec.replicas", |scale| &*scale.spec_replicas);
    path.split('.').filter(|name| !name.is_empty()).map(str::to_owned).collect()
}

/// A tree with one leaf.
fn nested(path: &[String], leaf: Value) -> Value {
    path.iter().rev().fold(leaf, |inner, name| json!({ (name.as_str()): inner }))
}

/// The scale of an object as a document.
fn shown(kind: &Kind, object: &Object) -> Arc<Object> {
    let value = object.value();
    let custom = kind.custom.as_ref().and_then(|custom| custom.scale.as_ref());
    let at = |path: &str| value.pointer(&path.replace('.', "/")).cloned().unwrap_or_default();
    let (wanted, there, selector) = if let Some(paths) = custom {
        let selector = if paths.selector.is_empty() { Value::Null } else { at(&paths.selector) };
        (at(&paths.spec_replicas), at(&paths.status_replicas), selector)
    } else {
        (at(".spec.replicas"), at(".status.replicas"), json!(selector_text(&value)))
    };
    let mut scale = json!({
        "kind": "Scale",
        "apiVersion": "autoscaling/v1",
        "metadata": {},
        "spec": {},
        "status": { "replicas": there.as_i64().unwrap_or_default() },
    });
    for field in ["name", "namespace", "uid", "resourceVersion", "creationTimestamp"] {
        if let Some(said) = value.pointer(&format!("/metadata/{field}")) {
            scale["metadata"][field] = said.clone();
        }
    }
    if let Some(replicas) = wanted.as_i64().filter(|replicas| *replicas != 0) {
        scale["spec"]["replicas"] = json!(replicas);
    }
    if let Some(selector) = selector.as_str().filter(|selector| !selector.is_empty()) {
        scale["status"]["selector"] = json!(selector);
    }
    Arc::new(Object {
        key: Key::new(&object.key.namespace, &object.key.name),
        uid: object.uid.clone(),
        revision: object.revision,
        labels: Labels::default(),
        fields: Box::default(),
        json: encode(&scale),
    })
}

/// A selector of an object as the text of a query.
fn selector_text(object: &Value) -> String {
    let labels = object.pointer("/spec/selector/matchLabels").and_then(Value::as_object);
    let mut terms: Vec<(String, String)> = labels
        .into_iter()
        .flatten()
        .map(|(key, value)| (key.clone(), format!("{key}={}", value.as_str().unwrap_or_default())))
        .collect();
    for requirement in items(object, "/spec/selector/matchExpressions") {
        let key = text(requirement, "/key");
        let mut values: Vec<&str> =
            items(requirement, "/values").filter_map(Value::as_str).collect();
        values.sort_unstable();
        let values = values.join(",");
        let term = match text(requirement, "/operator") {
            "In" => format!("{key} in ({values})"),
            "NotIn" => format!("{key} notin ({values})"),
            "Exists" => key.to_owned(),
            _ => format!("!{key}"),
        };
        terms.push((key.to_owned(), term));
    }
    terms.sort();
    let terms: Vec<String> = terms.into_iter().map(|(_, term)| term).collect();
    terms.join(",")
}
