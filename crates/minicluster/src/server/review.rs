//! Questions about users: who is this, and may they? Nothing of it is stored.

use serde_json::{Map, Value, json};

use crate::ApiError;

use super::{
    accept::{Accepted, Offer},
    access::{Authorization, User},
    answer::{Answer, document, method_not_allowed},
    body::Writing,
    resource::Call,
    roles::{self, Wish},
};

/// Answers a review; `None` if the path is none.
pub(super) fn answer(call: &Call<'_>) -> Option<Result<Answer, ApiError>> {
    let kind = match (call.path.group.as_str(), call.path.plural.as_str()) {
        ("authentication.k8s.io", "selfsubjectreviews") => "SelfSubjectReview",
        ("authentication.k8s.io", "tokenreviews") => "TokenReview",
        ("authorization.k8s.io", "selfsubjectaccessreviews") => "SelfSubjectAccessReview",
        ("authorization.k8s.io", "subjectaccessreviews") => "SubjectAccessReview",
        ("authorization.k8s.io", "localsubjectaccessreviews") => "LocalSubjectAccessReview",
        ("authorization.k8s.io", "selfsubjectrulesreviews") => "SelfSubjectRulesReview",
        _ => return None,
    };
    if call.path.version != "v1" {
        return None;
    }
    if call.method != http::Method::POST || call.path.name.is_some() {
        return Some(Err(method_not_allowed()));
    }
    Some(review(call, kind))
}

fn review(call: &Call<'_>, kind: &str) -> Result<Answer, ApiError> {
    let accepted = Accepted::negotiate(&call.headers, Offer::Plain)?;
    let writing = Writing::of(&call.headers)?;
    let (request, _) = writing.read(call.body.as_ref().map_err(Clone::clone)?, kind)?;
    let spec = &request["spec"];
    let status = match kind {
        "SelfSubjectReview" => json!({ "userInfo": user_info(&call.user) }),
        "TokenReview" => whose_token(call, spec),
        "SelfSubjectRulesReview" => what_may_i(call, spec),
        "SelfSubjectAccessReview" => json!({ "allowed": may(call, &call.user, spec) }),
        _ => json!({ "allowed": may(call, &subject(spec), spec) }),
    };
    let mut answer = Map::new();
    answer.insert("kind".to_owned(), json!(kind));
    answer.insert("apiVersion".to_owned(), json!(format!("{}/v1", call.path.group)));
    answer.insert("metadata".to_owned(), json!({}));
    if !spec.is_null() {
        answer.insert("spec".to_owned(), spec.clone());
    }
    answer.insert("status".to_owned(), status);
    Ok(document(201, &Value::Object(answer), accepted.encoding))
}

fn user_info(user: &User) -> Value {
    json!({ "username": user.name, "groups": user.groups })
}

fn whose_token(call: &Call<'_>, spec: &Value) -> Value {
    let token = spec["token"].as_str().unwrap_or_default();
    match call.server.access().whose(token, call.api().clock().now()) {
        Some(user) => json!({ "authenticated": true, "user": user_info(&user) }),
        None => json!({ "user": {}, "error": "the token is not known, or has expired" }),
    }
}

/// Whom a review is about that is not about the one who asks.
fn subject(spec: &Value) -> User {
    let groups = spec["groups"].as_array().into_iter().flatten();
    User {
        name: spec["user"].as_str().unwrap_or_default().to_owned(),
        groups: groups.filter_map(Value::as_str).map(str::to_owned).collect(),
    }
}

fn may(call: &Call<'_>, user: &User, spec: &Value) -> bool {
    let allows = |wish| call.server.access().allows(call.api(), user, wish);
    let text = |attributes: &str, field: &str| {
        spec[attributes][field].as_str().unwrap_or_default().to_owned()
    };
    if !spec["nonResourceAttributes"].is_null() {
        let about = |field: &str| text("nonResourceAttributes", field);
        return allows(Wish::Path { verb: &about("verb"), path: &about("path") });
    }
    let about = |field: &str| text("resourceAttributes", field);
    let (plural, subresource, namespace) =
        (about("resource"), about("subresource"), about("namespace"));
    let resource = if subresource.is_empty() { plural } else { format!("{plural}/{subresource}") };
    allows(Wish::Resource {
        verb: &about("verb"),
        group: &about("group"),
        resource: &resource,
        namespace: Some(namespace.as_str()).filter(|namespace| !namespace.is_empty()),
        name: &about("name"),
    })
}

/// Everything that one may do in a namespace.
fn what_may_i(call: &Call<'_>, spec: &Value) -> Value {
    let mut rules = match call.server.access().authorization {
        Authorization::Everything => vec![roles::everything()],
        Authorization::Roles => roles::rules(call.api(), &call.user, spec["namespace"].as_str()),
    };
    rules.extend(roles::of_everybody());
    let with = |field: &str, fields: &[&str]| -> Vec<Value> {
        let of_this_kind = rules.iter().filter(|rule| !rule[field].is_null());
        let keep = |rule: &Value| {
            fields
                .iter()
                .filter(|name| !rule[**name].is_null())
                .map(|name| ((*name).to_owned(), rule[*name].clone()))
                .collect::<Map<String, Value>>()
        };
        of_this_kind.map(|rule| Value::Object(keep(rule))).collect()
    };
    json!({
        "resourceRules": with("resources", &["verbs", "apiGroups", "resources", "resourceNames"]),
        "nonResourceRules": with("nonResourceURLs", &["verbs", "nonResourceURLs"]),
        "incomplete": false,
    })
}
