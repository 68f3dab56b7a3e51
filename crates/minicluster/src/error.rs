//! Refusals, worded as the real server words them.

use std::fmt;

use serde_json::{Map, Value, json};

/// Why a request was refused. Becomes a `Status` object.
#[derive(Clone, Debug, PartialEq)]
pub struct ApiError {
    /// The HTTP status.
    pub code: u16,
    /// The machine-readable reason, such as `NotFound`; empty where the real server gives none.
    pub reason: &'static str,
    /// The sentence for people.
    pub message: String,
    /// `details`, when there are any.
    pub details: Option<Value>,
    /// The `Retry-After` header, in seconds.
    pub retry_after: Option<u32>,
    /// `metadata.continue` of the Status: a list that may go on although its token has expired.
    pub resume: Option<String>,
}

/// What is wrong with one field.
#[derive(Clone, Debug, PartialEq)]
pub struct FieldError {
    /// Where, such as `spec.containers[0].name`.
    pub path: String,
    /// What kind of mistake.
    pub kind: FieldErrorKind,
    /// The offending value; `Null` where there is none to show.
    pub value: Value,
    /// What is wrong with it, or what would be right.
    pub detail: String,
    /// The value as it is written in the message, where that is not its JSON: some values are shown as structures of the real
    /// server, whose members have an order.
    pub shown: Option<Box<str>>,
}

/// Kinds of mistakes in a field, in the words of Kubernetes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FieldErrorKind {
    /// `Required value`.
    Required,
    /// `Invalid value`.
    Invalid,
    /// `Unsupported value`.
    NotSupported,
    /// `Duplicate value`.
    Duplicate,
    /// `Forbidden`.
    Forbidden,
    /// `Too long`.
    TooLong,
    /// `Too many`.
    TooMany,
    /// `Not found`.
    NotFound,
    /// `Invalid value` of the wrong type.
    TypeInvalid,
    /// `Internal error`.
    Internal,
}

// === impl ApiError ===

impl ApiError {
    /// A refusal without details.
    pub fn new(code: u16, reason: &'static str, message: impl Into<String>) -> Self {
        Self {
            code,
            reason,
            message: message.into(),
            details: None,
            retry_after: None,
            resume: None,
        }
    }

    /// 404: there is no such object. `resource` is the plural, with the group behind a dot where there is one.
    pub fn not_found(group: &str, plural: &str, name: &str) -> Self {
        let message = format!("{} \"{name}\" not found", qualified(plural, group));
        Self::new(404, "NotFound", message).about(group, plural, name)
    }

    /// 409: the name is taken.
    pub fn already_exists(group: &str, plural: &str, name: &str) -> Self {
        let message = format!("{} \"{name}\" already exists", qualified(plural, group));
        Self::new(409, "AlreadyExists", message).about(group, plural, name)
    }

    /// 409: somebody else was quicker.
    pub fn conflict(group: &str, plural: &str, name: &str, why: &str) -> Self {
        let resource = qualified(plural, group);
        let message = format!("Operation cannot be fulfilled on {resource} \"{name}\": {why}");
        Self::new(409, "Conflict", message).about(group, plural, name)
    }

    /// 422: fields are wrong. `kind` is the kind's name, not the plural.
    pub fn invalid(group: &str, kind: &str, name: &str, errors: &[FieldError]) -> Self {
        // The sentence says each thing once, even where two checks find it.
        let mut texts: Vec<String> = Vec::new();
        for text in errors.iter().map(ToString::to_string) {
            if !texts.contains(&text) {
                texts.push(text);
            }
        }
        let all = match texts.as_slice() {
            [one] => one.clone(),
            many => format!("[{}]", many.join(", ")),
        };
        let what = if group.is_empty() { kind.to_owned() } else { format!("{kind}.{group}") };
        let causes: Vec<Value> = errors.iter().map(FieldError::cause).collect();
        let mut error = Self::new(422, "Invalid", format!("{what} \"{name}\" is invalid: {all}"))
            .about(group, kind, name);
        if let Some(Value::Object(details)) = &mut error.details {
            details.insert("causes".to_owned(), Value::Array(causes));
        }
        error
    }

    /// 400: the request makes no sense.
    pub fn bad_request(message: impl Into<String>) -> Self {
        Self::new(400, "BadRequest", message)
    }

    /// 403.
    pub fn forbidden(group: &str, plural: &str, name: &str, why: &str) -> Self {
        let resource = qualified(plural, group);
        let message = format!("{resource} \"{name}\" is forbidden: {why}");
        Self::new(403, "Forbidden", message).about(group, plural, name)
    }

    /// 500 with the server's own words.
    pub fn internal(message: impl Into<String>) -> Self {
        Self::new(500, "InternalError", message)
    }

    /// With `details` that name the object. Empty parts are left out, as the real server does.
    #[must_use]
    pub fn about(mut self, group: &str, resource: &str, name: &str) -> Self {
        let mut details = Map::new();
        for (key, value) in [("name", name), ("group", group), ("kind", resource)] {
            if !value.is_empty() {
                details.insert(key.to_owned(), json!(value));
            }
        }
        self.details = Some(Value::Object(details));
        self
    }

    /// The `Status` object.
    pub fn status(&self) -> Value {
        let mut status = json!({
            "kind": "Status",
            "apiVersion": "v1",
            "metadata": {},
            "status": "Failure",
            "message": self.message,
            "code": self.code,
        });
        if !self.reason.is_empty() {
            status["reason"] = json!(self.reason);
        }
        if let Some(details) = &self.details {
            status["details"] = details.clone();
        }
        if let Some(resume) = &self.resume {
            status["metadata"]["continue"] = json!(resume);
        }
        status
    }
}

impl fmt::Display for ApiError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.message)
    }
}

impl std::error::Error for ApiError {}

/// `deployments.apps`, or `pods`.
fn qualified(plural: &str, group: &str) -> String {
    if group.is_empty() { plural.to_owned() } else { format!("{plural}.{group}") }
}

// === impl FieldError ===

impl FieldError {
    /// A mistake at `path`.
    pub fn new(
        kind: FieldErrorKind,
        path: impl Into<String>,
        value: Value,
        detail: impl Into<String>,
    ) -> Self {
        Self { path: path.into(), kind, value, detail: detail.into(), shown: None }
    }

    /// With this text in place of the value's JSON.
    #[must_use]
    pub fn showing(mut self, text: impl Into<Box<str>>) -> Self {
        self.shown = Some(text.into());
        self
    }

    /// `path: Required value[: detail]`.
    pub fn required(path: impl Into<String>, detail: impl Into<String>) -> Self {
        Self::new(FieldErrorKind::Required, path, Value::Null, detail)
    }

    /// `path: Invalid value: value: detail`.
    pub fn invalid(
        path: impl Into<String>,
        value: impl Into<Value>,
        detail: impl Into<String>,
    ) -> Self {
        Self::new(FieldErrorKind::Invalid, path, value.into(), detail)
    }

    /// `path: Forbidden: detail`.
    pub fn forbidden(path: impl Into<String>, detail: impl Into<String>) -> Self {
        Self::new(FieldErrorKind::Forbidden, path, Value::Null, detail)
    }

    /// `path: Unsupported value: value: supported values: "a", "b"`.
    pub fn not_supported(
        path: impl Into<String>,
        value: impl Into<Value>,
        supported: &[&str],
    ) -> Self {
        let quoted: Vec<String> = supported.iter().map(|text| format!("{text:?}")).collect();
        let detail = format!("supported values: {}", quoted.join(", "));
        Self::new(FieldErrorKind::NotSupported, path, value.into(), detail)
    }

    /// `path: Duplicate value: value`.
    pub fn duplicate(path: impl Into<String>, value: impl Into<Value>) -> Self {
        Self::new(FieldErrorKind::Duplicate, path, value.into(), "")
    }

    /// The words after the path.
    fn body(&self) -> String {
        let shown = match self.kind {
            FieldErrorKind::Required
            | FieldErrorKind::Forbidden
            | FieldErrorKind::TooLong
            | FieldErrorKind::TooMany
            | FieldErrorKind::Internal => self.kind.text().to_owned(),
            _ => match &self.shown {
                Some(text) => format!("{}: {text}", self.kind.text()),
                None => format!("{}: {}", self.kind.text(), self.value),
            },
        };
        if self.detail.is_empty() { shown } else { format!("{shown}: {}", self.detail) }
    }

    fn cause(&self) -> Value {
        json!({ "reason": self.kind.reason(), "message": self.body(), "field": self.path })
    }
}

impl fmt::Display for FieldError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}", self.path, self.body())
    }
}

// === impl FieldErrorKind ===

impl FieldErrorKind {
    const fn text(self) -> &'static str {
        match self {
            Self::Required => "Required value",
            Self::Invalid | Self::TypeInvalid => "Invalid value",
            Self::NotSupported => "Unsupported value",
            Self::Duplicate => "Duplicate value",
            Self::Forbidden => "Forbidden",
            Self::TooLong => "Too long",
            Self::TooMany => "Too many",
            Self::NotFound => "Not found",
            Self::Internal => "Internal error",
        }
    }

    const fn reason(self) -> &'static str {
        match self {
            Self::Required => "FieldValueRequired",
            Self::Invalid => "FieldValueInvalid",
            Self::NotSupported => "FieldValueNotSupported",
            Self::Duplicate => "FieldValueDuplicate",
            Self::Forbidden => "FieldValueForbidden",
            Self::TooLong => "FieldValueTooLong",
            Self::TooMany => "FieldValueTooMany",
            Self::NotFound => "FieldValueNotFound",
            Self::TypeInvalid => "FieldValueTypeInvalid",
            Self::Internal => "InternalError",
        }
    }
}
