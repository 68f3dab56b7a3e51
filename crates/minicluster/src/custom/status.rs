//! The status of a definition, which on the real server several controllers write.

use serde_json::{Value, json};

use super::{list, text, versions};

/// The finalizer that keeps a definition until its objects are gone.
const CLEANUP: &str = "customresourcecleanup.apiextensions.k8s.io";

/// Before a definition is stored: the storage version is, or stays, one of the stored ones.
pub fn stored_versions(crd: &mut Value) {
    let storage = versions(crd)
        .find(|entry| entry["storage"] == true)
        .map(|entry| text(entry, "/name").to_owned());
    let mut stored: Vec<Value> = list(crd, "/status/storedVersions").cloned().collect();
    if let Some(storage) = storage
        && !stored.iter().any(|version| *version == *storage)
    {
        stored.push(json!(storage));
    }
    if !crd["status"].is_object() {
        crd["status"] = json!({});
    }
    crd["status"]["storedVersions"] = json!(stored);
}

/// Accepts the names of a definition and declares it established, unless `others`, the definitions of the same group, have one of
/// them. `now` is an RFC 3339 time. Returns whether it is established.
pub fn accept(crd: &mut Value, others: &[Value], now: &str) -> bool {
    let conflict = conflict(crd, others);
    if conflict.is_none() {
        let names = crd.pointer("/spec/names").cloned().unwrap_or_default();
        crd["status"]["acceptedNames"] = names;
    }
    let established = conflict.is_none()
        || list(crd, "/status/conditions")
            .any(|condition| condition["type"] == "Established" && condition["status"] == "True");
    match &conflict {
        None => {
            set_condition(crd, "NamesAccepted", "True", "NoConflicts", "no conflicts found", now);
        }
        Some((reason, message)) => {
            set_condition(crd, "NamesAccepted", "False", reason, message, now);
        }
    }
    if established {
        let message = "the initial names have been accepted";
        set_condition(crd, "Established", "True", "InitialNamesAccepted", message, now);
    } else {
        let message = "not all names are accepted";
        set_condition(crd, "Established", "False", "NotAccepted", message, now);
    }
    established
}

/// What deletion makes of a definition that still has to clean up after itself.
pub fn begin_deletion(crd: &mut Value, now: &str) {
    let mut finalizers: Vec<Value> = list(crd, "/metadata/finalizers").cloned().collect();
    if !finalizers.iter().any(|finalizer| finalizer == CLEANUP) {
        finalizers.push(json!(CLEANUP));
    }
    crd["metadata"]["finalizers"] = json!(finalizers);
    let message = "CustomResourceDefinition marked for deletion; \
                   CustomResource deletion will begin soon";
    set_condition(crd, "Terminating", "True", "InstanceDeletionPending", message, now);
}

/// The first name that another definition has: a reason and a message.
fn conflict(crd: &Value, others: &[Value]) -> Option<(&'static str, String)> {
    let accepted: Vec<&Value> = others
        .iter()
        .filter(|other| text(other, "/metadata/name") != text(crd, "/metadata/name"))
        .filter_map(|other| other.pointer("/status/acceptedNames"))
        .collect();
    let resources: Vec<&str> = accepted
        .iter()
        .flat_map(|names| {
            [text(names, "/plural"), text(names, "/singular")]
                .into_iter()
                .chain(list(names, "/shortNames").filter_map(Value::as_str))
        })
        .collect();
    let kinds: Vec<&str> = accepted
        .iter()
        .flat_map(|names| [text(names, "/kind"), text(names, "/listKind")])
        .collect();
    let taken = |name: &str, all: &[&str]| {
        (!name.is_empty() && all.contains(&name)).then(|| format!("{name:?} is already in use"))
    };
    let one = |pointer: &str, all: &[&str]| taken(text(crd, pointer), all);
    one("/spec/names/plural", &resources)
        .map(|message| ("PluralConflict", message))
        .or_else(|| {
            one("/spec/names/singular", &resources).map(|message| ("SingularConflict", message))
        })
        .or_else(|| {
            list(crd, "/spec/names/shortNames")
                .filter_map(Value::as_str)
                .find_map(|name| taken(name, &resources))
                .map(|message| ("ShortNamesConflict", message))
        })
        .or_else(|| one("/spec/names/kind", &kinds).map(|message| ("KindConflict", message)))
        .or_else(|| {
            one("/spec/names/listKind", &kinds).map(|message| ("ListKindConflict", message))
        })
}

/// Sets a condition; the time moves only when the status does.
fn set_condition(
    crd: &mut Value,
    kind: &str,
    status: &str,
    reason: &str,
    message: &str,
    now: &str,
) {
    let mut conditions: Vec<Value> = list(crd, "/status/conditions").cloned().collect();
    let position = conditions.iter().position(|condition| condition["type"] == kind);
    let since = position
        .and_then(|position| conditions.get(position))
        .filter(|condition| condition["status"] == status)
        .map_or_else(|| json!(now), |condition| condition["lastTransitionTime"].clone());
    let condition = json!({
        "type": kind, "status": status, "lastTransitionTime": since, "reason": reason, "message": message,
    });
    match position.and_then(|position| conditions.get_mut(position)) {
        Some(old) => *old = condition,
        None => conditions.push(condition),
    }
    crd["status"]["conditions"] = json!(conditions);
}
