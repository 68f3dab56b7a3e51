//! The way from client-side to server-side apply: what kubectl noted in its annotation is taken for applied.
//!
//! Only for the manager `kubectl`; others take part by another name.

use serde_json::{Map, Value, json};

use super::{
    compare::{Comparison, compare, named_fields},
    conflict::Conflict,
};
use crate::Kind;

const ANNOTATION: &str = "kubectl.kubernetes.io/last-applied-configuration";
const MANAGER: &str = "kubectl";

/// Whether all conflicts are over fields that kubectl itself applied last, with the values that they have now.
pub(super) fn allows(kind: &Kind, live: &Value, manager: &str, conflicts: &[Conflict]) -> bool {
    if manager != MANAGER {
        return false;
    }
    let last = annotation(live).and_then(|text| serde_json::from_str::<Value>(text).ok());
    let Some(last) = last.filter(|last| last["apiVersion"] == json!(kind.api_version())) else {
        return false;
    };
    let mut allowed = named_fields(&kind.schema, &last);
    let Comparison { changed, removed } = compare(&kind.schema, &last, live);
    allowed.subtract(&changed);
    allowed.subtract(&removed);
    conflicts.iter().all(|conflict| {
        let mut over = conflict.over.clone();
        over.subtract(&allowed);
        over.is_empty()
    })
}

/// Keeps the annotation of an object that has one in step, for those who go back to client-side apply.
pub(super) fn update(object: &mut Value, config: &Value, manager: &str) {
    if manager != MANAGER || annotation(object).is_none_or(str::is_empty) {
        return;
    }
    let mut noted = config.clone();
    if let Some(annotations) = annotations(&mut noted) {
        annotations.remove(ANNOTATION);
    }
    if let Some(annotations) = annotations(object) {
        annotations.insert(ANNOTATION.to_owned(), json!(format!("{noted}\n")));
    }
}

fn annotation(object: &Value) -> Option<&str> {
    object.get("metadata")?.get("annotations")?.get(ANNOTATION)?.as_str()
}

fn annotations(object: &mut Value) -> Option<&mut Map<String, Value>> {
    object.get_mut("metadata")?.get_mut("annotations")?.as_object_mut()
}
