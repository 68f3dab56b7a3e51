//! Tables: what `kubectl get` prints.
//!
//! A kind has columns, and each of its objects a row of cells. The server puts them together and sends them row by row, so that
//! a long table never exists as one piece.

use jiff::Timestamp;
use serde_json::{Value, json};

use crate::Kind;

const NAME: &str = "Name must be unique within a namespace. Is required when creating resources, although some resources may \
     allow a client to request the generation of an appropriate name automatically. Name is primarily intended for creation \
     idempotence and configuration definition. Cannot be updated. More info: \
     https://kubernetes.io/docs/concepts/overview/working-with-objects/names#names";

const CREATED: &str = "CreationTimestamp is a timestamp representing the server time when this object was created. It is not \
     guaranteed to be set in happens-before order across separate operations. Clients may not set this value. It is represented \
     in RFC3339 form and is in UTC.\n\nPopulated by the system. Read-only. Null for lists. More info: \
     https://git.k8s.io/community/contributors/devel/sig-architecture/api-conventions.md#metadata";

/// The columns of a kind, as `columnDefinitions`.
pub fn columns(_kind: &Kind) -> Value {
    json!([
        { "name": "Name", "type": "string", "format": "name", "description": NAME, "priority": 0 },
        { "name": "Created At", "type": "date", "format": "", "description": CREATED, "priority": 0 },
    ])
}

/// The cells of an object, one for each column. An object of which there is nothing but a version gives cells too: bookmarks are
/// shown so.
pub fn cells(_kind: &Kind, object: &Value, _now: Timestamp) -> Value {
    let metadata = &object["metadata"];
    let text = |field: &str| metadata[field].as_str().unwrap_or_default().to_owned();
    json!([text("name"), text("creationTimestamp")])
}
