//! `ConfigMaps` and Secrets.

use serde_json::{Value, json};

use super::{
    PLAIN,
    at::{At, fill, set},
    names, text_at,
};
use crate::{FieldError, error::FieldErrorKind, kind::Rules};

/// How much either may hold.
const MOST_BYTES: usize = 1024 * 1024;

/// What is done with `ConfigMaps`.
pub(crate) const CONFIG_MAP: Rules = Rules { validate: validate_map, validate_update, ..PLAIN };

/// What is done with Secrets.
pub(crate) const SECRET: Rules = Rules {
    defaults: |secret| fill(secret, "type", "Opaque"),
    prepare_create: merge_text,
    prepare_update: |secret, _| merge_text(secret),
    validate: validate_secret,
    validate_update: validate_secret_update,
    fields: &[("type", |secret| text_at(secret, "/type"))],
    ..PLAIN
};

/// `stringData` is for writing only: it goes into `data`, encoded.
fn merge_text(secret: &mut Value) {
    use base64::{Engine as _, engine::general_purpose::STANDARD};
    let Some(map) = secret.as_object_mut() else { return };
    let Some(Value::Object(texts)) = map.remove("stringData") else { return };
    let data = map.entry("data").or_insert_with(|| json!({}));
    if data.is_null() {
        *data = json!({});
    }
    for (key, text) in texts {
        set(data, &key, STANDARD.encode(text.as_str().unwrap_or_default()));
    }
}

fn validate_map(map: &Value) -> Vec<FieldError> {
    let root = At::root(map);
    let (data, binary) = (root.field("data"), root.field("binaryData"));
    let mut errors = keys(&data);
    errors.extend(keys(&binary));
    for (key, _) in binary.entries().filter(|(key, _)| data.value.get(key.as_str()).is_some()) {
        let detail = format!("duplicate of key present in data: {key}");
        errors.push(FieldError::invalid(format!("binaryData[{key}]"), key.as_str(), detail));
    }
    let bytes = size(&data) + size(&binary);
    if bytes > MOST_BYTES {
        errors.push(too_long("[]"));
    }
    errors
}

fn validate_secret(secret: &Value) -> Vec<FieldError> {
    let root = At::root(secret);
    let data = root.field("data");
    let mut errors = keys(&data);
    // Secrets hold base64: three bytes in four letters.
    if size(&data) / 4 * 3 > MOST_BYTES {
        errors.push(too_long("data"));
    }
    let needed: &[&str] = match root.field("type").text() {
        "kubernetes.io/tls" => &["tls.crt", "tls.key"],
        "kubernetes.io/dockerconfigjson" => &[".dockerconfigjson"],
        "kubernetes.io/dockercfg" => &[".dockercfg"],
        "kubernetes.io/ssh-auth" => &["ssh-privatekey"],
        _ => &[],
    };
    errors.extend(
        needed
            .iter()
            .map(|key| data.key(key))
            .filter(|value| !value.is_set())
            .map(|value| value.required("")),
    );
    errors
}

fn validate_secret_update(new: &Value, old: &Value) -> Vec<FieldError> {
    let mut errors = Vec::new();
    errors.extend(At::root(new).field("type").unchanged(&At::root(old).field("type")));
    errors.extend(validate_update(new, old));
    errors
}

/// What is marked immutable stays as it is, mark included.
fn validate_update(new: &Value, old: &Value) -> Vec<FieldError> {
    const DETAIL: &str = "field is immutable when `immutable` is set";
    let (new, old) = (At::root(new), At::root(old));
    let mut errors = Vec::new();
    if !old.field("immutable").is_true() {
        return errors;
    }
    if !new.field("immutable").is_true() {
        errors.push(new.field("immutable").forbidden(DETAIL));
    }
    for name in ["data", "binaryData"] {
        let (now, before) = (new.field(name), old.field(name));
        if now.value != before.value && !(now.is_empty() && before.is_empty()) {
            errors.push(now.forbidden(DETAIL));
        }
    }
    errors
}

fn keys(data: &At<'_>) -> Vec<FieldError> {
    let mut errors = Vec::new();
    for (key, _) in data.entries() {
        for message in names::config_key(key) {
            errors.push(FieldError::invalid(
                format!("{}[{key}]", data.path),
                key.as_str(),
                message,
            ));
        }
    }
    errors
}

fn size(data: &At<'_>) -> usize {
    data.entries().map(|(_, value)| value.as_str().unwrap_or_default().len()).sum()
}

fn too_long(path: &str) -> FieldError {
    let detail = format!("may not be more than {MOST_BYTES} bytes");
    FieldError::new(FieldErrorKind::TooLong, path, Value::Null, detail)
}
