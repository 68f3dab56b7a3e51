//! Rules of custom resource definitions themselves.

mod structure;

use serde_json::{Value, json};

use super::{keep_all_but_status, list, status, text, versions};
use crate::{
    error::FieldError,
    kind::Rules,
    rules::{PLAIN, names},
};

const COLUMN_TYPES: [&str; 5] = ["boolean", "date", "integer", "number", "string"];
const COLUMN_FORMATS: [&str; 8] =
    ["byte", "date", "date-time", "double", "float", "int32", "int64", "password"];
/// The annotation without which nobody may define kinds in the groups of Kubernetes itself.
const APPROVAL: &str = "api-approved.kubernetes.io";

/// What is done with definitions on their way in.
pub const DEFINITION_RULES: Rules = Rules {
    defaults: default_definition,
    prepare_create: |crd| {
        crd["status"] = json!({});
        status::stored_versions(crd);
    },
    prepare_update: |new, old| {
        new["status"] = old.get("status").cloned().unwrap_or_default();
        status::stored_versions(new);
    },
    prepare_status: keep_all_but_status,
    validate: validate_definition,
    validate_update,
    generation: true,
    unconditional_update: false,
    ..PLAIN
};

/// Fills in what a definition leaves out.
pub fn default_definition(crd: &mut Value) {
    let kind = text(crd, "/spec/names/kind").to_owned();
    if !crd["spec"].is_object() {
        return;
    }
    if crd["spec"]["names"].is_object() && !kind.is_empty() {
        if text(crd, "/spec/names/singular").is_empty() {
            crd["spec"]["names"]["singular"] = json!(kind.to_lowercase());
        }
        if text(crd, "/spec/names/listKind").is_empty() {
            crd["spec"]["names"]["listKind"] = json!(format!("{kind}List"));
        }
    }
    if crd["spec"]["conversion"].is_null() {
        crd["spec"]["conversion"] = json!({ "strategy": "None" });
    }
}

/// What is wrong with a definition.
pub fn validate_definition(crd: &Value) -> Vec<FieldError> {
    let mut found = Vec::new();
    let (name, group) = (text(crd, "/metadata/name"), text(crd, "/spec/group"));
    if name != format!("{}.{group}", text(crd, "/spec/names/plural")) {
        let why = "must be spec.names.plural+\".\"+spec.group";
        found.push(FieldError::invalid("metadata.name", name, why));
    }
    if group.is_empty() {
        found.push(FieldError::required("spec.group", ""));
    } else if let Some(why) = joined(&names::subdomain(group)) {
        found.push(FieldError::invalid("spec.group", group, why));
    } else if !group.contains('.') {
        let why = "should be a domain with at least one dot";
        found.push(FieldError::invalid("spec.group", group, why));
    }
    match text(crd, "/spec/scope") {
        "" => found.push(FieldError::required("spec.scope", "")),
        "Cluster" | "Namespaced" => {}
        other => {
            found.push(FieldError::not_supported("spec.scope", other, &["Cluster", "Namespaced"]));
        }
    }
    found.extend(check_versions(crd));
    found.extend(check_names(crd));
    found.extend(check_parts(crd));
    match text(crd, "/spec/conversion/strategy") {
        "" | "None" | "Webhook" => {}
        other => found.push(FieldError::not_supported(
            "spec.conversion.strategy",
            other,
            &["None", "Webhook"],
        )),
    }
    found.extend(check_stored(crd));
    found.extend(check_approval(crd, group));
    found
}

/// What may not change once it is there.
fn validate_update(new: &Value, old: &Value) -> Vec<FieldError> {
    let mut fixed =
        vec![("/spec/group", "spec.group"), ("/spec/names/plural", "spec.names.plural")];
    let established = list(old, "/status/conditions")
        .any(|condition| condition["type"] == "Established" && condition["status"] == "True");
    if established {
        fixed.push(("/spec/scope", "spec.scope"));
        fixed.push(("/spec/names/kind", "spec.names.kind"));
    }
    let mut found = Vec::new();
    for (pointer, path) in fixed {
        if text(new, pointer) != text(old, pointer) {
            let why = "field is immutable";
            found.push(FieldError::invalid(path, text(new, pointer), why));
        }
    }
    found
}

fn check_versions(crd: &Value) -> Vec<FieldError> {
    let mut found = Vec::new();
    let mut seen: Vec<&str> = Vec::new();
    let mut repeated = false;
    for (index, entry) in versions(crd).enumerate() {
        let name = text(entry, "/name");
        repeated |= seen.contains(&name);
        seen.push(name);
        if let Some(why) = joined(&names::label_1035(name)) {
            found.push(FieldError::invalid(format!("spec.versions[{index}].name"), name, why));
        }
        if !entry.pointer("/schema/openAPIV3Schema").is_some_and(Value::is_object) {
            let path = format!("spec.versions[{index}].schema.openAPIV3Schema");
            found.push(FieldError::required(path, ""));
        }
    }
    let all = crd.pointer("/spec/versions").cloned().unwrap_or_default();
    if repeated {
        let why = "must contain unique version names";
        found.push(FieldError::invalid("spec.versions", all.clone(), why));
    }
    if versions(crd).filter(|entry| entry["storage"] == true).count() != 1 {
        let why = "must have exactly one version marked as storage version";
        found.push(FieldError::invalid("spec.versions", all, why));
    }
    found
}

fn check_names(crd: &Value) -> Vec<FieldError> {
    let mut found = Vec::new();
    for field in ["plural", "singular", "kind", "listKind"] {
        let path = format!("spec.names.{field}");
        let name = text(crd, &format!("/spec/names/{field}"));
        if name.is_empty() {
            found.push(FieldError::required(path, ""));
            continue;
        }
        let mixed = field == "kind" || field == "listKind";
        let checked = if mixed { name.to_lowercase() } else { name.to_owned() };
        if let Some(why) = joined(&names::label_1035(&checked)) {
            let preface =
                if mixed { "may have mixed case, but should otherwise match: " } else { "" };
            found.push(FieldError::invalid(path, name, format!("{preface}{why}")));
        }
    }
    for field in ["shortNames", "categories"] {
        for (index, name) in list(crd, &format!("/spec/names/{field}")).enumerate() {
            let name = name.as_str().unwrap_or_default();
            if let Some(why) = joined(&names::label_1035(name)) {
                found.push(FieldError::invalid(format!("spec.names.{field}[{index}]"), name, why));
            }
        }
    }
    let (kind, list_kind) = (text(crd, "/spec/names/kind"), text(crd, "/spec/names/listKind"));
    if !kind.is_empty() && kind == list_kind {
        let why = "kind and listKind may not be the same";
        found.push(FieldError::invalid("spec.names.listKind", list_kind, why));
    }
    found
}

/// Schemas, subresources and columns of the versions. What is the same in all of them is spoken of once, and as if it stood outside
/// the versions.
fn check_parts(crd: &Value) -> Vec<FieldError> {
    let part = |pointer: &str, shared: &str, own: &str| -> Vec<(String, Value)> {
        let all: Vec<Option<&Value>> = versions(crd).map(|entry| entry.pointer(pointer)).collect();
        match all.as_slice() {
            [Some(first), rest @ ..] if rest.iter().all(|other| *other == Some(*first)) => {
                vec![(shared.to_owned(), (*first).clone())]
            }
            several => several
                .iter()
                .enumerate()
                .filter_map(|(index, found)| {
                    found.map(|found| (format!("spec.versions[{index}].{own}"), found.clone()))
                })
                .collect(),
        }
    };
    let mut found = Vec::new();
    let schemas = part("/schema", "spec.validation", "schema");
    for (path, schema) in &schemas {
        if let Some(schema) = schema.get("openAPIV3Schema").filter(|schema| schema.is_object()) {
            found.extend(structure::check(&format!("{path}.openAPIV3Schema"), schema));
        }
    }
    for (path, subresources) in part("/subresources", "spec.subresources", "subresources") {
        found.extend(check_scale(&path, subresources.get("scale")));
    }
    let columns = "additionalPrinterColumns";
    for (path, columns) in part(&format!("/{columns}"), &format!("spec.{columns}"), columns) {
        for (index, column) in columns.as_array().into_iter().flatten().enumerate() {
            found.extend(check_column(&format!("{path}[{index}]"), column));
        }
    }
    found
}

fn check_scale(path: &str, scale: Option<&Value>) -> Vec<FieldError> {
    let Some(scale) = scale.filter(|scale| scale.is_object()) else { return Vec::new() };
    let mut found = Vec::new();
    for (field, prefixes, whole) in [
        ("specReplicasPath", &[".spec."][..], "should be a json path under .spec"),
        ("statusReplicasPath", &[".status."][..], "should be a json path under .status"),
        (
            "labelSelectorPath",
            &[".spec.", ".status."][..],
            "should be a json path under either .spec or .status",
        ),
    ] {
        let path = format!("{path}.scale.{field}");
        let given = text(scale, &format!("/{field}"));
        if given.is_empty() {
            if field != "labelSelectorPath" {
                found.push(FieldError::required(path, ""));
            }
        } else if given.contains(['[', ']']) || !given.starts_with('.') {
            let why = if given.starts_with('.') {
                "must be a json path in the dot notation"
            } else {
                "must be a simple json path starting with ."
            };
            found.push(FieldError::invalid(path, given, why));
        } else if !prefixes.iter().any(|prefix| given.starts_with(prefix)) {
            found.push(FieldError::invalid(path, given, whole));
        }
    }
    found
}

fn check_column(path: &str, column: &Value) -> Vec<FieldError> {
    let mut found = Vec::new();
    if text(column, "/name").is_empty() {
        found.push(FieldError::required(format!("{path}.name"), ""));
    }
    let (kind, format) = (text(column, "/type"), text(column, "/format"));
    let types = format!("must be one of {}", COLUMN_TYPES.join(","));
    if kind.is_empty() {
        found.push(FieldError::required(format!("{path}.type"), types));
    } else if !COLUMN_TYPES.contains(&kind) {
        found.push(FieldError::invalid(format!("{path}.type"), kind, types));
    }
    if !format.is_empty() && !COLUMN_FORMATS.contains(&format) {
        let why = format!("must be one of {}", COLUMN_FORMATS.join(","));
        found.push(FieldError::invalid(format!("{path}.format"), format, why));
    }
    if text(column, "/jsonPath").is_empty() {
        found.push(FieldError::required(format!("{path}.JSONPath"), ""));
    }
    found
}

fn check_stored(crd: &Value) -> Vec<FieldError> {
    let path = "status.storedVersions";
    let stored: Vec<&str> = list(crd, "/status/storedVersions").filter_map(Value::as_str).collect();
    if stored.is_empty() {
        return vec![FieldError::invalid(
            path,
            Value::Null,
            "must have at least one stored version",
        )];
    }
    let known: Vec<&str> = versions(crd).map(|entry| text(entry, "/name")).collect();
    let mut found = Vec::new();
    for (index, version) in stored.iter().enumerate() {
        if !known.contains(version) {
            let why = format!(
                "missing from spec.versions; {version} was previously a storage version, and must remain in spec.versions until a \
                 storage migration ensures no data remains persisted in {version} and removes {version} from status.storedVersions"
            );
            found.push(FieldError::invalid(format!("{path}[{index}]"), *version, why));
        }
    }
    found
}

fn check_approval(crd: &Value, group: &str) -> Option<FieldError> {
    let own = |domain: &str| {
        group.strip_suffix(domain).is_some_and(|rest| rest.is_empty() || rest.ends_with('.'))
    };
    if !own("k8s.io") && !own("kubernetes.io") {
        return None;
    }
    let annotation = crd.get("metadata")?.get("annotations").and_then(|all| all.get(APPROVAL));
    let path = format!("metadata.annotations[{APPROVAL}]");
    match annotation.and_then(Value::as_str) {
        None | Some("") => {
            let why = format!(
                "protected groups must have approval annotation {APPROVAL:?}, see https://github.com/kubernetes/enhancements/pull/1111"
            );
            Some(FieldError::required(path, why))
        }
        Some(given) if given.starts_with("http") || given.starts_with("unapproved") => None,
        Some(given) => {
            let why = format!(
                "protected groups must have approval annotation {APPROVAL:?} with either a URL or a reason starting with \
                 \"unapproved\", see https://github.com/kubernetes/enhancements/pull/1111"
            );
            Some(FieldError::invalid(path, given, why))
        }
    }
}

/// All objections in one sentence.
fn joined(objections: &[String]) -> Option<String> {
    (!objections.is_empty()).then(|| objections.join(","))
}
