//! Who is answered at the endpoints that show what runs in the cluster: `/explain`, `/status`, `/snapshotz` and `/debug/pprof/`.

use axum::{
    extract::{Request, State},
    http::{HeaderMap, HeaderValue, StatusCode, header},
    middleware::Next,
    response::{IntoResponse as _, Response},
};
use plimsoll_cluster::access::{Access, AccessError, Verdict};
use plimsoll_net::listen::Peer;

use super::Refusal;

/// Who is answered there.
#[derive(Clone, Debug)]
pub(crate) enum Callers {
    /// Everybody who reaches the port; the user said `insecure-debug-endpoints`.
    Everybody,
    /// Callers on the loopback address, and those whose bearer token the API server accepts and allows to get the path.
    Authorised(Access),
}

/// Who asks, and for what.
struct Caller {
    is_local: bool,
    path: String,
    token: Option<String>,
}

/// Answers callers who may see it, and refuses the others.
pub(super) async fn admit(
    State(callers): State<Callers>,
    request: Request,
    next: Next,
) -> Response {
    let caller = Caller::of(&request);
    match callers.check(caller).await {
        Ok(()) => next.run(request).await,
        Err(refusal) => {
            let is_unknown = refusal.code == StatusCode::UNAUTHORIZED;
            let mut response = refusal.into_response();
            if is_unknown {
                let scheme = HeaderValue::from_static("Bearer");
                response.headers_mut().insert(header::WWW_AUTHENTICATE, scheme);
            }
            response
        }
    }
}

// === impl Caller ===

impl Caller {
    fn of(request: &Request) -> Self {
        Self {
            // A request without a peer did not come through our listener, and nothing is known of its origin.
            is_local: request.extensions().get::<Peer>().is_some_and(Peer::is_local),
            path: request.uri().path().to_owned(),
            token: bearer(request.headers()).map(str::to_owned),
        }
    }
}

// === impl Callers ===

impl Callers {
    async fn check(&self, caller: Caller) -> Result<(), Refusal> {
        let Self::Authorised(access) = self else { return Ok(()) };
        let Caller { is_local, path, token } = caller;
        if is_local {
            return Ok(());
        }
        let Some(token) = token else {
            let error = format!("{path} needs a bearer token from other machines");
            let help = "ask through kubectl port-forward, or send the token of a user who may get this path";
            return Err(Refusal::new(StatusCode::UNAUTHORIZED, error).help(help));
        };
        match access.may_get(&token, &path).await {
            Ok(Verdict::Allowed) => Ok(()),
            Ok(Verdict::Unauthenticated) => {
                let error = "the API server does not accept this bearer token";
                let help = "make a new one with kubectl create token";
                Err(Refusal::new(StatusCode::UNAUTHORIZED, error).help(help))
            }
            Ok(Verdict::Forbidden { user }) => {
                let error = format!("user {user} may not get the path {path}");
                let help = "bind a role like plimsoll-debug-viewer of deploy/optional/debug-access.yaml to this user";
                Err(Refusal::new(StatusCode::FORBIDDEN, error).help(help))
            }
            Err(error @ AccessError::Busy) => Err(Refusal::busy(error.to_string())),
            Err(error @ AccessError::Unanswered { .. }) => {
                let help = "apply deploy/optional/debug-access.yaml, which lets the autoscaler check tokens";
                Err(Refusal::new(StatusCode::SERVICE_UNAVAILABLE, error.to_string()).help(help))
            }
        }
    }
}

/// The token of the header `Authorization: Bearer TOKEN`.
fn bearer(headers: &HeaderMap) -> Option<&str> {
    let value = headers.get(header::AUTHORIZATION)?.to_str().ok()?;
    let (scheme, token) = value.trim().split_once(' ')?;
    let is_bearer = scheme.eq_ignore_ascii_case("bearer");
    Some(token.trim()).filter(|token| is_bearer && !token.is_empty())
}

#[cfg(test)]
mod tests;
