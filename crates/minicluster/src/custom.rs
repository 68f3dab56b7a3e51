//! Custom resource definitions: kinds that come and go while the server runs.
//!
//! A definition passes [`default_definition`] and [`validate_definition`] like any object passes its rules; [`accept`] writes what
//! the real server's controllers write into its status. From then on [`kind_from`] gives the kinds it defines. Their objects are
//! pruned by [`crate::schema::decode`], filled in by [`default_custom`] and checked by [`validate_custom`].

mod cel;
mod defaulting;
mod definition;
mod formats;
mod lists;
mod status;
mod structural;
mod validate;

use std::sync::Arc;

use serde_json::Value;
use thiserror::Error;

pub use definition::{DEFINITION_RULES, default_definition, validate_definition};
pub use status::{accept, begin_deletion, stored_versions};
use structural::Schema;

use crate::{
    error::{FieldError, FieldErrorKind},
    kind::{Kind, Rules, Scope, Subresource},
    rules::PLAIN,
};

/// What a `CustomResourceDefinition` says about its kind beyond names and fields.
#[derive(Debug, Default)]
pub struct CustomKind {
    /// The columns of tables after the name; empty where the definition has none, which means the age alone.
    pub columns: Vec<Column>,
    /// Where the scale subresource finds its numbers.
    pub scale: Option<ScalePaths>,
    /// Paths that field selectors may name, such as `.spec.color`.
    pub selectable: Vec<Box<str>>,
    /// What clients of this version are warned with.
    pub deprecation: Option<String>,
    /// The schema as it stands in the definition, for `OpenAPI` documents.
    pub document: Value,
    /// The schema, read.
    schema: Schema,
}

/// A column of a table.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Column {
    /// The heading.
    pub name: Box<str>,
    /// `string`, `integer`, `number`, `boolean` or `date`.
    pub kind: Box<str>,
    /// A refinement of the type, mostly empty.
    pub format: Box<str>,
    /// For people; a standard sentence where the definition has none.
    pub description: Box<str>,
    /// Columns above zero are shown only in wide tables.
    pub priority: i64,
    /// Where the value is, such as `.spec.size`.
    pub path: Box<str>,
}

/// Where the scale subresource finds its numbers: paths such as `.spec.replicas`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ScalePaths {
    /// How many there should be.
    pub spec_replicas: Box<str>,
    /// How many there are.
    pub status_replicas: Box<str>,
    /// The selector of their pods as text; empty where there is none.
    pub selector: Box<str>,
}

/// Why a definition gives no kind.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[error("custom resource definition {definition} has no version {version}")]
pub struct NoSuchVersion {
    definition: String,
    version: String,
}

/// Objects whose status is written through the subresource: writes of the object leave it alone.
const WITH_STATUS: Rules = Rules {
    prepare_create: |new| {
        if let Value::Object(members) = new {
            members.remove("status");
        }
    },
    prepare_update: |new, old| keep_only(new, old, "status"),
    prepare_status: keep_all_but_status,
    unconditional_update: false,
    generation: true,
    ..PLAIN
};

/// Objects whose status is a field like any other: changing it is a change of the object.
const WITHOUT_STATUS: Rules = Rules { unconditional_update: false, generation: true, ..PLAIN };

/// The kind that a version of a definition defines. The names are those of the specification; whether they were accepted is
/// for the caller to look at.
pub fn kind_from(crd: &Value, version: &str) -> Result<Kind, NoSuchVersion> {
    let entry = versions(crd).find(|entry| text(entry, "/name") == version).ok_or_else(|| {
        NoSuchVersion {
            definition: text(crd, "/metadata/name").to_owned(),
            version: version.to_owned(),
        }
    })?;
    let document = entry.pointer("/schema/openAPIV3Schema").cloned().unwrap_or_default();
    let schema = Schema::read(&document);
    let has_status = entry.pointer("/subresources/status").is_some();
    let scale = entry.pointer("/subresources/scale").map(|scale| ScalePaths {
        spec_replicas: text(scale, "/specReplicasPath").into(),
        status_replicas: text(scale, "/statusReplicasPath").into(),
        selector: text(scale, "/labelSelectorPath").into(),
    });
    let mut subresources = Vec::new();
    if has_status {
        subresources.push(Subresource::Status);
    }
    if scale.is_some() {
        subresources.push(Subresource::Scale);
    }
    let names = |pointer: &str| -> Vec<Box<str>> {
        list(crd, pointer).filter_map(Value::as_str).map(Into::into).collect()
    };
    let (group, kind) = (text(crd, "/spec/group"), text(crd, "/spec/names/kind"));
    let selectable = list(entry, "/selectableFields").map(|field| text(field, "/jsonPath").into());
    Ok(Kind {
        group: group.into(),
        version: version.into(),
        kind: kind.into(),
        list_kind: text(crd, "/spec/names/listKind").into(),
        plural: text(crd, "/spec/names/plural").into(),
        singular: text(crd, "/spec/names/singular").into(),
        short_names: names("/spec/names/shortNames"),
        categories: names("/spec/names/categories"),
        scope: match text(crd, "/spec/scope") {
            "Cluster" => Scope::Cluster,
            _ => Scope::Namespaced,
        },
        subresources,
        schema: Arc::new(schema.root_type()),
        rules: if has_status { WITH_STATUS } else { WITHOUT_STATUS },
        custom: Some(Arc::new(CustomKind {
            columns: list(entry, "/additionalPrinterColumns").map(Column::read).collect(),
            scale,
            selectable: selectable.collect(),
            deprecation: deprecation(entry, group, kind),
            document,
            schema,
        })),
    })
}

/// The names of the versions that are served, best first.
pub fn served_versions(crd: &Value) -> Vec<&str> {
    let mut served: Vec<&str> = versions(crd)
        .filter(|entry| entry["served"] == true)
        .map(|entry| text(entry, "/name"))
        .collect();
    served.sort_by_key(|version| std::cmp::Reverse(crate::discovery::precedence(version)));
    served
}

/// Takes out nulls that the schema does not allow and fills in its defaults.
pub fn default_custom(kind: &CustomKind, value: &mut Value) {
    defaulting::fill(&kind.schema, value);
}

/// What is wrong with an object. Metadata is looked after by the generic path. `old` is what it was before, where it was: rules may
/// compare.
pub fn validate_custom(kind: &CustomKind, value: &Value, old: Option<&Value>) -> Vec<FieldError> {
    let mut found = validate::check(&kind.schema, "", value);
    found.extend(lists::check(&kind.schema, "", value));
    if cel::has_rules(&kind.schema) {
        if found.iter().any(|error| is_blocking(error.kind)) {
            let why = "some validation rules were not checked because the object was invalid; correct the existing errors to \
                       complete validation";
            found.push(FieldError::invalid("<nil>", Value::Null, why));
        } else {
            found.extend(cel::check(&kind.schema, "", value, old));
        }
    }
    found
}

/// Whether rules could stumble over a mistake.
fn is_blocking(kind: FieldErrorKind) -> bool {
    matches!(
        kind,
        FieldErrorKind::NotSupported
            | FieldErrorKind::Required
            | FieldErrorKind::TooLong
            | FieldErrorKind::TooMany
            | FieldErrorKind::TypeInvalid
    )
}

// === impl Column ===

impl Column {
    fn read(json: &Value) -> Self {
        let path = text(json, "/jsonPath");
        let description = match text(json, "/description") {
            "" => format!("Custom resource definition column (in JSONPath format): {path}"),
            given => given.to_owned(),
        };
        Self {
            name: text(json, "/name").into(),
            kind: text(json, "/type").into(),
            format: text(json, "/format").into(),
            description: description.into(),
            priority: json.get("priority").and_then(Value::as_i64).unwrap_or_default(),
            path: path.into(),
        }
    }
}

fn deprecation(entry: &Value, group: &str, kind: &str) -> Option<String> {
    if entry["deprecated"] != true {
        return None;
    }
    Some(match text(entry, "/deprecationWarning") {
        "" => format!("{group}/{} {kind} is deprecated", text(entry, "/name")),
        given => given.to_owned(),
    })
}

/// The status of `old` in place of that of `new`.
fn keep_only(new: &mut Value, old: &Value, field: &str) {
    let Value::Object(members) = new else { return };
    match old.get(field) {
        Some(kept) => members.insert(field.to_owned(), kept.clone()),
        None => members.remove(field),
    };
}

/// Everything but the status stays as it was; of the metadata, bookkeeping may change.
fn keep_all_but_status(new: &mut Value, old: &Value) {
    let status = new.get("status").cloned();
    let managed = new.pointer("/metadata/managedFields").cloned();
    let version = new.pointer("/metadata/resourceVersion").cloned();
    let mut kept = old.clone();
    if let Value::Object(members) = &mut kept {
        match status {
            Some(status) => members.insert("status".to_owned(), status),
            None => members.remove("status"),
        };
        if let Some(Value::Object(metadata)) = members.get_mut("metadata") {
            for (name, value) in [("managedFields", managed), ("resourceVersion", version)] {
                match value {
                    Some(value) => metadata.insert(name.to_owned(), value),
                    None => metadata.remove(name),
                };
            }
        }
    }
    *new = kept;
}

fn versions(crd: &Value) -> impl Iterator<Item = &Value> {
    list(crd, "/spec/versions")
}

fn list<'v>(value: &'v Value, pointer: &str) -> impl Iterator<Item = &'v Value> + use<'v> {
    value.pointer(pointer).and_then(Value::as_array).into_iter().flatten()
}

fn text<'v>(value: &'v Value, pointer: &str) -> &'v str {
    value.pointer(pointer).and_then(Value::as_str).unwrap_or_default()
}

#[cfg(test)]
mod tests;
