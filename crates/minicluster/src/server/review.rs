//! Questions about oneself: who am I, and may I?

use serde_json::{Value, json};

use crate::ApiError;

use super::{
    accept::{Accepted, Offer},
    access::User,
    answer::{Answer, document, method_not_allowed},
    body::Writing,
    resource::Call,
    roles::Wish,
};

/// Answers a review; `None` if the path is none.
pub(super) fn answer(call: &Call<'_>) -> Option<Result<Answer, ApiError>> {
    let path = (call.path.group.as_str(), call.path.version.as_str(), call.path.plural.as_str());
    let kind = match path {
        ("authorization.k8s.io", "v1", "selfsubjectaccessreviews") => "SelfSubjectAccessReview",
        ("authentication.k8s.io", "v1", "selfsubjectreviews") => "SelfSubjectReview",
        _ => return None,
    };
    if call.method != http::Method::POST {
        return Some(Err(method_not_allowed()));
    }
    Some(review(call, kind))
}

fn review(call: &Call<'_>, kind: &str) -> Result<Answer, ApiError> {
    let accepted = Accepted::negotiate(&call.headers, Offer::Plain)?;
    let writing = Writing::of(&call.headers)?;
    let (request, _) = writing.read(call.body.as_ref().map_err(Clone::clone)?, kind)?;
    let answer = match kind {
        "SelfSubjectReview" => who_am_i(&call.user),
        _ => may_i(call, &request),
    };
    Ok(document(201, &answer, accepted.encoding))
}

fn who_am_i(user: &User) -> Value {
    json!({
        "kind": "SelfSubjectReview",
        "apiVersion": "authentication.k8s.io/v1",
        "metadata": {},
        "status": { "userInfo": { "username": user.name, "groups": user.groups } },
    })
}

fn may_i(call: &Call<'_>, request: &Value) -> Value {
    let attributes = |kind: &str, field: &str| {
        request["spec"][kind][field].as_str().unwrap_or_default().to_owned()
    };
    let of_resource = |field: &str| attributes("resourceAttributes", field);
    let allows = |wish| call.server.access().allows(call.api(), &call.user, wish);
    let allowed =
        if request["spec"].get("nonResourceAttributes").is_some_and(|found| !found.is_null()) {
            let (verb, path) = (
                attributes("nonResourceAttributes", "verb"),
                attributes("nonResourceAttributes", "path"),
            );
            allows(Wish::Path { verb: &verb, path: &path })
        } else {
            let (plural, subresource) = (of_resource("resource"), of_resource("subresource"));
            let resource =
                if subresource.is_empty() { plural } else { format!("{plural}/{subresource}") };
            let namespace = of_resource("namespace");
            allows(Wish::Resource {
                verb: &of_resource("verb"),
                group: &of_resource("group"),
                resource: &resource,
                namespace: Some(namespace.as_str()).filter(|namespace| !namespace.is_empty()),
                name: &of_resource("name"),
            })
        };
    json!({
        "kind": "SelfSubjectAccessReview",
        "apiVersion": "authorization.k8s.io/v1",
        "metadata": {},
        "spec": request["spec"],
        "status": { "allowed": allowed },
    })
}
