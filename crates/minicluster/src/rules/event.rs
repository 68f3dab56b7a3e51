//! Events, of both API groups. Messages name the members as the old group does, whichever the request used.

use serde_json::Value;

use super::{PLAIN, at::At, names, text_at};
use crate::{FieldError, kind::Rules};

/// What is done with events of the core group.
pub(crate) const CORE: Rules = Rules {
    validate: |event| common(&Names::CORE, event),
    fields: &[
        ("involvedObject.kind", |event| text_at(event, "/involvedObject/kind")),
        ("involvedObject.namespace", |event| text_at(event, "/involvedObject/namespace")),
        ("involvedObject.name", |event| text_at(event, "/involvedObject/name")),
        ("involvedObject.uid", |event| text_at(event, "/involvedObject/uid")),
        ("involvedObject.apiVersion", |event| text_at(event, "/involvedObject/apiVersion")),
        ("involvedObject.resourceVersion", |event| {
            text_at(event, "/involvedObject/resourceVersion")
        }),
        ("involvedObject.fieldPath", |event| text_at(event, "/involvedObject/fieldPath")),
        ("reason", |event| text_at(event, "/reason")),
        ("reportingComponent", |event| text_at(event, "/reportingComponent")),
        ("source", source),
        ("type", |event| text_at(event, "/type")),
    ],
    create_on_update: true,
    ..PLAIN
};

/// What is done with events of `events.k8s.io`. They are stored in the form of the core group, so the fields are read from there,
/// in the same order.
pub(crate) const NEW: Rules = Rules {
    validate: validate_new,
    validate_update: update_new,
    fields: &[
        ("regarding.kind", |event| text_at(event, "/involvedObject/kind")),
        ("regarding.namespace", |event| text_at(event, "/involvedObject/namespace")),
        ("regarding.name", |event| text_at(event, "/involvedObject/name")),
        ("regarding.uid", |event| text_at(event, "/involvedObject/uid")),
        ("regarding.apiVersion", |event| text_at(event, "/involvedObject/apiVersion")),
        ("regarding.resourceVersion", |event| text_at(event, "/involvedObject/resourceVersion")),
        ("regarding.fieldPath", |event| text_at(event, "/involvedObject/fieldPath")),
        ("reason", |event| text_at(event, "/reason")),
        ("reportingController", |event| text_at(event, "/reportingComponent")),
        ("source", source),
        ("type", |event| text_at(event, "/type")),
    ],
    create_on_update: true,
    ..PLAIN
};

/// What the members are called in a group.
struct Names {
    object: &'static str,
    text: &'static str,
    controller: &'static str,
}

impl Names {
    const CORE: Self =
        Self { object: "involvedObject", text: "message", controller: "reportingComponent" };
    const NEW: Self = Self { object: "regarding", text: "note", controller: "reportingController" };
}

/// Checks of every event; those that have a time are held to more.
fn common(names: &Names, event: &Value) -> Vec<FieldError> {
    let root = At::root(event);
    let namespace = root.at(&["metadata", "namespace"]).text();
    let about = root.at(&[names.object, "namespace"]);
    let mut errors = Vec::new();
    let timed = root.field("eventTime").is_set();
    let matches = match (about.text(), timed) {
        ("", false) => ["", "default"].contains(&namespace),
        ("", true) => ["default", "kube-system"].contains(&namespace),
        (_, true) => true,
        (other, false) => other == namespace,
    };
    if !matches {
        let detail = "does not match event.namespace";
        errors.push(FieldError::invalid("involvedObject.namespace", about.text(), detail));
    }
    if !timed {
        return errors;
    }
    let controller = root.field(names.controller);
    if controller.is_empty() {
        errors.push(controller.required(""));
    }
    errors.extend(controller.objections(names::qualified(controller.text())));
    for (name, most) in [("reportingInstance", 128), ("action", 128), ("reason", 128)] {
        let part = root.field(name);
        if part.is_empty() {
            errors.push(part.required(""));
        }
        errors.extend(too_long(&part, name, most));
    }
    errors.extend(too_long(&root.field(names.text), "message", 1024));
    errors
}

fn validate_new(event: &Value) -> Vec<FieldError> {
    let root = At::root(event);
    let mut errors = common(&Names::NEW, event);
    errors.extend(series(&root));
    if !root.field("eventTime").is_set() {
        errors.push(root.field("eventTime").required(""));
    }
    let kind = root.field("type").text();
    if !["Normal", "Warning"].contains(&kind) {
        errors.push(FieldError::invalid("type", "", format!("has invalid value: {kind}")));
    }
    for (member, path) in [
        ("deprecatedFirstTimestamp", "firstTimestamp"),
        ("deprecatedLastTimestamp", "lastTimestamp"),
        ("deprecatedCount", "count"),
        ("deprecatedSource", "source"),
    ] {
        let part = root.field(member);
        if !part.is_empty() && part.number() != Some(0) {
            errors.push(FieldError::invalid(path, "", "needs to be unset"));
        }
    }
    errors
}

fn update_new(new: &Value, old: &Value) -> Vec<FieldError> {
    let (new, old) = (At::root(new), At::root(old));
    [
        ("regarding", "involvedObject"),
        ("reason", "reason"),
        ("note", "message"),
        ("type", "type"),
        ("eventTime", "eventTime"),
        ("action", "action"),
        ("related", "related"),
        ("reportingController", "reportingController"),
        ("reportingInstance", "reportingInstance"),
    ]
    .into_iter()
    .filter_map(|(member, path)| {
        let shown = At::new(new.field(member).value, path);
        shown.unchanged(&old.field(member))
    })
    .collect()
}

fn series(event: &At<'_>) -> Vec<FieldError> {
    let series = event.field("series");
    let mut errors = Vec::new();
    if series.is_set() {
        if series.field("count").number().unwrap_or_default() < 2 {
            errors.push(FieldError::invalid("series.count", "", "should be at least 2"));
        }
        if !series.field("lastObservedTime").is_set() {
            errors.push(FieldError::required("series.lastObservedTime", ""));
        }
    }
    errors
}

fn too_long(at: &At<'_>, path: &str, most: usize) -> Option<FieldError> {
    (at.text().len() > most)
        .then(|| FieldError::invalid(path, "", format!("can have at most {most} characters")))
}

/// Who reported: the component of old, the controller of new events.
fn source(event: &Value) -> String {
    let old = text_at(event, "/source/component");
    if old.is_empty() { text_at(event, "/reportingComponent") } else { old }
}
