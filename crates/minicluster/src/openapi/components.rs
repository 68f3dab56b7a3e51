//! The schemas in the documents.

use std::collections::BTreeSet;

use serde_json::{Map, Value, json};

use super::Form;
use crate::{
    kind::{Kind, Subresource},
    schema::{definition, kinds_of, name_of},
};

const META: &str = "io.k8s.apimachinery.pkg.apis.meta.v1.";

/// The name of a kind's schema: that of its type, or one made of the reversed group.
pub(super) fn name(kind: &Kind) -> String {
    let known = kind.custom.is_none().then(|| name_of(&kind.group, &kind.version, &kind.kind));
    known.flatten().map_or_else(|| custom_name(kind, &kind.kind), ToOwned::to_owned)
}

/// The name of the schema of a list of a kind.
pub(super) fn list_name(kind: &Kind) -> String {
    let known = kind.custom.is_none().then(|| name_of(&kind.group, &kind.version, &kind.list_kind));
    known.flatten().map_or_else(|| custom_name(kind, &kind.list_kind), ToOwned::to_owned)
}

fn custom_name(kind: &Kind, name: &str) -> String {
    let mut parts: Vec<&str> = kind.group.split('.').collect();
    parts.reverse();
    format!("{}.{}.{name}", parts.join("."), kind.version)
}

/// The name of a shared type in the metadata package.
pub(super) fn meta(name: &str) -> String {
    format!("{META}{name}")
}

/// What a reference to a schema looks like.
pub(super) fn reference(name: &str, form: Form) -> Value {
    match form {
        Form::V2 => json!({ "$ref": format!("#/definitions/{name}") }),
        Form::V3 => json!({ "$ref": format!("#/components/schemas/{name}") }),
    }
}

/// All schemas that some kinds need.
pub(super) fn of(kinds: &[&Kind], form: Form) -> Value {
    let mut schemas = Map::new();
    let mut wanted: Vec<String> = Vec::new();
    for kind in kinds {
        for shared in ["DeleteOptions", "Status", "Patch", "WatchEvent"] {
            wanted.push(meta(shared));
        }
        for subresource in &kind.subresources {
            match subresource {
                Subresource::Scale => wanted.push("io.k8s.api.autoscaling.v1.Scale".to_owned()),
                Subresource::Binding => wanted.push("io.k8s.api.core.v1.Binding".to_owned()),
                Subresource::Eviction => wanted.push("io.k8s.api.policy.v1.Eviction".to_owned()),
                _ => {}
            }
        }
        if kind.custom.is_some() {
            schemas.insert(name(kind), custom(kind, form));
            schemas.insert(list_name(kind), custom_list(kind, form));
            wanted.extend([meta("ObjectMeta"), meta("ListMeta")]);
        } else {
            wanted.extend([name(kind), list_name(kind)]);
        }
    }
    let mut seen: BTreeSet<String> = BTreeSet::new();
    while let Some(next) = wanted.pop() {
        if seen.contains(&next) {
            continue;
        }
        if let Some(written) = definition(&next) {
            schemas.insert(next.clone(), built_in(&next, &written, form, &mut wanted));
        }
        seen.insert(next);
    }
    Value::Object(schemas)
}

/// A type of the table in the words of a document. Pushes what it refers to.
fn built_in(name: &str, written: &Value, form: Form, wanted: &mut Vec<String>) -> Value {
    let mut schema = translate(written, Place::Elsewhere, form, wanted);
    let kinds: Vec<Value> = kinds_of(name)
        .into_iter()
        .map(|(group, version, kind)| json!({ "group": group, "version": version, "kind": kind }))
        .collect();
    if !kinds.is_empty() {
        schema["x-kubernetes-group-version-kind"] = json!(kinds);
    }
    schema
}

/// Where a schema stands: references from properties are wrapped in version 3, so that there can be words beside them.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Place {
    Property,
    Elsewhere,
}

fn translate(written: &Value, place: Place, form: Form, wanted: &mut Vec<String>) -> Value {
    let Value::Object(words) = written else { return written.clone() };
    let mut out = Map::new();
    for (key, value) in words {
        match key.as_str() {
            "$ref" => {
                let name = value.as_str().unwrap_or_default();
                wanted.push(name.to_owned());
                let target = reference(name, form);
                let beside = place == Place::Property || words.contains_key("default");
                if form == Form::V3 && beside {
                    out.insert("allOf".to_owned(), json!([target]));
                } else {
                    out.insert("$ref".to_owned(), target["$ref"].clone());
                }
            }
            // Ours, not the standard's.
            "go" | "wire" => {}
            // Version 2 knows neither.
            "default" if form == Form::V2 => {}
            "oneOf" if form == Form::V2 => {
                out.insert("type".to_owned(), json!("string"));
            }
            "items" | "additionalProperties" => {
                let below = translate(value, Place::Elsewhere, form, wanted);
                out.insert(key.clone(), below);
            }
            "properties" => {
                let properties: Map<String, Value> = value
                    .as_object()
                    .into_iter()
                    .flatten()
                    .map(|(name, field)| {
                        (name.clone(), translate(field, Place::Property, form, wanted))
                    })
                    .collect();
                out.insert(key.clone(), Value::Object(properties));
            }
            _ => {
                out.insert(key.clone(), value.clone());
            }
        }
    }
    Value::Object(out)
}

/// The schema of a kind that somebody defined.
fn custom(kind: &Kind, form: Form) -> Value {
    let document = kind.custom.as_ref().map(|custom| custom.document.clone()).unwrap_or_default();
    let mut schema = if document.is_object() { document } else { json!({}) };
    if form == Form::V2 {
        simplify(&mut schema);
    }
    schema["type"] = json!("object");
    if !schema["properties"].is_object() {
        schema["properties"] = json!({});
    }
    schema["properties"]["apiVersion"] = json!({ "type": "string" });
    schema["properties"]["kind"] = json!({ "type": "string" });
    let metadata = reference(&meta("ObjectMeta"), form);
    schema["properties"]["metadata"] = match form {
        Form::V2 => metadata,
        Form::V3 => json!({ "allOf": [metadata] }),
    };
    schema["x-kubernetes-group-version-kind"] =
        json!([{ "group": kind.group, "version": kind.version, "kind": kind.kind }]);
    schema
}

/// The schema of a list of a kind that somebody defined.
fn custom_list(kind: &Kind, form: Form) -> Value {
    let metadata = reference(&meta("ListMeta"), form);
    let metadata = match form {
        Form::V2 => metadata,
        Form::V3 => json!({ "allOf": [metadata] }),
    };
    json!({
        "type": "object",
        "required": ["items"],
        "properties": {
            "apiVersion": { "type": "string" },
            "kind": { "type": "string" },
            "items": { "type": "array", "items": reference(&name(kind), form) },
            "metadata": metadata,
        },
        "x-kubernetes-group-version-kind":
            [{ "group": kind.group, "version": kind.version, "kind": kind.list_kind }],
    })
}

/// Takes out what version 2 cannot say.
fn simplify(schema: &mut Value) {
    let Value::Object(words) = schema else { return };
    for key in ["anyOf", "oneOf", "allOf", "not", "nullable", "default"] {
        words.remove(key);
    }
    for key in ["items", "additionalProperties"] {
        if let Some(below) = words.get_mut(key) {
            simplify(below);
        }
    }
    if let Some(Value::Object(properties)) = words.get_mut("properties") {
        properties.values_mut().for_each(simplify);
    }
}
