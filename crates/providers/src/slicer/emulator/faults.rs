//! What goes wrong between the host and those who ask it.

use std::time::Duration;

use axum::{
    body::Body,
    http::{HeaderValue, Method, Request, Response, header},
    middleware::Next,
};
use bytes::Bytes;
use futures::stream;
use jiff::fmt::rfc2822::DateTimePrinter;
use plimsoll_provider::Class;

use super::{Emulator, routes::refuse};
use crate::{
    faults::{Failing, is_next, is_one},
    rest::LONGEST_BODY,
};

/// What goes wrong, as it was last set.
#[derive(Debug, Default)]
pub(super) struct Faults {
    pub(super) is_down: bool,
    /// What every request waits for before it takes effect.
    pub(super) latency: Duration,
    /// How many machines are made slowly, and how long each takes.
    pub(super) slow_creations: (u32, Duration),
    /// Requests that will fail.
    pub(super) failing: Option<Failing<Class>>,
    /// So many answers to requests that change something are lost.
    pub(super) lost_replies: u32,
    /// So many lists are given out whole before one is cut.
    pub(super) cut_after: Option<u32>,
}

/// What becomes of a request before it takes effect.
enum Before {
    Served,
    Broken,
    Refused(u16),
}

/// What becomes of an answer.
enum After {
    Arrives,
    Lost,
    Cut,
}

/// Stands before all routes. A host goes on with a request when its caller has left.
pub(super) async fn pass(emulator: Emulator, request: Request<Body>, next: Next) -> Response<Body> {
    let served = tokio::spawn(serve(emulator, request, next));
    served.await.unwrap_or_else(|_| broken(Bytes::new()))
}

async fn serve(emulator: Emulator, request: Request<Body>, next: Next) -> Response<Body> {
    let _open = emulator.open();
    let latency = emulator.books().faults.latency;
    if !latency.is_zero() {
        tokio::time::sleep(latency).await;
    }
    let changes = request.method() != Method::GET && request.method() != Method::HEAD;
    let makes = request.method() == Method::POST && request.uri().path().ends_with("/nodes");
    let sent = request.headers().get(header::AUTHORIZATION);
    let sent = sent.and_then(|value| value.to_str().ok()).unwrap_or_default().to_owned();
    let before = emulator.books().faults.before(makes);
    match before {
        Before::Served => {}
        Before::Broken => return broken(Bytes::new()),
        // A careless service repeats what it was sent.
        Before::Refused(status) => return refuse(status, &format!("no luck with {sent}")),
    }
    let (_, time) = emulator.books().faults.slow_creations;
    if makes && is_one(&mut emulator.books().faults.slow_creations.0) {
        tokio::time::sleep(time).await;
    }
    let mut response = next.run(request).await;
    let served_list = !changes && response.status().is_success();
    let after = emulator.books().faults.after(changes, served_list);
    match after {
        After::Arrives => {}
        After::Lost => return broken(Bytes::new()),
        After::Cut => {
            let body = axum::body::to_bytes(response.into_body(), LONGEST_BODY).await;
            let body = body.unwrap_or_default();
            let half = body.len() / 2;
            return broken(body.slice(..half));
        }
    }
    let now = emulator.with(|state, now| now.checked_add(state.skew).unwrap_or(now));
    let date = DateTimePrinter::new().timestamp_to_rfc9110_string(&now).ok();
    if let Some(date) = date.and_then(|date| HeaderValue::from_str(&date).ok()) {
        response.headers_mut().insert(header::DATE, date);
    }
    response
}

/// An answer whose connection breaks after this much of it.
fn broken(beginning: Bytes) -> Response<Body> {
    let parts = [Ok(beginning), Err(std::io::Error::from(std::io::ErrorKind::ConnectionReset))];
    Response::new(Body::from_stream(stream::iter(parts)))
}

// === impl Faults ===

impl Faults {
    fn before(&mut self, makes: bool) -> Before {
        if self.is_down {
            return Before::Broken;
        }
        // Only who wants more can be told that there are too many.
        if self.failing.is_some_and(|failing| failing.kind() == Class::Quota) && !makes {
            return Before::Served;
        }
        match Failing::next(&mut self.failing) {
            None => Before::Served,
            Some(Class::Auth) => Before::Refused(401),
            Some(Class::Quota) => Before::Refused(403),
            Some(_) => Before::Refused(500),
        }
    }

    fn after(&mut self, changes: bool, is_list: bool) -> After {
        if changes && is_one(&mut self.lost_replies) {
            After::Lost
        } else if is_list && is_next(&mut self.cut_after) {
            After::Cut
        } else {
            After::Arrives
        }
    }
}
