//! The way to the API server: it can be closed, and it keeps in mind which pods were asked to leave.

use std::{
    pin::Pin,
    sync::{Arc, Mutex},
    task::{Context, Poll},
};

use bytes::Bytes;
use futures::StreamExt as _;
use http::{Method, Request, Response, StatusCode};
use http_body_util::{BodyExt, BodyStream, Full, StreamBody, combinators::UnsyncBoxBody};
use jiff::Timestamp;
use plimsoll_minicluster::server::Server;
use plimsoll_net::Clock;
use serde_json::{Value, json};
use tokio::sync::watch;
use tower::{BoxError, Service};

/// A way to the API server.
#[derive(Clone, Debug)]
pub(crate) struct Gate {
    server: Server,
    clock: Clock,
    state: watch::Sender<State>,
    evictions: Arc<Mutex<Vec<Asked>>>,
}

/// What becomes of requests.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum State {
    /// They are answered.
    Open,
    /// Those that ask a pod to leave are refused, as if a budget were used up.
    Protecting,
    /// They are refused.
    Closed,
}

/// A pod was asked to leave.
#[derive(Clone, Debug)]
pub(crate) struct Asked {
    pub at: Timestamp,
    pub pod: String,
    /// How long it got, when that was said.
    pub grace: Option<i64>,
}

// === impl Gate ===

impl Gate {
    pub(crate) fn new(server: Server, clock: Clock) -> Self {
        Self { server, clock, state: watch::Sender::new(State::Open), evictions: Arc::default() }
    }

    /// Answers that are under way are cut off.
    pub(crate) fn set(&self, state: State) {
        self.state.send_replace(state);
    }

    /// Who was asked to leave, in order.
    pub(crate) fn evictions(&self) -> Vec<Asked> {
        self.evictions.lock().unwrap().clone()
    }

    fn keep(&self, path: &str, body: &[u8]) {
        let body: Value = serde_json::from_slice(body).unwrap();
        let pod = path.rsplit('/').nth(1).unwrap().to_owned();
        let grace = body.pointer("/deleteOptions/gracePeriodSeconds").and_then(Value::as_i64);
        let asked = Asked { at: self.clock.now(), pod, grace };
        self.evictions.lock().unwrap().push(asked);
    }
}

impl<B> Service<Request<B>> for Gate
where
    B: BodyExt<Data = Bytes> + Send + 'static,
    B::Error: Into<BoxError>,
{
    type Response = Response<UnsyncBoxBody<Bytes, BoxError>>;
    type Error = BoxError;
    type Future = Pin<Box<dyn Future<Output = Result<Self::Response, BoxError>> + Send>>;

    fn poll_ready(&mut self, _: &mut Context<'_>) -> Poll<Result<(), BoxError>> {
        Poll::Ready(Ok(()))
    }

    fn call(&mut self, request: Request<B>) -> Self::Future {
        let mut state = self.state.subscribe();
        let now = *state.borrow_and_update();
        let gate = self.clone();
        Box::pin(async move {
            if now == State::Closed {
                return Err("connection refused".into());
            }
            let (head, body) = request.into_parts();
            let body = body.collect().await.map_err(Into::into)?.to_bytes();
            let path = head.uri.path();
            if head.method == Method::POST && path.ends_with("/eviction") {
                gate.keep(path, &body);
                if now == State::Protecting {
                    return Ok(protected());
                }
            }
            let request = Request::from_parts(head, Full::new(body));
            let (head, body) = gate.server.clone().call(request).await?.into_parts();
            let changed = async move {
                // Nobody changes it any more once the test is over.
                let _ = state.changed().await;
            };
            let frames = BodyStream::new(body.map_err(Into::into)).take_until(Box::pin(changed));
            Ok(Response::from_parts(head, StreamBody::new(frames).boxed_unsync()))
        })
    }
}

/// As the API server answers when a budget allows nobody to leave.
fn protected() -> Response<UnsyncBoxBody<Bytes, BoxError>> {
    let code = StatusCode::TOO_MANY_REQUESTS;
    let status = json!({
        "kind": "Status",
        "apiVersion": "v1",
        "status": "Failure",
        "message": "Cannot evict pod as it would violate the pod's disruption budget.",
        "reason": "TooManyRequests",
        "code": code.as_u16(),
    });
    let body = Full::from(status.to_string()).map_err(|never| match never {}).boxed_unsync();
    Response::builder().status(code).header("content-type", "application/json").body(body).unwrap()
}
