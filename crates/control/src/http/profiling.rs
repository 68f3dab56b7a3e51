//! CPU profiles, under the paths that `go tool pprof` knows.

use std::time::Duration;

use axum::{
    extract::{Query, rejection::QueryRejection},
    http::{StatusCode, header},
    response::{Html, IntoResponse, Response},
};
use plimsoll_net::profiling::{ProfileError, cpu};
use serde::Deserialize;

use super::Refusal;

/// Go's.
const DEFAULT_SECONDS: u64 = 30;

/// Nobody waits longer on one connection.
const MOST_SECONDS: u64 = 600;

const INDEX: &str = "<!doctype html><title>/debug/pprof/</title>
<p><a href=\"profile?seconds=30\">profile</a>: where the process spends its time, for <code>go tool pprof</code>.
<code>seconds</code> says how long to look.
";

/// What a profile is asked for with.
#[derive(Debug, Deserialize)]
pub(super) struct Length {
    seconds: Option<u64>,
}

pub(super) async fn index() -> Html<&'static str> {
    Html(INDEX)
}

pub(super) async fn profile(
    length: Result<Query<Length>, QueryRejection>,
) -> Result<Response, Refusal> {
    let length =
        length.map_err(|error| Refusal::new(StatusCode::BAD_REQUEST, error.body_text()))?;
    let seconds = length.0.seconds.unwrap_or(DEFAULT_SECONDS);
    if !(1..=MOST_SECONDS).contains(&seconds) {
        let error = format!("seconds={seconds} is not from 1 to {MOST_SECONDS}");
        return Err(Refusal::new(StatusCode::BAD_REQUEST, error));
    }
    let profile = cpu(Duration::from_secs(seconds)).await.map_err(|error| {
        let code = match error {
            ProfileError::Busy => StatusCode::CONFLICT,
            ProfileError::Failed(_) => StatusCode::INTERNAL_SERVER_ERROR,
        };
        Refusal::new(code, error.to_string())
    })?;
    let headers = [
        (header::CONTENT_TYPE, "application/octet-stream"),
        (header::CONTENT_DISPOSITION, "attachment; filename=\"profile\""),
    ];
    Ok((headers, profile).into_response())
}
