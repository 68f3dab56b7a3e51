//! Every creation of a built-in object in the recordings.

use std::{fs, path::Path};

use serde_json::{Value, json};

use super::{KINDS, Objects, create, kind};
use crate::{Kind, rules::at::remove};

/// What a run would fill in for itself.
const RUN: &str = "r1";

#[test]
fn creations_end_as_the_real_server_recorded_them() {
    let mut wrong = Vec::new();
    let mut checked = 0;
    let directory = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/recordings");
    for entry in fs::read_dir(directory).expect("recordings") {
        let path = entry.expect("an entry").path();
        let recording = read(&path);
        let mut objects = Objects::default();
        let steps = ["setup", "steps"].iter().flat_map(|part| list(&recording[part]));
        for step in steps {
            let Some((kind, namespace)) = target(step) else { continue };
            let at = format!("{} [{}]", path.display(), step["id"].as_str().unwrap_or("setup"));
            checked += 1;
            if let Some(difference) = check(&kind, &namespace, step, &mut objects) {
                wrong.push(format!("{at}: {difference}"));
            }
        }
    }
    assert!(checked > 150, "only {checked} creations found");
    assert!(wrong.is_empty(), "{} of {checked} differ:\n{}", wrong.len(), wrong.join("\n"));
}

/// Sends one creation through the rules; says how the outcome differs from the recorded one.
fn check(kind: &Kind, namespace: &str, step: &Value, objects: &mut Objects) -> Option<String> {
    let response = &step["response"];
    let expected = &response["body"];
    let status = response["status"].as_u64();
    let mut object = step["request"]["body"].clone();
    if !object.is_object() || ![None, Some(201), Some(422), Some(403)].contains(&status) {
        return None;
    }
    fill_metadata(kind, namespace, &mut object, expected);
    let outcome = create(kind, object, objects);
    match (status, outcome) {
        (None, Ok(object)) => {
            objects.put(&kind.plural, &object);
            None
        }
        (Some(201), Ok(mut object)) => {
            objects.put(&kind.plural, &object);
            let mut expected = expected.clone();
            for volatile in ["resourceVersion", "generation", "managedFields"] {
                for side in [&mut object, &mut expected] {
                    remove(&mut side["metadata"], volatile);
                }
            }
            for pointer in list(&step["ignore"]).iter().filter_map(Value::as_str) {
                for side in [&mut object, &mut expected] {
                    take(side, pointer);
                }
            }
            difference(&object, &expected, "")
        }
        (Some(422 | 403), Err(error)) => {
            let found = error.status();
            let sorted = |status: &Value| {
                let mut causes: Vec<String> =
                    list(&status["details"]["causes"]).iter().map(ToString::to_string).collect();
                causes.sort();
                causes
            };
            if sorted(&found) != sorted(expected) {
                return Some(format!("{:#?} is not {:#?}", sorted(&found), sorted(expected)));
            }
            let several = sorted(expected).len() > 1;
            if several { None } else { difference(&found, expected, "") }
        }
        (Some(422 | 403), Ok(_)) if refused_by_others(expected) => None,
        (_, outcome) => Some(format!("recorded {status:?}, found {outcome:?}")),
    }
}

/// Authorisation, options and the end of namespaces are not part of the rules under test.
fn refused_by_others(status: &Value) -> bool {
    let message = status["message"].as_str().unwrap_or_default();
    ["User \"", "because it is being terminated", "CreateOptions"]
        .iter()
        .any(|words| message.contains(words))
}

/// What the generic path does with metadata before the rules come.
fn fill_metadata(kind: &Kind, namespace: &str, object: &mut Value, expected: &Value) {
    object["apiVersion"] = json!(kind.api_version());
    object["kind"] = json!(&*kind.kind);
    let recorded = &expected["metadata"];
    let metadata = &mut object["metadata"];
    if kind.is_namespaced() {
        metadata["namespace"] = json!(namespace);
    }
    if metadata.get("generateName").is_some() && metadata.get("name").is_none() {
        metadata["name"] = recorded["name"].clone();
    }
    for name in ["deletionTimestamp", "deletionGracePeriodSeconds"] {
        remove(metadata, name);
    }
    metadata["uid"] = recorded["uid"].clone();
    metadata["creationTimestamp"] = json!("2026-01-01T00:00:00Z");
}

/// Where two values differ. A recorded placeholder stands for any text.
fn difference(found: &Value, expected: &Value, path: &str) -> Option<String> {
    match (found, expected) {
        (Value::Object(a), Value::Object(b)) => a.keys().chain(b.keys()).find_map(|key| {
            let path = format!("{path}/{key}");
            match (a.get(key), b.get(key)) {
                (Some(a), Some(b)) => difference(a, b, &path),
                (found, expected) => Some(format!("{path}: {found:?} is not {expected:?}")),
            }
        }),
        (Value::Array(a), Value::Array(b)) if a.len() == b.len() => a
            .iter()
            .zip(b)
            .enumerate()
            .find_map(|(index, (a, b))| difference(a, b, &format!("{path}/{index}"))),
        (Value::String(_), Value::String(text)) if text.contains('<') && text.ends_with('>') => {
            None
        }
        _ if found == expected => None,
        _ => Some(format!("{path}: {found} is not {expected}")),
    }
}

fn take(value: &mut Value, pointer: &str) {
    let Some((parent, name)) = pointer.rsplit_once('/') else { return };
    if let Some(parent) = value.pointer_mut(parent) {
        remove(parent, name);
    }
}

/// The kind and namespace of a step that creates a built-in object.
fn target(step: &Value) -> Option<(Kind, String)> {
    let request = step.get("request")?;
    let accept = request["headers"]["Accept"].as_str().unwrap_or_default();
    if request["method"] != "POST" || accept.contains("PartialObjectMetadata") {
        return None;
    }
    let path = request["path"].as_str()?.split('?').next()?;
    let parts: Vec<&str> = path.split('/').skip(1).collect();
    let (group, rest) = match parts.as_slice() {
        ["api", "v1", rest @ ..] => ("", rest),
        ["apis", group, _, rest @ ..] => (*group, rest),
        _ => return None,
    };
    let (namespace, plural) = match rest {
        ["namespaces", namespace, plural] => (*namespace, *plural),
        [plural] => ("", *plural),
        _ => return None,
    };
    let (group, _, _, name, _) =
        KINDS.into_iter().find(|(of, _, known, _, _)| *of == group && *known == plural)?;
    Some((kind(group, name), namespace.to_owned()))
}

/// A recording with its variables and the numbered placeholders that rules look at filled in.
fn read(path: &Path) -> Value {
    let mut text = fs::read_to_string(path).expect("a recording");
    let parsed: Value = serde_json::from_str(&text).expect("JSON");
    for (name, value) in parsed["vars"].as_object().into_iter().flatten() {
        let value = value.as_str().unwrap_or_default();
        text = text.replace(&format!("${{{name}}}"), value);
    }
    let captured = ["setup", "steps"].iter().flat_map(|part| list(&parsed[part]));
    for step in captured {
        for (name, pointer) in step["capture"].as_object().into_iter().flatten() {
            let value = pointer.as_str().and_then(|at| step["response"]["body"].pointer(at));
            if let Some(value) = value.and_then(Value::as_str) {
                text = text.replace(&format!("${{{name}}}"), value);
            }
        }
    }
    text = text.replace("${run}", RUN);
    for number in 0..200 {
        text = text.replace(&format!("<uid:{number}>"), &format!("uid-{number}"));
        text = text.replace(&format!("<gen:{number}>"), &format!("gen{number}"));
        text = text.replace(&format!("<hash:{number}>"), &format!("hash{number}"));
    }
    serde_json::from_str(&text).expect("JSON")
}

fn list(value: &Value) -> &[Value] {
    value.as_array().map(Vec::as_slice).unwrap_or_default()
}
