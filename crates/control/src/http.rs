//! What the autoscaler answers over HTTP.

use axum::{
    Router,
    extract::State,
    http::{StatusCode, header},
    response::{IntoResponse, Response},
    routing::get,
};
use plimsoll_cluster::lease::Standing;
use plimsoll_net::{Clock, metrics::Metrics};
use serde_json::json;
use tokio::sync::watch;

use crate::{engine::Handle, health::Health};

/// What answers are made from.
#[derive(Clone, Debug)]
pub(crate) struct Desk {
    pub handle: Handle,
    pub standing: watch::Receiver<Standing>,
    pub clock: Clock,
    pub health: Health,
    pub metrics: Metrics,
}

/// All that is answered.
pub(crate) fn router(desk: Desk) -> Router {
    Router::new()
        .route("/metrics", get(metrics))
        .route("/health-check", get(health_check))
        .route("/ready", get(ready))
        .fallback(|| async { Refusal::new(StatusCode::NOT_FOUND, "there is nothing here") })
        .with_state(desk)
}

/// An answer that is none, as JSON.
struct Refusal {
    code: StatusCode,
    error: String,
}

async fn metrics(State(desk): State<Desk>) -> Response {
    let form = "application/openmetrics-text; version=1.0.0; charset=utf-8";
    ([(header::CONTENT_TYPE, form)], desk.metrics.text()).into_response()
}

async fn health_check(State(desk): State<Desk>) -> Response {
    match desk.health.check(desk.clock.now()) {
        Ok(()) => "OK".into_response(),
        Err(dead) => {
            let error = format!(
                "last activity {:#} ago, last successful pass {:#} ago",
                dead.inactive, dead.failing
            );
            Refusal::new(StatusCode::INTERNAL_SERVER_ERROR, error).into_response()
        }
    }
}

async fn ready(State(desk): State<Desk>) -> Response {
    let leads = *desk.standing.borrow() == Standing::Leading;
    if leads && desk.handle.passes().borrow().is_none() {
        let error = "the first pass has not been made yet";
        return Refusal::new(StatusCode::SERVICE_UNAVAILABLE, error).into_response();
    }
    "OK".into_response()
}

// === impl Refusal ===

impl Refusal {
    fn new(code: StatusCode, error: impl Into<String>) -> Self {
        Self { code, error: error.into() }
    }
}

impl IntoResponse for Refusal {
    fn into_response(self) -> Response {
        let body = json!({ "error": self.error }).to_string();
        (self.code, [(header::CONTENT_TYPE, "application/json")], body).into_response()
    }
}
