//! Conflicts: fields that a configuration changes and others own.

use serde_json::{Value, json};

use super::{fields::FieldSet, managed::Managed};
use crate::ApiError;

/// What one manager owns of what is to be changed.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Conflict {
    /// The manager, as messages name it.
    pub(super) with: String,
    /// The fields.
    pub(super) over: FieldSet,
}

/// The managers that own something of `changed`, by name.
pub(super) fn find(managed: &Managed, changed: &FieldSet) -> Vec<Conflict> {
    let mut conflicts: Vec<Conflict> = managed
        .0
        .iter()
        .map(|entry| Conflict { with: entry.shown(), over: entry.fields.intersection(changed) })
        .filter(|conflict| !conflict.over.is_empty())
        .collect();
    conflicts.sort_by(|one, other| one.with.cmp(&other.with));
    conflicts
}

/// 409, with a cause for each field of each manager.
pub(super) fn refuse(conflicts: &[Conflict]) -> ApiError {
    let mut causes = Vec::new();
    let mut lines = Vec::new();
    for Conflict { with, over } in conflicts {
        lines.push(format!("conflicts with {with}:"));
        for path in over.paths() {
            lines.push(format!("- {path}"));
            causes.push((format!("conflict with {with}"), path));
        }
    }
    let message = match causes.as_slice() {
        [(conflict, path)] => format!("Apply failed with 1 conflict: {conflict}: {path}"),
        many => format!("Apply failed with {} conflicts: {}", many.len(), lines.join("\n")),
    };
    let causes: Vec<Value> = causes
        .into_iter()
        .map(|(message, field)| {
            json!({ "reason": "FieldManagerConflict", "message": message, "field": field })
        })
        .collect();
    let mut error = ApiError::new(409, "Conflict", message);
    error.details = Some(json!({ "causes": causes }));
    error
}
