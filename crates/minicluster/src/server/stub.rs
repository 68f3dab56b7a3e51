//! Subresources that need a kubelet, which is not there, and a few that are small enough to live here.

use jiff::SignedDuration;
use serde_json::{Value, json};

use crate::{ApiError, FieldError, Kind};

use super::{
    accept::{Accepted, Offer},
    access::User,
    answer::{Answer, document},
    resource::Call,
};

/// How long a token holds if nobody says.
const HOUR: i64 = 3600;

/// The shortest time that a token may hold, in seconds.
const SHORTEST: i64 = 600;

/// Answers politely.
pub(super) fn answer(
    call: &Call<'_>,
    kind: &Kind,
    subresource: &'static str,
) -> Result<Answer, ApiError> {
    let object = call.api().get(kind, call.namespace(kind), call.name())?;
    if subresource == "token" {
        return token(call, kind, &object.uid);
    }
    let name = call.name();
    let message = match subresource {
        "log" => format!("there are no logs of pod \"{name}\": its containers exist in name only"),
        "exec" | "attach" | "portforward" => {
            format!("cannot connect to pod \"{name}\": its containers exist in name only")
        }
        "proxy" => format!("nothing listens behind {} \"{name}\"", kind.singular),
        other => format!("this cluster keeps no {other} of {} \"{name}\"", kind.singular),
    };
    Err(ApiError::new(501, "NotImplemented", message).about(&kind.group, &kind.plural, name))
}

/// The methods that the real server knows there.
pub(super) fn methods(subresource: &str) -> &'static [&'static str] {
    match subresource {
        "log" => &["GET"],
        "token" => &["POST"],
        "exec" | "attach" | "portforward" => &["GET", "POST"],
        "proxy" => &["GET", "POST", "PUT", "PATCH", "DELETE", "HEAD", "OPTIONS"],
        _ => &["GET", "PUT", "PATCH"],
    }
}

/// A token for a service account.
fn token(call: &Call<'_>, kind: &Kind, uid: &str) -> Result<Answer, ApiError> {
    let accepted = Accepted::negotiate(&call.headers, Offer::Plain)?;
    let (request, _) = call.object(kind)?;
    let seconds = request["spec"]["expirationSeconds"].as_i64().unwrap_or(HOUR);
    if seconds < SHORTEST {
        let detail = "may not specify a duration less than 10 minutes";
        let error = FieldError::invalid("spec.expirationSeconds", seconds, detail);
        return Err(ApiError::invalid("authentication.k8s.io", "TokenRequest", "", &[error]));
    }
    let now = call.api().clock().now();
    let expires = now
        .checked_add(SignedDuration::from_secs(seconds))
        .map_err(|_| ApiError::bad_request("spec.expirationSeconds is too large"))?;
    let (namespace, name) = (call.namespace(kind), call.name());
    let token = call.server.access().issue(User::service_account(namespace, name), expires);
    let audiences = match &request["spec"]["audiences"] {
        Value::Array(audiences) => audiences.clone(),
        _ => vec![json!("https://kubernetes.default.svc")],
    };
    let time = |moment: jiff::Timestamp| moment.strftime("%Y-%m-%dT%H:%M:%SZ").to_string();
    let answer = json!({
        "kind": "TokenRequest",
        "apiVersion": "authentication.k8s.io/v1",
        "metadata": { "name": name, "namespace": namespace, "uid": uid, "creationTimestamp": time(now) },
        "spec": { "audiences": audiences, "expirationSeconds": seconds, "boundObjectRef": null },
        "status": { "token": token, "expirationTimestamp": time(expires) },
    });
    Ok(document(201, &answer, accepted.encoding))
}
