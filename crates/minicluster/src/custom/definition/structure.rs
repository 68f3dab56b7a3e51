//! Whether a schema is structural, and its defaults are what it describes.

use serde_json::Value;

use super::super::{cel, structural::Schema, validate};
use crate::{
    error::FieldError,
    schema::{Type, decode},
};

const TYPES: [&str; 6] = ["array", "boolean", "integer", "number", "object", "string"];
/// Words of JSON schema that definitions may not use.
const UNSUPPORTED: [&str; 6] =
    ["$ref", "additionalItems", "definitions", "dependencies", "id", "patternProperties"];

/// Where in the schema we are.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Level {
    Root,
    Item,
    Field,
}

/// What is wrong with the schema at `path`.
pub(crate) fn check(path: &str, schema: &Value) -> Vec<FieldError> {
    let mut found = Vec::new();
    words(path, schema, &mut found);
    let mut shape = Vec::new();
    invariants(path, schema, Level::Root, &mut shape);
    shape.sort_by_key(ToString::to_string);
    found.append(&mut shape);
    if found.is_empty() {
        defaults(path, schema, &mut found);
        rules(path, schema, &mut found);
    }
    found
}

fn flag(schema: &Value, key: &str) -> bool {
    schema.get(key).and_then(Value::as_bool).unwrap_or_default()
}

fn word<'s>(schema: &'s Value, key: &str) -> &'s str {
    schema.get(key).and_then(Value::as_str).unwrap_or_default()
}

/// Calls `visit` for everything directly below a schema.
fn each_below(path: &str, schema: &Value, mut visit: impl FnMut(&str, &Value, Level)) {
    if let Some(items) = schema.get("items").filter(|items| items.is_object()) {
        visit(&format!("{path}.items"), items, Level::Item);
    }
    for (name, below) in schema.get("properties").and_then(Value::as_object).into_iter().flatten() {
        visit(&format!("{path}.properties[{name}]"), below, Level::Field);
    }
    if let Some(values) = schema.get("additionalProperties").filter(|values| values.is_object()) {
        visit(&format!("{path}.additionalProperties"), values, Level::Field);
    }
}

/// Words that may not be used, or not so.
fn words(path: &str, schema: &Value, found: &mut Vec<FieldError>) {
    for key in UNSUPPORTED {
        if schema.get(key).is_some_and(|given| !given.is_null()) {
            found.push(FieldError::forbidden(
                format!("{path}.{key}"),
                format!("{key} is not supported"),
            ));
        }
    }
    let given = word(schema, "type");
    if given == "null" {
        let why = "type cannot be set to null, use nullable as an alternative";
        found.push(FieldError::forbidden(format!("{path}.type"), why));
    } else if !given.is_empty() && !TYPES.contains(&given) {
        found.push(FieldError::not_supported(format!("{path}.type"), given, &TYPES));
    }
    if schema.get("items").is_some_and(Value::is_array) {
        let why = "items must be a schema object and not an array";
        found.push(FieldError::forbidden(format!("{path}.items"), why));
    }
    if flag(schema, "uniqueItems") {
        let why =
            "uniqueItems cannot be set to true since the runtime complexity becomes quadratic";
        found.push(FieldError::forbidden(format!("{path}.uniqueItems"), why));
    }
    let has_fields = schema
        .get("properties")
        .and_then(Value::as_object)
        .is_some_and(|properties| !properties.is_empty());
    if has_fields && schema.get("additionalProperties").is_some_and(|more| *more != false) {
        let why = "additionalProperties and properties are mutual exclusive";
        found.push(FieldError::forbidden(format!("{path}.additionalProperties"), why));
    }
    lists_and_maps(path, schema, found);
    each_below(path, schema, |path, below, _| words(path, below, found));
}

fn lists_and_maps(path: &str, schema: &Value, found: &mut Vec<FieldError>) {
    let at = |key: &str| format!("{path}.{key}");
    let given = word(schema, "type");
    let must_be = |wanted: &str, key: &str| {
        let why = format!("must be {wanted} if {key} is specified");
        if given.is_empty() {
            FieldError::required(at("type"), why)
        } else {
            FieldError::invalid(at("type"), given, why)
        }
    };
    let (list_key, map_key) = ("x-kubernetes-list-type", "x-kubernetes-map-type");
    let (list, map) = (word(schema, list_key), word(schema, map_key));
    if !map.is_empty() {
        if given != "object" {
            found.push(must_be("object", map_key));
        }
        if !["atomic", "granular"].contains(&map) {
            found.push(FieldError::not_supported(at(map_key), map, &["atomic", "granular"]));
        }
    }
    if !list.is_empty() {
        if given != "array" {
            found.push(must_be("array", list_key));
        }
        if !["atomic", "set", "map"].contains(&list) {
            found.push(FieldError::not_supported(at(list_key), list, &["atomic", "set", "map"]));
        }
    }
    let keys_key = "x-kubernetes-list-map-keys";
    let keys: Vec<&str> = schema
        .get(keys_key)
        .and_then(Value::as_array)
        .into_iter()
        .flatten()
        .filter_map(Value::as_str)
        .collect();
    if !keys.is_empty() && list != "map" {
        let why = "must be map if x-kubernetes-list-map-keys is non-empty";
        found.push(if list.is_empty() {
            FieldError::required(at(list_key), why)
        } else {
            FieldError::invalid(at(list_key), list, why)
        });
    }
    if list == "map" {
        map_keys(path, schema, &keys, found);
    }
}

/// The fields that tell the elements of a list apart: there, and never unset.
fn map_keys(path: &str, schema: &Value, keys: &[&str], found: &mut Vec<FieldError>) {
    let path_of_keys = format!("{path}.x-kubernetes-list-map-keys");
    if keys.is_empty() {
        let why = "must not be empty if x-kubernetes-list-type is map";
        found.push(FieldError::required(path_of_keys, why));
        return;
    }
    let Some(items) = schema.get("items").filter(|items| items.is_object()) else {
        let why = "must have a schema if x-kubernetes-list-type is map";
        found.push(FieldError::required(format!("{path}.items"), why));
        return;
    };
    if word(items, "type") != "object" {
        let why = "must be object if parent array's x-kubernetes-list-type is map";
        found.push(FieldError::invalid(format!("{path}.items.type"), word(items, "type"), why));
    }
    let required: Vec<&Value> =
        items.get("required").and_then(Value::as_array).into_iter().flatten().collect();
    for key in keys {
        let Some(property) = items.get("properties").and_then(|properties| properties.get(*key))
        else {
            let why = "entries must all be names of item properties";
            let shown = schema["x-kubernetes-list-map-keys"].clone();
            found.push(FieldError::invalid(path_of_keys.clone(), shown, why));
            continue;
        };
        if property.get("default").is_none() && !required.iter().any(|name| *name == *key) {
            let path = format!("{path}.items.properties[{key}].default");
            let why = "this property is in x-kubernetes-list-map-keys, so it must have a default or be a required property";
            found.push(FieldError::required(path, why));
        }
    }
}

/// What makes a schema structural.
fn invariants(path: &str, schema: &Value, level: Level, found: &mut Vec<FieldError>) {
    let given = word(schema, "type");
    let (free, either) = (
        flag(schema, "x-kubernetes-preserve-unknown-fields"),
        flag(schema, "x-kubernetes-int-or-string"),
    );
    let embedded = flag(schema, "x-kubernetes-embedded-resource");
    if given == "array" && schema.get("items").is_none() {
        found.push(FieldError::required(format!("{path}.items"), "must be specified"));
    }
    if level == Level::Root && schema.get("additionalProperties").is_some() {
        let why = "must not be used at the root";
        found.push(FieldError::forbidden(format!("{path}.additionalProperties"), why));
    }
    if either && free {
        let why = "must be false if x-kubernetes-int-or-string is true";
        let path = format!("{path}.x-kubernetes-preserve-unknown-fields");
        found.push(FieldError::invalid(path, true, why));
    }
    let path_of_type = format!("{path}.type");
    if embedded && given != "object" {
        let why = "must be object if x-kubernetes-embedded-resource is true";
        found.push(if given.is_empty() {
            FieldError::required(path_of_type, why)
        } else {
            FieldError::invalid(path_of_type, given, why)
        });
    } else if given.is_empty() && !either && !free {
        let why = match level {
            Level::Root => "must not be empty at the root",
            Level::Item => "must not be empty for specified array items",
            Level::Field => "must not be empty for specified object fields",
        };
        found.push(FieldError::required(path_of_type, why));
    } else if level == Level::Root && given != "object" && !given.is_empty() {
        found.push(FieldError::invalid(path_of_type, given, "must be object at the root"));
    }
    if level == Level::Root {
        metadata(path, schema, found);
    }
    nested(path, schema, either, found);
    each_below(path, schema, |path, below, level| invariants(path, below, level, found));
}

/// Of metadata, a schema may only restrict the names.
fn metadata(path: &str, schema: &Value, found: &mut Vec<FieldError>) {
    let Some(metadata) = schema.pointer("/properties/metadata").and_then(Value::as_object) else {
        return;
    };
    let names_only = metadata
        .get("properties")
        .and_then(Value::as_object)
        .is_none_or(|fields| fields.keys().all(|name| name == "name" || name == "generateName"));
    let known = ["type", "properties", "description"];
    if !names_only || metadata.keys().any(|key| !known.contains(&key.as_str())) {
        let why = "must not specify anything other than name and generateName, but metadata is implicitly specified";
        found.push(FieldError::forbidden(format!("{path}.properties[metadata]"), why));
    }
}

/// Inside `allOf` and the like only values may be constrained, not the structure.
fn nested(path: &str, schema: &Value, either: bool, found: &mut Vec<FieldError>) {
    for key in ["allOf", "anyOf", "oneOf"] {
        let schemas = schema.get(key).and_then(Value::as_array).into_iter().flatten();
        for (index, below) in schemas.enumerate() {
            let path = format!("{path}.{key}[{index}]");
            // Integers or strings are the one case in which alternatives have types.
            let exempt = either && matches!(key, "anyOf" | "allOf");
            if !exempt {
                forbid_structure(&path, below, found);
            }
            nested(&path, below, either, found);
        }
    }
    if let Some(below) = schema.get("not").filter(|below| below.is_object()) {
        forbid_structure(&format!("{path}.not"), below, found);
        nested(&format!("{path}.not"), below, either, found);
    }
}

fn forbid_structure(path: &str, schema: &Value, found: &mut Vec<FieldError>) {
    for key in [
        "type",
        "additionalProperties",
        "default",
        "nullable",
        "title",
        "description",
        "x-kubernetes-preserve-unknown-fields",
        "x-kubernetes-embedded-resource",
        "x-kubernetes-int-or-string",
    ] {
        let set = schema.get(key).is_some_and(|given| *given != false && !given.is_null());
        if set {
            let state = match key {
                "type" | "title" | "description" => "empty",
                "additionalProperties" | "default" => "undefined",
                _ => "false",
            };
            let why = format!("must be {state} to be structural");
            found.push(FieldError::forbidden(format!("{path}.{key}"), why));
        }
    }
    each_below(path, schema, |path, below, _| forbid_structure(path, below, found));
}

/// Defaults must be what the schema describes, and nothing that would be pruned.
fn defaults(path: &str, json: &Value, found: &mut Vec<FieldError>) {
    if let Some(default) = json.get("default").filter(|default| !default.is_null()) {
        let path = format!("{path}.default");
        let schema = Schema::read(json);
        let ty: Type = schema.to_type();
        if !decode(&ty, &mut default.clone()).unknown.is_empty() {
            let why = "must not have unknown fields";
            found.push(FieldError::invalid(path.clone(), default.clone(), why));
        }
        for mut error in validate::check(&schema, "", default) {
            error.path =
                if error.path.is_empty() { path.clone() } else { format!("{path}.{}", error.path) };
            found.push(error);
        }
    }
    each_below(path, json, |path, below, _| defaults(path, below, found));
}

/// Rules must be expressions, and speak of fields that are there.
fn rules(path: &str, json: &Value, found: &mut Vec<FieldError>) {
    let key = "x-kubernetes-validations";
    let given = json.get(key).and_then(Value::as_array).map(Vec::as_slice).unwrap_or_default();
    let schema = Schema::read(json);
    for (index, rule) in given.iter().enumerate() {
        let path = format!("{path}.{key}[{index}].rule");
        let text = word(rule, "rule").trim();
        if text.is_empty() {
            found.push(FieldError::required(path, "rule is not specified"));
            continue;
        }
        let why = match cel::parse(text) {
            Err(why) => format!("Syntax error: {why}"),
            Ok(expr) => match cel::undefined_field(&expr, &schema) {
                Some(field) => format!("undefined field '{field}'"),
                None => continue,
            },
        };
        let why = format!("compilation failed: ERROR: <input>: {why}");
        found.push(FieldError::invalid(path, rule.clone(), why));
    }
    each_below(path, json, |path, below, _| rules(path, below, found));
}
