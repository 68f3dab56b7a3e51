//! The operations in the documents. kubectl looks there for what a resource's kind is, and for whether a server knows
//! `fieldValidation`.

use serde_json::{Map, Value, json};

use super::{
    Form,
    components::{list_name, meta, name, reference},
};
use crate::kind::{Kind, Subresource};

const DRY_RUN: &str = "When present, indicates that modifications should not be persisted. An invalid or unrecognized dryRun \
    directive will result in an error response and no further processing of the request. Valid values are: - All: all dry run \
    stages will be processed";
const FIELD_MANAGER: &str = "fieldManager is a name associated with the actor or entity that is making these changes. The value \
    must be less than or 128 characters long, and only contain printable characters, as defined by \
    https://golang.org/pkg/unicode/#IsPrint.";
const FIELD_VALIDATION: &str = "fieldValidation instructs the server on how to handle objects in the request (POST/PUT/PATCH) \
    containing unknown or duplicate fields. Valid values are: - Ignore: This will ignore any unknown fields that are silently \
    dropped from the object, and will ignore all but the last duplicate field that the decoder encounters. This is the default \
    behavior prior to v1.23. - Warn: This will send a warning via the standard warning response header for each unknown field \
    that is dropped from the object, and for each duplicate field that is encountered. The request will still succeed if there \
    are no other errors, and will only persist the last of any duplicate fields. This is the default in v1.23+ - Strict: This \
    will fail the request with a BadRequest error if any unknown fields would be dropped from the object, or if any duplicate \
    fields are present. The error returned from the server will contain all unknown and duplicate fields encountered.";

/// One thing that can be done at a path.
struct Operation<'a> {
    action: &'static str,
    /// The kind that is dealt with: group, version, kind.
    about: (&'a str, &'a str, &'a str),
    /// The schema of the answer.
    answer: String,
    /// The schema of the body, where there is one.
    body: Option<String>,
    form: Form,
}

/// All paths of some kinds.
pub(super) fn of(kinds: &[&Kind], form: Form) -> Value {
    let mut paths = Map::new();
    for kind in kinds {
        let root = match &*kind.group {
            "" => format!("/api/{}", kind.version),
            group => format!("/apis/{group}/{}", kind.version),
        };
        let collection = if kind.is_namespaced() {
            let all = json!({ "get": operation(kind, "list", form) });
            paths.insert(format!("{root}/{}", kind.plural), all);
            format!("{root}/namespaces/{{namespace}}/{}", kind.plural)
        } else {
            format!("{root}/{}", kind.plural)
        };
        let object = format!("{collection}/{{name}}");
        paths.insert(
            collection,
            json!({
                "get": operation(kind, "list", form),
                "post": operation(kind, "post", form),
                "delete": operation(kind, "deletecollection", form),
            }),
        );
        for subresource in &kind.subresources {
            if let Some((name, operations)) = below(kind, *subresource, form) {
                paths.insert(format!("{object}/{name}"), operations);
            }
        }
        paths.insert(
            object,
            json!({
                "get": operation(kind, "get", form),
                "put": operation(kind, "put", form),
                "patch": operation(kind, "patch", form),
                "delete": operation(kind, "delete", form),
            }),
        );
    }
    Value::Object(paths)
}

fn operation(kind: &Kind, action: &'static str, form: Form) -> Value {
    let own = name(kind);
    let (answer, body) = match action {
        "list" => (list_name(kind), None),
        "post" | "put" => (own.clone(), Some(own)),
        "patch" => (own, Some(meta("Patch"))),
        "delete" | "deletecollection" => (meta("Status"), Some(meta("DeleteOptions"))),
        _ => (own, None),
    };
    let about = (&*kind.group, &*kind.version, &*kind.kind);
    Operation { action, about, answer, body, form }.write(kind)
}

/// What can be done with a subresource.
fn below(kind: &Kind, subresource: Subresource, form: Form) -> Option<(&'static str, Value)> {
    let of = |action, about, schema: &str, body: Option<String>| {
        let answer = schema.to_owned();
        Operation { action, about, answer, body, form }.write(kind)
    };
    let read_and_write = |about, schema: &str| {
        json!({
            "get": of("get", about, schema, None),
            "put": of("put", about, schema, Some(schema.to_owned())),
            "patch": of("patch", about, schema, Some(meta("Patch"))),
        })
    };
    let created =
        |about, schema: &str| json!({ "post": of("post", about, schema, Some(schema.to_owned())) });
    let own = (&*kind.group, &*kind.version, &*kind.kind);
    Some(match subresource {
        Subresource::Status => ("status", read_and_write(own, &name(kind))),
        Subresource::Scale => {
            let about = ("autoscaling", "v1", "Scale");
            ("scale", read_and_write(about, "io.k8s.api.autoscaling.v1.Scale"))
        }
        Subresource::Binding => {
            ("binding", created(("", "v1", "Binding"), "io.k8s.api.core.v1.Binding"))
        }
        Subresource::Eviction => {
            ("eviction", created(("policy", "v1", "Eviction"), "io.k8s.api.policy.v1.Eviction"))
        }
        Subresource::Finalize => {
            let schema = name(kind);
            ("finalize", json!({ "put": of("put", own, &schema, Some(schema.clone())) }))
        }
        Subresource::Stub(_) => return None,
    })
}

// === impl Operation ===

impl Operation<'_> {
    fn write(&self, kind: &Kind) -> Value {
        let (group, version, name) = self.about;
        let mut operation = json!({
            "x-kubernetes-action": self.action,
            "x-kubernetes-group-version-kind": { "group": group, "version": version, "kind": name },
            "responses": { "200": self.answer() },
        });
        let mut parameters = self.parameters();
        if let Some(body) = &self.body {
            let media = media_types(self.action, kind);
            let schema = reference(body, self.form);
            match self.form {
                Form::V2 => {
                    operation["consumes"] = json!(media);
                    parameters.push(json!({ "name": "body", "in": "body", "schema": schema }));
                }
                Form::V3 => {
                    let content: Map<String, Value> = media
                        .iter()
                        .map(|media| ((*media).to_owned(), json!({ "schema": schema })))
                        .collect();
                    operation["requestBody"] = json!({ "content": content });
                    if !self.action.starts_with("delete") {
                        operation["requestBody"]["required"] = json!(true);
                    }
                }
            }
        }
        if !parameters.is_empty() {
            operation["parameters"] = json!(parameters);
        }
        operation
    }

    fn answer(&self) -> Value {
        let schema = reference(&self.answer, self.form);
        match self.form {
            Form::V2 => json!({ "description": "OK", "schema": schema }),
            Form::V3 => {
                let content = json!({ "application/json": { "schema": schema } });
                json!({ "description": "OK", "content": content })
            }
        }
    }

    fn parameters(&self) -> Vec<Value> {
        let mut parameters = Vec::new();
        let mut add = |name: &str, kind: &str, description: &str| {
            let mut parameter = json!({ "name": name, "in": "query" });
            if !description.is_empty() {
                parameter["description"] = json!(description);
            }
            match self.form {
                Form::V2 => {
                    parameter["type"] = json!(kind);
                    parameter["uniqueItems"] = json!(true);
                }
                Form::V3 => parameter["schema"] = json!({ "type": kind, "uniqueItems": true }),
            }
            parameters.push(parameter);
        };
        match self.action {
            "list" => {
                for (name, kind) in [
                    ("labelSelector", "string"),
                    ("fieldSelector", "string"),
                    ("limit", "integer"),
                    ("continue", "string"),
                    ("resourceVersion", "string"),
                    ("watch", "boolean"),
                ] {
                    add(name, kind, "");
                }
            }
            "delete" | "deletecollection" => {
                add("dryRun", "string", DRY_RUN);
                add("gracePeriodSeconds", "integer", "");
                add("propagationPolicy", "string", "");
            }
            "post" | "put" | "patch" => {
                add("dryRun", "string", DRY_RUN);
                add("fieldManager", "string", FIELD_MANAGER);
                add("fieldValidation", "string", FIELD_VALIDATION);
                if self.action == "patch" {
                    add("force", "boolean", "");
                }
            }
            _ => {}
        }
        parameters
    }
}

/// The media types of a body. Kinds that somebody defined have no strategic merge.
fn media_types(action: &str, kind: &Kind) -> Vec<&'static str> {
    if action != "patch" {
        return vec!["*/*"];
    }
    let mut media = vec!["application/json-patch+json", "application/merge-patch+json"];
    if kind.custom.is_none() {
        media.push("application/strategic-merge-patch+json");
    }
    media.push("application/apply-patch+yaml");
    media
}
